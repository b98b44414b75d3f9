// Who keeps an index of a collection, and is told of each of its changes.

import type { Document } from "./document.ts";

/**
 * An index of a collection's records. It is told of a change when the change is made, which is a moment before it is on the disk; one
 * that fails is taken back by the opposite change.
 */
export interface Observer<R> {
  /** Forgets everything: the collection is read anew. */
  readonly clear: () => void;
  /** A record was added (`before` is undefined), replaced or deleted (`after` is undefined). */
  readonly replace: (before: R | undefined, after: R | undefined) => void;
}

/** The observers of a store, by the name of their collection. */
export class Observers {
  private readonly byName = new Map<string, Observer<unknown>[]>();
  private document: Document | undefined;

  add(name: string, observer: Observer<unknown>): void {
    this.byName.set(name, [...(this.byName.get(name) ?? []), observer]);
    if (this.document !== undefined) fill(observer, name, this.document);
  }

  /** Tells one change. */
  readonly tell = (name: string, before: unknown, after: unknown): void => {
    for (const observer of this.byName.get(name) ?? []) observer.replace(before, after);
  };

  /** Tells all that there is in place of what was. */
  reset(document: Document): void {
    this.document = document;
    for (const [name, observers] of this.byName) for (const observer of observers) fill(observer, name, document);
  }
}

function fill(observer: Observer<unknown>, name: string, document: Document): void {
  observer.clear();
  for (const record of document.contents.get(name)?.records.values() ?? []) observer.replace(undefined, record);
}
