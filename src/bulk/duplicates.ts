// Finds rows whose addresses have the same mailbox (canonical form). Stores keyed 128-bit digests in a hash table with
// linear probing, at most 48 bytes per mailbox. Two mailboxes collide with probability below 1e-20, and without the
// key nobody can construct two that do.

import { AT } from "../base/bytes/ascii.ts";
import { LOWERCASE } from "../base/bytes/bytes.ts";
import type { Classifier } from "../detection/classifier.ts";
import type { Row } from "./rows/row.ts";

/** Maximum bytes per mailbox once the table has outgrown its first size. */
export const MAILBOX_BYTES = 48;
/** Bytes of a row's key besides its text: the entry of a Map and the header of a string. */
const KEY_BYTES = 250;
/** 32-bit words in the secret key, and in a digest. */
export const KEY_WORDS = 4;

/** Groups in the report. */
const LARGEST = 10;
/** Words of the longest canonical address: 255 bytes, times three because case folding may lengthen letters. */
const TEXT_WORDS = 256;
/** Maximum rows of one `firstRows`. */
const BATCH_SIZE = 128;

// A slot has the words of a digest, the number of the first row (0: the slot is empty), and the number of its repeats.
const WORDS_PER_SLOT = 6;
const ROW = 4;
const REPEATS = 5;
const BLOCK_SHIFT = 8;
const BLOCK_SLOTS = 1 << BLOCK_SHIFT;
const FIRST_BLOCKS = 16;
// After growing, 4 of 7 slots are full: 42 bytes per mailbox.
const MAX_LOAD = 0.8;
const GROWTH = 1.4;

/** A mailbox of several rows, by its first row. */
interface Group {
  readonly first: number;
  readonly rows: number;
}

/** Mailboxes that several rows share. */
export interface DuplicateReport {
  /** Rows that share their mailbox with another row, first rows included. */
  readonly rows: number;
  /** The mailboxes of these rows. */
  readonly mailboxes: number;
  /** The mailboxes with the most rows, each by its first row. */
  readonly largest: readonly { readonly first_row: number | string; readonly rows: number }[];
}

/** Finds for each address the first row with its mailbox, over all inputs of a run. */
export class Duplicates {
  /** Distinct mailboxes so far. */
  mailboxes = 0;
  /** Rows that repeat a mailbox, and mailboxes that are repeated. */
  private repeated = 0;
  private groups = 0;
  /**
   * The slots, in blocks that are created when they are used. Slots are in the order of their digests, so that growing
   * fills new blocks in the order in which it empties old ones, and reuses these.
   */
  private blocks: (Int32Array | undefined)[] = Array.from({ length: FIRST_BLOCKS });
  private readonly freeBlocks: Int32Array[] = [];
  private readonly key: Int32Array;
  private readonly text = new Int32Array(TEXT_WORDS);
  private readonly textBytes = new Uint8Array(this.text.buffer);
  private readonly digests = new Int32Array(KEY_WORDS * BATCH_SIZE);
  private readonly firsts = new Uint32Array(BATCH_SIZE);
  /** The inputs, each with the number of rows before it, latest first. */
  private readonly inputs: { readonly name: string; readonly before: number }[] = [{ name: "", before: 0 }];
  private last = 0;
  /** Returns the value of the key column, which names a row of the current input. */
  keyOf: ((row: Row) => string) | undefined;
  /** True where keys name rows. A row number, which might be a key too, then has the name of its input. */
  hasKeys = false;
  /** False while rows are added that are not rows of the run. */
  countsRepeats = true;
  /** The keys of first rows, by row number. */
  private readonly keys = new Map<number, string>();
  /** Stops V8 from eliminating the prefetch. */
  protected prefetched = 0;

  /** `key` has KEY_WORDS random words. `limitError` creates the error for more than `limit` mailboxes. */
  constructor(
    key: Int32Array,
    private limit: number,
    private readonly limitError: (rows: number) => Error,
  ) {
    const whole = doubled(key);
    this.key = Int32Array.of(...key, ...whole, ...doubled(whole));
  }

  get tableBytes(): number {
    const blocks = this.blocks.filter((block) => block !== undefined).length + this.freeBlocks.length;
    return blocks * BLOCK_SLOTS * WORDS_PER_SLOT * Int32Array.BYTES_PER_ELEMENT;
  }

  /** True while a number is enough to name the first row of a mailbox: with one input and without keys. */
  get hasOneInput(): boolean {
    return this.inputs.length === 1 && !this.hasKeys;
  }

  /** Starts an input, whose rows are numbered from 1. */
  beginInput(name: string): void {
    if (this.last === 0) this.inputs.length = 0;
    this.inputs.unshift({ name, before: this.last });
  }

  /**
   * Returns the key or number of the first row with the mailbox of the classifier's current address, which is
   * well-formed; undefined if `row` is the first. `line` is that row, if it may have a key.
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
    for (let i = domainStart; i < domainEnd; i += 1) textBytes[end++] = LOWERCASE[domainBytes[i] as number] as number;
    digest(this.key, this.text, 0, end, digests, 0);
    const first = this.findOrAdd(0, number);
    if (first !== number) return this.keys.get(first) ?? this.nameOf(first);
    const key = line && this.keyOf?.(line);
    if (key) this.addKey(number, key);
    return undefined;
  }

  private addKey(number: number, key: string): void {
    if (this.keys.has(number)) return;
    this.keys.set(number, key);
    this.limit -= (KEY_BYTES + 2 * key.length) / MAILBOX_BYTES;
  }

  /**
   * Returns for `count` rows from `row` (at most BATCH_SIZE) the number of the first row with the same mailbox.
   * `words` has the mailboxes, the first at the byte `start` and each at a multiple of 16; `endOf` returns where each
   * ends. If there are too many mailboxes, `firsts` is shorter and `error` is that of the row after it.
   */
  firstRows(
    words: Int32Array,
    start: number,
    row: number,
    count: number,
    endOf: (i: number) => number,
  ): { firsts: Uint32Array; error: unknown } {
    const { digests, firsts, key } = this;
    let at = start;
    for (let i = 0; i < count; i += 1) {
      const end = endOf(i);
      digest(key, words, at / 4, end - at, digests, KEY_WORDS * i);
      at = (end + 15) & ~15;
    }
    // Prefetch: independent loads overlap their cache misses.
    let loaded = this.prefetched;
    for (let i = 0; i < count; i += 1) {
      const home = this.homeOf(digests[KEY_WORDS * i] as number);
      loaded ^= this.blockOf(home)[wordOf(home)] as number;
    }
    this.prefetched = loaded;
    for (let i = 0; i < count; i += 1) {
      try {
        firsts[i] = this.findOrAdd(KEY_WORDS * i, this.numberOf(row + i));
      } catch (error) {
        return { firsts: firsts.subarray(0, i), error };
      }
    }
    return { firsts: firsts.subarray(0, count), error: undefined };
  }

  /** The number of a row of the current input among the rows of all inputs. */
  private numberOf(row: number): number {
    const number = (this.inputs[0]?.before ?? 0) + row;
    this.last = number;
    if (number > 0xffff_ffff) throw this.limitError(number - 1);
    return number;
  }

  report(): DuplicateReport {
    const { blocks, groups } = this;
    const largest: Group[] = [];
    for (const block of groups === 0 ? [] : blocks) {
      for (let at = 0; block !== undefined && at < block.length; at += WORDS_PER_SLOT) {
        const repeats = (block[at + REPEATS] as number) >>> 0;
        if (repeats > 0) addGroup(largest, { first: (block[at + ROW] as number) >>> 0, rows: 1 + repeats });
      }
    }
    return {
      rows: this.repeated + groups,
      mailboxes: groups,
      largest: largest.map(({ first, rows }) => ({ first_row: this.nameOf(first), rows })),
    };
  }

  /** Names a row: by its number in the current input, or by the name of an input and the number there. */
  private nameOf(number: number): number | string {
    const at = this.inputs.findIndex(({ before }) => number > before);
    const { name, before } = this.inputs[at] as { name: string; before: number };
    return at === 0 && !this.hasKeys ? number - before : `${name}:${number - before}`;
  }

  /** Returns the number of the first row with the digest at `digests[from]`. If it is new, adds it for `row`. */
  private findOrAdd(from: number, row: number): number {
    const { digests } = this;
    const slot = this.findSlot(digests, from);
    const block = this.blockOf(slot);
    const at = wordOf(slot);
    const first = (block[at + ROW] as number) >>> 0;
    if (first !== 0) {
      if (first !== row && this.countsRepeats) this.addRepeat(block, at + REPEATS);
      return first;
    }
    if (this.mailboxes >= this.limit) throw this.limitError(row - 1);
    this.mailboxes += 1;
    for (let i = 0; i < KEY_WORDS; i += 1) block[at + i] = digests[from + i] as number;
    block[at + ROW] = row;
    if (this.mailboxes > MAX_LOAD * BLOCK_SLOTS * this.blocks.length) this.grow();
    return row;
  }

  private addRepeat(block: Int32Array, at: number): void {
    this.repeated += 1;
    if (block[at] === 0) this.groups += 1;
    block[at] = (block[at] as number) + 1;
  }

  /** Returns the slot with the digest at `words[from]`, or the empty slot where it belongs. */
  private findSlot(words: Int32Array, from: number): number {
    const end = BLOCK_SLOTS * this.blocks.length;
    for (let slot = this.homeOf(words[from] as number); ; slot = slot + 1 < end ? slot + 1 : 0) {
      const block = this.blockOf(slot);
      const at = wordOf(slot);
      if (block[at + ROW] === 0) return slot;
      if (block[at] !== words[from] || block[at + 1] !== words[from + 1]) continue;
      if (block[at + 2] === words[from + 2] && block[at + 3] === words[from + 3]) return slot;
    }
  }

  /** The slot where the search for a digest starts. */
  private homeOf(first: number): number {
    return Math.floor(((first >>> 0) / 2 ** 32) * BLOCK_SLOTS * this.blocks.length);
  }

  private blockOf(slot: number): Int32Array {
    const { blocks } = this;
    const block = blocks[slot >> BLOCK_SHIFT];
    if (block !== undefined) return block;
    const created = this.freeBlocks.pop()?.fill(0) ?? new Int32Array(WORDS_PER_SLOT * BLOCK_SLOTS);
    blocks[slot >> BLOCK_SHIFT] = created;
    return created;
  }

  private grow(): void {
    const { blocks } = this;
    this.blocks = Array.from({ length: Math.ceil(GROWTH * blocks.length) });
    for (const block of blocks) {
      if (block === undefined) continue;
      for (let from = 0; from < block.length; from += WORDS_PER_SLOT) {
        if (block[from + ROW] === 0) continue;
        const slot = this.findSlot(block, from);
        this.blockOf(slot).set(block.subarray(from, from + WORDS_PER_SLOT), wordOf(slot));
      }
      this.freeBlocks.push(block);
    }
  }
}

/** The index of a slot's first word in its block. */
function wordOf(slot: number): number {
  return WORDS_PER_SLOT * (slot & (BLOCK_SLOTS - 1));
}

/** Inserts a group into the largest ones, which are sorted. */
function addGroup(largest: Group[], group: Group): void {
  const smallest = largest[LARGEST - 1];
  if (smallest !== undefined && compareGroups(group, smallest) > 0) return;
  largest.push(group);
  largest.sort(compareGroups);
  largest.length = Math.min(largest.length, LARGEST);
}

function compareGroups(a: Group, b: Group): number {
  return b.rows - a.rows || a.first - b.first;
}

/** Multiplies the key by two in the field of 2^128 elements. */
function doubled(key: Int32Array): Int32Array {
  return key.map(
    (word, i) => (word << 1) ^ (i === 0 ? ((key[3] as number) >>> 31) * 0x87 : (key[i - 1] as number) >>> 31),
  );
}

/**
 * Computes the digest of `length` bytes from the word `start`: Chaskey with 8 rounds (Mouha et al., SAC 2014), a MAC
 * for 32-bit words. After its four words, `key` has the subkeys of a last block of 16 bytes and of a shorter one.
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

/** The word's first bytes plus the 0x01 padding bit. */
function padded(word: number, bytes: number): number {
  if (bytes >= 4) return word;
  return bytes < 0 ? 0 : (word & ((1 << (8 * bytes)) - 1)) | (1 << (8 * bytes));
}
