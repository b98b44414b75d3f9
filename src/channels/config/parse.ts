// Validates a channel's config by type, except the address, which `Channels` checks.

import { isObject, omitUndefined, type Result } from "../../base/result.ts";
import { blockedPortReason } from "../../outbound/client.ts";
import { type ChannelFault, formatFieldPath, invalidBody } from "../fault.ts";
import { CHANNEL_TYPE_NAMES, type ChannelType, EVENTS, URL_FORMS } from "../kinds.ts";
import { type ChannelConfig, CONFIG_FIELDS } from "../record.ts";
import { channelTypeOfHost, TYPE_DEFINITIONS } from "../types/table.ts";
import { isRedacted } from "./redaction.ts";

const MAX_URL_LENGTH = 2048;
// The WHATWG URL parser would silently drop or change these.
const FORBIDDEN_IN_URL = /[\s\p{Cc}\\]/u;
const SECRET_PATTERN = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/;
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/**
 * Parses a config: `merged` has the fields of the request, `given`, and the stored ones. A webhook's secret may be
 * missing. Does not check the address.
 */
export function parseConfig(
  type: ChannelType,
  given: unknown,
  merged: unknown = given,
): Result<ChannelConfig, ChannelFault> {
  if (!isObject(given)) return invalidBody("config must be an object: give {} or the fields of the type");
  const value = merged as Fields;
  const fault =
    unknownFieldFault(type, given) ?? webhookFault(type, given) ?? commonFault(value) ?? targetFault(type, value);
  if (fault !== undefined) return invalidBody(fault);
  const { address, url, headers = {}, secret, events, enabled } = value as ChannelConfig;
  return {
    ok: true,
    value: omitUndefined({
      address,
      url: url && new URL(url).href,
      headers: Object.keys(headers).length === 0 ? undefined : headers,
      secret,
      events: events && EVENTS.filter((event) => events.includes(event)),
      enabled,
    }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Generated clients send null for fields of other types. */
function unknownFieldFault(type: ChannelType, given: Fields): string | undefined {
  const fieldNames: readonly string[] = TYPE_DEFINITIONS[type].fields;
  const isAllowed = (name: string): boolean =>
    fieldNames.includes(name) || (given[name] === null && Object.hasOwn(CONFIG_FIELDS, name));
  const unknown = Object.keys(given).find((name) => !isAllowed(name));
  if (unknown === undefined) return undefined;
  return `${formatFieldPath("config", unknown)} is not a field of type ${type}: use ${fieldNames.join(", ")}`;
}

function commonFault({ events, enabled }: Fields): string | undefined {
  const eventNames = EVENTS.join(", ");
  if (events !== undefined) {
    if (!Array.isArray(events)) return `config.events must be a list of events: use ${eventNames}`;
    if (events.length === 0)
      return `config.events is empty: leave it out or send null for all events, or use ${eventNames}`;
    if (!events.every((name) => EVENTS.includes(name))) return `config.events has an unknown event: use ${eventNames}`;
  }
  if (enabled === undefined || typeof enabled === "boolean") return undefined;
  return "config.enabled must be true or false: false pauses the channel";
}

function targetFault(type: ChannelType, { address, url, headers, secret }: Fields): string | undefined {
  if (address !== undefined && typeof address !== "string")
    return "config.address must be a string: give an email address";
  if (url !== undefined) return urlFault(type, url) ?? headersFault(headers) ?? secretFault(secret);
  const needsUrl = headers !== undefined || secret !== undefined;
  return needsUrl ? "config.url is missing: headers and secret need a url" : undefined;
}

function urlFault(type: ChannelType, value: unknown): string | undefined {
  if (typeof value !== "string") return "config.url must be a string: give an http or https URL";
  if (value.length > MAX_URL_LENGTH) return `config.url is too long: give at most ${MAX_URL_LENGTH} characters`;
  const fault = "config.url must be an http or https URL: give one such as https://hooks.example.com/in";
  if (!/^\s*https?:\/\//i.test(value)) return fault;
  if (FORBIDDEN_IN_URL.test(value))
    return "config.url has white space, control characters or backslashes: remove or encode them";
  if (!URL.canParse(value)) return fault;
  if (isRedacted(value)) return "config.url is redacted and is not the channel's URL: send the whole URL";
  const problem = serviceFault(type, new URL(value));
  if (problem !== undefined) return `config.url ${problem}`;
  const portReason = blockedPortReason(new URL(value));
  return portReason && `config.url: ${portReason}`;
}

function otherServiceFault(type: ChannelType): string {
  return `belongs to ${CHANNEL_TYPE_NAMES[type]}: create a channel of type ${type}`;
}

/** A stored url stays. A URL of Teams may be another workflow, which can read the JSON of a webhook. */
function webhookFault(type: ChannelType, { url: value }: Fields): string | undefined {
  if (type !== "webhook" || typeof value !== "string" || !URL.canParse(value)) return undefined;
  const hostType = channelTypeOfHost(new URL(value).hostname);
  if (hostType === undefined || hostType === "msteams") return undefined;
  const isChat = TYPE_DEFINITIONS[hostType].service?.isWebhookUrl(new URL(value));
  return isChat ? `config.url ${otherServiceFault(hostType)}` : undefined;
}

function serviceFault(type: ChannelType, url: URL): string | undefined {
  const { service } = TYPE_DEFINITIONS[type];
  if (service === undefined) return undefined;
  const hostType = channelTypeOfHost(url.hostname);
  if (hostType !== undefined && hostType !== type) return otherServiceFault(hostType);
  if (hostType === type && url.protocol !== "https:") return "must begin with https://: copy it from the service";
  // Only self-hosted servers may need credentials.
  if (hostType === type && (url.username !== "" || url.password !== "")) {
    return "must have no user name or password: copy it from the service";
  }
  if (service.isWebhookUrl(url)) return undefined;
  return (
    service.describeOtherUrl?.(url) ??
    `must be an incoming webhook of ${CHANNEL_TYPE_NAMES[type]}: copy it whole, ${URL_FORMS[type]}`
  );
}

function secretFault(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && isRedacted(value))
    return "config.secret is redacted, but no secret is stored: leave it out";
  const base64 = typeof value === "string" ? SECRET_PATTERN.exec(value)?.[1] : undefined;
  const bytes = Buffer.from(base64 ?? "", "base64");
  const isValid =
    bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES && bytes.toString("base64") === base64;
  return isValid ? undefined : "config.secret must be whsec_ and base64 of 24 to 64 bytes: correct it or leave it out";
}

const MAX_HEADERS = 20;
// Common servers accept this much in a request's headers, including ours.
const MAX_HEADER_BYTES = 8192;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
// Printable ASCII with white space only inside, which all servers parse alike.
const HEADER_VALUE = /^[!-~](?:[ \t!-~]{0,4094}[!-~])?$/;
// Headers that describe the connection, the body or the signature.
const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|webhook-.*)$/i;

function headersFault(value: unknown = {}): string | undefined {
  const path = "config.headers";
  if (!isObject(value)) return `${path} must be an object: give {"Name": "value"}`;
  const entries = Object.entries(value);
  if (entries.length > MAX_HEADERS) return `${path} has more than ${MAX_HEADERS} headers: remove some`;
  const seenNames = new Set<string>();
  let bytes = 0;
  for (const [name, text] of entries) {
    if (!HEADER_NAME.test(name)) return `${path} has a name that is not an HTTP header name: correct or remove it`;
    const field = `${path}.${name}`;
    if (RESERVED_HEADER.test(name)) return `${field} is set by addrsift itself: remove it`;
    if (seenNames.has(name.toLowerCase())) return `${field} is repeated in different case: keep one`;
    seenNames.add(name.toLowerCase());
    if (typeof text !== "string" || !HEADER_VALUE.test(text)) {
      return `${field} must be printable ASCII: give 1 to 4096 characters, without white space at the ends`;
    }
    if (isRedacted(text)) return `${field} is redacted, but no value is stored: send the value itself`;
    bytes += name.length + text.length;
  }
  if (bytes <= MAX_HEADER_BYTES) return undefined;
  return `${path} has ${bytes} bytes of names and values: give at most ${MAX_HEADER_BYTES} in all`;
}
