// What a patch makes of a channel: merged by RFC 7396, redacted values left as they were, secrets kept from another origin, and the
// verification ended when what was verified changed.

import type { Result } from "../../address/mailbox.ts";
import { badField, type ChannelFault } from "../fault.ts";
import { type ChannelConfig, type ChannelRecord, isObject, type WebhookConfig } from "../record.ts";
import { findName } from "./headers.ts";
import { mergePatch } from "./merge-patch.ts";
import { parseConfig } from "./parse.ts";
import { REDACTED, redactUrl } from "./redaction.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The config after the patch; a webhook's secret is missing when it went away. */
export function patchConfig(channel: ChannelRecord, patch: unknown): Result<ChannelConfig, ChannelFault> {
  if (patch === undefined) return { ok: true, value: channel.config };
  if (patch === null) return { ok: true, value: {} };
  if (!isObject(patch)) return badField("config", "is no object: give the fields to change");
  if (channel.type === "email") return parseConfig("email", mergePatch(channel.config, patch));
  const anew = withoutRedacted(channel.config, patch);
  const merged = mergePatch(channel.config, anew) as Fields;
  const { url } = merged;
  const kept = sameOrigin(channel.config.url, url) ? merged : onlyAnew(merged, anew);
  return parseConfig("webhook", withoutEmpty(kept));
}

/** True when what a verification was about is no longer the same. */
export function endsVerification(before: ChannelConfig, after: ChannelConfig): boolean {
  const [old, fresh] = [before as Fields, after as Fields];
  return ["address", "url", "secret"].some((name) => old[name] !== fresh[name]);
}

/** True when headers were left behind at another origin. */
export function dropsHeaders(before: ChannelConfig, after: ChannelConfig): boolean {
  const [old, fresh] = [before as WebhookConfig, after as WebhookConfig];
  return old.headers !== undefined && fresh.headers === undefined && !sameOrigin(old.url, fresh.url);
}

/** The patch without the values that come back as they were shown; its header names are the stored ones. */
function withoutRedacted(stored: WebhookConfig, patch: Fields): Fields {
  const anew = new Map(Object.entries(patch));
  const { url, secret, headers } = patch;
  if (stored.url !== undefined && url === redactUrl(stored.url)) anew.delete("url");
  if (stored.secret !== undefined && secret === REDACTED) anew.delete("secret");
  if (isObject(headers)) {
    const own = stored.headers ?? {};
    const named = Object.entries(headers).map(([name, value]) => [findName(own, name) ?? name, value] as const);
    const sent = named.filter(([name, value]) => !(value === REDACTED && Object.hasOwn(own, name)));
    // Two spellings of one header are a fault, which is found where all headers are read.
    const twice = new Set(sent.map(([name]) => name)).size < sent.length;
    anew.set("headers", twice ? headers : Object.fromEntries(sent));
  }
  return Object.fromEntries(anew);
}

/** Another origin gets no headers and no secret but those that were sent with it. */
function onlyAnew(merged: Fields, { headers = null, secret = null }: Fields): Fields {
  const { headers: _, secret: __, ...others } = merged;
  return {
    ...others,
    ...(mergePatch({}, { headers, secret }) as Fields),
  };
}

function withoutEmpty({ headers, ...others }: Fields): Fields {
  return isObject(headers) && Object.keys(headers).length === 0
    ? others
    : { ...others, ...(headers === undefined ? {} : { headers }) };
}

function sameOrigin(before: string | undefined, after: unknown): boolean {
  if (before === undefined) return true;
  return typeof after === "string" && URL.canParse(after) && new URL(after).origin === new URL(before).origin;
}
