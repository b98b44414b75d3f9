// The allowed contents of a channel's config, by type. It does no I/O: whether a mail address is disposable is checked elsewhere.

import type { Result } from "../../result.ts";
import { badField, type ChannelFault, shownField } from "../fault.ts";
import { type ChannelType, EVENTS, type EventName } from "../kinds.ts";
import { type ChannelConfig, CONFIG_FIELDS, type EmailConfig, isObject, type WebhookConfig } from "../record.ts";
import { parseHeaders } from "./headers.ts";
import { isRedacted } from "./redaction.ts";

const URL_MAX = 2048;
// Characters that the WHATWG parser would silently drop or change.
const URL_UNFIT = /[\s\p{Cc}\\]/u;
const SECRET = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/;
const SECRET_OCTETS_MIN = 24;
const SECRET_OCTETS_MAX = 64;

type Outcome<T> = Result<T, ChannelFault>;

/** Reads a whole config. A webhook's secret may still be missing; an address is read, but not checked. */
export function parseConfig(type: ChannelType, value: unknown): Outcome<ChannelConfig> {
  if (!isObject(value)) return badField("config", "must be an object: give {} or the fields of the type");
  return type === "email" ? parseEmail(value) : parseWebhook(value);
}

function parseEmail(value: Readonly<Record<string, unknown>>): Outcome<EmailConfig> {
  const strange = unknownField(value, "email");
  if (strange !== undefined) return strange;
  const { address, events } = value as { address?: unknown; events?: unknown };
  if (address !== undefined && typeof address !== "string") {
    return badField("config.address", "must be a string: give an e-mail address");
  }
  const wanted = parseEvents(events);
  if (!wanted.ok) return wanted;
  return { ok: true, value: { ...(address === undefined ? {} : { address }), ...wanted.value } };
}

function parseWebhook(value: Readonly<Record<string, unknown>>): Outcome<WebhookConfig> {
  const strange = unknownField(value, "webhook");
  if (strange !== undefined) return strange;
  const { url, headers, secret, events } = value as Readonly<Record<"url" | "headers" | "secret" | "events", unknown>>;
  const wanted = parseEvents(events);
  if (!wanted.ok) return wanted;
  if (url === undefined) {
    const early = headers === undefined ? secret : headers;
    if (early !== undefined) return badField("config.url", "is missing: headers and secret need a url");
    return { ok: true, value: wanted.value };
  }
  const location = parseUrl(url);
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
      ...(secret === undefined ? {} : { secret: secret as string }),
      ...wanted.value,
    },
  };
}

function parseUrl(value: unknown): Outcome<string> {
  const field = "config.url";
  if (typeof value !== "string") return badField(field, "must be a string: give an http or https URL");
  if (value.length > URL_MAX) return badField(field, `is too long: give at most ${URL_MAX} characters`);
  if (URL_UNFIT.test(value)) return badField(field, "has white space, control characters or backslashes: encode them");
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) {
    return badField(field, "must be an http or https URL: give one such as https://hooks.example.com/in");
  }
  if (isRedacted(value)) return badField(field, "is redacted and is not the channel's URL: send the whole URL");
  return { ok: true, value: new URL(value).href };
}

function secretFault(value: unknown): string | undefined {
  if (typeof value === "string" && isRedacted(value)) return "is redacted, but no secret is stored: leave it out";
  const base64 = typeof value === "string" ? SECRET.exec(value)?.[1] : undefined;
  const octets = Buffer.from(base64 ?? "", "base64");
  const good =
    octets.length >= SECRET_OCTETS_MIN && octets.length <= SECRET_OCTETS_MAX && octets.toString("base64") === base64;
  return good ? undefined : "must be whsec_ and base64 of 24 to 64 bytes: correct it or leave it out";
}

function parseEvents(value: unknown): Outcome<{ readonly events?: readonly EventName[] }> {
  if (value === undefined) return { ok: true, value: {} };
  const known = EVENTS.join(", ");
  if (!Array.isArray(value)) return badField("config.events", `must be a list of events: use ${known}`);
  if (value.length === 0) return badField("config.events", `names no event: leave it out for all, or use ${known}`);
  if (!value.every((name) => EVENTS.some((event) => event === name))) {
    return badField("config.events", `has an unknown event: use ${known}`);
  }
  return { ok: true, value: { events: EVENTS.filter((event) => value.includes(event)) } };
}

function unknownField(
  value: Readonly<Record<string, unknown>>,
  type: ChannelType,
): ReturnType<typeof badField> | undefined {
  const known = Object.keys(CONFIG_FIELDS[type]);
  const strange = Object.keys(value).find((name) => !known.includes(name));
  if (strange === undefined) return undefined;
  return badField(shownField("config", strange), `is not a field of type ${type}: use ${known.join(", ")}`);
}
