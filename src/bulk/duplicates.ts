// Rows that are one mailbox: the first row of each canonical form, exact but for a chance below 10^-20. A mailbox is kept as its keyed
// digest of 128 bits, so that no input can be made whose mailboxes meet, in tables that take at most 24 octets for each.

import { LOWER } from "../base/bytes/octets.ts";
import type { Classifier } from "../detection/classifier.ts";

/** Octets that a mailbox takes at most, where there are thousands. */
export const MAILBOX_OCTETS = 24;
/** Words of 32 bits in a key. */
export const KEY_WORDS = 4;

// A canonical address: 255 octets, and thrice that where letters grow.
const SUBJECT_OCTETS = 1024;
const AT = 0x40;
// Tables, by the low bits of the digest. Their place in an entry counts the rows that repeat its mailbox.
const TABLES = 256;
const LOW_BITS = TABLES - 1;
/** Words of an entry: four of the digest, and the number of the first row, which is 0 where there is no entry. */
const ENTRY = 5;
const ROW = 4;
// A table with more entries for its places grows. Tables do so at different times, so that all together take 23.6 octets an entry.
const FULLEST = 0.93;
const GROWTH = 1.2;
// Places at the end that no digest has as its own, for entries that others push on.
const SPARE_PLACES = 24;
const FIRST_PLACES = 64;
const LARGEST = 10;

/** Mailboxes that several rows are. */
export interface DuplicateReport {
  /** Rows that are one mailbox with another row, the first ones included. */
  readonly rows: number;
  /** The mailboxes of these rows. */
  readonly mailboxes: number;
  /** The mailboxes with the most rows, each by its first row. */
  readonly largest: readonly { readonly first_row: number | string; readonly rows: number }[];
}

/** Finds for each address the first row of its mailbox, over all inputs of a run. */
export class Duplicates {
  /** Distinct mailboxes so far. */
  mailboxes = 0;
  private readonly digests: Digests;
  private readonly tables: Uint32Array[] = Array.from({ length: TABLES }, (_, i) =>
    newTable(Math.round(FIRST_PLACES * GROWTH ** (i / TABLES))),
  );
  private readonly sizes: Uint32Array = new Uint32Array(TABLES);
  /** Rows beyond those that an entry can count, by its first row. */
  private readonly more = new Map<number, number>();
  private repeated = 0;
  private groups = 0;
  /** The inputs, each with the number of rows before it, from the last one on. */
  private readonly inputs: { readonly name: string; readonly before: number }[] = [{ name: "", before: 0 }];
  private last = 0;

  /** `key` has KEY_WORDS random words. `full` makes the error for more than `most` mailboxes. */
  constructor(
    key: Int32Array,
    private readonly most: number,
    private readonly full: (rows: number) => Error,
  ) {
    this.digests = new Digests(key);
  }

  /** The rows that follow are those of an input, and numbered from its beginning on. */
  beginInput(name: string): void {
    if (this.last === 0) this.inputs.length = 0;
    this.inputs.unshift({ name, before: this.last });
  }

  /** The first row with the mailbox of the classifier's current address, which is well-formed; undefined where that is `row`. */
  firstRow(classifier: Classifier, row: number): number | string | undefined {
    const number = (this.inputs[0]?.before ?? 0) + row;
    this.last = number;
    const first = this.find(this.digests.of(classifier), number);
    return first === number ? undefined : this.shown(first);
  }

  report(): DuplicateReport {
    const largest: { first: number; rows: number }[] = [];
    let least = 2;
    for (const table of this.groups === 0 ? [] : this.tables) {
      for (let at = 0; at < table.length; at += ENTRY) {
        if (((table[at] as number) & LOW_BITS) < least - 1 || table[at + ROW] === 0) continue;
        const first = table[at + ROW] as number;
        largest.push({ first, rows: 1 + ((table[at] as number) & LOW_BITS) + (this.more.get(first) ?? 0) });
        if (largest.length < 100 * LARGEST) continue;
        keepLargest(largest);
        least = Math.min(TABLES, (largest[LARGEST - 1] as { rows: number }).rows);
      }
    }
    keepLargest(largest);
    return {
      rows: this.repeated + this.groups,
      mailboxes: this.groups,
      largest: largest.map(({ first, rows }) => ({ first_row: this.shown(first), rows })),
    };
  }

  /** A row of the current input by its number, and one of an earlier input with its name before it. */
  private shown(number: number): number | string {
    const at = this.inputs.findIndex(({ before }) => number > before);
    const { name, before } = this.inputs[at] as { name: string; before: number };
    return at === 0 ? number - before : `${name}:${number - before}`;
  }

  /** The number of the first row with the digest, which is `row` for a new one. */
  private find(digest: Int32Array, row: number): number {
    const low = (digest[0] as number) & LOW_BITS;
    const high = (digest[0] as number) & ~LOW_BITS;
    const order = (digest[1] as number) >>> 0;
    const third = (digest[2] as number) >>> 0;
    const fourth = (digest[3] as number) >>> 0;
    const table = this.tables[low] as Uint32Array;
    let at = placeOf(order, table);
    // Entries are in the order of their digests, so the first greater one ends the search.
    for (; table[at + ROW] !== 0; at += ENTRY) {
      const other = table[at + 1] as number;
      if (other > order) break;
      if (other !== order || table[at + 2] !== third || table[at + 3] !== fourth) continue;
      if ((((table[at] as number) ^ high) & ~LOW_BITS) === 0) return this.repeat(table, at, row);
    }
    if (this.mailboxes >= this.most || row > 0xffffffff) throw this.full(row - 1);
    let free = at;
    while (table[free + ROW] !== 0) free += ENTRY;
    if (free > at) table.copyWithin(at + ENTRY, at, free);
    table[at] = high;
    table[at + 1] = order;
    table[at + 2] = third;
    table[at + 3] = fourth;
    table[at + ROW] = row;
    this.mailboxes += 1;
    const size = (this.sizes[low] as number) + 1;
    this.sizes[low] = size;
    const places = table.length / ENTRY;
    // The last place stays free.
    if (size > FULLEST * places || free === table.length - ENTRY) this.tables[low] = grown(table);
    return row;
  }

  private repeat(table: Uint32Array, at: number, row: number): number {
    const first = table[at + ROW] as number;
    if (first === row) return first;
    const rows = (table[at] as number) & LOW_BITS;
    this.repeated += 1;
    if (rows === 0) this.groups += 1;
    if (rows < LOW_BITS) table[at] = (table[at] as number) + 1;
    else this.more.set(first, (this.more.get(first) ?? 0) + 1);
    return first;
  }
}

function keepLargest(groups: { readonly first: number; readonly rows: number }[]): void {
  groups.sort((a, b) => b.rows - a.rows || a.first - b.first);
  groups.length = Math.min(groups.length, LARGEST);
}

function newTable(places: number): Uint32Array {
  return new Uint32Array(ENTRY * places);
}

/** Where the search for a digest begins. */
function placeOf(order: number, table: Uint32Array): number {
  const places = table.length / ENTRY;
  return ENTRY * Math.floor((order / 0x100000000) * (places - SPARE_PLACES));
}

/** A larger table with the same entries, each at its place or behind the one before it. The last place stays free. */
function grown(table: Uint32Array): Uint32Array {
  for (let places = table.length / ENTRY; ; ) {
    places = Math.ceil(Math.max(places + 4, GROWTH * places));
    const larger = newTable(places);
    let to = 0;
    for (let at = 0; at < table.length; at += ENTRY) {
      if (table[at + ROW] === 0) continue;
      to = Math.max(to, placeOf(table[at + 1] as number, larger));
      larger[to] = table[at] as number;
      larger[to + 1] = table[at + 1] as number;
      larger[to + 2] = table[at + 2] as number;
      larger[to + 3] = table[at + 3] as number;
      larger[to + ROW] = table[at + ROW] as number;
      to += ENTRY;
    }
    if (to < larger.length) return larger;
  }
}

/** Keyed digests of 128 bits: Chaskey with 8 rounds (Mouha and others, SAC 2014), which is made for words of 32 bits. */
export class Digests {
  private readonly octets: Uint8Array = new Uint8Array(SUBJECT_OCTETS);
  private readonly words: Int32Array = new Int32Array(this.octets.buffer);
  private readonly whole: Int32Array;
  private readonly padded: Int32Array;
  private readonly state: Int32Array = new Int32Array(KEY_WORDS);

  constructor(private readonly key: Int32Array) {
    this.whole = doubled(key);
    this.padded = doubled(this.whole);
  }

  /** The digest of the canonical form of the classifier's current address. It holds until the next one is made. */
  of({ canonical, domainOctets, domainStart, domainEnd }: Classifier): Int32Array {
    const { octets } = this;
    let length = 0;
    for (let i = canonical.start; i < canonical.end; i += 1) octets[length++] = canonical.octets[i] as number;
    octets[length++] = AT;
    for (let i = domainStart; i < domainEnd; i += 1) octets[length++] = LOWER[domainOctets[i] as number] as number;
    return this.ofOctets(length);
  }

  /** The digest of some octets, of which there may be 1,000. */
  ofText(text: Uint8Array): Int32Array {
    this.octets.set(text);
    return this.ofOctets(text.length);
  }

  private ofOctets(length: number): Int32Array {
    const { octets, words, key, state } = this;
    const end = Math.max(4, (length + 15) >> 2) & ~3;
    const last = length === 4 * end ? this.whole : this.padded;
    if (last === this.padded) {
      octets[length] = 1;
      for (let i = length + 1; i < 4 * end; i += 1) octets[i] = 0;
    }
    let [a, b, c, d] = [key[0] as number, key[1] as number, key[2] as number, key[3] as number];
    for (let at = 0; at < end; at += KEY_WORDS) {
      a ^= words[at] as number;
      b ^= words[at + 1] as number;
      c ^= words[at + 2] as number;
      d ^= words[at + 3] as number;
      if (at + KEY_WORDS === end) {
        a ^= last[0] as number;
        b ^= last[1] as number;
        c ^= last[2] as number;
        d ^= last[3] as number;
      }
      for (let round = 0; round < 8; round += 1) {
        a = (a + b) | 0;
        b = turned(b, 5) ^ a;
        a = turned(a, 16);
        c = (c + d) | 0;
        d = turned(d, 8) ^ c;
        a = (a + d) | 0;
        d = turned(d, 13) ^ a;
        c = (c + b) | 0;
        b = turned(b, 7) ^ c;
        c = turned(c, 16);
      }
    }
    state[0] = a ^ (last[0] as number);
    state[1] = b ^ (last[1] as number);
    state[2] = c ^ (last[2] as number);
    state[3] = d ^ (last[3] as number);
    return state;
  }
}

function turned(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** The key times two in the field of 2^128 elements. */
function doubled(key: Int32Array): Int32Array {
  return key.map(
    (word, i) => (word << 1) ^ (i === 0 ? ((key[3] as number) >>> 31) * 0x87 : (key[i - 1] as number) >>> 31),
  );
}
