// The table of stores: a row for each, which a change locks, with all records as one text and the marks of the latest
// changes. Only SQL; what the row means to a store is in `store-table.ts`.

import type { Query, Rows } from "./pg.ts";

export interface News {
  readonly version: number;
  /** The mark of the latest change: a database that was restored has other changes of the same numbers. */
  readonly mark: string;
  /** Whether the change with the mark that was asked about was made, and not too long ago. */
  readonly hasMark: boolean;
  /** The records as `formatDocument` writes them; null when the mark that was asked about is the latest one. */
  readonly content: string | null;
  /** The database's clock, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly isReadOnly: boolean;
  readonly hasStores: boolean;
}

// The end of a change may be lost while others change as often.
export const MARKS_KEPT = 200;

// The lock is for two processes that do so at the same time; its number means nothing.
export const CREATE: string = `
SELECT pg_advisory_xact_lock(7245310682);
CREATE TABLE IF NOT EXISTS addrsift_stores (
  name text PRIMARY KEY, version bigint NOT NULL DEFAULT 0, marks text[] NOT NULL DEFAULT '{}',
  content text NOT NULL DEFAULT '', changed_at timestamptz NOT NULL DEFAULT now()
)`;

/** Locks a store until the transaction ends, and makes its row. The name is one of ours. */
export function lockStore(name: string): string {
  return `INSERT INTO addrsift_stores (name) VALUES ('${name}') ON CONFLICT DO NOTHING;
    SELECT FROM addrsift_stores WHERE name = '${name}' FOR UPDATE`;
}

/** Asks for a store that was changed since the change with a mark. One statement sees one state. */
export function askNews(name: string, mark: string): Query {
  return {
    text: `SELECT coalesce(s.version, 0)::float8 AS version, coalesce(s.marks[1], '') AS mark,
        coalesce($2 = ANY (s.marks), false) AS "hasMark",
        CASE WHEN s.marks[1] <> $2 THEN s.content END AS content,
        (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs",
        current_setting('transaction_read_only') = 'on' AS "isReadOnly",
        EXISTS (SELECT FROM addrsift_stores) AS "hasStores"
      FROM (SELECT) AS one LEFT JOIN addrsift_stores s ON s.name = $1`,
    values: [name, mark],
  };
}

export function readNews([row]: Rows["rows"]): News {
  return row as unknown as News;
}

export function writeStore(name: string, version: number, mark: string, content: string): Query {
  return {
    text: `UPDATE addrsift_stores
      SET version = $2, marks = ($3::text || marks)[1:${MARKS_KEPT}], content = $4, changed_at = now() WHERE name = $1`,
    values: [name, version, mark, content],
  };
}
