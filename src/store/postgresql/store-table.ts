// Records in a PostgreSQL database that several machines share: the adapter between lowdb and the tables. A change
// locks the store's row, reads what others changed, and adds its own; everybody else asks four times a second what is
// new.

import { randomBytes } from "node:crypto";
import { AddrsiftError } from "../../base/errors.ts";
import type { Backing, Collection, Document } from "../collection.ts";
import { EMPTY, SCHEMA } from "../document.ts";
import { type Database, isMissing, isUnreachable, READ_ONLY } from "./database.ts";
import type { Connection, Query, Rows } from "./pg.ts";
import { type Ask, type DatabaseClock, type Snapshot, TableCopy } from "./table-copy.ts";
import { askNews, CREATE, lockStore, type RecordRow, readNews, writeChange } from "./tables.ts";

interface Transaction {
  readonly connection: Connection;
  base: Snapshot;
  isOver: boolean;
}

const LOOK_MS = 250;
// For so long reads go on without the database.
const AWAY_MS = 5000;
const LOOK_TIMEOUT_MS = 2000;
// The database may be on its way up again when it has to say whether a change was made.
const DOUBT_MS = 5000;
const DOUBT_PAUSE_MS = 100;
const MARK_BYTES = 6;

export class StoreTable implements Backing {
  readonly clock: DatabaseClock;
  private readonly copy: TableCopy;
  private failure: AddrsiftError | undefined;
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private changing: Transaction | undefined;

  constructor(
    private readonly database: Database,
    private readonly name: string,
    collections: readonly Collection<unknown>[],
  ) {
    this.copy = new TableCopy(database, name, collections);
    this.clock = this.copy.clock;
  }

  /** Records of a quarter of a second ago, while this process follows. Throws AddrsiftError AWAY or STORE. */
  current(): { readonly document: Document } {
    const { known, knownAtMs } = this.copy;
    const ageMs = performance.now() - knownAtMs;
    if (ageMs > LOOK_MS) this.lookSoon();
    const { failure } = this;
    const isAway = ageMs > AWAY_MS && (failure !== undefined || this.timer !== undefined);
    if (known === undefined || isAway) throw failure ?? this.database.failure(SILENT);
    return known;
  }

  async fresh(): Promise<void> {
    const calledAtMs = performance.now();
    while (this.copy.knownAtMs < calledAtMs) {
      const isAway = this.timer !== undefined && isUnreachable(this.failure);
      // A look that has begun may have missed the change. While the database is away no one waits for it.
      if (!isAway) await this.looking;
      this.lookSoon();
      if (!isAway) await this.looking;
      if (this.failure !== undefined) throw this.failure;
      if (performance.now() - calledAtMs > AWAY_MS) throw this.database.failure(SILENT);
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
    const changing = { connection: await this.lock(), base: NOTHING, isOver: false };
    this.changing = changing;
    try {
      await work();
    } finally {
      this.changing = undefined;
      // A connection whose change did not end well is closed, and so the server undoes the change.
      changing.connection.release(!changing.isOver);
    }
  }

  async read(): Promise<Document> {
    const changing = this.changing as Transaction;
    // A look may have come in between.
    while (!(await this.copy.update((query) => this.inChange(query), false))) {}
    changing.base = this.copy.known ?? NOTHING;
    return changing.base.document;
  }

  /** Writes a change of what was read. Throws AddrsiftError AWAY, or UNCERTAIN when the change may have been made. */
  async write(document: Document): Promise<void> {
    const { base } = this.changing as Transaction;
    if (document === base.document) return this.end(ROLLBACK);
    const [version, mark] = [base.version + 1, randomBytes(MARK_BYTES).toString("base64url")];
    const rows = this.changedRows(base.document, document);
    for (const query of writeChange(this.name, version, mark, rows)) await this.inChange(query);
    const askedAtMs = performance.now();
    await this.commit(version, mark);
    this.copy.know({ document, version, mark }, askedAtMs);
  }

  /** Locks the store. The first change of a command makes the tables, but not where they were and are no more. */
  private async lock(): Promise<Connection> {
    const statements = lockStore(this.name);
    try {
      return await this.database.begin(statements);
    } catch (error) {
      if (!isMissing(error) || this.timer !== undefined || (this.copy.known?.version ?? 0) > 0) throw error;
    }
    // In a separate transaction, so that the next one has its time limits like every other.
    await this.database.ask({ text: CREATE, values: [] });
    return this.database.begin(statements);
  }

  private async inChange(query: Query): Promise<Rows["rows"]> {
    try {
      return (await (this.changing as Transaction).connection.query(query)).rows;
    } catch (error) {
      throw this.database.failure(error);
    }
  }

  private async end(query: Query): Promise<void> {
    await this.inChange(query);
    (this.changing as Transaction).isOver = true;
  }

  private async commit(version: number, mark: string): Promise<void> {
    try {
      await this.end(COMMIT);
    } catch (error) {
      if (!(await this.wasMade(version, mark))) throw error;
    }
  }

  private async wasMade(version: number, mark: string): Promise<boolean> {
    const lostAtMs = performance.now();
    for (;;) {
      try {
        // With the lock it is certain that the server has ended the lost transaction.
        const connection = await this.database.begin(lockStore(this.name));
        const { rows } = await connection.query(askNews(this.name, version)).finally(() => connection.release(true));
        const news = readNews(rows);
        if (news.markFrom !== null || news.version < version) return news.markFrom === mark;
      } catch {}
      if (performance.now() - lostAtMs > DOUBT_MS) {
        throw new AddrsiftError("UNCERTAIN", `${this.database.title} ${DOUBT}`);
      }
      await new Promise((later) => setTimeout(later, DOUBT_PAUSE_MS));
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

  private changedRows(before: Document, after: Document): RecordRow[] {
    return [...after].flatMap(([collection, records]) => {
      const old = before.get(collection);
      if (records === old) return [];
      const gone = [...(old?.keys() ?? [])].filter((id) => !records.has(id));
      const set = [...records].filter(([id, record]) => old?.get(id) !== record);
      return [
        ...gone.map((id) => ({ collection, id, schema: SCHEMA, content: null })),
        ...set.map(([id, record]) => ({ collection, id, schema: SCHEMA, content: JSON.stringify(record) })),
      ];
    });
  }
}

const NOTHING: Snapshot = { document: EMPTY, version: 0, mark: "" };
const COMMIT: Query = { text: "COMMIT", values: [] };
const ROLLBACK: Query = { text: "ROLLBACK", values: [] };
const SILENT = new Error("no answer for 5 seconds");
const DOUBT = "was lost at the end of a change, which may have been made: look before you repeat it";
