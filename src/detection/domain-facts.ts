// What the classifier knows of a domain: its fault, or its verdict, provider rule and octets; and a bounded cache of that by name.

import type { SyntaxCode } from "../address/faults.ts";
import type { ProviderRule } from "../address/providers.ts";
import { wordsOf } from "../address/words.ts";
import type { DomainVerdict } from "./verdict.ts";

/** Everything that depends on the domain alone. */
export interface DomainFacts {
  readonly fault: SyntaxCode | undefined;
  /** Octets from the start of the domain. */
  readonly faultOffset: number;
  readonly verdict: DomainVerdict;
  readonly provider: ProviderRule;
  /** `detail@user.example.com`: the first label is the user. */
  readonly userSubdomain: boolean;
  /** The domain in A-labels where that is not the input in lower case. */
  readonly mapped: Uint8Array | undefined;
}

const KEY_LENGTH = 48;

/**
 * A cache by the domain's octets as written, bounded in entries and of fixed size; longer names are not kept. Each hash has two
 * places. Octets are hashed and compared by the word: names are short, and each octet on its own costs as much as a word.
 */
export class DomainCache {
  private turn = 0;
  private hash = 0;
  private readonly mask: number;
  private readonly hashes: Int32Array;
  private readonly lengths: Uint8Array;
  private readonly keys: DataView;
  private readonly facts: (DomainFacts | undefined)[];
  private words: DataView = new DataView(new ArrayBuffer(0));

  /** `entries` is rounded up to a power of two; each takes 53 octets and a reference. */
  constructor(entries: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(2, entries)));
    this.mask = size - 1;
    this.hashes = new Int32Array(size);
    this.lengths = new Uint8Array(size);
    this.keys = new DataView(new ArrayBuffer(size * KEY_LENGTH));
    this.facts = new Array<DomainFacts | undefined>(size).fill(undefined);
  }

  /** The facts kept for the octets between `start` and `end`. */
  get(octets: Uint8Array, start: number, end: number): DomainFacts | undefined {
    this.words = wordsOf(octets);
    this.hash = this.hashOf(start, end);
    const place = this.hash & this.mask;
    if (this.holds(place, start, end)) return this.facts[place];
    return this.holds(place ^ 1, start, end) ? this.facts[place ^ 1] : undefined;
  }

  /** Keeps the facts of the octets that `get` was asked for last. */
  set(octets: Uint8Array, start: number, end: number, facts: DomainFacts): void {
    const length = end - start;
    if (length > KEY_LENGTH || length === 0) return;
    // The two places are overwritten in turn, so that a newcomer drives out at most one of two hot names.
    this.turn ^= 1;
    const first = this.hash & this.mask;
    const place = this.lengths[first] === 0 ? first : first ^ this.turn;
    for (let i = 0; i < length; i += 1) this.keys.setUint8(place * KEY_LENGTH + i, octets[start + i] as number);
    this.hashes[place] = this.hash;
    this.lengths[place] = length;
    this.facts[place] = facts;
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
    if (this.hashes[place] !== this.hash || this.lengths[place] !== end - start) return false;
    const { words, keys } = this;
    const shift = place * KEY_LENGTH - start;
    let i = start;
    for (; i + 4 <= end; i += 4) if (words.getInt32(i, true) !== keys.getInt32(i + shift, true)) return false;
    for (; i < end; i += 1) if (words.getUint8(i) !== keys.getUint8(i + shift)) return false;
    return true;
  }
}
