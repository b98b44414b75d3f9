// A fixed-size cache keyed by byte ranges. Keys over 56 bytes are not cached.

import { dataViewOf } from "./bytes.ts";

// An entry fills one 64-byte cache line: hash, length, key.
const ENTRY_LENGTH = 64;
const LENGTH_OFFSET = 4;
const KEY_OFFSET = 8;
const KEY_LENGTH: number = ENTRY_LENGTH - KEY_OFFSET;

/** A two-way set-associative cache, which evicts from each way in turn. */
export class ByteCache<Value> {
  private nextWay = 0;
  private hash = 0;
  private readonly mask: number;
  private readonly entries: DataView;
  private readonly values: (Value | undefined)[];
  private source: DataView = new DataView(new ArrayBuffer(0));

  /** Rounds `entries` up to a power of two. Each takes 64 bytes and a reference. */
  constructor(entries: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(2, entries)));
    this.mask = size - 1;
    this.entries = new DataView(new ArrayBuffer(size * ENTRY_LENGTH));
    this.values = new Array<Value | undefined>(size).fill(undefined);
  }

  get(bytes: Uint8Array, start: number, end: number): Value | undefined {
    this.source = dataViewOf(bytes);
    this.hash = this.hashOf(start, end);
    const slot = this.hash & this.mask;
    if (this.matches(slot, start, end)) return this.values[slot];
    return this.matches(slot ^ 1, start, end) ? this.values[slot ^ 1] : undefined;
  }

  /** Caches a value for the key of the last `get`. */
  set(start: number, end: number, value: Value): void {
    const length = end - start;
    if (length > KEY_LENGTH || length === 0) return;
    this.nextWay ^= 1;
    const firstSlot = this.hash & this.mask;
    const isFree = this.entries.getUint8(firstSlot * ENTRY_LENGTH + LENGTH_OFFSET) === 0;
    const slot = isFree ? firstSlot : firstSlot ^ this.nextWay;
    const offset = slot * ENTRY_LENGTH;
    this.entries.setInt32(offset, this.hash, true);
    this.entries.setUint8(offset + LENGTH_OFFSET, length);
    const shift = offset + KEY_OFFSET - start;
    let i = start;
    for (; i + 4 <= end; i += 4) this.entries.setInt32(i + shift, this.source.getInt32(i, true), true);
    for (; i < end; i += 1) this.entries.setUint8(i + shift, this.source.getUint8(i));
    this.values[slot] = value;
  }

  private hashOf(start: number, end: number): number {
    const { source } = this;
    let hash = end - start;
    let i = start;
    for (; i + 4 <= end; i += 4) hash = Math.imul(hash ^ source.getInt32(i, true), 0x5bd1e995) ^ (hash >>> 15);
    for (; i < end; i += 1) hash = Math.imul(hash ^ source.getUint8(i), 0x01000193);
    return hash ^ (hash >>> 13);
  }

  private matches(slot: number, start: number, end: number): boolean {
    const { source, entries } = this;
    const offset = slot * ENTRY_LENGTH;
    if (entries.getInt32(offset, true) !== this.hash || entries.getUint8(offset + LENGTH_OFFSET) !== end - start)
      return false;
    const shift = offset + KEY_OFFSET - start;
    let i = start;
    for (; i + 4 <= end; i += 4) if (source.getInt32(i, true) !== entries.getInt32(i + shift, true)) return false;
    for (; i < end; i += 1) if (source.getUint8(i) !== entries.getUint8(i + shift)) return false;
    return true;
  }
}
