// The part of the package pg that is used, which is loaded only when a store is in PostgreSQL, and the password that
// it takes from a file.

import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export interface Pg {
  readonly Pool: new (settings: Readonly<Record<string, unknown>>) => Pool;
  /** Values that count where neither the URL nor the environment has one. */
  readonly defaults: { password: unknown };
}

export interface Pool {
  connect(): Promise<Connection>;
  query(query: Query): Promise<Rows>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "connect", listener: (connection: Connection) => void): unknown;
  end(): Promise<void>;
}

export interface Connection {
  query(query: Query): Promise<Rows>;
  /** Several statements give a result for each. */
  query(statements: string): Promise<Rows | readonly Rows[]>;
  release(close?: boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
}

export interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly query_timeout?: number;
}

export interface Rows {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

const OTHERS_MODE_BITS = 0o077;
// The server refuses it. Where there is nothing to send, the package leaves the connection open, and no command would
// end.
const WRONG_PASSWORD = " ";

/** The password in the file of PGPASSFILE or `~/.pgpass`; a wrong one where libpq would read none. */
export function readPasswordFile(
  of: Readonly<Record<"host" | "database" | "user", string> & { port: number }>,
): string {
  const { host, port, database, user } = of;
  const path = process.env["PGPASSFILE"] ?? join(homedir(), ".pgpass");
  const wanted = [host, String(port), database, user];
  try {
    if ((statSync(path).mode & OTHERS_MODE_BITS) !== 0) return WRONG_PASSWORD;
    for (const line of readFileSync(path, "utf8").split(/\r?\n/)) {
      if (line.startsWith("#")) continue;
      // A colon or backslash in a field has a backslash before it.
      const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = ""]) =>
        field.replace(/\\(.)/g, "$1"),
      );
      if (fields.length > wanted.length && wanted.every((one, i) => fields[i] === "*" || fields[i] === one)) {
        return fields[wanted.length] || WRONG_PASSWORD;
      }
    }
  } catch {
    // Without the file there is no password in it. The server says whether it wants one.
  }
  return WRONG_PASSWORD;
}
