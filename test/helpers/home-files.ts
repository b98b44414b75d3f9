// Writes and reads the files of a home directly: its store and its deliveries.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type StoredRecord = Readonly<Record<string, unknown>>;
/** Records by collection, then by id. */
export type Collections = Readonly<Record<string, Readonly<Record<string, StoredRecord>>>>;

/** Writes a file with records to a home. */
export function writeRecords(home: string, file: string, collections: Collections): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const entries = Object.entries(collections).map(([name, records]) => [name, { schema: 1, records }]);
  const document = { format: 1, collections: Object.fromEntries(entries) };
  writeFileSync(join(home, file), `${JSON.stringify(document)}\n`, { mode: 0o600 });
}

/** Reads the records of a collection. */
export function readRecords(home: string, file: string, collection: string): Readonly<Record<string, StoredRecord>> {
  const document = JSON.parse(readFileSync(join(home, file), "utf8")) as {
    readonly collections: Readonly<Record<string, { readonly records: Readonly<Record<string, StoredRecord>> }>>;
  };
  return document.collections[collection]?.records ?? {};
}

/** Returns a stored key with the scope to classify. Its text is unknown. */
export function storedKey(id: string, overrides: StoredRecord = {}): StoredRecord {
  const created_at = "2026-11-21T12:00:00.000Z";
  return { id, name: id, team: "default", scopes: ["emails:detect"], digest: "0".repeat(64), created_at, ...overrides };
}

/** Returns a verified webhook channel. */
export function storedChannel(id: string, url: string, overrides: StoredRecord = {}): StoredRecord {
  return {
    id,
    team: "default",
    name: id,
    type: "webhook",
    config: { url, secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}` },
    is_verified: true,
    created_at: "2026-11-21T12:00:00.000Z",
    ...overrides,
  };
}

/** Returns due deliveries to a channel, by id: `prefix` and a number. */
export function storedDeliveries(prefix: string, channelId: string, count: number): Record<string, StoredRecord> {
  const now = Date.now();
  const data = { rows: 1, classes: {}, duration_ms: 5, exit_status: 0, data_version: "1" };
  const body = { type: "detection.completed", version: 1, timestamp: new Date(now).toISOString(), data };
  const ids = Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  const delivery = (id: string): StoredRecord => ({
    id,
    channel_id: channelId,
    event: "detection.completed",
    status: "pending",
    attempts: 0,
    attempt_log: [],
    created_at: now,
    body: JSON.stringify(body),
    next_attempt_at: now,
  });
  return Object.fromEntries(ids.map((id) => [id, delivery(id)]));
}
