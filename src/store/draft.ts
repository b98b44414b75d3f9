// The place that records are kept in, and a change of them in progress, over the document as it is on the disk. What it changes is in the document when it is written, and nowhere
// when it fails.

import type { Adapter } from "lowdb";
import type { AddrsiftError } from "../base/errors.ts";
import { type Collection, requireRegistered, schemaOf } from "./collection.ts";
import {
  type CollectionChange,
  type Content,
  type Document,
  emptyContent,
  type Observers,
  type Written,
} from "./document.ts";

/** Records that a change works on: the part of a Map that changes need. */
export interface Records<R> extends Iterable<[string, R]> {
  readonly size: number;
  get(id: string): R | undefined;
  has(id: string): boolean;
  set(id: string, record: R): unknown;
  delete(id: string): boolean;
  values(): Iterable<R>;
}

interface Touched {
  readonly collection: Collection<unknown>;
  /** The content below; in the document only when it is settled. */
  readonly content: Content;
  readonly records: Overlay<unknown>;
}

/** Records as a change works on them. */
export class Draft {
  private readonly touched = new Map<string, Touched>();

  constructor(
    readonly document: Document,
    private readonly collections: readonly Collection<unknown>[],
    private readonly observers: Observers,
  ) {}

  /** A collection to set records in and delete them from. Records are replaced, never changed. */
  records<R>(collection: Collection<R>): Records<R> {
    return this.touch(collection).records as Overlay<R>;
  }

  /** Does `work` as a whole: when it throws, what it changed is taken back. */
  attempt<T>(work: (draft: Draft) => T): T {
    const marks = new Map([...this.touched].map(([name, { records }]) => [name, records.mark]));
    try {
      return work(this);
    } catch (error) {
      for (const [name, { records }] of this.touched) records.undo(marks.get(name) ?? 0);
      throw error;
    }
  }

  undo(): void {
    for (const { records } of this.touched.values()) records.undo(0);
  }

  /** The changes by collection; empty when there are none. */
  changes(): Record<string, CollectionChange> {
    const changes: [string, CollectionChange][] = [];
    for (const [name, { collection, records }] of this.touched) {
      const set: [string, unknown][] = [];
      const gone: string[] = [];
      for (const [id, value] of records.changes()) {
        if (value === undefined) gone.push(id);
        else set.push([id, value]);
      }
      if (set.length + gone.length === 0) continue;
      changes.push([name, { schema: schemaOf(collection), set: Object.fromEntries(set), delete: gone }]);
    }
    return Object.fromEntries(changes);
  }

  /** All registered collections with the changes, to be written as a whole. */
  contents(): Written {
    const { contents } = this.document;
    const changed = [...this.touched].filter(([name, { records }]) => contents.has(name) || records.size > 0);
    return new Map<string, { readonly records: Iterable<readonly [string, unknown]> }>([...contents, ...changed]);
  }

  /** Makes the changes in the document. */
  settle(): void {
    for (const [name, { content, records }] of this.touched) {
      records.settle();
      if (content.records.size > 0) this.document.contents.set(name, content);
    }
  }

  private touch(collection: Collection<unknown>): Touched {
    const { name } = collection;
    const known = this.touched.get(name);
    if (known?.collection === collection) return known;
    requireRegistered(this.collections, collection);
    const content = this.document.contents.get(name) ?? emptyContent(collection);
    const tell = (before: unknown, after: unknown): void => this.observers.tell(name, before, after);
    const touched = { collection, content, records: new Overlay(content.records, tell) };
    this.touched.set(name, touched);
    return touched;
  }
}

type Tell<V> = (before: V | undefined, after: V | undefined) => void;

/** Behaves as a copy of `base` would, and costs only what is changed. The values are never undefined. */
class Overlay<V> implements Records<V> {
  /** Values that differ from the base, in the order of the changes; undefined is deleted. */
  private readonly touched = new Map<string, V | undefined>();
  private readonly done: { readonly id: string; readonly before: V | undefined }[] = [];
  private count: number;

  constructor(
    private readonly base: Map<string, V>,
    private readonly tell: Tell<V>,
  ) {
    this.count = base.size;
  }

  get size(): number {
    return this.count;
  }

  get(id: string): V | undefined {
    return this.touched.size > 0 && this.touched.has(id) ? this.touched.get(id) : this.base.get(id);
  }

  has(id: string): boolean {
    return this.get(id) !== undefined;
  }

  set(id: string, value: V): this {
    this.put(id, value);
    return this;
  }

  delete(id: string): boolean {
    return this.put(id, undefined);
  }

  *[Symbol.iterator](): Generator<[string, V], undefined> {
    for (const entry of this.base) {
      const value = this.get(entry[0]);
      if (value === entry[1]) yield entry;
      else if (value !== undefined) yield [entry[0], value];
    }
    for (const [id, value] of this.touched) if (value !== undefined && !this.base.has(id)) yield [id, value];
  }

  *values(): Generator<V, undefined> {
    for (const [, value] of this) yield value;
  }

  /** Values that differ from the base; undefined is deleted. */
  *changes(): Generator<[string, V | undefined], undefined> {
    for (const [id, value] of this.touched) if (value !== this.base.get(id)) yield [id, value];
  }

  /** How many changes were made, to come back to with `undo`. */
  get mark(): number {
    return this.done.length;
  }

  /** Takes back all changes after a mark. */
  undo(mark: number): void {
    for (const { id, before } of this.done.splice(mark).reverse()) {
      const after = this.get(id);
      this.write(id, before);
      this.tell(after, before);
    }
  }

  /** Makes the changes in the base. Observers know the changes already. */
  settle(): void {
    for (const [id, value] of this.changes()) {
      if (value === undefined) this.base.delete(id);
      else this.base.set(id, value);
    }
    this.touched.clear();
    this.done.length = 0;
  }

  private put(id: string, value: V | undefined): boolean {
    const before = this.get(id);
    if (before === value) return false;
    this.done.push({ id, before });
    this.write(id, value);
    this.tell(before, value);
    return before !== undefined;
  }

  private write(id: string, value: V | undefined): void {
    this.count += (value === undefined ? 0 : 1) - (this.get(id) === undefined ? 0 : 1);
    this.touched.set(id, value);
  }
}

/** The place of records. As an adapter of lowdb it reads and writes drafts, within `locked`. */
export interface Backing extends Adapter<Draft> {
  /** Its own clock, where processes on several machines share it. */
  readonly clock?: { readonly now: () => number };
  /** The document as it is now. Throws AddrsiftError OPERATION, STORE or AWAY. */
  current(): { readonly document: Document; readonly damage: string | undefined };
  /** Throws AddrsiftError STORE while an older copy is in use, and as `current` does. */
  assertSound(): void;
  /** Waits until `current` has all that was changed before. Throws as `current` does. Missing where `current` always has it. */
  fresh?(): Promise<void>;
  /** Why nothing can be changed for now, as far as is known. Throws as `current` does. */
  changeFault(): AddrsiftError | undefined;
  /** From now on keeps `current` up to date, until it is closed. */
  follow?(): void;
  close?(): Promise<void>;
  /** Does `work` while no one else changes anything. Throws AddrsiftError OPERATION or AWAY, and what `work` throws. */
  locked(work: () => Promise<void>): Promise<void>;
  /** Does, within `locked`, work that a change left and that no caller waits for. */
  tidy?(): Promise<void>;
}

/** Opens the place of the records of these collections. */
export type OpenBacking = (collections: readonly Collection<unknown>[], observers: Observers) => Backing;
