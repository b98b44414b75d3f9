// Everything that a detection needs to know of a domain, and a bounded cache of it by name.

import type { SyntaxCode } from "../../address/faults.ts";
import type { ProviderRule } from "../../address/providers.ts";
import { wordsOf } from "../../base/bytes/bytes.ts";
import type { DomainVerdict } from "../verdict.ts";

export interface DomainFacts {
  readonly fault: SyntaxCode | undefined;
  /** Bytes from the start of the domain. */
  readonly faultOffset: number;
  readonly verdict: DomainVerdict;
  readonly provider: ProviderRule;
  /** `detail@user.example.com`: the first label is the user. */
  readonly userSubdomain: boolean;
  /** Mailboxes at this domain may have their own overrides. */
  readonly mailboxes: boolean;
  /** The domain in A-labels, when that is not the input in lower case. */
  readonly mapped: Uint8Array | undefined;
  readonly shared: boolean;
}

// An entry fills one line of the processor's cache: hash, length, number of the facts, rows, name.
const ENTRY_LENGTH = 64;
const LENGTH_AT = 4;
const NUMBER_AT = 6;
const ROWS_AT = 8;
const KEY_AT = 12;
const KEY_LENGTH: number = ENTRY_LENGTH - KEY_AT;
/** The number of facts that belong to one domain only and are kept beside its entry; also of a free entry. */
const OWN = 0;
const NUMBER_MAX = 0xffff;

const NOWHERE = -1;

/** Receives a domain as written, between `start` and `end`, and the number of rows that had it. */
export type TakeRows = (bytes: Uint8Array, start: number, end: number, rows: number, facts: DomainFacts) => void;

/** A cache of fixed size by the domain's bytes as written; long names are not kept. Each hash has two places. */
export class DomainCache {
  private turn = 0;
  private hash = 0;
  private readonly mask: number;
  private readonly bytes: Uint8Array;
  private readonly entries: DataView;
  /** Facts that many domains share, by number from 1 on: few, so they stay in the processor's cache. */
  private readonly common: (DomainFacts | undefined)[] = [undefined];
  private readonly numbers: Map<DomainFacts, number> = new Map();
  private readonly own: (DomainFacts | undefined)[];
  private words: DataView = new DataView(new ArrayBuffer(0));
  private place = NOWHERE;
  private takeRows: TakeRows | undefined;

  /** `entries` is rounded up to a power of two; each takes 64 bytes and a reference. */
  constructor(entries: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(2, entries)));
    this.mask = size - 1;
    this.bytes = new Uint8Array(size * ENTRY_LENGTH);
    this.entries = new DataView(this.bytes.buffer);
    this.own = new Array<DomainFacts | undefined>(size).fill(undefined);
  }

  get(bytes: Uint8Array, start: number, end: number): DomainFacts | undefined {
    this.words = wordsOf(bytes);
    this.hash = this.hashOf(start, end);
    const place = this.hash & this.mask;
    if (this.holds(place, start, end)) {
      this.place = place;
      return this.factsAt(place);
    }
    if (!this.holds(place ^ 1, start, end)) return undefined;
    this.place = place ^ 1;
    return this.factsAt(place ^ 1);
  }

  countRows(takeRows: TakeRows): void {
    this.takeRows = takeRows;
  }

  /** Counts a row of the domain of the last `get` or `set`; false when that is not kept. */
  countRow(): boolean {
    if (this.place === NOWHERE) return false;
    const at = this.place * ENTRY_LENGTH + ROWS_AT;
    this.entries.setUint32(at, this.entries.getUint32(at, true) + 1, true);
    return true;
  }

  flush(): void {
    for (let place = 0; place <= this.mask; place += 1) this.giveRows(place);
  }

  private giveRows(place: number): void {
    const at = place * ENTRY_LENGTH;
    const rows = this.entries.getUint32(at + ROWS_AT, true);
    if (rows === 0) return;
    this.entries.setUint32(at + ROWS_AT, 0, true);
    const start = at + KEY_AT;
    const length = this.entries.getUint8(at + LENGTH_AT);
    this.takeRows?.(this.bytes, start, start + length, rows, this.factsAt(place) as DomainFacts);
  }

  set(start: number, end: number, facts: DomainFacts): void {
    const length = end - start;
    this.place = NOWHERE;
    if (length > KEY_LENGTH || length === 0) return;
    // The two places are replaced in turn, so that a new name removes at most one of two frequent ones.
    this.turn ^= 1;
    const first = this.hash & this.mask;
    const free = this.entries.getUint8(first * ENTRY_LENGTH + LENGTH_AT) === 0;
    const place = free ? first : first ^ this.turn;
    this.place = place;
    if (this.takeRows !== undefined) this.giveRows(place);
    const at = place * ENTRY_LENGTH;
    const number = facts.shared ? this.numberOf(facts) : OWN;
    this.entries.setInt32(at, this.hash, true);
    this.entries.setUint8(at + LENGTH_AT, length);
    this.entries.setUint16(at + NUMBER_AT, number, true);
    const shift = at + KEY_AT - start;
    let i = start;
    for (; i + 4 <= end; i += 4) this.entries.setInt32(i + shift, this.words.getInt32(i, true), true);
    for (; i < end; i += 1) this.entries.setUint8(i + shift, this.words.getUint8(i));
    if (number === OWN) this.own[place] = facts;
  }

  private factsAt(place: number): DomainFacts | undefined {
    const number = this.entries.getUint16(place * ENTRY_LENGTH + NUMBER_AT, true);
    return number === OWN ? this.own[place] : this.common[number];
  }

  private numberOf(facts: DomainFacts): number {
    const known = this.numbers.get(facts);
    if (known !== undefined) return known;
    const number = this.common.length;
    if (number > NUMBER_MAX) return OWN;
    this.common.push(facts);
    this.numbers.set(facts, number);
    return number;
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
