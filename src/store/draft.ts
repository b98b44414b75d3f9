// A change in progress, over the document as it is on the disk. What it changes is in the document when it is written, and nowhere
// when it fails.

import { type Collection, requireRegistered, schemaOf } from "./collection.ts";
import { type CollectionChange, type Content, type Document, emptyContent } from "./document.ts";
import type { Observers } from "./observers.ts";
import { Overlay } from "./overlay.ts";

interface Touched {
  readonly collection: Collection<unknown>;
  /** The content below; in the document only when it is settled. */
  readonly content: Content;
  readonly records: Overlay<unknown>;
  readonly later: Overlay<unknown>;
}

/** What a change works on. */
export class Draft {
  readonly document: Document;
  private readonly collections: readonly Collection<unknown>[];
  private readonly observers: Observers;
  private readonly touched = new Map<string, Touched>();

  constructor(document: Document, collections: readonly Collection<unknown>[], observers: Observers) {
    this.document = document;
    this.collections = collections;
    this.observers = observers;
  }

  /** A collection to set records in and delete them from. Records are replaced, never changed. */
  records<R>(collection: Collection<R>): Map<string, R> {
    return this.touch(collection).records as Overlay<R>;
  }

  /** The records that only a later version knows, to delete from. */
  later<L>(collection: Collection<unknown, L>): Map<string, L> {
    return this.touch(collection).later as Overlay<L>;
  }

  /** Does `work` as a whole: when it throws, what it changed is taken back. */
  attempt<T>(work: (draft: Draft) => T): T {
    const marks = new Map([...this.overlays()].map((overlay) => [overlay, overlay.mark]));
    try {
      return work(this);
    } catch (error) {
      for (const overlay of this.overlays()) overlay.undo(marks.get(overlay) ?? 0);
      throw error;
    }
  }

  /** Takes everything back. */
  undo(): void {
    for (const overlay of this.overlays()) overlay.undo(0);
  }

  /** What is changed, by collection; empty when nothing is. */
  changes(): Record<string, CollectionChange> {
    const changes: [string, CollectionChange][] = [];
    for (const [name, { collection, records, later }] of this.touched) {
      const set: [string, unknown][] = [];
      const gone: string[] = [];
      for (const overlay of [records, later]) {
        for (const [id, value] of overlay.changes()) {
          if (value === undefined) gone.push(id);
          else set.push([id, value]);
        }
      }
      if (set.length + gone.length === 0) continue;
      changes.push([name, { schema: schemaOf(collection), set: Object.fromEntries(set), delete: gone }]);
    }
    return Object.fromEntries(changes);
  }

  /** All registered collections with the changes, to be written as a whole. */
  contents(): [string, Pick<Content, "records" | "later" | "order">][] {
    const touched = [...this.touched].filter(([name, { records, later }]) => {
      return this.document.contents.has(name) || records.size + later.size > 0;
    });
    const changed = touched.map(([name, { content, records, later }]) => {
      return [name, { records, later, order: content.order }] as const;
    });
    return [...new Map<string, Pick<Content, "records" | "later" | "order">>([...this.document.contents, ...changed])];
  }

  /** Makes the changes in the document. */
  settle(): void {
    for (const [name, { content, records, later }] of this.touched) {
      for (const overlay of [records, later]) overlay.settle();
      if (content.records.size + content.later.size > 0) this.document.contents.set(name, content);
    }
  }

  private touch(collection: Collection<unknown>): Touched {
    const { name } = collection;
    const known = this.touched.get(name);
    if (known?.collection === collection) return known;
    requireRegistered(this.collections, collection);
    const content = this.document.contents.get(name) ?? emptyContent(collection);
    const tell = (before: unknown, after: unknown): void => this.observers.tell(name, before, after);
    const records = new Overlay(content.records, tell);
    const touched = { collection, content, records, later: new Overlay(content.later, () => {}) };
    this.touched.set(name, touched);
    return touched;
  }

  private *overlays(): Generator<Overlay<unknown>> {
    for (const { records, later } of this.touched.values()) yield* [records, later];
  }
}
