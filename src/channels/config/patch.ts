// Reads the bodies of requests about channels, and patches a config: merges by RFC 7396, keeps values that come back
// redacted, and gives headers and secret to no other origin.

import { nameFault } from "../../base/names.ts";
import type { Result } from "../../base/result.ts";
import { defined } from "../../base/result.ts";
import { badField, type ChannelFault, shownField } from "../fault.ts";
import { CHANNEL_TYPES, type ChannelType } from "../kinds.ts";
import { type ChannelConfig, type ChannelRecord, isObject, type WebhookConfig } from "../record.ts";
import { TYPES } from "../types/table.ts";
import { findName, parseConfig } from "./parse.ts";
import { REDACTED, redactUrl } from "./redaction.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The config after the patch. A webhook's secret is missing when the patch removes it. */
export function patchConfig(channel: ChannelRecord, patch: unknown): Result<ChannelConfig, ChannelFault> {
  if (patch === undefined) return { ok: true, value: channel.config };
  if (patch === null) return { ok: true, value: {} };
  if (!isObject(patch)) return badField("config", "must be an object: give the fields to change");
  const { type, config } = channel;
  return parseConfig(
    type,
    TYPES[type].target === "address" ? mergePatch(config, patch) : mergeReceiver(config as WebhookConfig, patch),
  );
}

function mergeReceiver(stored: WebhookConfig, patch: Fields): Fields {
  const sentNow = withoutRedacted(stored, patch);
  const merged = mergePatch(stored, sentNow) as Fields;
  return withoutEmpty(sameOrigin(stored.url, merged["url"]) ? merged : onlySent(merged, sentNow));
}

/** True when the address, url or secret that was verified has changed. */
export function endsVerification(before: ChannelConfig, after: ChannelConfig): boolean {
  const [old, fresh] = [before as Fields, after as Fields];
  return ["address", "url", "secret"].some((name) => old[name] !== fresh[name]);
}

/** True when headers were removed because the origin changed. */
export function dropsHeaders(before: ChannelConfig, after: ChannelConfig): boolean {
  const [old, fresh] = [before as WebhookConfig, after as WebhookConfig];
  return old.headers !== undefined && fresh.headers === undefined && !sameOrigin(old.url, fresh.url);
}

/** The patch without the values that come back redacted; header names are spelled as the stored ones. */
function withoutRedacted(stored: WebhookConfig, patch: Fields): Fields {
  const sentNow = new Map(Object.entries(patch));
  const { url, secret, headers } = patch;
  if (stored.url !== undefined && url === redactUrl(stored.url)) sentNow.delete("url");
  if (stored.secret !== undefined && secret === REDACTED) sentNow.delete("secret");
  if (isObject(headers)) {
    const own = stored.headers ?? {};
    const named = Object.entries(headers).map(([name, value]) => [findName(own, name) ?? name, value] as const);
    const sent = named.filter(([name, value]) => !(value === REDACTED && Object.hasOwn(own, name)));
    // Two spellings of one header are a fault, which is found when all headers are read.
    const twice = new Set(sent.map(([name]) => name)).size < sent.length;
    sentNow.set("headers", twice ? headers : Object.fromEntries(sent));
  }
  return Object.fromEntries(sentNow);
}

/** A new origin gets only the headers and the secret that were sent with it. */
function onlySent(merged: Fields, { headers = null, secret = null }: Fields): Fields {
  const { headers: _, secret: __, ...others } = merged;
  return {
    ...others,
    ...(mergePatch({}, { headers, secret }) as Fields),
  };
}

function withoutEmpty({ headers, ...others }: Fields): Fields {
  return isObject(headers) && Object.keys(headers).length === 0 ? others : { ...others, ...defined({ headers }) };
}

/** True when both URLs have one origin, or there was none before. */
export function sameOrigin(before: string | undefined, after: unknown): boolean {
  if (before === undefined) return true;
  return typeof after === "string" && URL.canParse(after) && new URL(after).origin === new URL(before).origin;
}

const OVERLAP_MS = 86_400_000;

type Previous = ChannelRecord["previous_secret"];

/** The secret before the present one, while it counts. A time further ahead was written by a fast clock. */
export function previousSecret({ previous_secret: previous }: ChannelRecord, now: number): string | undefined {
  return previous !== undefined && previous.until > now && previous.until <= now + OVERLAP_MS
    ? previous.secret
    : undefined;
}

/** The rest of the previous secret that is kept after a change of the config. Another origin never gets it. */
export function previousAfter(channel: ChannelRecord, config: ChannelConfig, now: number): Previous {
  const [before, after] = [channel.config as WebhookConfig, config as WebhookConfig];
  if (before.secret === undefined || after.secret === undefined || !sameOrigin(before.url, after.url)) return undefined;
  if (before.secret !== after.secret) return { secret: before.secret, until: now + OVERLAP_MS };
  return previousSecret(channel, now) === undefined ? undefined : channel.previous_secret;
}

/** The target after the patch. Neither is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** The fields of a new channel. A webhook's secret may still be missing. */
interface Creation {
  readonly name: string;
  readonly type: ChannelType;
  readonly config: ChannelConfig;
}

/** Reads `{name, type, config?}`. A null in it is as if it were left out. */
export function readCreation(body: unknown): Result<Creation, ChannelFault> {
  if (!isObject(body)) return badField("the body", "must be an object: give name, type and config");
  const { name, type, config, ...others } = body;
  const strange = Object.keys(others)[0];
  if (strange !== undefined)
    return badField(shownField("", strange), "is not a field of a channel: use name, type and config");
  const badName = nameFault(name);
  if (badName !== undefined) return badField("name", badName);
  const known = CHANNEL_TYPES.find((candidate) => candidate === type);
  if (known === undefined) {
    return badField("type", `${type === undefined ? "is missing" : "is unknown"}: use ${CHANNEL_TYPES.join(", ")}`);
  }
  // Generated clients send null for what is left out.
  const parsed = parseConfig(known, mergePatch({}, config ?? {}));
  return parsed.ok ? { ok: true, value: { name: name as string, type: known, config: parsed.value } } : parsed;
}

// The other fields of an answer may be sent back unchanged, but not with another value.
const FIXED = ["id", "type", "is_verified", "created_at"] as const;

/** Reads a patch of a channel's answer; gives the name and config after it. */
export function readPatch(channel: ChannelRecord, patch: Fields): Result<Omit<Creation, "type">, ChannelFault> {
  const { name = channel.name, config, code: _, message: __, ...others } = patch;
  for (const [field, value] of Object.entries(others)) {
    const fixed = FIXED.find((known) => known === field);
    if (fixed === undefined) return badField(shownField("", field), "is not a field of a channel: use name and config");
    if (channel[fixed] !== value) return badField(field, "can't be changed: leave it out");
  }
  const badName = nameFault(name ?? undefined);
  if (badName !== undefined) return badField("name", badName);
  const patched = patchConfig(channel, config);
  return patched.ok ? { ok: true, value: { name: name as string, config: patched.value } } : patched;
}
