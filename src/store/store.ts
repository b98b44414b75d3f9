// Records that several processes share. Reads take no lock. Each change is queued and then applied under the lock: read
// the latest records, change them, write. A change is acknowledged once it is on the disk. A failed change has no
// effect.

import { Low } from "lowdb";
import { type AddrsiftError, isAddrsiftError } from "../base/errors.ts";
import type { Collection, Document, OpenBackend, StoreBackend, Transaction } from "./collection.ts";
import { EMPTY_DOCUMENT } from "./document.ts";
import { assertUndamaged, FileBackend, type StoreLocation } from "./file-backend.ts";

interface Job {
  readonly work: (transaction: Transaction) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Called after each access, with its fault if it failed. A `check` finds out whether changes are possible, except that it
 * does not take the lock.
 */
export type AccessObserver = (access: "read" | "check" | "change", fault: AddrsiftError | undefined) => void;

export class Store {
  private readonly backend: StoreBackend;
  private readonly low: Low<Document>;
  private queue: Job[] = [];
  private draining: Promise<void> | undefined;

  /** A store that contains a collection other than `collections` is rejected, as one of a later version. */
  constructor(
    location: StoreLocation | OpenBackend,
    private readonly collections: readonly Collection<unknown>[],
    private readonly onAccess: AccessObserver = () => {},
  ) {
    this.backend = typeof location === "function" ? location(collections) : new FileBackend(location, collections);
    this.low = new Low(this.backend, EMPTY_DOCUMENT);
  }

  /** Returns the clock that all processes with this store share: the database's, or else `ownClock`. */
  clock(ownClock: () => number): () => number {
    const { clock } = this.backend;
    return clock === undefined ? ownClock : () => clock.now();
  }

  /**
   * Waits until reads include every change acknowledged before this call, also by other machines. Throws AddrsiftError
   * UNAVAILABLE or STORE; then nothing may be reported as missing.
   */
  async refresh(): Promise<void> {
    await this.backend.refresh?.();
  }

  /** Polls for other processes' changes every 250 ms, so that reads include them. For long-running processes. */
  startPolling(): void {
    this.backend.startPolling?.();
  }

  async close(): Promise<void> {
    await this.backend.close?.();
  }

  /**
   * Returns the records on the disk; costs one stat call if nothing changed. Records of a database may be older: see
   * `refresh` and `startPolling`. The map is immutable, and the same object until its collection changes. Throws
   * AddrsiftError OPERATION, STORE or UNAVAILABLE.
   */
  records<R>(collection: Collection<R>): ReadonlyMap<string, R> {
    return this.recordsOf(this.current().document, collection);
  }

  /**
   * Runs the synchronous `work` on the latest records, under the lock, and resolves with its result once the change is
   * on the disk. If `work` throws, nothing changes and its error is thrown. Throws AddrsiftError OPERATION if the disk
   * fails, UNCERTAIN if the change may have been made nevertheless, and STORE if the file is damaged or missing and the
   * location has no `recoveryWarning`. Changes requested together are written together.
   */
  change<T>(work: (transaction: Transaction) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.draining ??= this.drain();
    });
  }

  /**
   * Makes a change that must not fail for want of disk space, such as a revocation: if the disk is full, frees the space
   * of the backup and tries again. Otherwise like `change`.
   */
  async changeEvenIfFull<T>(work: (transaction: Transaction) => T): Promise<T> {
    try {
      return await this.change(work);
    } catch (error) {
      if (!isAddrsiftError(error) || error.code !== "FULL" || this.backend.dropBackup === undefined) throw error;
      await this.backend.dropBackup();
      return this.change(work);
    }
  }

  isDamaged(): boolean {
    return this.current().damage !== undefined;
  }

  assertUndamaged(): void {
    assertUndamaged(this.current());
  }

  checkWritable(): AddrsiftError | undefined {
    const fault = this.backend.checkWritable();
    this.onAccess("check", fault);
    return fault;
  }

  private current(): ReturnType<StoreBackend["current"]> {
    try {
      const current = this.backend.current();
      this.onAccess("read", undefined);
      return current;
    } catch (error) {
      if (isAddrsiftError(error)) this.onAccess("read", error);
      throw error;
    }
  }

  private recordsOf<R>(document: Document, collection: Collection<R>): ReadonlyMap<string, R> {
    if (!this.collections.includes(collection)) {
      throw new Error(`the collection ${collection.name} is not registered with this store`);
    }
    return (document.get(collection.name) ?? NO_RECORDS) as ReadonlyMap<string, R>;
  }

  private async drain(): Promise<void> {
    // Waits a microtask, so that changes requested synchronously together share one write.
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
      this.onAccess("change", undefined);
    } catch (error) {
      if (isAddrsiftError(error)) this.onAccess("change", error);
      // Has no effect on jobs that are already settled.
      for (const { reject } of jobs) reject(error);
    }
  }

  /** Applies one change in memory. Returns a function that settles its promise, to be called after the write. */
  private apply({ work, resolve, reject }: Job): () => void {
    const previous = this.low.data;
    const copies = new Map<string, Map<string, unknown>>();
    const records = <R>(collection: Collection<R>): Map<string, R> => {
      const { name } = collection;
      const copy = copies.get(name) ?? new Map(this.recordsOf(previous, collection));
      copies.set(name, copy);
      return copy as Map<string, R>;
    };
    try {
      const value = work({ records });
      const changed = [...copies].filter(([name, copy]) => !isSame(previous.get(name) ?? NO_RECORDS, copy));
      if (changed.length > 0) this.low.data = new Map([...previous, ...changed]);
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
