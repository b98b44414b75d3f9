// A collection: records of one kind by their id, which is random text. The folder that owns the records declares it,
// with its shape, its schema and the steps from older schemas.

import type { Shape } from "../base/shapes.ts";

/** A kind of record. `R` is one of the present schema, and is never changed in place. */
export interface Collection<R> {
  readonly name: string;
  /** Closed, with a choice for each word: what it does not know is a later version's. */
  readonly shape: Shape & { readonly static: R };
  /** True for a record of this shape that is whole in other ways too. */
  isWhole?(record: R): boolean;
  /** One step for each former schema: the first turns schema 1 into 2. The present schema is their number plus one. */
  readonly migrations: readonly ((record: unknown) => unknown)[];
}

export function schemaOf(collection: Collection<unknown>): number {
  return collection.migrations.length + 1;
}

export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// 16 characters are 95 bits: two records of a store never get the same id.
const ID_LENGTH = 16;
// The largest multiple of 62 that a byte can hold: above it, some characters would be more frequent than others.
const BYTE_LIMIT = 248;

/** Gives this many random bytes, from a source that is good enough for secrets. */
export type Random = (count: number) => Uint8Array;

/** Text of `length` base62 characters, all equally likely. */
export function randomBase62(length: number, random: Random): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length)) {
      if (byte < BYTE_LIMIT && text.length < length) text += BASE62[byte % BASE62.length];
    }
  }
  return text;
}

/** A new id such as `ch_4mXb0Qz1LrT9sUwA`. */
export function newId(prefix: string, random: Random): string {
  return `${prefix}_${randomBase62(ID_LENGTH, random)}`;
}
