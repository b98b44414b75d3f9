// SQL of a store in PostgreSQL. addrsift_stores has one row per store, with its version (the number of changes); each
// change locks it. addrsift_records has one row per record, with the version that wrote it, so that other processes
// fetch only newer rows.

import type { Query, Rows } from "./pg.ts";

export interface RecordRow {
  readonly collection: string;
  readonly id: string;
  readonly schema: number;
  /** Null for a deleted record. */
  readonly content: string | null;
}

export interface ChangeSet {
  readonly version: number;
  readonly mark: string;
  /** Mark of the version that the query started from; null if it is no longer stored. */
  readonly baseMark: string | null;
  readonly rows: readonly RecordRow[];
  /** The database's clock, in milliseconds since 1970; undefined if there are no tables. */
  readonly nowMs: number | undefined;
  readonly isReadOnly: boolean;
  readonly hasStores: boolean;
}

export const NO_CHANGES: ChangeSet = {
  version: 0,
  mark: "",
  baseMark: null,
  rows: [],
  nowMs: undefined,
  isReadOnly: false,
  hasStores: false,
};

// Number of versions whose marks and tombstones of deleted records are kept. A process that is further behind reads
// all records.
const CHANGE_HISTORY = 200;

// The advisory lock, with an arbitrary number, serializes processes that create the tables at the same time.
export const CREATE_TABLES: string = `
SELECT pg_advisory_xact_lock(7245310682);
CREATE TABLE IF NOT EXISTS addrsift_stores (
  name text PRIMARY KEY, version bigint NOT NULL DEFAULT 0, marks text[] NOT NULL DEFAULT '{}',
  changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS addrsift_records (
  store text NOT NULL REFERENCES addrsift_stores (name), collection text NOT NULL, id text NOT NULL,
  insert_order bigserial, version bigint NOT NULL, schema integer NOT NULL, content text,
  PRIMARY KEY (store, collection, id)
);
CREATE INDEX IF NOT EXISTS addrsift_records_version ON addrsift_records (store, version)`;

/** Returns statements that create a store's row and lock it until the transaction ends. `name` must be trusted. */
export function lockStore(name: string): string {
  return `INSERT INTO addrsift_stores (name) VALUES ('${name}') ON CONFLICT DO NOTHING;
    SELECT FROM addrsift_stores WHERE name = '${name}' FOR UPDATE`;
}

/** Returns a query for the changes since a version; since 0, all records. One statement reads one consistent state. */
export function queryChanges(name: string, sinceVersion: number): Query {
  return {
    text: `SELECT coalesce(s.version, 0)::float8 AS version, coalesce(s.marks[1], '') AS mark,
        s.marks[least(s.version - $2::bigint + 1, ${CHANGE_HISTORY + 1})::integer] AS "baseMark",
        (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs", r.collection, r.id, r.schema, r.content,
        current_setting('transaction_read_only') = 'on' AS "isReadOnly",
        EXISTS (SELECT FROM addrsift_stores) AS "hasStores"
      FROM (SELECT) AS one LEFT JOIN addrsift_stores s ON s.name = $1
      LEFT JOIN addrsift_records r ON r.store = s.name AND r.version > $2::bigint ORDER BY r.insert_order`,
    values: [name, sinceVersion],
  };
}

/** Parses the rows of `queryChanges`. Each row repeats the store's fields; a row without changes has no record. */
export function parseChanges(rows: Rows["rows"]): ChangeSet {
  const records = rows.filter(({ id }) => id !== null) as unknown as RecordRow[];
  return { ...(rows[0] as unknown as ChangeSet), rows: records };
}

/** Returns statements that write a change, in the order of its rows. Every 200th change also deletes old tombstones. */
export function insertChange(name: string, version: number, mark: string, rows: readonly RecordRow[]): Query[] {
  const statement: Query = {
    text: `WITH written AS (
        INSERT INTO addrsift_records (store, collection, id, version, schema, content)
        SELECT $1, collection, id, $2::bigint, schema, content
        FROM unnest($4::text[], $5::text[], $6::integer[], $7::text[])
          WITH ORDINALITY AS p (collection, id, schema, content, nth) ORDER BY nth
        ON CONFLICT (store, collection, id)
        DO UPDATE SET version = excluded.version, schema = excluded.schema, content = excluded.content
      )
      UPDATE addrsift_stores SET version = $2, marks = ($3::text || marks)[1:${CHANGE_HISTORY}], changed_at = now()
      WHERE name = $1`,
    values: [
      name,
      version,
      mark,
      rows.map(({ collection }) => collection),
      rows.map(({ id }) => id),
      rows.map(({ schema }) => schema),
      rows.map(({ content }) => content),
    ],
  };
  if (version % CHANGE_HISTORY !== 0) return [statement];
  const text = "DELETE FROM addrsift_records WHERE store = $1 AND content IS NULL AND version <= $2";
  return [statement, { text, values: [name, version - CHANGE_HISTORY] }];
}
