// The most frequent names among any number, in memory that does not grow: space-saving (Metwally, Agrawal, El Abbadi
// 2005) in small sets. In a full set, a new name replaces the rarest one and continues its count, which is kept as the
// possible error.

import { decodeUtf8, LOWER, wordsOf } from "../base/bytes/bytes.ts";
import type { Counted } from "./summary.ts";

const SETS = 4096;
const WAYS = 8;
const SLOTS = SETS * WAYS;
/** A longer name is not counted. */
const NAME_MAX = 64;
// The bit that letter case is in, in each byte of a word. No two bytes of domains differ in it otherwise.
const CASE = 0x20202020;

export class HeavyHitters {
  private readonly hashes: Int32Array = new Int32Array(SLOTS);
  private readonly counts: Float64Array = new Float64Array(SLOTS);
  private readonly errors: Float64Array = new Float64Array(SLOTS);
  private readonly lengths: Uint8Array = new Uint8Array(SLOTS);
  private readonly names: Uint8Array = new Uint8Array(SLOTS * NAME_MAX);
  private readonly kept: DataView = new DataView(this.names.buffer);

  /** Counts the name between `start` and `end`; letter case does not matter. */
  add(bytes: Uint8Array, start: number, end: number, rows = 1): void {
    const length = end - start;
    if (length > NAME_MAX || length === 0) return;
    const words = wordsOf(bytes);
    const hash = hashOf(words, start, end);
    const first = (hash & (SETS - 1)) * WAYS;
    let rarest = first;
    for (let slot = first; slot < first + WAYS; slot += 1) {
      if (this.hashes[slot] === hash && this.lengths[slot] === length && this.holds(slot, words, start, length)) {
        this.counts[slot] = (this.counts[slot] as number) + rows;
        return;
      }
      if ((this.counts[slot] as number) < (this.counts[rarest] as number)) rarest = slot;
    }
    this.replace(rarest, hash, bytes, start, length);
    this.counts[rarest] = (this.counts[rarest] as number) + rows;
  }

  /** The names that certainly have the most rows, at most `limit`, and these rows. */
  top(limit: number): Counted[] {
    return Array.from(this.counts.keys())
      .map((slot) => ({ slot, rows: (this.counts[slot] as number) - (this.errors[slot] as number) }))
      .filter(({ rows }) => rows > 0)
      .sort((a, b) => b.rows - a.rows || a.slot - b.slot)
      .slice(0, limit)
      .map(({ slot, rows }) => {
        const start = slot * NAME_MAX;
        return { name: decodeUtf8(this.names, start, start + (this.lengths[slot] as number)), rows };
      });
  }

  private holds(slot: number, words: DataView, start: number, length: number): boolean {
    const { kept } = this;
    const at = slot * NAME_MAX;
    let i = 0;
    for (; i + 4 <= length; i += 4) {
      if (((words.getInt32(start + i, true) ^ kept.getInt32(at + i, true)) & ~CASE) !== 0) return false;
    }
    for (; i < length; i += 1) {
      if (((words.getUint8(start + i) ^ kept.getUint8(at + i)) & ~0x20) !== 0) return false;
    }
    return true;
  }

  private replace(slot: number, hash: number, bytes: Uint8Array, start: number, length: number): void {
    const before = this.counts[slot] as number;
    this.hashes[slot] = hash;
    this.errors[slot] = before;
    this.lengths[slot] = length;
    const at = slot * NAME_MAX;
    for (let i = 0; i < length; i += 1) this.names[at + i] = LOWER[bytes[start + i] as number] as number;
  }
}

/** Hashes four bytes at a time, without letter case. */
function hashOf(words: DataView, start: number, end: number): number {
  let hash = end - start;
  let i = start;
  for (; i + 4 <= end; i += 4) hash = Math.imul(hash ^ (words.getInt32(i, true) | CASE), 0x5bd1e995) ^ (hash >>> 15);
  for (; i < end; i += 1) hash = Math.imul(hash ^ (words.getUint8(i) | 0x20), 0x01000193);
  return hash ^ (hash >>> 13);
}
