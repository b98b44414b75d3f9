// A change in progress: copies of the collections that it touches, dropped when it fails.

import type { Collection } from "./collection.ts";
import { type Content, type Document, NO_CONTENT, type Records } from "./document.ts";

interface Copy extends Content {
  readonly records: Map<string, unknown>;
  readonly later: Map<string, unknown>;
}

/** The document that a change works on. */
export class Draft {
  private readonly base: Document;
  private readonly check: (collection: Collection<unknown>) => void;
  private readonly touched = new Map<string, Copy>();

  constructor(base: Document, check: (collection: Collection<unknown>) => void) {
    this.base = base;
    this.check = check;
  }

  /** A collection to set records in and delete them from. Records are replaced, never changed. */
  records<R>(collection: Collection<R>): Map<string, R> {
    return this.copyOf(collection).records as Map<string, R>;
  }

  /** The records that only a later version knows, to delete from. */
  later<L>(collection: Collection<unknown, L>): Map<string, L> {
    return this.copyOf(collection).later as Map<string, L>;
  }

  /** The document after the change; the same object when nothing changed. */
  finish(): Document {
    const different = [...this.touched].filter(([name, copy]) => {
      const before = this.before(name);
      return differ(before.records, copy.records) || differ(before.later, copy.later);
    });
    if (different.length === 0) return this.base;
    return { ...this.base, contents: new Map([...this.base.contents, ...different]) };
  }

  private copyOf(collection: Collection<unknown>): Copy {
    this.check(collection);
    const { name } = collection;
    const { records, later, order } = this.before(name);
    const copy = this.touched.get(name) ?? { records: new Map(records), later: new Map(later), order };
    this.touched.set(name, copy);
    return copy;
  }

  private before(name: string): Content {
    return this.base.contents.get(name) ?? NO_CONTENT;
  }
}

function differ(before: Records, after: Records): boolean {
  if (before.size !== after.size) return true;
  for (const [id, record] of after) if (before.get(id) !== record) return true;
  return false;
}
