// Connects to a PostgreSQL database, and converts its errors to one line with a fix and without the password.

import { AddrsiftError } from "../../base/errors.ts";
import { type Connection, type Pg, type Pool, type Query, type Rows, readPasswordFile } from "./pg.ts";

export interface DatabaseLocation {
  /** `postgresql://USER:PASSWORD@HOST:PORT/DATABASE?OPTIONS`, with the options of libpq. */
  readonly url: string;
  readonly load: () => Pg;
  /** Shell command that installs the package pg where `load` finds it. */
  readonly installCommand: string;
  /** Receives a line when the database becomes unavailable or available. */
  readonly warn: (line: string) => void;
}

// A process has two stores, each of which may poll and write at the same time.
const MAX_CONNECTIONS = 4;
const CONNECT_TIMEOUT_MS = 3000;
const QUERY_TIMEOUT_MS = 10_000;
// A change takes milliseconds, so a process that holds the row lock for this long must be suspended.
const LOCK_TIMEOUT_MS = 20_000;
// The server ends a transaction that is idle for this long. Statements follow within milliseconds, so its process must
// be suspended, or its machine down.
const IDLE_TIMEOUT_MS = 3000;
const TRANSACTION_TIMEOUTS = `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS};
  SET LOCAL idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`;

const EXAMPLE_URL = "such as postgresql://addrsift@db.example.com/addrsift";

export class Database {
  /** Database and host, without user, password and options. */
  readonly displayName: string;
  private pool: Pool | undefined;
  private reportedState: string | undefined;

  constructor(private readonly location: DatabaseLocation) {
    this.displayName = `the database ${redactUrl(location.url)}`;
  }

  query(query: Query): Promise<Rows["rows"]> {
    return this.withRetries(async () => (await this.openPool().query(query)).rows);
  }

  /** Begins a transaction with `statements`. The caller ends it and releases the connection. Throws AddrsiftError. */
  begin(statements: string): Promise<Connection> {
    const text = `BEGIN ISOLATION LEVEL READ COMMITTED; ${TRANSACTION_TIMEOUTS}; ${statements}`;
    return this.withRetries(async () => {
      const connection = await this.openPool().connect();
      try {
        await connection.query({ text, query_timeout: LOCK_TIMEOUT_MS + QUERY_TIMEOUT_MS } as unknown as Query);
        return connection;
      } catch (error) {
        connection.release(true);
        throw error;
      }
    });
  }

  private async withRetries<Value>(work: () => Promise<Value>): Promise<Value> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt > MAX_CONNECTIONS || !isStaleConnection(error)) throw this.toError(error);
      }
    }
  }

  toError(error: unknown): AddrsiftError {
    if (error instanceof AddrsiftError) return error;
    const { code, message, syscall } = error as { code?: unknown; message?: unknown; syscall?: unknown };
    if (typeof code === "string" && code in MESSAGES_BY_CODE)
      return new DatabaseError(`${this.displayName} ${MESSAGES_BY_CODE[code]}`, code);
    // Opening a TLS file failed; or, if its path is that of a folder, reading it. Sockets never fail with EISDIR.
    const isFile = syscall === "open" || code === "EISDIR";
    const messageRow = MESSAGES_BY_PATTERN.find(([pattern]) =>
      pattern.test(isFile ? "file" : `${String(code)} ${String(message)}`),
    );
    if (messageRow !== undefined)
      return new DatabaseError(`${this.displayName} ${messageRow[1].replace("%", String(code))}`, "TLS");
    const summary = typeof code === "string" && !/^[0-9A-Z]{5}$/.test(code) ? code : String(message).split("\n", 1)[0];
    return isConnectionLoss(error)
      ? new DatabaseError(`${this.displayName} does not answer (${summary}): start it, or correct ADDRSIFT_STORE`, "")
      : new DatabaseError(`${this.displayName} rejected a statement (${summary}): see its log`, String(code));
  }

  reportState(error: AddrsiftError | undefined): void {
    const { reportedState: previousState } = this;
    this.reportedState = error instanceof DatabaseError ? error.sqlState : error?.code;
    if (this.reportedState === previousState) return;
    const recovery = previousState === READ_ONLY.code ? "is writable again" : "answers again";
    this.location.warn(error?.message ?? `${this.displayName} ${recovery}`);
  }

  async close(): Promise<void> {
    await this.pool?.end();
  }

  private openPool(): Pool {
    this.pool ??= this.createPool();
    return this.pool;
  }

  private createPool(): Pool {
    const { Pool, defaults } = load(this.location);
    defaults.password = readPasswordFile;
    const pool = new Pool({
      connectionString: this.location.url.replace(WEAK_SSLMODE, "$1verify-full"),
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      // Idle connections don't keep the process alive.
      allowExitOnIdle: true,
      application_name: "addrsift",
    });
    // If an idle connection dies, the next query reports it.
    pool.on("error", () => {});
    pool.on("connect", (connection) => connection.on("error", () => {}));
    return pool;
  }
}

class DatabaseError extends AddrsiftError {
  constructor(
    message: string,
    readonly sqlState: string,
  ) {
    // Without pg's error as the cause: it may contain connection settings.
    super(sqlState === READ_ONLY.code ? "READONLY" : sqlState === "53100" ? "FULL" : "UNAVAILABLE", message);
  }
}

export function isMissingTables(error: unknown): boolean {
  return error instanceof DatabaseError && error.sqlState === UNDEFINED_TABLE_STATE;
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof DatabaseError && error.sqlState === "";
}

const UNDEFINED_TABLE_STATE = "42P01";
export const NO_TABLES = { code: UNDEFINED_TABLE_STATE };
export const READ_ONLY = { code: "25006" };

// pg treats these modes as verify-full, and warns each time that this will change.
const WEAK_SSLMODE = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)(?!.*uselibpqcompat=true)/;

const MESSAGES_BY_CODE: Readonly<Record<string, string>> = {
  "28P01": "rejects the password, or received none: correct it in ADDRSIFT_STORE, PGPASSWORD or the file of PGPASSFILE",
  "28000":
    "rejects the user: correct the user in ADDRSIFT_STORE, allow it in pg_hba.conf, " +
    "or add ?sslmode=verify-full if the server requires TLS",
  "53100": "has no disk space left: free some there",
  "3D000": "does not exist: create it, or correct ADDRSIFT_STORE",
  "42501":
    "denies permission to this user: make it the owner of the tables addrsift_*, or grant it CREATE on its schema",
  "25006": "is read-only: name the primary server in ADDRSIFT_STORE",
  "53300": "has no free connection: raise its max_connections, or run fewer daemons",
  "55P03":
    `has been locked by another process for ${LOCK_TIMEOUT_MS / 1000} seconds: ` +
    "look for a suspended addrsift process and end it",
  [UNDEFINED_TABLE_STATE]: "has no addrsift tables: create a key first, or restore the tables from a backup",
  "42703": "has tables of another addrsift version: drop all tables addrsift_*, and create the keys and channels again",
  ENOTFOUND: "is on a host that can't be resolved: correct ADDRSIFT_STORE",
};

const MESSAGES_BY_PATTERN: readonly (readonly [RegExp, string])[] = [
  [
    /^file$/,
    "is not contacted, because a file of sslrootcert, sslcert or sslkey can't be read (%): " +
      "correct its path in ADDRSIFT_STORE",
  ],
  [
    /ERR_TLS_CERT_ALTNAME_INVALID/,
    "has a TLS certificate for another name: use the certificate's host name in ADDRSIFT_STORE",
  ],
  [/CERT_HAS_EXPIRED/, "has an expired TLS certificate: renew it"],
  [
    /UNABLE_TO_|SELF_SIGNED|CERT_/,
    "has a TLS certificate of an unknown authority (%): " +
      "name the authority's certificate with sslrootcert=FILE in ADDRSIFT_STORE",
  ],
  [/does not support SSL/, "has no TLS: enable it there, or remove sslmode from ADDRSIFT_STORE"],
];

/** Reports whether the connection failed, so that the outcome of the last statement is unknown. */
function isConnectionLoss(error: unknown): boolean {
  const { code, severity } = error as { readonly code?: string; readonly severity?: string };
  // Network errors have no severity. 57P: the server is stopping, has crashed or is starting. 08: connection exception.
  return severity === undefined || severity === "FATAL" || /^(?:57P|08)/.test(code ?? "");
}

/** Reports whether an idle connection had died. Nothing was changed over it, so a retry on another one is safe. */
function isStaleConnection(error: unknown): boolean {
  const { code = "", message } = error as { readonly code?: string; readonly message?: string };
  return /^(?:ECONNRESET|EPIPE|57P01)$/.test(code) || /terminated unexpectedly|is not queryable/.test(message ?? "");
}

function load({ load: loadPackage, installCommand }: DatabaseLocation): Pg {
  try {
    return loadPackage();
  } catch {
    const problem = "ADDRSIFT_STORE names a PostgreSQL database, which needs the package pg";
    throw new AddrsiftError("OPERATION", `${problem}: run ${installCommand}`);
  }
}

function redactUrl(text: string): string {
  if (!/^postgres(?:ql)?:\/\//.test(text))
    throw new AddrsiftError("USAGE", `ADDRSIFT_STORE must be a URL of PostgreSQL, ${EXAMPLE_URL}`);
  const [match, host = "", database = ""] = URL_PATTERN.exec(text) ?? [];
  if (match === undefined || !isEncoded(text)) throw new AddrsiftError("USAGE", INVALID_URL);
  return [database, host === "" ? "" : `on ${host}`].filter((part) => part !== "").join(" ");
}

// Rejects unencoded @, / and ? in user and password. Otherwise, a part of the password could be parsed as host or path,
// which messages show.
const URL_PATTERN =
  /^[a-z]+:\/\/(?:[^@/?#]*@)?(\[[\da-fA-F:.]+\]|[\w.%-]*)(?::\d{1,5})?(?:\/([\w.%$-]*))?(?:\?[^@#]*)?$/;
const INVALID_URL = `ADDRSIFT_STORE is not a URL of PostgreSQL: write it ${EXAMPLE_URL}, \
with : / ? # @ % in the user or password as %3A %2F %3F %23 %40 %25`;

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
