// A copy in memory of a store in a database: all its records, as they were after some change. It follows the changes that others made, and
// reads all records where it can't. Nothing is written here.

import { AddrsiftError } from "../../base/errors.ts";
import type { Collection } from "../collection.ts";
import { applyChange, CorruptFile, type Document, documentOf, NewerVersion, type Observers } from "../document.ts";
import { type Database, isMissing, NO_TABLES } from "./database.ts";
import type { Query, Rows } from "./pg.ts";
import { askProgress, askWhole, type Change, type Progress, readProgress, readWhole, type Whole } from "./tables.ts";

/** The records after a change. */
export interface Known {
  readonly document: Document;
  readonly revision: number;
  /** The change's own mark. */
  readonly mark: string;
}

/** Asks the pool, or the connection of a change. */
export type Ask = (query: Query) => Promise<Rows["rows"]>;

/** A copy in memory of one store. */
export class TableCopy {
  readonly clock: DatabaseClock = new DatabaseClock();
  /** While a draft is open, what is known must stay. */
  held = false;
  private latest: Known | undefined;
  private isFixed = false;
  private askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Database,
    private readonly name: string,
    private readonly collections: readonly Collection<unknown>[],
    private readonly observers: Observers,
  ) {}

  get known(): Known | undefined {
    return this.latest;
  }

  /** When the database was asked for what is known, by `performance`. */
  get knownAtMs(): number {
    return this.askedAtMs;
  }

  /** The database took no changes when it was asked last. */
  get isReadOnly(): boolean {
    return this.isFixed;
  }

  /** Notes what is known after a change of this process. */
  know(known: Known, askedAtMs: number): void {
    this.latest = known;
    this.askedAtMs = askedAtMs;
  }

  /**
   * Brings what is known up to date. False when something else did that meanwhile, or an open draft forbids it. Throws AddrsiftError STORE, and AWAY
   * also where records were and are no more, or where a database without a store is none for the caller (`mustHaveStores`).
   */
  async update(ask: Ask, mustHaveStores: boolean): Promise<boolean> {
    const askedAtMs = performance.now();
    const before = this.known;
    const progress = await this.progress(ask, before?.revision ?? 0);
    const isSame = progress.changes.length === 1 && progress.changes[0]?.mark === before?.mark;
    // A draft whose connection was lost may be the last to hear what others changed since.
    const isOver = (): boolean => (this.held && !isSame) || this.known !== before;
    if (isOver()) return false;
    const { database } = progress;
    if (database !== undefined) this.clock.note(database.nowMs);
    this.isFixed = database?.isReadOnly === true;
    const isNew = (progress.revision ?? 0) === 0;
    // An empty store that is not a new one was taken away, or is being restored.
    if (isNew && ((before?.revision ?? 0) > 0 || (mustHaveStores && database?.hasStores !== true))) {
      throw this.database.failure(NO_TABLES);
    }
    let next = before === undefined ? undefined : this.advanced(before, progress);
    if (next === undefined) {
      const whole =
        progress.revision === undefined
          ? NOTHING
          : await ask(askWhole(this.name)).then((rows) => this.guarded(() => readWhole(rows)));
      if (isOver()) return false;
      const { collections, revision, mark } = whole;
      next = { document: this.guarded(() => documentOf(collections, this.collections)), revision, mark };
      this.observers.reset(next.document);
    }
    this.know(next, askedAtMs);
    return true;
  }

  private async progress(ask: Ask, from: number): Promise<Progress> {
    try {
      const rows = await ask(askProgress(this.name, from));
      return this.guarded(() => readProgress(rows));
    } catch (error) {
      if (!isMissing(error)) throw error;
      return { revision: undefined, changes: [], database: undefined };
    }
  }

  /** The records after the changes; undefined when they do not follow on it, so that all records must be read. */
  private advanced(before: Known, { revision: last = 0, changes }: Progress): Known | undefined {
    let { revision, mark } = before;
    const [first, ...others] = changes;
    if (first?.revision !== revision || first.mark !== mark) return undefined;
    for (const change of others) {
      if (change.revision !== revision + 1 || !this.apply(before.document, change)) return undefined;
      ({ revision, mark } = change);
    }
    return revision === last ? { document: before.document, revision, mark } : undefined;
  }

  private apply(document: Document, { collections }: Change): boolean {
    try {
      applyChange(document, collections, this.collections, this.observers.tell);
      return true;
    } catch (error) {
      // A later version has written all records in a schema that is ours too.
      if (error instanceof CorruptFile) return false;
      return this.guarded(() => {
        throw error;
      });
    }
  }

  /** Throws AddrsiftError STORE for what this version can't read. */
  private guarded<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      const isLater = error instanceof NewerVersion;
      if (!isLater && !(error instanceof CorruptFile)) throw error;
      const what = isLater ? "is from a later addrsift" : "is damaged";
      const remedy = isLater ? "install that version again" : "restore the tables addrsift_* from a backup";
      throw new AddrsiftError("STORE", `${this.database.title} ${what} (${error.message}): ${remedy}`);
    }
  }
}

const NOTHING: Whole = { revision: 0, mark: "", collections: {} };

// Answers are on their way for different times; a clock that is further back was set.
const SET_BACK_MS = 1000;

/** The clock of a database, known from its answers: leases go by it, because machines that share a store may have clocks that differ. */
export class DatabaseClock {
  /** The time to add to that of `performance`. */
  private offsetMs: number | undefined;

  /** Notes the time that an answer has, which is a little late. */
  note(databaseMs: number): void {
    const offsetMs = databaseMs - performance.now();
    const known = this.offsetMs;
    // The answer that was quickest is the most exact. So it never goes back by a little.
    if (known === undefined || offsetMs > known || offsetMs < known - SET_BACK_MS) this.offsetMs = offsetMs;
  }

  /** Milliseconds since 1970; this machine's own time until the database has told its. */
  now(): number {
    return this.offsetMs === undefined ? Date.now() : Math.round(performance.now() + this.offsetMs);
  }
}
