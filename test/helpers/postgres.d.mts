import type { Pg } from "../../src/store/postgresql/pg.ts";

/** The package pg. */
export declare const pg: Pg & { readonly Client: new (settings: { readonly connectionString: string }) => Client };

/** One connection, which takes several statements at once, and returns rows as arrays. */
interface Client {
  connect(): Promise<void>;
  query(
    query: string | { readonly text: string; readonly rowMode: "array" },
    values?: readonly unknown[],
  ): Promise<{ readonly rows: readonly unknown[][] }>;
  end(): Promise<void>;
}

/** What no output may ever have. */
export declare const PASSWORD: string;

/** A server that runs. */
export interface Postgres {
  readonly port: number;
  /** The URL of a new database. */
  readonly create: () => Promise<string>;
  /** Runs one statement; returns its rows. */
  readonly ask: (url: string, text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Ends the server: as a crash does (SIGKILL), or at once and in good order (SIGINT). */
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>;
  /** Starts it, and waits until it answers. */
  readonly start: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** The folder of the server's programs; undefined where there are none. */
export declare const POSTGRES_PROGRAMS: string | undefined;

/** Starts a server. */
export declare function startPostgres(parent?: string): Promise<Postgres>;
