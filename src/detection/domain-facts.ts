// What the classifier knows of a domain: its fault, or its verdict, provider rule and octets; and a bounded cache of that by name.

import type { SyntaxCode } from "../address/faults.ts";
import type { ProviderRule } from "../address/providers.ts";
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
const WAYS = 2;

/**
 * A cache by the domain's octets as written, bounded in entries and of fixed size; longer names are not kept. Each hash has two
 * places.
 */
export class DomainCache {
  private turn = 0;
  private readonly mask: number;
  private readonly hashes: Int32Array;
  private readonly lengths: Uint8Array;
  private readonly keys: Uint8Array;
  private readonly facts: (DomainFacts | undefined)[];

  /** `entries` is rounded up to a power of two; each takes 53 octets and a reference. */
  constructor(entries: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(WAYS, entries)));
    this.mask = size - 1;
    this.hashes = new Int32Array(size);
    this.lengths = new Uint8Array(size);
    this.keys = new Uint8Array(size * KEY_LENGTH);
    this.facts = new Array<DomainFacts | undefined>(size).fill(undefined);
  }

  /** The facts kept for the octets, whose hash is `hash`. */
  get(hash: number, octets: Uint8Array, start: number, end: number): DomainFacts | undefined {
    const length = end - start;
    for (let way = 0; way < WAYS; way += 1) {
      const place = (hash ^ way) & this.mask;
      if (this.hashes[place] !== hash || this.lengths[place] !== length) continue;
      if (this.sameKey(place * KEY_LENGTH, octets, start, length)) return this.facts[place];
    }
    return undefined;
  }

  set(hash: number, octets: Uint8Array, start: number, end: number, facts: DomainFacts): void {
    const length = end - start;
    if (length > KEY_LENGTH || length === 0) return;
    // The two places are overwritten in turn, so that a newcomer drives out at most one of two hot names.
    this.turn ^= 1;
    const place = (this.lengths[hash & this.mask] === 0 ? hash : hash ^ this.turn) & this.mask;
    const key = place * KEY_LENGTH;
    for (let i = 0; i < length; i += 1) this.keys[key + i] = octets[start + i] as number;
    this.hashes[place] = hash;
    this.lengths[place] = length;
    this.facts[place] = facts;
  }

  private sameKey(key: number, octets: Uint8Array, start: number, length: number): boolean {
    for (let i = 0; i < length; i += 1) if (this.keys[key + i] !== octets[start + i]) return false;
    return true;
  }
}
