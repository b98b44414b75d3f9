// A change in progress, over the document as it is on the disk. What it changes is in the document when it is written, and nowhere
// when it fails.

import { type Collection, requireRegistered, schemaOf } from "./collection.ts";
import { type CollectionChange, type Content, type Document, emptyContent, type Written } from "./document.ts";
import type { Observers } from "./observers.ts";
import { Overlay } from "./overlay.ts";

interface Touched {
  readonly collection: Collection<unknown>;
  /** The content below; in the document only when it is settled. */
  readonly content: Content;
  readonly records: Overlay<unknown>;
}

/** What a change works on. */
export class Draft {
  private readonly touched = new Map<string, Touched>();

  constructor(
    readonly document: Document,
    private readonly collections: readonly Collection<unknown>[],
    private readonly observers: Observers,
  ) {}

  /** A collection to set records in and delete them from. Records are replaced, never changed. */
  records<R>(collection: Collection<R>): Map<string, R> {
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

  /** Takes everything back. */
  undo(): void {
    for (const { records } of this.touched.values()) records.undo(0);
  }

  /** What is changed, by collection; empty when nothing is. */
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
    return new Map<string, Pick<Content, "records">>([...contents, ...changed]);
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
