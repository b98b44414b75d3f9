// Finds rows whose addresses have the same mailbox (canonical form). Stores keyed 128-bit digests in hash tables with
// linear probing, at most 48 bytes per mailbox. Two mailboxes collide with probability below 1e-20, and nobody can
// construct a collision without the key.

import { AT } from "../base/bytes/ascii.ts";
import { LOWERCASE } from "../base/bytes/bytes.ts";
import type { Classifier } from "../detection/classifier.ts";
import type { Row } from "./rows/row.ts";

/** Maximum bytes per mailbox, except in the smallest tables. */
export const MAILBOX_BYTES = 48;
/** Estimated bytes of a row's key besides its text: the entry in a Map and the header of a string. */
const KEY_BYTES = 250;
/** Number of 32-bit words in the secret key, and in a digest. */
export const KEY_WORDS = 4;

/** Maximum groups in the report. */
const MAX_LARGEST = 10;
/** 32-bit words for the longest canonical address. Case folding can lengthen its 255 bytes up to three times. */
const TEXT_WORDS = 256;
/** Maximum rows per call of `digestBatch`. */
const BATCH_SIZE = 128;

// A slot has the words of a digest, the number of the first row (0: the slot is empty), and the number of later rows.
// The lowest bit of a slot's LAST_WORD is not part of the digest: it is set if the first row was dropped.
const WORDS_PER_SLOT = 6;
const LAST_WORD = 3;
const DROPPED = 1;
const ROW = 4;
const REPEATS = 5;
const MAX_ROW = 0xffff_ffff;
// Many small tables, because a table that grows needs the memory of its old and its new size.
const TABLES = 64;
const INITIAL_SLOTS = 16;
// A table that has just grown has 4 of 7 slots full, which is 42 bytes per mailbox.
const MAX_LOAD = 0.8;
const GROWTH = 1.4;

/** Mailboxes that several rows share. */
export interface DuplicateReport {
  /** Set if rows have several addresses: the numbers of rows below are then numbers of addresses. */
  readonly unit?: "addresses";
  /** Rows that share their mailbox with another or known row, first rows included. Known rows are not counted. */
  readonly rows: number;
  /** The mailboxes of these rows. */
  readonly mailboxes: number;
  /** Rows with a mailbox of --known. Set with --known. */
  readonly known_rows?: number;
  /** Set if there were too many mailboxes to compare all rows. */
  readonly is_partial?: true;
  /** The mailboxes with the most rows, each by its first row. */
  readonly largest: readonly { readonly first_row: number | string; readonly rows: number }[];
}

/** Finds for each address the first row with its mailbox, over all inputs of a run. */
export class Duplicates {
  /** Distinct mailboxes so far. */
  mailboxes = 0;
  private readonly tables = Array.from({ length: TABLES }, () => new Int32Array(WORDS_PER_SLOT * INITIAL_SLOTS));
  /** Number of mailboxes in each table. */
  private readonly sizes = new Uint32Array(TABLES);
  /** The key and its two subkeys, as `digest` needs them. */
  private readonly key: Int32Array;
  private readonly text = new Int32Array(TEXT_WORDS);
  private readonly textBytes = new Uint8Array(this.text.buffer);
  /** Digests of the mailboxes of the last row or batch. */
  private digests = new Int32Array(KEY_WORDS * BATCH_SIZE);
  /** Number of mailboxes of the last row, if it was not in a batch. */
  private rowMailboxes = 0;
  private hasSeveralAddresses = false;
  /** Whether the first row of one of the last row's mailboxes was dropped. */
  isFirstRowDropped = false;
  /** Whether the last mailbox is one of --known. */
  isKnown = false;
  /** The inputs, latest first, each with the number of rows before it. */
  private readonly inputs: { readonly name: string; readonly rowsBefore: number }[] = [{ name: "", rowsBefore: 0 }];
  private rowsBefore = 0;
  /** Number, over all inputs, of the last row with a valid address. */
  lastRow = 0;
  /** Returns the value of the --key column, which identifies a row of the current input. */
  keyOf: ((row: Row) => string) | undefined;
  /** True with --key. Row numbers then have the name of their input as prefix, because a bare number could be a key. */
  hasKeys = false;
  /** Number of the last row of --known, over all inputs. Known rows are not counted. */
  lastKnownRow = 0;
  /** Keys of the first rows of mailboxes, by row number. */
  private readonly keys = new Map<number, string>();

  /** Whether later rows of some mailboxes may be missing, because there were too many. */
  isPartial = false;

  /**
   * `key` has KEY_WORDS random words. `limitError` creates the error for more than `limit` mailboxes; without it, further
   * mailboxes have no later rows.
   */
  constructor(
    key: Int32Array,
    private limit: number,
    private readonly limitError?: (rows: number) => Error,
  ) {
    const doubledKey = doubleKey(key);
    this.key = Int32Array.of(...key, ...doubledKey, ...doubleKey(doubledKey));
  }

  /** Reports whether a bare number identifies the first row of a mailbox: there is one input, and no keys. */
  get usesBareNumbers(): boolean {
    return this.inputs.length === 1 && !this.hasKeys;
  }

  /** Starts an input, whose rows are numbered from 1. */
  beginInput(name: string): void {
    if (this.lastRow === 0) this.inputs.length = 0;
    this.rowsBefore = this.lastRow;
    this.inputs.unshift({ name, rowsBefore: this.rowsBefore });
  }

  /**
   * Records that the last row, `row` of the current input, is dropped for another reason than a duplicate. Marks only the
   * mailboxes whose first row it is.
   */
  drop(row: number): void {
    const number = this.rowsBefore + row;
    for (let i = 0; i < this.rowMailboxes; i += 1) {
      const { table, slot } = this.findMailbox(KEY_WORDS * i);
      if ((table[slot + ROW] as number) >>> 0 === number)
        table[slot + LAST_WORD] = (table[slot + LAST_WORD] as number) | DROPPED;
    }
  }

  /**
   * Returns the key or number of the first row with the mailbox of the classifier's current address, which must be
   * well-formed. If `row` is the first one, returns undefined. `line` is needed only to read the key of `row`.
   */
  firstRow(
    { canonicalLocalPart, domainBytes, domainStart, domainEnd }: Classifier,
    row: number,
    line?: Row,
  ): number | string | undefined {
    const { textBytes } = this;
    let end = 0;
    for (let i = canonicalLocalPart.start; i < canonicalLocalPart.end; i += 1)
      textBytes[end++] = canonicalLocalPart.bytes[i] as number;
    textBytes[end++] = AT;
    for (let i = domainStart; i < domainEnd; i += 1) textBytes[end++] = LOWERCASE[domainBytes[i] as number] as number;
    const number = this.rowsBefore + row;
    const from = number === this.lastRow ? KEY_WORDS * this.rowMailboxes : 0;
    this.rowMailboxes = from / KEY_WORDS + 1;
    if (from === 0) this.isFirstRowDropped = false;
    else this.hasSeveralAddresses = true;
    if (from === this.digests.length) {
      const { digests } = this;
      this.digests = new Int32Array(2 * from);
      this.digests.set(digests);
    }
    digest(this.key, this.text, 0, end, this.digests, from);
    const first = this.findOrAdd(from, number);
    if (first === 0) throw this.createLimitError();
    if (first !== number) return this.keys.get(first) ?? this.formatReference(first);
    const key = line && this.keyOf?.(line);
    if (key && !this.keys.has(number)) {
      this.keys.set(number, key);
      this.limit -= (KEY_BYTES + 2 * key.length) / MAILBOX_BYTES;
    }
    return undefined;
  }

  /**
   * Computes the digests of the mailboxes of `count` rows (at most BATCH_SIZE), for `firstRowOf`. The mailboxes are in
   * `words`: the first starts at byte offset `start`, each other one at the next multiple of 16 after the one before it.
   * `endOf` returns the end offset of each.
   */
  digestBatch(words: Int32Array, start: number, count: number, endOf: (i: number) => number): void {
    let at = start;
    for (let i = 0; i < count; i += 1) {
      const end = endOf(i);
      digest(this.key, words, at / 4, end - at, this.digests, KEY_WORDS * i);
      at = (end + 15) & ~15;
    }
  }

  /**
   * Returns the number of the first row with mailbox `i` of the last batch, or 0 if there are too many mailboxes and that
   * is an error. If `row` is the first one, `isDropped` has the effect of `drop`.
   */
  firstRowOf(i: number, row: number, isDropped: boolean): number {
    this.isFirstRowDropped = false;
    return this.findOrAdd(KEY_WORDS * i, this.rowsBefore + row, isDropped);
  }

  /** Creates the error for the last row, whose mailbox exceeds the limit. */
  createLimitError(): Error | undefined {
    return this.limitError?.(this.lastRow - 1);
  }

  report(): DuplicateReport {
    let [rows, mailboxes, knownRows] = [0, 0, 0];
    let largest: { readonly first: number; readonly rows: number }[] = [];
    for (const table of this.tables) {
      for (let at = 0; at < table.length; at += WORDS_PER_SLOT) {
        const repeats = (table[at + REPEATS] as number) >>> 0;
        if (repeats === 0) continue;
        const first = (table[at + ROW] as number) >>> 0;
        const isKnown = first <= this.lastKnownRow;
        const counted = isKnown ? repeats : 1 + repeats;
        if (isKnown) knownRows += repeats;
        rows += counted;
        mailboxes += 1;
        largest.push({ first, rows: counted });
      }
      largest = largest.sort((a, b) => b.rows - a.rows || a.first - b.first).slice(0, MAX_LARGEST);
    }
    return {
      ...(this.hasSeveralAddresses && { unit: "addresses" as const }),
      rows,
      mailboxes,
      ...(this.lastKnownRow > 0 && { known_rows: knownRows }),
      ...(this.isPartial && { is_partial: true as const }),
      largest: largest.map((group) => ({ first_row: this.formatReference(group.first), rows: group.rows })),
    };
  }

  /** Returns the table and the slot of the mailbox with the digest at `digests[from]`. */
  private findMailbox(from: number) {
    const index = (this.digests[from + 1] as number) & (TABLES - 1);
    const table = this.tables[index] as Int32Array;
    return { index, table, slot: findSlot(table, this.digests, from) };
  }

  /** Formats a reference to a row: its number if it is in the current input, otherwise `INPUT:NUMBER`. */
  private formatReference(number: number): number | string {
    const index = this.inputs.findIndex(({ rowsBefore }) => number > rowsBefore);
    const { name, rowsBefore } = this.inputs[index] as { name: string; rowsBefore: number };
    return index === 0 && !this.hasKeys ? number - rowsBefore : `${name}:${number - rowsBefore}`;
  }

  /**
   * Returns the number, over all inputs, of the first row with the digest at `digests[from]`. If it is new, adds it for
   * the row `number`. If there are too many mailboxes or rows, returns 0 for an error, or else `number`.
   */
  private findOrAdd(from: number, number: number, isDropped = false): number {
    const { digests, sizes } = this;
    this.lastRow = number;
    const { index, table, slot } = this.findMailbox(from);
    const first = (table[slot + ROW] as number) >>> 0;
    this.isKnown = first !== 0 && first <= this.lastKnownRow;
    if (number > MAX_ROW || (first === 0 && this.mailboxes >= this.limit)) {
      this.isPartial = true;
      return this.limitError === undefined ? number : 0;
    }
    if (first !== 0) {
      if (first !== number && number > this.lastKnownRow) table[slot + REPEATS] = (table[slot + REPEATS] as number) + 1;
      if (((table[slot + LAST_WORD] as number) & DROPPED) !== 0) this.isFirstRowDropped = true;
      return first;
    }
    this.mailboxes += 1;
    for (let i = 0; i < KEY_WORDS; i += 1) table[slot + i] = digests[from + i] as number;
    table[slot + LAST_WORD] = ((table[slot + LAST_WORD] as number) & ~DROPPED) | (isDropped ? DROPPED : 0);
    table[slot + ROW] = number;
    const size = (sizes[index] as number) + 1;
    sizes[index] = size;
    if (WORDS_PER_SLOT * size > MAX_LOAD * table.length) this.tables[index] = createLarger(table);
    return number;
  }
}

/** Returns the index of the slot with the digest at `words[from]`, or of the empty slot where it belongs. */
function findSlot(table: Int32Array, words: Int32Array, from: number): number {
  const slots = table.length / WORDS_PER_SLOT;
  // Slots are in the order of the digests, so `createLarger` fills the larger table from start to end.
  let at = WORDS_PER_SLOT * ((slots * (((words[from] as number) >>> 0) / 2 ** 32)) >>> 0);
  while (table[at + ROW] !== 0) {
    if (
      table[at] === words[from] &&
      table[at + 1] === words[from + 1] &&
      table[at + 2] === words[from + 2] &&
      (((table[at + LAST_WORD] as number) ^ (words[from + LAST_WORD] as number)) & ~DROPPED) === 0
    ) {
      break;
    }
    at = at + WORDS_PER_SLOT < table.length ? at + WORDS_PER_SLOT : 0;
  }
  return at;
}

function createLarger(table: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(WORDS_PER_SLOT * Math.ceil((GROWTH * table.length) / WORDS_PER_SLOT));
  for (let from = 0; from < table.length; from += WORDS_PER_SLOT) {
    if (table[from + ROW] === 0) continue;
    const to = findSlot(larger, table, from);
    for (let i = 0; i < WORDS_PER_SLOT; i += 1) larger[to + i] = table[from + i] as number;
  }
  return larger;
}

/** Multiplies the key by two in the field of 2^128 elements. */
function doubleKey(key: Int32Array): Int32Array {
  return key.map(
    (word, i) => (word << 1) ^ (i === 0 ? ((key[3] as number) >>> 31) * 0x87 : (key[i - 1] as number) >>> 31),
  );
}

/**
 * Writes to `digests`, from index `to`, the digest of `length` bytes from the word at `start`: Chaskey with 8 rounds
 * (Mouha et al., SAC 2014), a MAC for 32-bit words. `key` has the four words of the key, then the subkey for a last
 * block of 16 bytes, then the subkey for a shorter last block.
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
  // Index of the last block's subkey; 0 in the blocks before it.
  let subkey = 0;
  for (let [at, bytesLeft] = [start, length]; subkey === 0; at += 4, bytesLeft -= 16) {
    if (bytesLeft <= 16) subkey = bytesLeft === 16 ? KEY_WORDS : 2 * KEY_WORDS;
    const mask = subkey === 0 ? 0 : -1;
    a ^= padWord(words[at] as number, bytesLeft) ^ ((key[subkey] as number) & mask);
    b ^= padWord(words[at + 1] as number, bytesLeft - 4) ^ ((key[subkey + 1] as number) & mask);
    c ^= padWord(words[at + 2] as number, bytesLeft - 8) ^ ((key[subkey + 2] as number) & mask);
    d ^= padWord(words[at + 3] as number, bytesLeft - 12) ^ ((key[subkey + 3] as number) & mask);
    for (let round = 0; round < 8; round += 1) {
      a = (a + b) | 0;
      b = rotateLeft(b, 5) ^ a;
      a = rotateLeft(a, 16);
      c = (c + d) | 0;
      d = rotateLeft(d, 8) ^ c;
      a = (a + d) | 0;
      d = rotateLeft(d, 13) ^ a;
      c = (c + b) | 0;
      b = rotateLeft(b, 7) ^ c;
      c = rotateLeft(c, 16);
    }
  }
  digests[to] = a ^ (key[subkey] as number);
  digests[to + 1] = b ^ (key[subkey + 1] as number);
  digests[to + 2] = c ^ (key[subkey + 2] as number);
  digests[to + 3] = d ^ (key[subkey + 3] as number);
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** Returns the first bytes of the word, followed by the padding byte 0x01. */
function padWord(word: number, bytes: number): number {
  if (bytes >= 4) return word;
  return bytes < 0 ? 0 : (word & ((1 << (8 * bytes)) - 1)) | (1 << (8 * bytes));
}
