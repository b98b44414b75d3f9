// A cache of fixed size by the bytes between two indexes; long names are not kept.

import { wordsOf } from "./bytes.ts";

// An entry fills one line of the processor's cache: hash, length, name.
const ENTRY_LENGTH = 64;
const LENGTH_AT = 4;
const KEY_AT = 8;
const KEY_LENGTH: number = ENTRY_LENGTH - KEY_AT;

/** Each hash has two places. */
export class ByteCache<Value> {
  private turn = 0;
  private hash = 0;
  private readonly mask: number;
  private readonly entries: DataView;
  private readonly values: (Value | undefined)[];
  private words: DataView = new DataView(new ArrayBuffer(0));

  /** `entries` is rounded up to a power of two; each takes 64 bytes and a reference. */
  constructor(entries: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(2, entries)));
    this.mask = size - 1;
    this.entries = new DataView(new ArrayBuffer(size * ENTRY_LENGTH));
    this.values = new Array<Value | undefined>(size).fill(undefined);
  }

  get(bytes: Uint8Array, start: number, end: number): Value | undefined {
    this.words = wordsOf(bytes);
    this.hash = this.hashOf(start, end);
    const place = this.hash & this.mask;
    if (this.holds(place, start, end)) return this.values[place];
    return this.holds(place ^ 1, start, end) ? this.values[place ^ 1] : undefined;
  }

  /** Keeps the value of the bytes that were looked for last. */
  set(start: number, end: number, value: Value): void {
    const length = end - start;
    if (length > KEY_LENGTH || length === 0) return;
    // The two places are replaced in turn, so that a new name removes at most one of two frequent ones.
    this.turn ^= 1;
    const first = this.hash & this.mask;
    const free = this.entries.getUint8(first * ENTRY_LENGTH + LENGTH_AT) === 0;
    const place = free ? first : first ^ this.turn;
    const at = place * ENTRY_LENGTH;
    this.entries.setInt32(at, this.hash, true);
    this.entries.setUint8(at + LENGTH_AT, length);
    const shift = at + KEY_AT - start;
    let i = start;
    for (; i + 4 <= end; i += 4) this.entries.setInt32(i + shift, this.words.getInt32(i, true), true);
    for (; i < end; i += 1) this.entries.setUint8(i + shift, this.words.getUint8(i));
    this.values[place] = value;
  }

  private hashOf(start: number, end: number): number {
    const { words } = this;
    let hash = end - start;
    let i = start;
    for (; i + 4 <= end; i += 4) hash = Math.imul(hash ^ words.getInt32(i, true), 0x5bd1e995) ^ (hash >>> 15);
    for (; i < end; i += 1) hash = Math.imul(hash ^ words.getUint8(i), 0x01000193);
    return hash ^ (hash >>> 13);
  }

  private holds(place: number, start: number, end: number): boolean {
    const { words, entries } = this;
    const at = place * ENTRY_LENGTH;
    if (entries.getInt32(at, true) !== this.hash || entries.getUint8(at + LENGTH_AT) !== end - start) return false;
    const shift = at + KEY_AT - start;
    let i = start;
    for (; i + 4 <= end; i += 4) if (words.getInt32(i, true) !== entries.getInt32(i + shift, true)) return false;
    for (; i < end; i += 1) if (words.getUint8(i) !== entries.getUint8(i + shift)) return false;
    return true;
  }
}
