// Collections are the parts of a store: records by their id, which is random text. With them the place that keeps
// records. The folder that owns the records declares their collection.

import type { Adapter } from "lowdb";
import type { AddrsiftError } from "../base/errors.ts";
import type { Shape } from "../base/shapes.ts";

export interface Collection<R> {
  readonly name: string;
  /** Closed, with a choice for each word: what it does not know is a later version's. */
  readonly shape: Shape & { readonly static: R };
  /** True for a record of this shape that is whole in other ways too. */
  isConsistent?(record: R): boolean;
}

/** The records of a store, by collection and id. A change makes another document. */
export type Document = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

export interface Transaction {
  /** A copy of a collection, to set records in and delete them from. Records are replaced, never changed. */
  records<R>(collection: Collection<R>): Map<string, R>;
}

/** The place of records, a file or a database: lowdb reads and writes them within `locked`. `Store` says the rest. */
export interface StoreBackend extends Adapter<Document> {
  readonly clock?: { readonly now: () => number };
  current(): { readonly document: Document; readonly damage?: string };
  refresh?(): Promise<void>;
  checkWritable(): AddrsiftError | undefined;
  startPolling?(): void;
  close?(): Promise<void>;
  withLock(work: () => Promise<void>): Promise<void>;
}

export type OpenBackend = (collections: readonly Collection<unknown>[]) => StoreBackend;

export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// 16 characters are 95 bits: two records of a store never get the same id.
const ID_LENGTH = 16;
// The largest multiple of 62 that a byte can hold: above it, some characters would be more frequent than others.
const UNBIASED_BYTE_LIMIT = 248;

export type RandomBytes = (count: number) => Uint8Array;

export function randomBase62(length: number, random: RandomBytes): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length)) {
      if (byte < UNBIASED_BYTE_LIMIT && text.length < length) text += BASE62[byte % BASE62.length];
    }
  }
  return text;
}

export function generateId(prefix: string, random: RandomBytes): string {
  return `${prefix}_${randomBase62(ID_LENGTH, random)}`;
}
