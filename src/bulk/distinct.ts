// How many different names there were, in constant memory: exact while they are few, then estimated within about one percent.

import { LOWER } from "../bytes/octets.ts";

/** A count as plain values, to be sent from a worker: the hashes, or what is left of them. */
export type DistinctState = readonly number[] | Uint8Array;

/** Names counted exactly; 32-bit hashes of so few collide in one run of a thousand. */
const EXACT_MAX = 2048;
// HyperLogLog (Flajolet and others, 2007): with 2^14 registers the standard error is 1.04 / 2^7, 0.8 percent.
const INDEX_BITS = 14;
const REGISTERS = 1 << INDEX_BITS;
const ALPHA = 0.7213 / (1 + 1.079 / REGISTERS);

/** Counts different names. */
export class Distinct {
  private hashes = new Set<number>();
  private registers: Uint8Array | undefined;

  /** Counts a name, in either letter case. */
  add(octets: Uint8Array, start: number, end: number): void {
    this.addHash(hashOf(octets, start, end));
  }

  /** How many different names there were. */
  get count(): number {
    if (this.registers === undefined) return this.hashes.size;
    let sum = 0;
    let empty = 0;
    for (const rank of this.registers) {
      sum += 2 ** -rank;
      if (rank === 0) empty += 1;
    }
    const raw = (ALPHA * REGISTERS * REGISTERS) / sum;
    const few = raw <= 2.5 * REGISTERS && empty > 0;
    return Math.round(few ? REGISTERS * Math.log(REGISTERS / empty) : -(2 ** 32) * Math.log1p(-raw / 2 ** 32));
  }

  /** What was counted so far; the count begins anew. */
  take(): DistinctState {
    const state = this.registers ?? [...this.hashes];
    this.registers = undefined;
    this.hashes = new Set();
    return state;
  }

  /** Adds what was counted elsewhere. */
  merge(state: DistinctState): void {
    if (!(state instanceof Uint8Array)) {
      for (const hash of state) this.addHash(hash);
      return;
    }
    const registers = this.estimate();
    for (const [i, rank] of state.entries()) registers[i] = Math.max(registers[i] as number, rank);
  }

  private addHash(hash: number): void {
    if (this.registers !== undefined) {
      note(this.registers, hash);
      return;
    }
    this.hashes.add(hash);
    if (this.hashes.size > EXACT_MAX) this.estimate();
  }

  private estimate(): Uint8Array {
    if (this.registers === undefined) {
      this.registers = new Uint8Array(REGISTERS);
      for (const hash of this.hashes) note(this.registers, hash);
      this.hashes.clear();
    }
    return this.registers;
  }
}

/** The rank is the place of the first bit behind the index. */
function note(registers: Uint8Array, hash: number): void {
  const index = hash & (REGISTERS - 1);
  const rank = Math.min(Math.clz32(hash & ~(REGISTERS - 1)) + 1, 33 - INDEX_BITS);
  if (rank > (registers[index] as number)) registers[index] = rank;
}

/** FNV-1a with the final mixing of MurmurHash3, without which its high bits are poor. */
function hashOf(octets: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i += 1) hash = Math.imul(hash ^ (LOWER[octets[i] as number] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
