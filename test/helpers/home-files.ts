// A home as processes have left it: its store and its deliveries written as they are on the disk, and read back.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Stored = Readonly<Record<string, unknown>>;
/** Records by collection, then by id. */
export type Collections = Readonly<Record<string, Readonly<Record<string, Stored>>>>;

/** Writes a file of records into a home. */
export function writeRecords(home: string, file: string, collections: Collections): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const entries = Object.entries(collections).map(([name, records]) => [name, { schema: 1, records }]);
  const document = { format: 1, collections: Object.fromEntries(entries) };
  writeFileSync(join(home, file), `${JSON.stringify(document)}\n`, { mode: 0o600 });
}

/** The records of one collection, as they are on the disk. */
export function readRecords(home: string, file: string, collection: string): Readonly<Record<string, Stored>> {
  const document = JSON.parse(readFileSync(join(home, file), "utf8")) as {
    readonly collections: Readonly<Record<string, { readonly records: Readonly<Record<string, Stored>> }>>;
  };
  return document.collections[collection]?.records ?? {};
}

/** A key that may classify; no one knows its text. */
export function storedKey(id: string, overrides: Stored = {}): Stored {
  const created_at = "2026-11-21T12:00:00.000Z";
  return { id, name: id, team: "default", scopes: ["emails:detect"], digest: "0".repeat(64), created_at, ...overrides };
}

/** A verified webhook. */
export function storedChannel(id: string, url: string, overrides: Stored = {}): Stored {
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

/** Deliveries to a channel that are due, by id: `prefix` and a number. */
export function storedDeliveries(prefix: string, channelId: string, count: number): Record<string, Stored> {
  const now = Date.now();
  const data = { rows: 1, classes: {}, duration_ms: 5, exit_status: 0, data_version: "1" };
  const body = { type: "detection.completed", version: 1, timestamp: new Date(now).toISOString(), data };
  const ids = Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  const delivery = (id: string): Stored => ({
    id,
    channel_id: channelId,
    event: "detection.completed",
    status: "pending",
    attempts: 0,
    created_at: now,
    body: JSON.stringify(body),
    next_attempt_at: now,
  });
  return Object.fromEntries(ids.map((id) => [id, delivery(id)]));
}
