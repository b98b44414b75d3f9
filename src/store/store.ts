// Records that several processes share. Reading takes no lock and gives what is on the disk. Every change does the same: queue,
// lock, read again, change, write, unlock. An acknowledged change is on the disk; a failed one leaves nothing.

import { withLock } from "../durable/lock.ts";
import type { Collection } from "./collection.ts";
import { type Content, type Document, EMPTY, NO_CONTENT } from "./document.ts";
import { Draft } from "./draft.ts";
import { StoreFile, type StoreLocation } from "./store-file.ts";

// How old the records of `recent` may be. A stat call costs 2 microseconds: at 50,000 questions a second, a tenth of a core.
const RECENT_MS = 200;

interface Job {
  readonly work: (draft: Draft) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** One file of collections. Other processes may have it open at the same time. */
export class Store {
  private readonly file: StoreFile;
  private readonly collections: readonly Collection<unknown>[];
  private queue: Job[] = [];
  private running: Promise<void> | undefined;
  private lookedAtMs = Number.NEGATIVE_INFINITY;

  /** `collections` are all that this process reads or changes; others in the file are left unchanged. */
  constructor(place: StoreLocation, collections: readonly Collection<unknown>[]) {
    this.collections = collections;
    this.file = new StoreFile(place, collections);
  }

  /**
   * The records that are on the disk now; one stat call when nothing changed. The map stays the same object until its file
   * changes. Throws AddrsiftError OPERATION or STORE.
   */
  records<R>(collection: Collection<R>): ReadonlyMap<string, R> {
    this.look();
    return this.known(collection).records as ReadonlyMap<string, R>;
  }

  /** The records that only a later version knows, only to be shown unchanged. Throws as `records` does. */
  later<L>(collection: Collection<unknown, L>): ReadonlyMap<string, L> {
    this.look();
    return this.known(collection).later as ReadonlyMap<string, L>;
  }

  /** The records of at most a fifth of a second ago, with fewer looks at the disk. Throws as `records` does. */
  recent<R>(collection: Collection<R>): ReadonlyMap<string, R> {
    return performance.now() - this.lookedAtMs > RECENT_MS
      ? this.records(collection)
      : (this.known(collection).records as ReadonlyMap<string, R>);
  }

  /**
   * Changes records: `work` gets a draft of what is on the disk, under the lock, and must be synchronous. Resolves with its value
   * when the change is on the disk. When `work` throws, nothing is kept and the error is thrown here; so is AddrsiftError
   * OPERATION when the disk fails, and STORE while the file is damaged or gone and the place has no `adopts`. Changes that are
   * asked for together are written together.
   */
  change<T>(work: (draft: Draft) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.running ??= this.drain();
    });
  }

  /** Waits until all requested changes are done. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  /** True while the file can't be used and its previous copy is. Throws as `records` does. */
  damaged(): boolean {
    return this.file.current().damage !== undefined;
  }

  /** Throws AddrsiftError STORE while the previous copy is in use, because it may be out of date. Throws as `records` does. */
  assertSound(): void {
    this.file.assertSound();
  }

  private look(): void {
    this.file.current();
    this.lookedAtMs = performance.now();
  }

  private known(collection: Collection<unknown>): Content {
    this.checkRegistered(collection);
    return this.file.loaded?.document.contents.get(collection.name) ?? NO_CONTENT;
  }

  private async drain(): Promise<void> {
    // Changes requested in the same turn of the event loop go into the same write.
    await undefined;
    while (this.queue.length > 0) await this.commit(this.queue.splice(0));
    this.running = undefined;
  }

  private async commit(jobs: readonly Job[]): Promise<void> {
    let done: (() => void)[] = [];
    try {
      this.file.prepare();
      await withLock(this.file.lockPath, async () => {
        const { Low } = await import("lowdb");
        const low = new Low<Document>(this.file, EMPTY);
        await low.read();
        const before = low.data;
        done = jobs.map((job) => this.apply(job, low));
        if (low.data !== before) await low.write();
      });
    } catch (error) {
      done = jobs.map(
        ({ reject }) =>
          () =>
            reject(error),
      );
    }
    for (const settle of done) settle();
  }

  /** Applies one change in memory; gives the function that informs its caller when the disk has it. */
  private apply({ work, resolve, reject }: Job, low: { data: Document }): () => void {
    try {
      const draft = new Draft(low.data, (collection) => this.checkRegistered(collection));
      const value = work(draft);
      low.data = draft.finish();
      return () => resolve(value);
    } catch (error) {
      return () => reject(error);
    }
  }

  private checkRegistered(collection: Collection<unknown>): void {
    if (!this.collections.includes(collection)) {
      throw new Error(`the collection ${collection.name} is not registered with this store`);
    }
  }
}
