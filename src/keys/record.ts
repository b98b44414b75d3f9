// The record of an API key, and how it is shown. The key itself is neither kept nor shown.

import { choice, closed, listOf, optional, text, time, type ValueOf } from "../base/shapes.ts";
import type { Collection } from "../store/collection.ts";
import { SCOPES } from "./scopes.ts";

/** A key as it is stored. Times are ISO 8601 in UTC. */
const KEY = closed({
  id: text(),
  name: text(),
  team: text(),
  scopes: listOf(choice(SCOPES)),
  digest: text("SHA-256 in hexadecimal.", { pattern: "^[0-9a-f]{64}$" }),
  created_at: time(),
  expires_at: optional(time()),
  revoked_at: optional(time()),
  last_used_at: optional(time("To the minute: it is not written more often.")),
});

export type KeyRecord = ValueOf<typeof KEY>;

/** A key as it is shown: without its digest. */
export type ShownKey = Omit<KeyRecord, "digest">;

export const KEYS: Collection<KeyRecord> = {
  name: "keys",
  shape: KEY,
  migrations: [],
};

export function shownKey({ digest: _, ...shown }: KeyRecord): ShownKey {
  return shown;
}
