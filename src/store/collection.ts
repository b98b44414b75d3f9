// A collection: records of one kind by their id, which is random text. The folder that owns the records declares it, with its schema and the steps from
// older schemas.

/** A kind of record that is registered with a store. `R` is a record of the present schema. Records are never changed in place. */
export interface Collection<R> {
  readonly name: string;
  /** True for a record of the present schema. All others are damage. */
  readonly isRecord: (value: unknown) => value is R;
  /** One step for each former schema: the first turns schema 1 into 2. The present schema is their number plus one. */
  readonly migrations: readonly ((record: unknown) => unknown)[];
}

export function schemaOf(collection: Collection<unknown>): number {
  return collection.migrations.length + 1;
}

/** Throws for a collection that was not registered: a mistake of the caller. */
export function requireRegistered(collections: readonly Collection<unknown>[], collection: Collection<unknown>): void {
  if (!collections.includes(collection)) {
    throw new Error(`the collection ${collection.name} is not registered with this store`);
  }
}

export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// 16 characters are 95 bits: two records of a store never get the same id.
const ID_LENGTH = 16;
// The largest multiple of 62 that an octet can hold: above it, some characters would be more frequent than others.
const OCTET_LIMIT = 248;

/** Gives this many random octets, from a source that is good enough for secrets. */
export type Random = (octets: number) => Uint8Array;

/** Text of `length` base62 characters, all equally likely. */
export function randomBase62(length: number, random: Random): string {
  let text = "";
  while (text.length < length) {
    for (const octet of random(length)) {
      if (octet < OCTET_LIMIT && text.length < length) text += BASE62[octet % BASE62.length];
    }
  }
  return text;
}

/** A new id such as `ch_4mXb0Qz1LrT9sUwA`. */
export function newId(prefix: string, random: Random): string {
  return `${prefix}_${randomBase62(ID_LENGTH, random)}`;
}
