// The interfaces of a store: collections of records, transactions, and the backend that reads and writes them. A module
// that stores records declares a `Collection`. An index of its records is rebuilt when the map is a different object.

import type { Adapter } from "lowdb";
import type { AddrsiftError } from "../base/errors.ts";
import type { Shape } from "../base/shapes.ts";

export interface Collection<R> {
  readonly name: string;
  /** Must reject unknown fields and words: a record with one was written by a later version. */
  readonly shape: Shape & { readonly static: R };
  /** Checks what the shape can't express, such as fields that require each other. */
  isConsistent?(record: R): boolean;
}

/** All records of a store, by collection and id. Immutable: a change creates a new document. */
export type Document = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

export interface Transaction {
  /** Returns a copy of a collection to set and delete records in. The records themselves are immutable. */
  records<R>(collection: Collection<R>): Map<string, R>;
}

/** Stores records in a file or a database. lowdb reads and writes within `withLock`. `Store` documents the methods. */
export interface StoreBackend extends Adapter<Document> {
  readonly clock?: { readonly now: () => number };
  current(): { readonly document: Document; readonly damage?: string };
  refresh?(): Promise<void>;
  checkWritable(): AddrsiftError | undefined;
  dropBackup?(): Promise<void>;
  startPolling?(): void;
  close?(): Promise<void>;
  withLock(work: () => Promise<void>): Promise<void>;
}

export type OpenBackend = (collections: readonly Collection<unknown>[]) => StoreBackend;

export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// 16 characters are 95 bits, enough to make ids unique.
const ID_LENGTH = 16;
// The largest multiple of 62 up to 256. Bytes from here on would make some characters more frequent.
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
