// The allowed contents of a channel's config, by type. Whether an address is disposable is checked elsewhere.

import type { Result } from "../../base/result.ts";
import { defined } from "../../base/result.ts";
import { badField, type ChannelFault, shownField } from "../fault.ts";
import { type ChannelType, EVENTS, type EventName } from "../kinds.ts";
import { type ChannelConfig, isObject } from "../record.ts";
import { serviceOf, TYPES } from "../types/table.ts";
import { isRedacted } from "./redaction.ts";

const URL_MAX = 2048;
// Characters that the WHATWG parser would silently drop or change.
const URL_UNFIT = /[\s\p{Cc}\\]/u;
const SECRET = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/;
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;

type Outcome<T> = Result<T, ChannelFault>;

/** Reads a whole config. A webhook's secret may still be missing; an address is read, but not checked. */
export function parseConfig(type: ChannelType, value: unknown): Outcome<ChannelConfig> {
  if (!isObject(value)) return badField("config", "must be an object: give {} or the fields of the type");
  const strange = unknownField(value, type);
  if (strange !== undefined) return strange;
  const { events, enabled, ...target } = value;
  const wanted = parseEvents(events);
  if (!wanted.ok) return wanted;
  if (enabled !== undefined && typeof enabled !== "boolean") {
    return badField("config.enabled", "must be true or false: false pauses the channel");
  }
  const read = TYPES[type].target === "address" ? parseAddress(target) : parseReceiver(type, target);
  const common = { ...wanted.value, ...defined({ enabled }) };
  return read.ok ? { ok: true, value: { ...read.value, ...common } } : read;
}

type Fields = Readonly<Record<string, unknown>>;

function parseAddress({ address }: Fields): Outcome<ChannelConfig> {
  if (address === undefined) return { ok: true, value: {} };
  if (typeof address !== "string") return badField("config.address", "must be a string: give an e-mail address");
  return { ok: true, value: { address } };
}

function parseReceiver(type: ChannelType, { url, headers, secret }: Fields): Outcome<ChannelConfig> {
  if (url === undefined) {
    const early = headers === undefined ? secret : headers;
    if (early !== undefined) return badField("config.url", "is missing: headers and secret need a url");
    return { ok: true, value: {} };
  }
  const location = parseUrl(type, url);
  if (!location.ok) return location;
  const named = headers === undefined ? undefined : parseHeaders(headers);
  if (named?.ok === false) return named;
  const fault = secret === undefined ? undefined : secretFault(secret);
  if (fault !== undefined) return badField("config.secret", fault);
  return {
    ok: true,
    value: {
      url: location.value,
      ...(named === undefined || Object.keys(named.value).length === 0 ? {} : { headers: named.value }),
      ...defined({ secret: secret as string | undefined }),
    },
  };
}

function parseUrl(type: ChannelType, value: unknown): Outcome<string> {
  const field = "config.url";
  if (typeof value !== "string") return badField(field, "must be a string: give an http or https URL");
  if (value.length > URL_MAX) return badField(field, `is too long: give at most ${URL_MAX} characters`);
  if (URL_UNFIT.test(value)) return badField(field, "has white space, control characters or backslashes: encode them");
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) {
    return badField(field, "must be an http or https URL: give one such as https://hooks.example.com/in");
  }
  if (isRedacted(value)) return badField(field, "is redacted and is not the channel's URL: send the whole URL");
  const url = new URL(value);
  const fault = serviceFault(type, url);
  return fault === undefined ? { ok: true, value: url.href } : badField(field, fault);
}

/** Why a URL is not one of the chat service of this type. */
function serviceFault(type: ChannelType, url: URL): string | undefined {
  const { service } = TYPES[type];
  if (service === undefined) return undefined;
  const owner = serviceOf(url.hostname);
  if (owner !== undefined && owner !== type) return `is of another service: make a channel of type ${owner}`;
  if (owner === type && url.protocol !== "https:") return "must begin with https://: copy it from the service";
  // A server of one's own may ask for them.
  if (owner === type && (url.username !== "" || url.password !== "")) {
    return "must have no user name or password: copy it from the service";
  }
  return service.urlFault(url);
}

function secretFault(value: unknown): string | undefined {
  if (typeof value === "string" && isRedacted(value)) return "is redacted, but no secret is stored: leave it out";
  const base64 = typeof value === "string" ? SECRET.exec(value)?.[1] : undefined;
  const bytes = Buffer.from(base64 ?? "", "base64");
  const good =
    bytes.length >= SECRET_BYTES_MIN && bytes.length <= SECRET_BYTES_MAX && bytes.toString("base64") === base64;
  return good ? undefined : "must be whsec_ and base64 of 24 to 64 bytes: correct it or leave it out";
}

function parseEvents(value: unknown): Outcome<{ readonly events?: readonly EventName[] }> {
  if (value === undefined) return { ok: true, value: {} };
  const known = EVENTS.join(", ");
  if (!Array.isArray(value)) return badField("config.events", `must be a list of events: use ${known}`);
  if (value.length === 0)
    return badField("config.events", `is empty: leave it out or send null for all events, or use ${known}`);
  if (!value.every((name) => EVENTS.some((event) => event === name))) {
    return badField("config.events", `has an unknown event: use ${known}`);
  }
  return { ok: true, value: { events: EVENTS.filter((event) => value.includes(event)) } };
}

function unknownField(
  value: Readonly<Record<string, unknown>>,
  type: ChannelType,
): ReturnType<typeof badField> | undefined {
  const known = Object.keys(TYPES[type].fields);
  const strange = Object.keys(value).find((name) => !known.includes(name));
  if (strange === undefined) return undefined;
  return badField(shownField("config", strange), `is not a field of type ${type}: use ${known.join(", ")}`);
}

const HEADERS_MAX = 20;
// Common servers accept this much in a request's headers, ours included. All channels of all teams are kept in one
// file.
const HEADER_BYTES_MAX = 8192;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
// Printable ASCII, with white space only inside: all servers read this in the same way.
const HEADER_VALUE = /^[!-~](?:[ \t!-~]{0,4094}[!-~])?$/;
// Headers of the connection, of the body and of the signature.
const RESERVED =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|webhook-.*)$/i;

/** Reads `config.headers`. Names are compared without case, as HTTP does. */
export function parseHeaders(value: unknown): Result<Readonly<Record<string, string>>, ChannelFault> {
  if (!isObject(value)) return badField("config.headers", 'must be an object: give {"Name": "value"}');
  const entries = Object.entries(value);
  if (entries.length > HEADERS_MAX)
    return badField("config.headers", `has more than ${HEADERS_MAX} headers: remove some`);
  const seen = new Set<string>();
  const headers: [string, string][] = [];
  for (const [name, text] of entries) {
    if (!HEADER_NAME.test(name))
      return badField("config.headers", "has a name that is not an HTTP header name: correct or remove it");
    const field = `config.headers.${name}`;
    if (RESERVED.test(name)) return badField(field, "is set by addrsift itself: remove it");
    if (seen.has(name.toLowerCase())) return badField(field, "is given twice, in different case: keep one");
    seen.add(name.toLowerCase());
    if (typeof text !== "string" || !HEADER_VALUE.test(text)) {
      return badField(field, "must be printable ASCII: give 1 to 4096 characters, without white space at the ends");
    }
    if (isRedacted(text)) return badField(field, "is redacted, but no value is stored: send the value itself");
    headers.push([name, text]);
  }
  const bytes = headers.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  if (bytes > HEADER_BYTES_MAX)
    return badField(
      "config.headers",
      `has ${bytes} bytes of names and values: give at most ${HEADER_BYTES_MAX} in all`,
    );
  return { ok: true, value: Object.fromEntries(headers) };
}

/** The header's name as `headers` spells it; case does not matter. */
export function findName(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return Object.keys(headers).find((known) => known.toLowerCase() === wanted);
}
