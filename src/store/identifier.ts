// Random text in base62: ids of records, and whatever else must not be guessed. Randomness is handed in.

export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// 16 characters are 95 bits: no two records of a store ever get the same.
const ID_LENGTH = 16;
// The largest multiple of 62 that an octet can hold: above it, some characters would come more often than others.
const OCTET_LIMIT = 248;

/** Gives so many random octets, from a source fit for secrets. */
export type Random = (octets: number) => Uint8Array;

/** Text of so many base62 characters, each as likely as any other. */
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
