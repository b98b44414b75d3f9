// A copy in memory of a store in a database: all its records, as they were after some change. It reads what is newer,
// and all records where it missed too much. Nothing is written here.

import { AddrsiftError } from "../../base/errors.ts";
import type { Collection, Document } from "../collection.ts";
import {
  CorruptionError,
  checkSchema,
  EMPTY_DOCUMENT,
  findCollection,
  NewerVersionError,
  validateRecord,
} from "../document.ts";
import { type Database, isMissingTables, NO_TABLES } from "./database.ts";
import type { Query, Rows } from "./pg.ts";
import { type ChangeSet, NO_CHANGES, parseChanges, queryChanges, type RecordRow } from "./tables.ts";

export interface Snapshot {
  readonly document: Document;
  /** The number of the change, and its own mark: a database that was restored has other changes of the same numbers. */
  readonly version: number;
  readonly mark: string;
}

export type RunQuery = (query: Query) => Promise<Rows["rows"]>;

export class CachedTable {
  readonly clock: DatabaseClock = new DatabaseClock();
  snapshot: Snapshot | undefined;
  /** When the database was asked for what is known, by `performance`. */
  snapshotAtMs = Number.NEGATIVE_INFINITY;
  isReadOnly = false;

  constructor(
    private readonly database: Database,
    private readonly name: string,
    private readonly collections: readonly Collection<unknown>[],
  ) {}

  /** Notes what is known after a change of this process, unless a look has seen later ones meanwhile. */
  setSnapshot(snapshot: Snapshot, startedAtMs: number): void {
    if ((this.snapshot?.version ?? 0) <= snapshot.version) this.snapshot = snapshot;
    this.snapshotAtMs = Math.max(startedAtMs, this.snapshotAtMs);
  }

  /**
   * Brings what is known up to date. False when something else did that meanwhile. Throws AddrsiftError STORE, and
   * AWAY also where records were and are no more, or where a database without a store is none for the caller
   * (`requireStores`).
   */
  async update(runQuery: RunQuery, requireStores: boolean): Promise<boolean> {
    const startedAtMs = performance.now();
    const before = this.snapshot;
    let changes = await this.fetchChanges(runQuery, before?.version ?? 0);
    const isNewer = before !== undefined && before.version > 0 && changes.baseMark === before.mark;
    if (!isNewer && before !== undefined && before.version > 0 && changes.version > 0)
      changes = await this.fetchChanges(runQuery, 0);
    if (this.snapshot !== before) return false;
    if (changes.nowMs !== undefined) this.clock.observe(changes.nowMs);
    this.isReadOnly = changes.isReadOnly;
    // An empty store that is not a new one was taken away, or is being restored.
    if (changes.version === 0 && ((before?.version ?? 0) > 0 || (requireStores && !changes.hasStores))) {
      throw this.database.toError(NO_TABLES);
    }
    const { version, mark } = changes;
    if (!isNewer || version > before.version) {
      const document = this.applyChanges(isNewer ? before.document : EMPTY_DOCUMENT, changes.rows);
      this.snapshot = { document, version, mark };
    }
    this.snapshotAtMs = startedAtMs;
    return true;
  }

  private async fetchChanges(runQuery: RunQuery, since: number): Promise<ChangeSet> {
    try {
      return parseChanges(await runQuery(queryChanges(this.name, since)));
    } catch (error) {
      if (!isMissingTables(error)) throw error;
      return NO_CHANGES;
    }
  }

  private applyChanges(before: Document, rows: readonly RecordRow[]): Document {
    const copies = new Map<string, Map<string, unknown>>();
    try {
      for (const { collection: name, id, schema, content } of rows) {
        const records = copies.get(name) ?? new Map(before.get(name));
        copies.set(name, records);
        if (content === null) {
          records.delete(id);
          continue;
        }
        const collection = findCollection(name, this.collections);
        checkSchema(name, schema);
        records.set(id, validateRecord(parse(content), collection));
      }
    } catch (error) {
      const isLater = error instanceof NewerVersionError;
      if (!isLater && !(error instanceof CorruptionError)) throw error;
      const what = isLater ? "is from a later addrsift" : "is damaged";
      const remedy = isLater ? "install that version again" : "restore the tables addrsift_* from a backup";
      throw new AddrsiftError("STORE", `${this.database.displayName} ${what} (${error.message}): ${remedy}`);
    }
    return new Map([...before, ...copies]);
  }
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // The parser's own message would quote the text, which may be a secret.
    throw new CorruptionError("a record is not JSON");
  }
}

// Answers are on their way for different times; a clock that is further back was set.
const CLOCK_RESET_MS = 1000;

/** A database's clock, known from its answers: machines that share a store may have clocks that differ. */
export class DatabaseClock {
  private offsetMs: number | undefined;

  observe(databaseMs: number): void {
    const offsetMs = databaseMs - performance.now();
    const known = this.offsetMs;
    // The answer that was quickest is the most exact. So it never goes back by a little.
    if (known === undefined || offsetMs > known || offsetMs < known - CLOCK_RESET_MS) this.offsetMs = offsetMs;
  }

  /** Milliseconds since 1970; this machine's own time until the database's is known. */
  now(): number {
    return this.offsetMs === undefined ? Date.now() : Math.round(performance.now() + this.offsetMs);
  }
}
