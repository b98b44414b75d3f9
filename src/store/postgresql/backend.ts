// Stores records in a PostgreSQL database that several machines share. A change locks the store's row, fetches other
// processes' changes and writes its own. Long-running processes poll for changes every 250 ms.

import { randomBytes } from "node:crypto";
import { AddrsiftError } from "../../base/errors.ts";
import type { Collection, Document, StoreBackend } from "../collection.ts";
import { EMPTY_DOCUMENT, SCHEMA } from "../document.ts";
import { CachedStore, type DatabaseClock, type RunQuery, type Snapshot } from "./cached-store.ts";
import { type Database, isMissingTables, isUnreachable, READ_ONLY } from "./database.ts";
import type { Connection, Query, Rows } from "./pg.ts";
import { CREATE_TABLES, insertChange, lockStore, parseChanges, queryChanges, type RecordRow } from "./tables.ts";

interface OpenTransaction {
  readonly connection: Connection;
  base: Snapshot;
  hasEnded: boolean;
}

const POLL_INTERVAL_MS = 250;
// While the database is unavailable, reads return cached records for this long.
const MAX_STALE_MS = 5000;
const POLL_TIMEOUT_MS = 2000;
// If the connection is lost during COMMIT, retry for this long to find out whether the change was made.
const COMMIT_CHECK_LIMIT_MS = 5000;
const COMMIT_CHECK_PAUSE_MS = 100;
const MARK_BYTES = 6;

export class PostgresBackend implements StoreBackend {
  readonly clock: DatabaseClock;
  private readonly cache: CachedStore;
  private failure: AddrsiftError | undefined;
  private polling: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private transaction: OpenTransaction | undefined;

  constructor(
    private readonly database: Database,
    private readonly name: string,
    collections: readonly Collection<unknown>[],
  ) {
    this.cache = new CachedStore(database, name, collections);
    this.clock = this.cache.clock;
  }

  /** Returns cached records; while polling, at most 250 ms old. Throws AddrsiftError UNAVAILABLE or STORE. */
  current(): { readonly document: Document } {
    const { snapshot, snapshotAtMs } = this.cache;
    const ageMs = performance.now() - snapshotAtMs;
    if (ageMs > POLL_INTERVAL_MS) this.pollSoon();
    const { failure } = this;
    const isUnavailable = ageMs > MAX_STALE_MS && (failure !== undefined || this.timer !== undefined);
    if (snapshot === undefined || isUnavailable) throw failure ?? this.database.toError(NO_RESPONSE);
    return snapshot;
  }

  async refresh(): Promise<void> {
    const calledAtMs = performance.now();
    while (this.cache.snapshotAtMs < calledAtMs) {
      const isUnavailable = this.timer !== undefined && isUnreachable(this.failure);
      // A poll that is already running may have missed the change, so wait for the one after it. While the database is
      // unreachable, fail without waiting.
      if (!isUnavailable) await this.polling;
      this.pollSoon();
      if (!isUnavailable) await this.polling;
      if (this.failure !== undefined) throw this.failure;
      if (performance.now() - calledAtMs > MAX_STALE_MS) throw this.database.toError(NO_RESPONSE);
    }
  }

  checkWritable(): AddrsiftError | undefined {
    this.current();
    return this.failure ?? (this.cache.isReadOnly ? this.database.toError(READ_ONLY) : undefined);
  }

  startPolling(): void {
    this.timer ??= setInterval(() => this.pollSoon(), POLL_INTERVAL_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.polling;
  }

  async withLock(work: () => Promise<void>): Promise<void> {
    // Fails fast: otherwise each change would wait for the timeout.
    if (this.timer !== undefined && this.failure !== undefined) throw this.failure;
    const transaction = { connection: await this.lock(), base: EMPTY_SNAPSHOT, hasEnded: false };
    this.transaction = transaction;
    try {
      await work();
    } finally {
      this.transaction = undefined;
      // After a failure, closing the connection rolls the change back.
      transaction.connection.release(!transaction.hasEnded);
    }
  }

  async read(): Promise<Document> {
    const transaction = this.transaction as OpenTransaction;
    // A concurrent poll may have replaced the snapshot.
    while (!(await this.cache.update((query) => this.queryInTransaction(query), false))) {}
    transaction.base = this.cache.snapshot ?? EMPTY_SNAPSHOT;
    return transaction.base.document;
  }

  /** Writes the changed records. Throws AddrsiftError UNAVAILABLE, or UNCERTAIN if the change may have been made. */
  async write(document: Document): Promise<void> {
    const { base } = this.transaction as OpenTransaction;
    if (document === base.document) return this.endTransaction(ROLLBACK);
    const [version, mark] = [base.version + 1, randomBytes(MARK_BYTES).toString("base64url")];
    const rows = this.changedRows(base.document, document);
    for (const query of insertChange(this.name, version, mark, rows)) await this.queryInTransaction(query);
    const startedAtMs = performance.now();
    await this.commit(version, mark);
    this.cache.setSnapshot({ document, version, mark }, startedAtMs);
  }

  /**
   * Locks the store and returns the connection. Creates missing tables for a new store. Throws if this process is
   * polling or has fetched records: then the tables were lost and must be restored.
   */
  private async lock(): Promise<Connection> {
    const statements = lockStore(this.name);
    try {
      return await this.database.begin(statements);
    } catch (error) {
      if (!isMissingTables(error) || this.timer !== undefined || (this.cache.snapshot?.version ?? 0) > 0) throw error;
    }
    // A separate transaction, so that the next one starts with its own timeouts.
    await this.database.query({ text: CREATE_TABLES, values: [] });
    return this.database.begin(statements);
  }

  private async queryInTransaction(query: Query): Promise<Rows["rows"]> {
    try {
      return (await (this.transaction as OpenTransaction).connection.query(query)).rows;
    } catch (error) {
      throw this.database.toError(error);
    }
  }

  private async endTransaction(query: Query): Promise<void> {
    await this.queryInTransaction(query);
    (this.transaction as OpenTransaction).hasEnded = true;
  }

  private async commit(version: number, mark: string): Promise<void> {
    try {
      await this.endTransaction(COMMIT);
    } catch (error) {
      if (!(await this.wasCommitted(version, mark))) throw error;
    }
  }

  private async wasCommitted(version: number, mark: string): Promise<boolean> {
    const lostAtMs = performance.now();
    for (;;) {
      try {
        // Once the lock is acquired, the server has ended the lost transaction.
        const connection = await this.database.begin(lockStore(this.name));
        const { rows } = await connection
          .query(queryChanges(this.name, version))
          .finally(() => connection.release(true));
        const changes = parseChanges(rows);
        if (changes.baseMark !== null || changes.version < version) return changes.baseMark === mark;
      } catch {}
      if (performance.now() - lostAtMs > COMMIT_CHECK_LIMIT_MS) {
        throw new AddrsiftError("UNCERTAIN", `${this.database.displayName} ${UNKNOWN_OUTCOME}`);
      }
      await new Promise((resolve) => setTimeout(resolve, COMMIT_CHECK_PAUSE_MS));
    }
  }

  private pollSoon(): void {
    this.polling ??= this.poll().finally(() => {
      this.polling = undefined;
    });
  }

  private async poll(): Promise<void> {
    try {
      const runQuery: RunQuery = (query) => this.database.query({ ...query, query_timeout: POLL_TIMEOUT_MS });
      await this.cache.update(runQuery, this.timer !== undefined);
      this.failure = undefined;
    } catch (error) {
      this.failure = this.database.toError(error);
    }
    if (this.timer === undefined) return;
    this.database.reportState(this.failure ?? (this.cache.isReadOnly ? this.database.toError(READ_ONLY) : undefined));
  }

  private changedRows(before: Document, after: Document): RecordRow[] {
    return [...after].flatMap(([collection, records]) => {
      const oldRecords = before.get(collection);
      if (records === oldRecords) return [];
      const deletedIds = [...(oldRecords?.keys() ?? [])].filter((id) => !records.has(id));
      const changed = [...records].filter(([id, record]) => oldRecords?.get(id) !== record);
      return [
        ...deletedIds.map((id) => ({ collection, id, schema: SCHEMA, content: null })),
        ...changed.map(([id, record]) => ({ collection, id, schema: SCHEMA, content: JSON.stringify(record) })),
      ];
    });
  }
}

const EMPTY_SNAPSHOT: Snapshot = { document: EMPTY_DOCUMENT, version: 0, mark: "" };
const COMMIT: Query = { text: "COMMIT", values: [] };
const ROLLBACK: Query = { text: "ROLLBACK", values: [] };
const NO_RESPONSE = new Error("no answer for 5 seconds");
const UNKNOWN_OUTCOME = "lost the connection during a commit; the change may have been made: check before retrying";
