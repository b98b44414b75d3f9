// Records in a PostgreSQL database that several machines share: the adapter between lowdb and the tables. A change locks the store's row,
// follows what others changed, and adds its own; everybody else asks four times a second what is new.

import { randomBytes } from "node:crypto";
import { AddrsiftError } from "../../base/errors.ts";
import { type Collection, schemaOf } from "../collection.ts";
import type { Document, Observers } from "../document.ts";
import { type Backing, Draft } from "../draft.ts";
import { type Database, isMissing, isUnreachable, READ_ONLY } from "./database.ts";
import type { Connection, Query, Rows } from "./pg.ts";
import { type Ask, type DatabaseClock, type Known, TableCopy } from "./table-copy.ts";
import { askMark, type Change, CREATE, lockStore, writeChange } from "./tables.ts";

/** A change that this process makes now. */
interface Changing {
  readonly connection: Connection;
  /** Its transaction has ended. */
  isOver: boolean;
}

// How old what is in memory may be.
const LOOK_MS = 250;
// For so long reads go on without the database.
const AWAY_MS = 5000;
const LOOK_TIMEOUT_MS = 2000;
const FRESH_PAUSE_MS = 5;
// The database may be on its way up again when it has to say whether a change was made.
const DOUBT_MS = 5000;
const DOUBT_PAUSE_MS = 100;
const MARK_OCTETS = 12;

/** One store of a database. */
export class StoreTable implements Backing {
  readonly clock: DatabaseClock;
  private readonly copy: TableCopy;
  private failure: AddrsiftError | undefined;
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private changing: Changing | undefined;

  /** `name` tells the stores of a database apart. */
  constructor(
    private readonly database: Database,
    private readonly name: string,
    private readonly collections: readonly Collection<unknown>[],
    private readonly observers: Observers,
  ) {
    this.copy = new TableCopy(database, name, collections, observers);
    this.clock = this.copy.clock;
  }

  /** The records that are known: at most a quarter of a second old while this process follows. Throws AddrsiftError AWAY or STORE. */
  current(): { readonly document: Document; readonly damage: undefined } {
    const { known, knownAtMs } = this.copy;
    const ageMs = performance.now() - knownAtMs;
    if (ageMs > LOOK_MS) this.lookSoon();
    const { failure } = this;
    const isAway = ageMs > AWAY_MS && (failure !== undefined || this.timer !== undefined);
    if (known === undefined || isAway) throw failure ?? this.database.failure(SILENT);
    return { document: known.document, damage: undefined };
  }

  assertSound(): void {
    this.current();
  }

  /** Waits until all is known that was changed before this call. Throws AddrsiftError AWAY or STORE when that can't be known. */
  async fresh(): Promise<void> {
    const calledAtMs = performance.now();
    // While it is away no one waits for it. A look that has begun may have missed the change.
    const isAway = this.timer !== undefined && isUnreachable(this.failure);
    if (!isAway) await this.looking;
    this.lookSoon();
    if (!isAway) await this.looking;
    if (this.failure !== undefined) throw this.failure;
    // A change of this process may stand in the way of looks.
    while (this.copy.knownAtMs < calledAtMs) {
      if (performance.now() - calledAtMs > AWAY_MS) throw this.database.failure(SILENT);
      await new Promise((later) => setTimeout(later, FRESH_PAUSE_MS));
      this.lookSoon();
      await this.looking;
      if (this.failure !== undefined) throw this.failure;
    }
  }

  changeFault(): AddrsiftError | undefined {
    this.current();
    return this.failure ?? (this.copy.isReadOnly ? this.database.failure(READ_ONLY) : undefined);
  }

  follow(): void {
    this.timer ??= setInterval(() => this.lookSoon(), LOOK_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  async locked(work: () => Promise<void>): Promise<void> {
    // Else each change would wait for the time limit.
    if (this.timer !== undefined && this.failure !== undefined) throw this.failure;
    const changing = { connection: await this.lock(), isOver: false };
    this.changing = changing;
    try {
      await work();
    } finally {
      this.changing = undefined;
      this.copy.held = false;
      // A connection whose change did not end well is closed, and so the server undoes the change.
      changing.connection.release(!changing.isOver);
    }
  }

  /** A draft of what is in the database. */
  async read(): Promise<Draft> {
    // A look may have come in between.
    while (!(await this.copy.update((query) => this.inChange(query), false))) {}
    this.copy.held = true;
    return new Draft((this.copy.known as Known).document, this.collections, this.observers);
  }

  /** Writes what the draft changes. Throws AddrsiftError AWAY. */
  async write(draft: Draft): Promise<void> {
    try {
      const { document, revision } = this.copy.known as Known;
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
      this.copy.know({ document, revision: change.revision, mark: change.mark }, askedAtMs);
    } catch (error) {
      draft.undo();
      throw error;
    } finally {
      this.copy.held = false;
    }
  }

  /** A connection that has the store's lock. The first change of a command makes the tables, but not where they were and are no more. */
  private async lock(): Promise<Connection> {
    const statements = lockStore(this.name);
    try {
      return await this.database.begin(statements);
    } catch (error) {
      if (!isMissing(error) || this.timer !== undefined || (this.copy.known?.revision ?? 0) > 0) throw error;
    }
    // In a transaction of its own, so that the next one has its time limits like every other.
    const connection = await this.database.begin(CREATE);
    try {
      await connection.query(COMMIT);
    } catch (error) {
      throw this.database.failure(error);
    } finally {
      connection.release(true);
    }
    return this.database.begin(statements);
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

  /** Whether a change is in the database whose connection was lost at its end. Throws AddrsiftError AWAY when that stays unknown. */
  private async wasMade({ revision, mark }: Change): Promise<boolean> {
    const lostAtMs = performance.now();
    for (;;) {
      try {
        // With the lock it is certain that the server has ended the lost transaction.
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
      const ask: Ask = (query) => this.database.ask({ ...query, query_timeout: LOOK_TIMEOUT_MS });
      await this.copy.update(ask, this.timer !== undefined);
      this.failure = undefined;
    } catch (error) {
      this.failure = this.database.failure(error);
    }
    if (this.timer === undefined) return;
    this.database.note(this.failure ?? (this.copy.isReadOnly ? this.database.failure(READ_ONLY) : undefined));
  }

  /** The changes of a draft. The records of an older schema are all written in the present one, so that a collection has one schema. */
  private inPresentSchemas(draft: Draft): Change["collections"] {
    const changes = Object.entries(draft.changes()).map(([name, change]) => {
      const collection = this.collections.find((one) => one.name === name) as Collection<unknown>;
      const { schema = change.schema } = draft.document.contents.get(name) ?? {};
      if (schema === change.schema) return [name, change] as const;
      return [name, { ...change, set: Object.fromEntries(draft.records(collection)) }] as const;
    });
    return Object.fromEntries(changes);
  }
}

const COMMIT: Query = { text: "COMMIT", values: [] };
const ROLLBACK: Query = { text: "ROLLBACK", values: [] };
const SILENT = new Error("no answer for 5 seconds");
const DOUBT = "was lost at the end of a change, which may have been made: look before you repeat it";
