// Parses request bodies about channels and patches configs: merges by RFC 7396, keeps stored values that come back
// redacted, and never sends stored headers or the secret to another origin.

import { isObject, type Result } from "../../base/result.ts";
import { nameFault } from "../../base/user-input.ts";
import { type ChannelFault, formatFieldPath, invalidBody } from "../fault.ts";
import { CHANNEL_TYPES, type ChannelType } from "../kinds.ts";
import { type ChannelConfig, type ChannelRecord, previousSecrets, SECRET_OVERLAP_MS } from "../record.ts";
import { parseConfig } from "./parse.ts";
import { CHANNEL_VIEW, REDACTED, redactChannel, redactUrl } from "./redaction.ts";

type Fields = Readonly<Record<string, unknown>>;

function patchConfig({ type, config }: ChannelRecord, patch: unknown): Result<ChannelConfig, ChannelFault> {
  if (patch === undefined) return { ok: true, value: config };
  if (patch === null) return { ok: true, value: {} };
  if (!isObject(patch)) return invalidBody("config must be an object: give the fields to change");
  if (type === "email") {
    const fields = renameEmail(patch);
    return parseConfig(type, fields, mergePatch(config, fields));
  }
  const { revoke_previous: revokes, ...others } = patch;
  if (type === "webhook" && typeof (revokes ?? false) !== "boolean")
    return invalidBody("config.revoke_previous must be true or false: true ends previous secrets at once");
  const changes = type === "webhook" ? others : patch;
  return parseConfig(type, changes, mergeUrlConfig(config, changes));
}

/** Returns the fields of an email channel, with the synonym `email` as `address`. */
function renameEmail(fields: unknown): unknown {
  if (!isObject(fields) || !Object.hasOwn(fields, "email") || Object.hasOwn(fields, "address")) return fields;
  const { email, ...others } = fields;
  return { ...others, address: email };
}

/** Merges a patch of a url channel. If the origin changes, drops the stored headers and secret. */
function mergeUrlConfig(stored: ChannelConfig, patch: Fields): Fields {
  const changes = dropRedactedValues(stored, patch);
  const { headers: _, secret: __, ...withoutCredentials } = stored;
  const url = Object.hasOwn(changes, "url") ? changes["url"] : stored.url;
  const merged = mergePatch(sameOrigin(stored.url, url) ? stored : withoutCredentials, changes) as Fields;
  const { headers, ...others } = merged;
  return isObject(headers) && Object.keys(headers).length === 0 ? others : merged;
}

export function invalidatesVerification(before: ChannelConfig, after: ChannelConfig): boolean {
  return before.address !== after.address || before.url !== after.url;
}

export function replacesSecret(before: ChannelConfig, after: ChannelConfig): boolean {
  return before.secret !== undefined && after.url !== undefined && !sameOrigin(before.url, after.url);
}

/** Removes redacted values from the patch, and gives header names their stored spelling. */
function dropRedactedValues(stored: ChannelConfig, patch: Fields): Fields {
  const changes = new Map(Object.entries(patch));
  const { url, secret, headers } = patch;
  if (stored.url !== undefined && url === redactUrl(stored.url)) changes.delete("url");
  if (stored.secret !== undefined && secret === REDACTED) changes.delete("secret");
  if (isObject(headers)) {
    const storedHeaders = stored.headers ?? {};
    const toStoredSpelling = (name: string): string =>
      Object.keys(storedHeaders).find((storedName) => storedName.toLowerCase() === name.toLowerCase()) ?? name;
    const entries = Object.entries(headers).map(([name, value]) => [toStoredSpelling(name), value] as const);
    const changed = entries.filter(([name, value]) => !(value === REDACTED && Object.hasOwn(storedHeaders, name)));
    // parseConfig() rejects two spellings of one header.
    const hasDuplicates = new Set(changed.map(([name]) => name)).size < changed.length;
    changes.set("headers", hasDuplicates ? headers : Object.fromEntries(changed));
  }
  return Object.fromEntries(changes);
}

function sameOrigin(before: string | undefined, after: unknown): boolean {
  if (before === undefined) return true;
  return typeof after === "string" && URL.canParse(after) && new URL(after).origin === new URL(before).origin;
}

/** Returns the replaced secrets in use after a config change, latest first. Another origin never gets them. */
export function nextPreviousSecrets(
  channel: ChannelRecord,
  { config: patch }: Fields,
  after: ChannelConfig,
  now: number,
): ReturnType<typeof previousSecrets> {
  const before = channel.config;
  if (isObject(patch) && patch["revoke_previous"] === true) return [];
  if (before.secret === undefined || after.secret === undefined || !sameOrigin(before.url, after.url)) return [];
  const replaced = { secret: before.secret, until: now + SECRET_OVERLAP_MS };
  return [replaced, ...previousSecrets(channel, now)].filter(({ secret }) => secret !== after.secret);
}

export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

interface NewChannel {
  readonly name: string;
  readonly type: ChannelType;
  readonly config: ChannelConfig;
}

/** Parses `{name, type, config?}`. A null in the config means a missing field. */
export function parseNewChannel(body: unknown): Result<NewChannel, ChannelFault> {
  if (!isObject(body)) return invalidBody("the body must be an object: give name, type and config");
  const { name, type, config, ...others } = body;
  const unknownField = Object.keys(others)[0];
  if (unknownField !== undefined)
    return invalidBody(`${formatFieldPath("", unknownField)} is not a field of a channel: use name, type and config`);
  const nameProblem = nameFault(name);
  if (nameProblem !== undefined) return invalidBody(`name ${nameProblem}`);
  const knownType = CHANNEL_TYPES.find((candidate) => candidate === type);
  if (knownType === undefined) {
    return invalidBody(`type ${type === undefined ? "is missing" : "is unknown"}: use ${CHANNEL_TYPES.join(", ")}`);
  }
  // Generated clients send null for missing fields.
  const fields = (knownType === "email" ? renameEmail(config) : config) ?? {};
  const parsed = parseConfig(knownType, fields, mergePatch({}, fields));
  return parsed.ok ? { ok: true, value: { name: name as string, type: knownType, config: parsed.value } } : parsed;
}

// Rejected if they differ from the channel's.
const READ_ONLY_FIELDS = [
  "id",
  "type",
  "is_verified",
  "created_at",
  "url_digest",
  "secret_digest",
  "previous_secret_until",
] as const;
// A client may send a response back. The fields that are not read-only may have changed since, and are ignored.
const KNOWN_FIELDS = [...Object.keys(CHANNEL_VIEW.properties), "code", "message", "delivery_id"];

export function parsePatch(
  channel: ChannelRecord,
  patch: Fields,
  now: number,
): Result<Omit<NewChannel, "type">, ChannelFault> {
  const unknownField = Object.keys(patch).find((field) => !KNOWN_FIELDS.includes(field));
  if (unknownField !== undefined)
    return invalidBody(
      `${formatFieldPath("", unknownField)} is not a field of a channel: use name, or put it in config`,
    );
  const current = redactChannel(channel, now);
  const changedField = READ_ONLY_FIELDS.find(
    (field) => Object.hasOwn(patch, field) && (patch[field] ?? undefined) !== current[field],
  );
  if (changedField !== undefined) {
    const fix =
      changedField === "previous_secret_until" ? ", and end previous secrets with config.revoke_previous" : "";
    const problem = `${changedField} is read-only and differs from the channel's`;
    return invalidBody(`${problem}: get the channel again, and send only the fields to change${fix}`);
  }
  const { name = channel.name, config } = patch;
  const nameProblem = nameFault(name ?? undefined);
  if (nameProblem !== undefined) return invalidBody(`name ${nameProblem}`);
  const patched = patchConfig(channel, config);
  return patched.ok ? { ok: true, value: { name: name as string, config: patched.value } } : patched;
}
