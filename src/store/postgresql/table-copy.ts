// A copy in memory of a store in a database: all its records, as they were after some change. It reads what is newer,
// and all records where it missed too much. Nothing is written here.

import { AddrsiftError } from "../../base/errors.ts";
import type { Collection, Document } from "../collection.ts";
import { checkSchema, collectionNamed, Damage, EMPTY, judge, Newer } from "../document.ts";
import { type Database, isMissing, NO_TABLES } from "./database.ts";
import type { Query, Rows } from "./pg.ts";
import { askNews, type News, NO_NEWS, type RecordRow, readNews } from "./tables.ts";

export interface Snapshot {
  readonly document: Document;
  /** The number of the change, and its own mark: a database that was restored has other changes of the same numbers. */
  readonly version: number;
  readonly mark: string;
}

export type Ask = (query: Query) => Promise<Rows["rows"]>;

export class TableCopy {
  readonly clock: DatabaseClock = new DatabaseClock();
  known: Snapshot | undefined;
  /** When the database was asked for what is known, by `performance`. */
  knownAtMs = Number.NEGATIVE_INFINITY;
  isReadOnly = false;

  constructor(
    private readonly database: Database,
    private readonly name: string,
    private readonly collections: readonly Collection<unknown>[],
  ) {}

  /** Notes what is known after a change of this process, unless a look has seen later ones meanwhile. */
  know(known: Snapshot, askedAtMs: number): void {
    if ((this.known?.version ?? 0) <= known.version) this.known = known;
    this.knownAtMs = Math.max(askedAtMs, this.knownAtMs);
  }

  /**
   * Brings what is known up to date. False when something else did that meanwhile. Throws AddrsiftError STORE, and
   * AWAY also where records were and are no more, or where a database without a store is none for the caller
   * (`mustHaveStores`).
   */
  async update(ask: Ask, mustHaveStores: boolean): Promise<boolean> {
    const askedAtMs = performance.now();
    const before = this.known;
    let news = await this.news(ask, before?.version ?? 0);
    const isNewer = before !== undefined && before.version > 0 && news.markFrom === before.mark;
    if (!isNewer && before !== undefined && before.version > 0 && news.version > 0) news = await this.news(ask, 0);
    if (this.known !== before) return false;
    if (news.nowMs !== undefined) this.clock.note(news.nowMs);
    this.isReadOnly = news.isReadOnly;
    // An empty store that is not a new one was taken away, or is being restored.
    if (news.version === 0 && ((before?.version ?? 0) > 0 || (mustHaveStores && !news.hasStores))) {
      throw this.database.failure(NO_TABLES);
    }
    const { version, mark } = news;
    if (!isNewer || version > before.version) {
      const document = this.changed(isNewer ? before.document : EMPTY, news.rows);
      this.known = { document, version, mark };
    }
    this.knownAtMs = askedAtMs;
    return true;
  }

  private async news(ask: Ask, from: number): Promise<News> {
    try {
      return readNews(await ask(askNews(this.name, from)));
    } catch (error) {
      if (!isMissing(error)) throw error;
      return NO_NEWS;
    }
  }

  private changed(before: Document, rows: readonly RecordRow[]): Document {
    const copies = new Map<string, Map<string, unknown>>();
    try {
      for (const { collection: name, id, schema, content } of rows) {
        const records = copies.get(name) ?? new Map(before.get(name));
        copies.set(name, records);
        if (content === null) {
          records.delete(id);
          continue;
        }
        const collection = collectionNamed(name, this.collections);
        checkSchema(name, schema);
        records.set(id, judge(parse(content), collection));
      }
    } catch (error) {
      const isLater = error instanceof Newer;
      if (!isLater && !(error instanceof Damage)) throw error;
      const what = isLater ? "is from a later addrsift" : "is damaged";
      const remedy = isLater ? "install that version again" : "restore the tables addrsift_* from a backup";
      throw new AddrsiftError("STORE", `${this.database.title} ${what} (${error.message}): ${remedy}`);
    }
    return new Map([...before, ...copies]);
  }
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // The parser's own message would quote the text, which may be a secret.
    throw new Damage("a record is not JSON");
  }
}

// Answers are on their way for different times; a clock that is further back was set.
const SET_BACK_MS = 1000;

/** A database's clock, known from its answers: machines that share a store may have clocks that differ. */
export class DatabaseClock {
  private offsetMs: number | undefined;

  note(databaseMs: number): void {
    const offsetMs = databaseMs - performance.now();
    const known = this.offsetMs;
    // The answer that was quickest is the most exact. So it never goes back by a little.
    if (known === undefined || offsetMs > known || offsetMs < known - SET_BACK_MS) this.offsetMs = offsetMs;
  }

  /** Milliseconds since 1970; this machine's own time until the database's is known. */
  now(): number {
    return this.offsetMs === undefined ? Date.now() : Math.round(performance.now() + this.offsetMs);
  }
}
