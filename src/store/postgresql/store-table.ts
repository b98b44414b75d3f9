// Records in a PostgreSQL database that several machines share: the adapter between lowdb and the tables. A change locks the store's row,
// follows what others changed, and adds its own; everybody else asks four times a second what is new.

import { randomBytes } from "node:crypto";
import { AddrsiftError } from "../../errors.ts";
import type { Backing } from "../backing.ts";
import { type Collection, schemaOf } from "../collection.ts";
import { applyChange, CorruptFile, type Document, documentOf, NewerVersion } from "../document.ts";
import { Draft } from "../draft.ts";
import type { Observers } from "../observers.ts";
import { DatabaseClock } from "./clock.ts";
import { type Database, isMissing } from "./database.ts";
import type { Connection, Query, Rows } from "./pg.ts";
import {
  askMark,
  askProgress,
  askWhole,
  type Change,
  CREATE,
  lockStore,
  type Progress,
  readProgress,
  readWhole,
  type Whole,
  writeChange,
} from "./tables.ts";

/** What is in memory: the records after a change. */
interface Known {
  readonly document: Document;
  readonly revision: number;
  /** The change's own mark. */
  readonly mark: string;
}

/** A change that this process makes now. */
interface Changing {
  readonly connection: Connection;
  /** Its transaction has ended. */
  isOver: boolean;
}

/** Asks the pool, or the connection of a change. */
type Ask = (query: Query) => Promise<Rows["rows"]>;

// How old what is in memory may be.
const LOOK_MS = 250;
// For so long reads go on without the database.
const AWAY_MS = 5000;
const LOOK_TIMEOUT_MS = 2000;
// The database may be on its way up again when it has to say whether a change was made.
const DOUBT_MS = 5000;
const DOUBT_PAUSE_MS = 100;
const MARK_OCTETS = 12;

/** One store of a database. */
export class StoreTable implements Backing {
  readonly clock: DatabaseClock = new DatabaseClock();
  private readonly database: Database;
  private readonly name: string;
  private readonly collections: readonly Collection<unknown>[];
  private readonly observers: Observers;
  private known: Known | undefined;
  /** When the database was asked for what is known, on the clock of `performance`. */
  private askedAtMs = Number.NEGATIVE_INFINITY;
  private failure: AddrsiftError | undefined;
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private changing: Changing | undefined;
  /** While a draft is open, what is known must stay. */
  private held = false;

  /** `name` tells the stores of a database apart. */
  constructor(database: Database, name: string, collections: readonly Collection<unknown>[], observers: Observers) {
    this.database = database;
    this.name = name;
    this.collections = collections;
    this.observers = observers;
  }

  /** What is known: at most a quarter of a second old while this process follows. Throws AddrsiftError AWAY or STORE. */
  current(): { readonly document: Document; readonly damage: undefined } {
    const ageMs = performance.now() - this.askedAtMs;
    if (ageMs > LOOK_MS) this.lookSoon();
    const { known, failure } = this;
    const isAway = ageMs > AWAY_MS && (failure !== undefined || this.timer !== undefined);
    if (known === undefined || isAway) throw failure ?? this.database.failure(new Error("no answer for 5 seconds"));
    return { document: known.document, damage: undefined };
  }

  assertSound(): void {
    this.current();
  }

  /** Waits until all is known that was changed before this call. It never rejects: `current` throws what is wrong. */
  async fresh(): Promise<void> {
    // While it is away nobody waits for it.
    if (this.failure !== undefined && this.known !== undefined) return this.lookSoon();
    // One that has begun may have missed it.
    await this.looking;
    this.lookSoon();
    await this.looking;
  }

  follow(): void {
    this.timer ??= setInterval(() => this.lookSoon(), LOOK_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  async alone(work: () => Promise<void>): Promise<void> {
    // Else each change would wait for the time limit.
    if (this.timer !== undefined && this.failure !== undefined) throw this.failure;
    const changing = { connection: await this.lock(), isOver: false };
    this.changing = changing;
    try {
      await work();
    } finally {
      this.changing = undefined;
      this.held = false;
      // What did not end well is closed, and so is undone by the server.
      changing.connection.release(!changing.isOver);
    }
  }

  /** A draft of what is in the database. */
  async read(): Promise<Draft> {
    // A look may have come in between.
    while (!(await this.update((query) => this.inChange(query)))) {}
    this.held = true;
    return new Draft((this.known as Known).document, this.collections, this.observers);
  }

  /** Writes what the draft changes. Throws AddrsiftError AWAY. */
  async write(draft: Draft): Promise<void> {
    try {
      const { document, revision } = this.known as Known;
      const collections = this.inPresentSchemas(draft);
      if (Object.keys(collections).length === 0) return await this.end(ROLLBACK);
      const change = { revision: revision + 1, mark: randomBytes(MARK_OCTETS).toString("hex"), collections };
      for (const query of writeChange(this.name, change)) await this.inChange(query);
      const askedAtMs = performance.now();
      await this.commit(change);
      draft.settle();
      for (const collection of this.collections) {
        const content = document.contents.get(collection.name);
        if (content !== undefined && collection.name in collections) content.schema = schemaOf(collection);
      }
      this.know({ document, revision: change.revision, mark: change.mark }, askedAtMs);
    } catch (error) {
      draft.undo();
      throw error;
    } finally {
      this.held = false;
    }
  }

  /** A connection that has the store's lock. The first change makes the tables. */
  private async lock(): Promise<Connection> {
    const statements = lockStore(this.name);
    try {
      return await this.database.begin(statements);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    return this.database.begin(`${CREATE}; COMMIT; BEGIN ISOLATION LEVEL READ COMMITTED; ${statements}`);
  }

  private async inChange(query: Query): Promise<Rows["rows"]> {
    try {
      return (await (this.changing as Changing).connection.query(query)).rows;
    } catch (error) {
      throw this.database.failure(error);
    }
  }

  private async end(query: Query): Promise<void> {
    await this.inChange(query);
    (this.changing as Changing).isOver = true;
  }

  private async commit(change: Change): Promise<void> {
    try {
      await this.end(COMMIT);
    } catch (error) {
      if (!(await this.wasMade(change))) throw error;
    }
  }

  /** Whether a change is in the database whose connection was lost at its end. Throws AddrsiftError AWAY when nobody can tell. */
  private async wasMade({ revision, mark }: Change): Promise<boolean> {
    const lostAtMs = performance.now();
    for (;;) {
      try {
        // Who has the lock knows that the server has ended the lost transaction.
        const connection = await this.database.begin(lockStore(this.name));
        const answer = await connection.query(askMark(this.name, revision)).finally(() => connection.release(true));
        return answer.rows[0]?.["mark"] === mark;
      } catch {
        if (performance.now() - lostAtMs > DOUBT_MS) throw new AddrsiftError("AWAY", `${this.database.title} ${DOUBT}`);
        await new Promise((later) => setTimeout(later, DOUBT_PAUSE_MS));
      }
    }
  }

  private lookSoon(): void {
    this.looking ??= this.look().finally(() => {
      this.looking = undefined;
    });
  }

  private async look(): Promise<void> {
    try {
      await this.update((query) => this.database.ask({ ...query, query_timeout: LOOK_TIMEOUT_MS }));
      this.failure = undefined;
    } catch (error) {
      this.failure = this.database.failure(error);
    }
    if (this.timer !== undefined) this.database.note(this.failure);
  }

  /** Brings what is known up to date. False when something else did that meanwhile, or a draft is open. */
  private async update(ask: Ask): Promise<boolean> {
    const askedAtMs = performance.now();
    const before = this.known;
    const isOver = (): boolean => this.held || this.known !== before;
    const progress = await this.progress(ask, before?.revision ?? 0);
    if (isOver()) return false;
    this.clock.note(progress.nowMs);
    let next = before === undefined ? undefined : this.advanced(before, progress);
    if (next === undefined) {
      const whole =
        progress.revision === undefined ? NOTHING : await ask(askWhole(this.name, this.names)).then(readWhole);
      if (isOver()) return false;
      const { collections, revision, mark } = whole;
      next = { document: this.guarded(() => documentOf(collections, this.collections)), revision, mark };
      this.observers.reset(next.document);
    }
    this.know(next, askedAtMs);
    return true;
  }

  private know(known: Known, askedAtMs: number): void {
    this.known = known;
    this.askedAtMs = askedAtMs;
  }

  private async progress(ask: Ask, from: number): Promise<Progress> {
    try {
      return readProgress(await ask(askProgress(this.name, from)));
    } catch (error) {
      if (!isMissing(error)) throw error;
      return { revision: undefined, changes: [], nowMs: Date.now() };
    }
  }

  /** What is known after the changes; undefined when they do not follow on it, so that all records must be read. */
  private advanced(before: Known, { revision: last = 0, changes }: Progress): Known | undefined {
    let { revision, mark } = before;
    const [first, ...others] = revision === 0 ? [undefined, ...changes] : changes;
    if (revision > 0 && (first?.revision !== revision || first.mark !== mark)) return undefined;
    for (const change of others as readonly Change[]) {
      if (change.revision !== revision + 1 || !this.apply(before.document, change)) return undefined;
      ({ revision, mark } = change);
    }
    return revision === last ? { document: before.document, revision, mark } : undefined;
  }

  private apply(document: Document, { collections }: Change): boolean {
    const ours = Object.entries(collections).filter(([name]) => this.names.includes(name));
    try {
      applyChange(document, Object.fromEntries(ours), this.collections, this.observers.tell);
      return true;
    } catch (error) {
      // A later version has written all records in a schema that is ours too.
      if (error instanceof CorruptFile) return false;
      return this.guarded(() => {
        throw error;
      });
    }
  }

  private get names(): string[] {
    return this.collections.map(({ name }) => name);
  }

  /** What is changed. The records of an older schema are all written in the present one, so that a collection has one schema. */
  private inPresentSchemas(draft: Draft): Change["collections"] {
    const changes = Object.entries(draft.changes()).map(([name, change]) => {
      const collection = this.collections.find((one) => one.name === name) as Collection<unknown>;
      const { schema = change.schema } = draft.document.contents.get(name) ?? {};
      if (schema === change.schema) return [name, change] as const;
      const all = [...draft.records(collection), ...draft.later(collection)];
      return [name, { ...change, set: Object.fromEntries(all) }] as const;
    });
    return Object.fromEntries(changes);
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

const COMMIT: Query = { text: "COMMIT", values: [] };
const ROLLBACK: Query = { text: "ROLLBACK", values: [] };
const NOTHING: Whole = { revision: 0, mark: "", collections: {} };
const DOUBT = "was lost at the end of a change, which may have been made: look before you repeat it";
