// A change in the making: copies of the collections that it touches, thrown away when it fails.

import type { Collection } from "./collection.ts";
import type { Document, Records } from "./document.ts";

/** What a change works on. */
export class Draft {
  private readonly base: Document;
  private readonly check: (collection: Collection<unknown>) => void;
  private readonly touched = new Map<string, Map<string, unknown>>();

  constructor(base: Document, check: (collection: Collection<unknown>) => void) {
    this.base = base;
    this.check = check;
  }

  /** A collection to set records in and delete them from. The records themselves are replaced, not changed. */
  records<R>(collection: Collection<R>): Map<string, R> {
    this.check(collection);
    const { name } = collection;
    const copy = this.touched.get(name) ?? new Map(this.base.records.get(name) ?? []);
    this.touched.set(name, copy);
    return copy as Map<string, R>;
  }

  /** The document after the change; the very same one when nothing differs. */
  finish(): Document {
    const different = [...this.touched].filter(([name, copy]) => differ(this.base.records.get(name), copy));
    if (different.length === 0) return this.base;
    return { ...this.base, records: new Map([...this.base.records, ...different]) };
  }
}

function differ(before: Records | undefined, after: Records): boolean {
  if (before === undefined) return after.size > 0;
  if (before.size !== after.size) return true;
  for (const [id, record] of after) if (before.get(id) !== record) return true;
  return false;
}
