// Packed entries of disposable domains, for tests that make tables.

import { packEntry, rankOf, SOURCE_BIT, type SourceLetter } from "../../src/lists/confidence.ts";

/** The entry of these sources; a small letter is one that does not count. */
export function entryOf(letters: string, since?: string): number {
  const bitsOf = (keys: string): number =>
    Array.from(keys.toUpperCase(), (letter) => SOURCE_BIT[letter as SourceLetter]).reduce(
      (sum: number, bit) => sum | bit,
      0,
    );
  return packEntry(bitsOf(letters), rankOf(bitsOf(letters.replace(/[a-z]/g, ""))), since);
}
