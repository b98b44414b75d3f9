// Reads the bodies of requests about channels: the fields beside the config.

import { nameFault } from "../../base/names.ts";
import type { Result } from "../../base/result.ts";
import { badField, type ChannelFault, shownField } from "../fault.ts";
import { CHANNEL_TYPES, type ChannelType } from "../kinds.ts";
import { type ChannelConfig, type ChannelRecord, isObject } from "../record.ts";
import { parseConfig } from "./parse.ts";
import { mergePatch, patchConfig } from "./patch.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a new channel. A webhook's secret may still be missing. */
export interface Creation {
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
