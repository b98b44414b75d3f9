// What is kept of an override. Checked by hand, not by a shape, because the library reads it too and has no schema library.

import type { TimedOverride } from "../lists/override-table.ts";
import type { Collection } from "../store/collection.ts";

export const ACTIONS = ["allow", "deny"] as const;
export type Action = (typeof ACTIONS)[number];

/** An override as it is kept and shown. Times are ISO 8601 in UTC. */
export interface OverrideRecord {
  /** A domain in lower-case A-labels, or an address as `normalized` shows it. */
  readonly entry: string;
  readonly action: Action;
  readonly reason?: string;
  /** Who decided. */
  readonly by?: string;
  readonly created_at: string;
  readonly expires_at?: string;
}

/** The overrides of a store, by their entry. */
export const OVERRIDES: Collection<OverrideRecord> = {
  name: "overrides",
  isRecord: isOverrideRecord,
  migrations: [],
};

function isOverrideRecord(value: unknown): value is OverrideRecord {
  if (typeof value !== "object" || value === null) return false;
  const { entry, action, reason = "", by = "", created_at, expires_at } = value as Readonly<Record<string, unknown>>;
  const texts = [entry, reason, by].every((text) => typeof text === "string");
  return texts && ACTIONS.some((known) => known === action) && isTime(created_at) && isTime(expires_at ?? created_at);
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

/** The decision that a record makes. */
export function decisionOf(record: OverrideRecord): TimedOverride {
  const { entry, action, expires_at } = record;
  return {
    entry,
    disposable: action === "deny",
    detail: detailOf(record),
    ...(expires_at === undefined ? {} : { expiresMs: Date.parse(expires_at) }),
  };
}

/** A record in words, such as `denied by jane on 2026-11-22, until 2027-01-31: spam wave`. */
export function detailOf({ action, reason, by, created_at, expires_at }: OverrideRecord): string {
  const who = by === undefined ? "" : ` by ${by}`;
  const end = expires_at === undefined ? "" : `, until ${expires_at.slice(0, 10)}`;
  const why = reason === undefined ? "" : `: ${reason}`;
  return `${action === "deny" ? "denied" : "allowed"}${who} on ${created_at.slice(0, 10)}${end}${why}`;
}

/** True for an override that no longer counts. */
export function hasExpired({ expires_at }: OverrideRecord, nowMs: number): boolean {
  return expires_at !== undefined && Date.parse(expires_at) <= nowMs;
}
