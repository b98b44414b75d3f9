// Rows that are one mailbox: the first row of each canonical form, exact but for a chance below 10^-20. A mailbox is
// kept as its keyed digest of 128 bits, so that no input can be made whose mailboxes meet, in a table that takes at
// most 24 bytes for each.

import { AT } from "../base/bytes/ascii.ts";
import { LOWER } from "../base/bytes/bytes.ts";
import type { Classifier } from "../detection/classifier.ts";
import type { Row } from "./rows/row.ts";

/** Bytes that a mailbox takes at most, where there are hundreds of thousands or no memory for more. */
export const MAILBOX_BYTES = 24;
/** Bytes that a row's key takes besides its text: with these, no memory has room for more than a Map takes. */
const KEY_BYTES = 250;
/** Words of 32 bits in a key, and in a digest. */
export const KEY_WORDS = 4;

const LARGEST = 10;
/** Words of a canonical address: 255 bytes, and thrice that where letters grow. */
const TEXT_WORDS = 256;
/** Rows that are compared together at most. */
const TOGETHER = 128;

/**
 * Words of an entry: four of the digest, and the number of the first row, which is 0 where there is no entry. Entries
 * are in the order of the first word's low bits and the second word. The place of an entry shows these bits, so that
 * they count the rows that repeat its mailbox.
 */
const ENTRY = 5;
const ROW = 4;
const LOW_COUNT = 6;
const LOW_BITS = (1 << LOW_COUNT) - 1;
// Places of an array of the table: a table of many arrays grows without a second one.
const PLACES_SHIFT = 12;
const PLACES = 1 << PLACES_SHIFT;
const FIRST_ARRAYS = 14;
// Places at the end that no digest has as its own, for entries that others push on. The last place stays free.
const SPARE_PLACES = 200;
// A table with more entries in a hundred places grows: it doubles while it is small and its memory has room, and then
// gets a ninth more of them, so that an entry takes 23.9 bytes at most.
const FULLEST = 93;
const DOUBLED_ARRAYS = 100;
const GROWTH = 9;

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
  /** Rows that repeat a mailbox, and mailboxes that are repeated. */
  private repeated = 0;
  private groups = 0;
  private readonly table: Int32Array[] = Array.from({ length: FIRST_ARRAYS }, newPlaces);
  private readonly key: Int32Array;
  private readonly text = new Int32Array(TEXT_WORDS);
  private readonly textBytes = new Uint8Array(this.text.buffer);
  private readonly digests = new Int32Array(KEY_WORDS * TOGETHER);
  private readonly firsts = new Uint32Array(TOGETHER);
  /** Rows beyond those that an entry can count, by its first row. */
  private readonly more = new Map<number, number>();
  /** The inputs, each with the number of rows before it, from the last one on. */
  private readonly inputs: { readonly name: string; readonly before: number }[] = [{ name: "", before: 0 }];
  private last = 0;
  /** Reads the value that names a row in place of its number. */
  keyOf: ((row: Row) => string) | undefined;
  /** False while rows are taken that are not those of the run. */
  countsRepeats = true;
  /** The keys of first rows, by number. */
  private readonly keys = new Map<number, string>();
  /** Keeps the engine from leaving out what is read ahead. */
  protected readAhead = 0;

  /** `key` has KEY_WORDS random words. `full` makes the error for more than `most` mailboxes. */
  constructor(
    key: Int32Array,
    private most: number,
    private readonly full: (rows: number) => Error,
  ) {
    const whole = doubled(key);
    this.key = Int32Array.of(...key, ...whole, ...doubled(whole));
  }

  get tableBytes(): number {
    return 4 * ENTRY * this.places;
  }

  private get places(): number {
    return PLACES * this.table.length;
  }

  /**
   * True while all rows are of one input and have no key, so that a number is enough to name the first of a mailbox.
   */
  get hasOneInput(): boolean {
    return this.inputs.length === 1 && this.keyOf === undefined;
  }

  /** The rows that follow are those of an input, and numbered from its beginning on. */
  beginInput(name: string): void {
    if (this.last === 0) this.inputs.length = 0;
    this.inputs.unshift({ name, before: this.last });
  }

  /**
   * The first row with the mailbox of the classifier's current address, which is well-formed: its key, or its number;
   * undefined where that is `row`. `line` is that row, where it may have a key.
   */
  firstRow(
    { canonical, domainBytes, domainStart, domainEnd }: Classifier,
    row: number,
    line?: Row,
  ): number | string | undefined {
    const { textBytes, digests } = this;
    const number = this.numberOf(row);
    let end = 0;
    for (let i = canonical.start; i < canonical.end; i += 1) textBytes[end++] = canonical.bytes[i] as number;
    textBytes[end++] = AT;
    for (let i = domainStart; i < domainEnd; i += 1) textBytes[end++] = LOWER[domainBytes[i] as number] as number;
    digest(this.key, this.text, 0, end, digests, 0);
    const first = this.find(0, number);
    if (first !== number) return this.keys.get(first) ?? this.shown(first);
    const key = line && this.keyOf?.(line);
    if (key) this.keepKey(number, key);
    return undefined;
  }

  private keepKey(number: number, key: string): void {
    if (this.keys.has(number)) return;
    this.keys.set(number, key);
    this.most -= (KEY_BYTES + 2 * key.length) / MAILBOX_BYTES;
  }

  /**
   * Numbers of the first rows of the mailboxes of some rows, `row` and those behind it, of TOGETHER at most. The
   * mailboxes are in `words`, each from an index of a byte on that is a multiple of 16, the first one from `start` on;
   * `endOf` returns where each ends. Where there are too many mailboxes, `error` says so of the row after the last one
   * of `firsts`.
   */
  firstRows(
    words: Int32Array,
    start: number,
    row: number,
    count: number,
    endOf: (i: number) => number,
  ): { firsts: Uint32Array; error: unknown } {
    const { digests, firsts, table, key } = this;
    let at = start;
    for (let i = 0; i < count; i += 1) {
      const end = endOf(i);
      digest(key, words, at / 4, end - at, digests, KEY_WORDS * i);
      at = (end + 15) & ~15;
    }
    // Memory that is read for many rows at once comes sooner than for one after another.
    let read = this.readAhead;
    for (let i = 0; i < count; i += 1) {
      const place = this.placeOf(digests[KEY_WORDS * i] as number, digests[KEY_WORDS * i + 1] as number);
      read ^= (table[place >> PLACES_SHIFT] as Int32Array)[ENTRY * (place & (PLACES - 1))] as number;
    }
    this.readAhead = read;
    for (let i = 0; i < count; i += 1) {
      try {
        firsts[i] = this.find(i, this.numberOf(row + i));
      } catch (error) {
        return { firsts: firsts.subarray(0, i), error };
      }
    }
    return { firsts: firsts.subarray(0, count), error: undefined };
  }

  private numberOf(row: number): number {
    const number = (this.inputs[0]?.before ?? 0) + row;
    this.last = number;
    if (number > 0xffff_ffff) throw this.full(number - 1);
    return number;
  }

  report(): DuplicateReport {
    const { table, groups } = this;
    const largest: { first: number; rows: number }[] = [];
    let least = 2;
    for (const array of groups === 0 ? [] : table) {
      for (let at = 0; at < array.length; at += ENTRY) {
        const counted = (array[at] as number) & LOW_BITS;
        if (counted < least - 1 || array[at + ROW] === 0) continue;
        const first = (array[at + ROW] as number) >>> 0;
        largest.push({ first, rows: 1 + counted + (this.more.get(first) ?? 0) });
        if (largest.length < 100 * LARGEST) continue;
        keepLargest(largest);
        least = Math.min(LOW_BITS + 1, (largest[LARGEST - 1] as { rows: number }).rows);
      }
    }
    keepLargest(largest);
    return {
      rows: this.repeated + groups,
      mailboxes: groups,
      largest: largest.map(({ first, rows }) => ({ first_row: this.shown(first), rows })),
    };
  }

  /** A row of the current input by its number, and one of an earlier input with its name before it. */
  private shown(number: number): number | string {
    const at = this.inputs.findIndex(({ before }) => number > before);
    const { name, before } = this.inputs[at] as { name: string; before: number };
    return at === 0 ? number - before : `${name}:${number - before}`;
  }

  /** The place where the search for a digest begins. */
  private placeOf(first: number, second: number): number {
    const order = ((first & LOW_BITS) << (32 - LOW_COUNT)) | (second >>> LOW_COUNT);
    return Math.floor(((order >>> 0) / 2 ** 32) * (this.places - SPARE_PLACES));
  }

  /** The number of the first row with one of the digests, which is `row` for a new one. */
  private find(index: number, row: number): number {
    const { digests, table } = this;
    const first = digests[KEY_WORDS * index] as number;
    const second = digests[KEY_WORDS * index + 1] as number;
    const third = digests[KEY_WORDS * index + 2] as number;
    const fourth = digests[KEY_WORDS * index + 3] as number;
    let place = this.placeOf(first, second);
    for (; ; place += 1) {
      const array = table[place >> PLACES_SHIFT] as Int32Array;
      const at = ENTRY * (place & (PLACES - 1));
      if (array[at + ROW] === 0) break;
      // The first entry that is greater ends the search. The low bits of its first word may differ by one.
      const further = ((array[at + 1] as number) - second) | 0;
      if (further > 0) break;
      if (further !== 0 || array[at + 2] !== third || array[at + 3] !== fourth) continue;
      if ((((array[at] as number) ^ first) & ~LOW_BITS) === 0) return this.repeat(array, at, row);
    }
    if (this.mailboxes >= this.most) throw this.full(row - 1);
    if (!this.makeRoom(place)) {
      this.grow();
      return this.find(index, row);
    }
    const array = table[place >> PLACES_SHIFT] as Int32Array;
    const at = ENTRY * (place & (PLACES - 1));
    for (let i = 0; i < KEY_WORDS; i += 1) array[at + i] = digests[KEY_WORDS * index + i] as number;
    array[at] = first & ~LOW_BITS;
    array[at + ROW] = row;
    this.mailboxes += 1;
    if (100 * this.mailboxes > FULLEST * this.places) this.grow();
    return row;
  }

  /** Pushes the entries from a place on into the next free one; false where that is the last of the table. */
  private makeRoom(place: number): boolean {
    const { table } = this;
    const first = place >> PLACES_SHIFT;
    const start = ENTRY * (place & (PLACES - 1));
    let number = first;
    let array = table[number] as Int32Array;
    let free = start;
    while (array[free + ROW] !== 0) {
      free += ENTRY;
      if (free < array.length) continue;
      number += 1;
      array = table[number] as Int32Array;
      free = 0;
    }
    if (number === table.length - 1 && free === array.length - ENTRY) return false;
    for (; number > first; number -= 1) {
      const before = table[number - 1] as Int32Array;
      array.copyWithin(ENTRY, 0, free);
      free = before.length - ENTRY;
      for (let i = 0; i < ENTRY; i += 1) array[i] = before[free + i] as number;
      array = before;
    }
    array.copyWithin(start + ENTRY, start, free);
    return true;
  }

  private repeat(array: Int32Array, at: number, row: number): number {
    const first = (array[at + ROW] as number) >>> 0;
    if (first === row || !this.countsRepeats) return first;
    const rows = (array[at] as number) & LOW_BITS;
    this.repeated += 1;
    if (rows === 0) this.groups += 1;
    if (rows < LOW_BITS) array[at] = (array[at] as number) + 1;
    else this.more.set(first, (this.more.get(first) ?? 0) + 1);
    return first;
  }

  private rowAt(place: number): number {
    return (this.table[place >> PLACES_SHIFT] as Int32Array)[ENTRY * (place & (PLACES - 1)) + ROW] as number;
  }

  private move(to: number, from: number): void {
    const target = this.table[to >> PLACES_SHIFT] as Int32Array;
    const source = this.table[from >> PLACES_SHIFT] as Int32Array;
    const at = ENTRY * (to & (PLACES - 1));
    const fromAt = ENTRY * (from & (PLACES - 1));
    for (let i = 0; i < ENTRY; i += 1) target[at + i] = source[fromAt + i] as number;
  }

  private free(place: number): void {
    (this.table[place >> PLACES_SHIFT] as Int32Array)[ENTRY * (place & (PLACES - 1)) + ROW] = 0;
  }

  /** Makes the table larger. Each entry is then at its place, or behind the one before it. */
  private grow(): void {
    const { table } = this;
    const mayDouble = table.length < DOUBLED_ARRAYS && 2 * this.tableBytes <= MAILBOX_BYTES * this.most;
    const more = mayDouble ? table.length : Math.max(1, Math.floor(table.length / GROWTH));
    // The new places come first, so that no entry's place is behind where it is.
    table.unshift(...Array.from({ length: more }, newPlaces));
    const end = this.places;
    let [to, low, last] = [0, 0, 0];
    for (let from = PLACES * more; from < end; from += 1) {
      if (this.rowAt(from) === 0) continue;
      const second = (table[from >> PLACES_SHIFT] as Int32Array)[ENTRY * (from & (PLACES - 1)) + 1] as number;
      // There are hundreds of entries for each value of the low bits.
      if (second >>> 0 < last) low += 1;
      last = second >>> 0;
      for (const home = this.placeOf(low, second); to < home; to += 1) this.free(to);
      this.move(to, from);
      to += 1;
    }
    // Otherwise the last place is not free.
    const fits = to < end;
    for (; to < end; to += 1) this.free(to);
    if (!fits) this.grow();
  }
}

function newPlaces(): Int32Array {
  return new Int32Array(ENTRY * PLACES);
}

function keepLargest(groups: { readonly first: number; readonly rows: number }[]): void {
  groups.sort((a, b) => b.rows - a.rows || a.first - b.first);
  groups.length = Math.min(groups.length, LARGEST);
}

/** The key times two in the field of 2^128 elements. */
function doubled(key: Int32Array): Int32Array {
  return key.map(
    (word, i) => (word << 1) ^ (i === 0 ? ((key[3] as number) >>> 31) * 0x87 : (key[i - 1] as number) >>> 31),
  );
}

/**
 * The digest of `length` bytes from a word on: Chaskey with 8 rounds (Mouha and others, SAC 2014), which is made for
 * words of 32 bits. Behind its four words, `key` has what changes the last block, of 16 bytes and of fewer.
 */
export function digest(
  key: Int32Array,
  words: Int32Array,
  start: number,
  length: number,
  digests: Int32Array,
  to: number,
): void {
  let [a, b, c, d] = [key[0] as number, key[1] as number, key[2] as number, key[3] as number];
  let last = 0;
  for (let [at, left] = [start, length]; last === 0; at += 4, left -= 16) {
    if (left <= 16) last = left === 16 ? KEY_WORDS : 2 * KEY_WORDS;
    const changes = last === 0 ? 0 : -1;
    a ^= padded(words[at] as number, left) ^ ((key[last] as number) & changes);
    b ^= padded(words[at + 1] as number, left - 4) ^ ((key[last + 1] as number) & changes);
    c ^= padded(words[at + 2] as number, left - 8) ^ ((key[last + 2] as number) & changes);
    d ^= padded(words[at + 3] as number, left - 12) ^ ((key[last + 3] as number) & changes);
    for (let round = 0; round < 8; round += 1) {
      a = (a + b) | 0;
      b = rotated(b, 5) ^ a;
      a = rotated(a, 16);
      c = (c + d) | 0;
      d = rotated(d, 8) ^ c;
      a = (a + d) | 0;
      d = rotated(d, 13) ^ a;
      c = (c + b) | 0;
      b = rotated(b, 7) ^ c;
      c = rotated(c, 16);
    }
  }
  digests[to] = a ^ (key[last] as number);
  digests[to + 1] = b ^ (key[last + 1] as number);
  digests[to + 2] = c ^ (key[last + 2] as number);
  digests[to + 3] = d ^ (key[last + 3] as number);
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** The first bytes of a word, and a bit behind them. */
function padded(word: number, bytes: number): number {
  if (bytes >= 4) return word;
  return bytes < 0 ? 0 : (word & ((1 << (8 * bytes)) - 1)) | (1 << (8 * bytes));
}
