// Random text in base62: ids of records, and other texts that must not be guessed. The caller gives the randomness.

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
