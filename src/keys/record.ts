// What is kept of an API key, and how it is shown. The key itself is neither.

import type { Collection } from "../store/collection.ts";

/** What a key may be allowed to do. */
export const SCOPES = [
  "emails:detect",
  "notifications:create",
  "notifications:read",
  "notifications:update",
  "notifications:delete",
  "notifications:test",
] as const;

export type Scope = (typeof SCOPES)[number];

/** A key as it is stored. Times are ISO 8601 in UTC. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly team: string;
  readonly scopes: readonly Scope[];
  /** SHA-256 in hexadecimal. */
  readonly digest: string;
  readonly created_at: string;
  readonly expires_at?: string;
  readonly revoked_at?: string;
  /** To the minute: it is not written more often. */
  readonly last_used_at?: string;
}

/** A key as it is shown: without its digest. */
export type ShownKey = Omit<KeyRecord, "digest">;

/** The keys of a store. */
export const KEYS: Collection<KeyRecord> = { name: "keys", isRecord: isKeyRecord, migrations: [] };

/** What everyone may see of a key. */
export function shownKey({ digest: _, ...shown }: KeyRecord): ShownKey {
  return shown;
}

function isKeyRecord(value: unknown): value is KeyRecord {
  if (typeof value !== "object" || value === null) return false;
  const { id, name, team, scopes, digest, created_at, ...times } = value as Partial<KeyRecord>;
  return (
    [id, name, team].every((text) => typeof text === "string") &&
    Array.isArray(scopes) &&
    scopes.every((scope) => typeof scope === "string") &&
    typeof digest === "string" &&
    /^[0-9a-f]{64}$/.test(digest) &&
    isTime(created_at) &&
    [times.expires_at, times.revoked_at, times.last_used_at].every((time) => time === undefined || isTime(time))
  );
}

function isTime(value: unknown): boolean {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
