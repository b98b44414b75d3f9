// The tables of a store: one row that is locked for a change and counts them, a row for each record, and the last changes, which other
// processes follow. Only SQL; what the rows mean to a store is in `store-table.ts`.

import { type CollectionChange, CorruptFile } from "../document.ts";
import type { Query, Rows } from "./pg.ts";

/** One change as other processes read it. */
export interface Change {
  readonly revision: number;
  /** Different for each change, so that a database that was restored is not taken for one that went on. */
  readonly mark: string;
  readonly collections: Readonly<Record<string, CollectionChange>>;
}

/** How far a store is, and its changes from a revision on. */
export interface Progress {
  /** Undefined while the store has no row. */
  readonly revision: number | undefined;
  /** The changes from the one that was asked for on, in order. */
  readonly changes: readonly Change[];
  /** The state of the database itself; undefined while it has no tables. */
  readonly database: DatabaseState | undefined;
}

/** The state of a database. */
export interface DatabaseState {
  /** Its clock, in milliseconds since 1970. */
  readonly nowMs: number;
  /** It takes no changes: it is a standby server, or an operator has said so. */
  readonly isReadOnly: boolean;
  /** Another store, or this one, has been changed once. */
  readonly hasStores: boolean;
}

/** All records of a store. */
export interface Whole {
  readonly revision: number;
  readonly mark: string;
  /** As the file of a store has them: collections with their schema and their records by id. */
  readonly collections: Readonly<Record<string, { schema: number; records: Record<string, unknown> }>>;
}

// Another process that missed more than these reads all records. They are removed now and then.
const CHANGES_KEPT = 2000;
const REMOVE_EVERY = 500;

/** Makes the tables. The lock is for two processes that do so at the same time; its number means nothing. */
export const CREATE: string = `
SELECT pg_advisory_xact_lock(7245310682);
CREATE TABLE IF NOT EXISTS addrsift_stores (
  name text PRIMARY KEY, revision bigint NOT NULL DEFAULT 0, changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS addrsift_records (
  store text NOT NULL REFERENCES addrsift_stores (name), collection text NOT NULL, id text NOT NULL,
  place bigserial, schema integer NOT NULL, content text NOT NULL, PRIMARY KEY (store, collection, id)
);
CREATE TABLE IF NOT EXISTS addrsift_changes (
  store text NOT NULL REFERENCES addrsift_stores (name), revision bigint NOT NULL, mark text NOT NULL,
  content text NOT NULL, PRIMARY KEY (store, revision)
)`;

/** Locks a store until the transaction ends, and makes its row. The name is one of ours. */
export function lockStore(name: string): string {
  return `INSERT INTO addrsift_stores (name) VALUES ('${name}') ON CONFLICT DO NOTHING;
    SELECT FROM addrsift_stores WHERE name = '${name}' FOR UPDATE`;
}

/** Asks how far a store is. One statement sees one state. */
export function askProgress(name: string, from: number): Query {
  return {
    text: `SELECT s.revision, c.revision AS change, c.mark, c.content, extract(epoch FROM clock_timestamp()) * 1000 AS now_ms,
        current_setting('transaction_read_only') = 'on' AS read_only, EXISTS (SELECT FROM addrsift_stores) AS has_stores
      FROM (SELECT) AS one LEFT JOIN addrsift_stores s ON s.name = $1
      LEFT JOIN addrsift_changes c ON c.store = s.name AND c.revision >= $2 ORDER BY c.revision`,
    values: [name, from],
  };
}

export function readProgress(rows: Rows["rows"]): Progress {
  const { revision, now_ms, read_only, has_stores } = rows[0] as Rows["rows"][number];
  const changes = rows.flatMap(({ change, mark, content }) => {
    if (change === null) return [];
    return [{ revision: Number(change), mark: String(mark), collections: parse(content) as Change["collections"] }];
  });
  const database = { nowMs: Number(now_ms), isReadOnly: read_only === true, hasStores: has_stores === true };
  return { revision: revision === null ? undefined : Number(revision), changes, database };
}

/** Asks for all records. One statement sees one state. */
export function askWhole(name: string): Query {
  return {
    text: `SELECT s.revision, c.mark, r.collection, r.schema, r.id, r.content
      FROM addrsift_stores s LEFT JOIN addrsift_changes c ON c.store = s.name AND c.revision = s.revision
      LEFT JOIN addrsift_records r ON r.store = s.name WHERE s.name = $1 ORDER BY r.place`,
    values: [name],
  };
}

/** Throws CorruptFile for content that is not JSON, as `readProgress` does. */
export function readWhole(rows: Rows["rows"]): Whole {
  const entries = new Map<string, { schema: number; records: [string, unknown][] }>();
  for (const { collection, schema, id, content } of rows) {
    if (collection === null) continue;
    const known = entries.get(String(collection)) ?? { schema: Number(schema), records: [] };
    entries.set(String(collection), known);
    // A later version writes all records of a collection in its schema: the largest is that of all.
    known.schema = Math.max(known.schema, Number(schema));
    known.records.push([String(id), parse(content)]);
  }
  const collections = [...entries].map(([name, { schema, records }]) => {
    // An id may be __proto__.
    return [name, { schema, records: Object.fromEntries(records) }] as const;
  });
  const [first] = rows;
  return {
    revision: Number(first?.["revision"] ?? 0),
    mark: String(first?.["mark"] ?? ""),
    collections: Object.fromEntries(collections),
  };
}

function parse(content: unknown): unknown {
  try {
    return JSON.parse(String(content));
  } catch {
    // The parser's own message would quote the text, which may be a secret.
    throw new CorruptFile("a record is not JSON");
  }
}

/** Writes a change: its records, and the change itself for those who follow. */
export function writeChange(name: string, { revision, mark, collections }: Change): Query[] {
  const [put, gone]: [[string, string, number, string][], [string, string][]] = [[], []];
  for (const [collection, { schema, set, delete: ids }] of Object.entries(collections)) {
    for (const [id, record] of Object.entries(set)) put.push([collection, id, schema, JSON.stringify(record)]);
    for (const id of ids) if (!Object.hasOwn(set, id)) gone.push([collection, id]);
  }
  const column = <Row extends readonly unknown[]>(rows: readonly Row[], at: number): unknown[] =>
    rows.map((row) => row[at]);
  const statement: Query = {
    text: `WITH gone AS (
        DELETE FROM addrsift_records r USING unnest($4::text[], $5::text[]) AS g (collection, id)
        WHERE r.store = $1 AND r.collection = g.collection AND r.id = g.id
      ), put AS (
        INSERT INTO addrsift_records (store, collection, id, schema, content)
        SELECT $1, collection, id, schema, content
        FROM unnest($6::text[], $7::text[], $8::integer[], $9::text[]) WITH ORDINALITY AS p (collection, id, schema, content, nth)
        ORDER BY nth
        ON CONFLICT (store, collection, id) DO UPDATE SET schema = excluded.schema, content = excluded.content
      ), noted AS (
        INSERT INTO addrsift_changes (store, revision, mark, content) VALUES ($1, $2, $3, $10)
      )
      UPDATE addrsift_stores SET revision = $2, changed_at = now() WHERE name = $1`,
    values: [
      name,
      revision,
      mark,
      column(gone, 0),
      column(gone, 1),
      column(put, 0),
      column(put, 1),
      column(put, 2),
      column(put, 3),
      JSON.stringify(collections),
    ],
  };
  if (revision % REMOVE_EVERY !== 0) return [statement];
  const text = "DELETE FROM addrsift_changes WHERE store = $1 AND revision <= $2";
  return [statement, { text, values: [name, revision - CHANGES_KEPT] }];
}

/** Asks which change has a revision. */
export function askMark(name: string, revision: number): Query {
  return { text: "SELECT mark FROM addrsift_changes WHERE store = $1 AND revision = $2", values: [name, revision] };
}
