// Caches a database store in memory: all records as of one version. Updates fetch only newer changes, or all records
// if too many changes were missed.

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
  /** Number of the last change. A restored database reuses numbers, so each change also has a random mark. */
  readonly version: number;
  readonly mark: string;
}

export type RunQuery = (query: Query) => Promise<Rows["rows"]>;

export class CachedStore {
  readonly clock: DatabaseClock = new DatabaseClock();
  snapshot: Snapshot | undefined;
  /** When the query for `snapshot` was sent, by `performance.now`. */
  snapshotAtMs = Number.NEGATIVE_INFINITY;
  isReadOnly = false;

  constructor(
    private readonly database: Database,
    private readonly name: string,
    private readonly collections: readonly Collection<unknown>[],
  ) {}

  /** Stores the result of this process's own change, unless an update has fetched a later one. */
  setSnapshot(snapshot: Snapshot, startedAtMs: number): void {
    if ((this.snapshot?.version ?? 0) <= snapshot.version) this.snapshot = snapshot;
    this.snapshotAtMs = Math.max(startedAtMs, this.snapshotAtMs);
  }

  /**
   * Fetches newer changes. If the snapshot was replaced meanwhile, returns false, and the caller tries again. Throws
   * AddrsiftError STORE, and UNAVAILABLE if the database is unreachable, if the store has disappeared, or if
   * `requireStores` is set and the database has no stores.
   */
  async update(runQuery: RunQuery, requireStores: boolean): Promise<boolean> {
    const startedAtMs = performance.now();
    const previous = this.snapshot;
    let changes = await this.fetchChanges(runQuery, previous?.version ?? 0);
    const isIncremental = previous !== undefined && previous.version > 0 && changes.baseMark === previous.mark;
    if (!isIncremental && previous !== undefined && previous.version > 0 && changes.version > 0)
      changes = await this.fetchChanges(runQuery, 0);
    if (this.snapshot !== previous) return false;
    if (changes.nowMs !== undefined) this.clock.observe(changes.nowMs);
    this.isReadOnly = changes.isReadOnly;
    // The store was dropped or is being restored.
    if (changes.version === 0 && ((previous?.version ?? 0) > 0 || (requireStores && !changes.hasStores))) {
      throw this.database.toError(NO_TABLES);
    }
    const { version, mark } = changes;
    if (!isIncremental || version > previous.version) {
      const document = this.applyChanges(isIncremental ? previous.document : EMPTY_DOCUMENT, changes.rows);
      this.snapshot = { document, version, mark };
    }
    this.snapshotAtMs = startedAtMs;
    return true;
  }

  private async fetchChanges(runQuery: RunQuery, sinceVersion: number): Promise<ChangeSet> {
    try {
      return parseChanges(await runQuery(queryChanges(this.name, sinceVersion)));
    } catch (error) {
      if (!isMissingTables(error)) throw error;
      return NO_CHANGES;
    }
  }

  private applyChanges(previous: Document, rows: readonly RecordRow[]): Document {
    const copies = new Map<string, Map<string, unknown>>();
    try {
      for (const { collection: name, id, schema, content } of rows) {
        const records = copies.get(name) ?? new Map(previous.get(name));
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
      const problem = isLater ? "is from a later addrsift" : "is damaged";
      const remedy = isLater ? "install that version again" : "restore the tables addrsift_* from a backup";
      throw new AddrsiftError("STORE", `${this.database.displayName} ${problem} (${error.message}): ${remedy}`);
    }
    return new Map([...previous, ...copies]);
  }
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // The parser's message would quote the text, which may be a secret.
    throw new CorruptionError("a record is not JSON");
  }
}

// Responses differ in latency by less than this. A larger step back means that the database's clock was reset.
const CLOCK_RESET_MS = 1000;

/** Estimates the database's clock from its responses. Machines that share a store may have different clocks. */
export class DatabaseClock {
  private offsetMs: number | undefined;

  observe(databaseMs: number): void {
    const offsetMs = databaseMs - performance.now();
    const previousMs = this.offsetMs;
    // The response with the lowest latency gives the largest offset and is the most accurate.
    if (previousMs === undefined || offsetMs > previousMs || offsetMs < previousMs - CLOCK_RESET_MS)
      this.offsetMs = offsetMs;
  }

  /** Returns milliseconds since 1970; this machine's time until the database has responded. */
  now(): number {
    return this.offsetMs === undefined ? Date.now() : Math.round(performance.now() + this.offsetMs);
  }
}
