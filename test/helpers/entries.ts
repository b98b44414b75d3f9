// Creates packed entries of disposable domains, for tests that compile tables.

import { packEntry, rankOf, SOURCE_BIT, type SourceLetter } from "../../src/lists/confidence.ts";

/** Returns the entry of these sources. A source in lower case lists the domain but does not raise its confidence. */
export function entryOf(letters: string, since?: string): number {
  const bitsOf = (keys: string): number =>
    Array.from(keys.toUpperCase(), (letter) => SOURCE_BIT[letter as SourceLetter]).reduce(
      (sum: number, bit) => sum | bit,
      0,
    );
  return packEntry(bitsOf(letters), rankOf(bitsOf(letters.replace(/[a-z]/g, ""))), since);
}
