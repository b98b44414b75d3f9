// Types for the parts of the package pg that are used, and a reader for password files.

import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export interface Pg {
  readonly Pool: new (settings: Readonly<Record<string, unknown>>) => Pool;
  /** Fallbacks for settings that neither the URL nor the environment has. */
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
  /** For several statements, returns one result each. */
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

const GROUP_AND_OTHER_BITS = 0o077;
// Sent if no password is configured, so that the server rejects it. Without a password, pg would leave the connection
// open, and a command would never exit.
const WRONG_PASSWORD = " ";

/** Returns the password from PGPASSFILE or `~/.pgpass`, or WRONG_PASSWORD if libpq would find none. */
export function readPasswordFile(
  connection: Readonly<Record<"host" | "database" | "user", string> & { port: number }>,
): string {
  const { host, port, database, user } = connection;
  const path = process.env["PGPASSFILE"] ?? join(homedir(), ".pgpass");
  const expected = [host, String(port), database, user];
  try {
    if ((statSync(path).mode & GROUP_AND_OTHER_BITS) !== 0) return WRONG_PASSWORD;
    for (const line of readFileSync(path, "utf8").split(/\r?\n/)) {
      if (line.startsWith("#")) continue;
      // Fields are separated by colons; `\:` and `\\` are escapes.
      const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = ""]) =>
        field.replace(/\\(.)/g, "$1"),
      );
      if (fields.length > expected.length && expected.every((value, i) => fields[i] === "*" || fields[i] === value)) {
        return fields[expected.length] || WRONG_PASSWORD;
      }
    }
  } catch {
    // No readable file. The server reports whether it needs a password.
  }
  return WRONG_PASSWORD;
}
