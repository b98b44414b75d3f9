// What is used of the package pg, which is loaded only when a store is in PostgreSQL. Types only.

/** The package pg. */
export interface Pg {
  readonly Pool: new (settings: PoolSettings) => Pool;
  /** What counts where neither the URL nor the environment says something. */
  readonly defaults: { password: unknown };
}

interface PoolSettings {
  readonly connectionString: string;
  readonly max: number;
  readonly connectionTimeoutMillis: number;
  readonly query_timeout: number;
  /** Connections that nobody uses keep no process alive. */
  readonly allowExitOnIdle: true;
  readonly keepAlive: true;
  readonly application_name: string;
}

/** Connections to one database. */
export interface Pool {
  connect(): Promise<Connection>;
  query(query: Query): Promise<Rows>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "connect", listener: (connection: Connection) => void): unknown;
  end(): Promise<void>;
}

/** A connection that is in use. */
export interface Connection {
  query(query: Query): Promise<Rows>;
  /** Several statements give a result for each. */
  query(statements: string): Promise<Rows | readonly Rows[]>;
  /** Gives it back; with true it is closed. */
  release(close?: boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** One statement with its values. */
export interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
  /** In milliseconds. */
  readonly query_timeout?: number;
}

/** The rows of an answer. */
export interface Rows {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}
