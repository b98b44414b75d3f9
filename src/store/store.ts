// Records that several processes share. Reading takes no lock and returns what was written. Every change does the same:
// queue, lock, read again, change, write, unlock. An acknowledged change is on the disk; a failed one leaves nothing.

import { Low } from "lowdb";
import type { AddrsiftError } from "../base/errors.ts";
import type { Collection, Document, OpenBackend, StoreBackend, Transaction } from "./collection.ts";
import { EMPTY_DOCUMENT } from "./document.ts";
import { assertUndamaged, FileBackend, type StoreLocation } from "./file-backend.ts";

interface Job {
  readonly work: (transaction: Transaction) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class Store {
  private readonly backend: StoreBackend;
  private readonly low: Low<Document>;
  private queue: Job[] = [];
  private draining: Promise<void> | undefined;

  /** `collections` are all that may be kept there: with another one it is refused, as of a later version. */
  constructor(
    location: StoreLocation | OpenBackend,
    private readonly collections: readonly Collection<unknown>[],
  ) {
    this.backend = typeof location === "function" ? location(collections) : new FileBackend(location, collections);
    this.low = new Low(this.backend, EMPTY_DOCUMENT);
  }

  /** The clock that all processes with this store share: the database's, else `own`. */
  clock(own: () => number): () => number {
    const { clock } = this.backend;
    return clock === undefined ? own : () => clock.now();
  }

  /** Waits until reading returns all that was changed before. Throws AddrsiftError AWAY or STORE. */
  async refresh(): Promise<void> {
    await this.backend.refresh?.();
  }

  /** For a process that stays: reading returns what others change within a quarter of a second. */
  startPolling(): void {
    this.backend.startPolling?.();
  }

  async close(): Promise<void> {
    await this.backend.close?.();
  }

  /**
   * The records that are on the disk now; one stat call when nothing changed. Records of a database are as `fresh` and
   * `follow` say. The map is the same one until its collection changes, and never changes itself. Throws AddrsiftError
   * OPERATION, STORE or AWAY.
   */
  records<R>(collection: Collection<R>): ReadonlyMap<string, R> {
    return this.recordsOf(this.backend.current().document, collection);
  }

  /**
   * Changes records: `work` gets a draft of what is on the disk, under the lock, and must be synchronous. Resolves
   * with its value when the change is on the disk. When `work` throws, nothing is kept and the error is thrown here;
   * so is AddrsiftError OPERATION when the disk fails, UNCERTAIN when it failed so late that the change may have been
   * made, and STORE while the file is damaged or gone and the place has no `adopts`. Changes that are asked for
   * together are written together.
   */
  change<T>(work: (transaction: Transaction) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.draining ??= this.drain();
    });
  }

  isDamaged(): boolean {
    return this.backend.current().damage !== undefined;
  }

  assertUndamaged(): void {
    assertUndamaged(this.backend.current());
  }

  checkWritable(): AddrsiftError | undefined {
    return this.backend.checkWritable();
  }

  private recordsOf<R>(document: Document, collection: Collection<R>): ReadonlyMap<string, R> {
    if (!this.collections.includes(collection)) {
      throw new Error(`the collection ${collection.name} is not registered with this store`);
    }
    return (document.get(collection.name) ?? NO_RECORDS) as ReadonlyMap<string, R>;
  }

  private async drain(): Promise<void> {
    // Changes requested in the same turn of the event loop go into the same write.
    await undefined;
    while (this.queue.length > 0) await this.commit(this.queue.splice(0));
    this.draining = undefined;
  }

  private async commit(jobs: readonly Job[]): Promise<void> {
    try {
      await this.backend.withLock(async () => {
        await this.low.read();
        const settlers = jobs.map((job) => this.apply(job));
        await this.low.write();
        for (const settle of settlers) settle();
      });
    } catch (error) {
      // Jobs that are settled stay so.
      for (const { reject } of jobs) reject(error);
    }
  }

  /** Does one change in memory, unless it throws; returns the function that settles it when it is written. */
  private apply({ work, resolve, reject }: Job): () => void {
    const before = this.low.data;
    const touched = new Map<string, Map<string, unknown>>();
    const records = <R>(collection: Collection<R>): Map<string, R> => {
      const { name } = collection;
      const copy = touched.get(name) ?? new Map(this.recordsOf(before, collection));
      touched.set(name, copy);
      return copy as Map<string, R>;
    };
    try {
      const value = work({ records });
      const changed = [...touched].filter(([name, copy]) => !isSame(before.get(name) ?? NO_RECORDS, copy));
      if (changed.length > 0) this.low.data = new Map([...before, ...changed]);
      return () => resolve(value);
    } catch (error) {
      return () => reject(error);
    }
  }
}

const NO_RECORDS: ReadonlyMap<string, unknown> = new Map();

function isSame(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  if (one.size !== other.size) return false;
  for (const [id, record] of other) if (one.get(id) !== record) return false;
  return true;
}
