import type { Pg } from "../../src/store/postgresql/pg.ts";

/** The package pg. */
export declare const pg: Pg & { readonly Client: new (settings: { readonly connectionString: string }) => Client };

/** A connection that accepts several statements at once, and can return rows as arrays. */
interface Client {
  connect(): Promise<void>;
  query(
    query: string | { readonly text: string; readonly rowMode: "array" },
    values?: readonly unknown[],
  ): Promise<{ readonly rows: readonly unknown[][] }>;
  end(): Promise<void>;
}

/** Password of the database user. Tests check that no output contains it. */
export declare const PASSWORD: string;

/** A running server. */
export interface Postgres {
  readonly port: number;
  /** Creates a database and returns its URL. */
  readonly create: () => Promise<string>;
  /** Runs a statement and returns its rows. */
  readonly ask: (url: string, text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Ends the server, as in a crash (SIGKILL) or with a clean shutdown (SIGINT). */
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>;
  /** Starts the server and waits until it answers. */
  readonly start: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** The folder of the server's programs, or undefined. */
export declare const POSTGRES_PROGRAMS: string | undefined;

/** Starts a server. */
export declare function startPostgres(parent?: string): Promise<Postgres>;
