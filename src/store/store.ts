// Records that several processes share. Reading takes no lock and gives what is on the disk. Every change does the same: queue,
// lock, read again, change, write, unlock. An acknowledged change is on the disk; a failed one leaves nothing.

import type { AddrsiftError } from "../base/errors.ts";
import { type Collection, requireRegistered } from "./collection.ts";
import { type Content, type Document, emptyContent, emptyDocument, type Observer, Observers } from "./document.ts";
import { type Backing, Draft, type OpenBacking } from "./draft.ts";
import { StoreFile, type StoreLocation } from "./store-file.ts";

// How old the records of `recent` may be. Stat calls cost 4 microseconds: at 50,000 questions a second, a fifth of a core.
const RECENT_MS = 200;

interface Job {
  readonly work: (draft: Draft) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Collections of records that are kept together. Other processes may have them open at the same time. */
export class Store {
  private readonly backing: Backing;
  private readonly observers = new Observers();
  private queue: Job[] = [];
  private running: Promise<void> | undefined;
  /** The records as the last look or change saw them. */
  private seen: Document | undefined;
  private lookedAtMs = Number.NEGATIVE_INFINITY;

  /** `collections` are all that may be kept there: with another one it is refused, as of a later version. */
  constructor(
    place: StoreLocation | OpenBacking,
    private readonly collections: readonly Collection<unknown>[],
  ) {
    const { observers } = this;
    this.backing =
      typeof place === "function" ? place(collections, observers) : new StoreFile(place, collections, observers);
  }

  /** The clock that all processes with this store share: the database's, else `own`. */
  clock(own: () => number): () => number {
    const { clock } = this.backing;
    return clock === undefined ? own : () => clock.now();
  }

  /** Waits until reading gives all that was changed before this call. At once where it is a file. Throws AddrsiftError AWAY or STORE. */
  async fresh(): Promise<void> {
    await this.backing.fresh?.();
  }

  /** For a process that stays: reading gives what others change, within a quarter of a second, until the store is closed. */
  follow(): void {
    this.backing.follow?.();
  }

  /** Ends what `follow` began. */
  async close(): Promise<void> {
    await this.backing.close?.();
  }

  /**
   * The records that are on the disk now; two stat calls when nothing changed. Records of a database are as `fresh` and `follow` say. The
   * map changes when its file does: it must not be kept. Throws AddrsiftError OPERATION, STORE or AWAY.
   */
  records<R>(collection: Collection<R>): ReadonlyMap<string, R> {
    return this.look(collection).records as ReadonlyMap<string, unknown> as ReadonlyMap<string, R>;
  }

  /** The records of at most a fifth of a second ago, with fewer looks at the disk. Throws as `records` does. */
  recent<R>(collection: Collection<R>): ReadonlyMap<string, R> {
    if (performance.now() - this.lookedAtMs > RECENT_MS) return this.records(collection);
    return this.content(collection).records as ReadonlyMap<string, unknown> as ReadonlyMap<string, R>;
  }

  /** Keeps an index of a collection up to date: at each look at the disk, and within changes. */
  observe<R>(collection: Collection<R>, observer: Observer<R>): void {
    requireRegistered(this.collections, collection);
    this.observers.add(collection.name, observer as Observer<unknown>);
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
    return this.backing.current().damage !== undefined;
  }

  /** Throws AddrsiftError STORE while the previous copy is in use, because it may be out of date. Throws as `records` does. */
  assertSound(): void {
    this.backing.assertSound();
  }

  /** Why nothing can be changed for now, as far as is known without trying; undefined when it can. Throws as `records` does. */
  changeFault(): AddrsiftError | undefined {
    return this.backing.changeFault();
  }

  private look(collection: Collection<unknown>): Content {
    this.seen = this.backing.current().document;
    this.lookedAtMs = performance.now();
    return this.content(collection);
  }

  private content(collection: Collection<unknown>): Content {
    requireRegistered(this.collections, collection);
    return this.seen?.contents.get(collection.name) ?? emptyContent(collection);
  }

  private async drain(): Promise<void> {
    // Changes requested in the same turn of the event loop go into the same write.
    await undefined;
    while (this.queue.length > 0) await this.commit(this.queue.splice(0));
    this.running = undefined;
  }

  private async commit(jobs: readonly Job[]): Promise<void> {
    try {
      await this.backing.locked(async () => {
        const { Low } = await import("lowdb");
        const low = new Low(this.backing, new Draft(emptyDocument(), [], this.observers));
        await low.read();
        const draft = low.data;
        const settled = jobs.map((job) => apply(job, draft));
        await low.write();
        this.seen = draft.document;
        for (const settle of settled) settle();
        await this.backing.tidy?.();
      });
    } catch (error) {
      // Jobs that are settled stay so.
      for (const { reject } of jobs) reject(error);
    }
  }
}

/** Applies one change to the draft; gives the function that informs its caller when the disk has it. */
function apply({ work, resolve, reject }: Job, draft: Draft): () => void {
  try {
    const value = draft.attempt(work);
    return () => resolve(value);
  } catch (error) {
    return () => reject(error);
  }
}
