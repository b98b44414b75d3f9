// Overrides as a compiled table: a one-off finds one in a few kilobytes, however many there are. It is made from the overrides'
// records, and says from which state of their file.

import { encodeUtf8 } from "../base/bytes/octets.ts";
import { hashName, KIND, type TableEntry, TableReader, type TableSource, writeTable } from "./format.ts";
import { type Override, type OverrideIndex, OverrideMap } from "./overrides.ts";

/** What tells one state of the records' file from the next. */
export interface RecordsState {
  readonly modifiedMs: number;
  readonly octets: number;
}

/** One decision as it is kept in the table. */
export interface TimedOverride extends Override {
  readonly entry: string;
  /** Milliseconds since 1970; without it the decision does not end. */
  readonly expiresMs?: number;
}

// No override has this name. Its attributes are the state.
const STATE = encodeUtf8("*");
const NAME_MAX = 255;

/** Compiles decisions. */
export function compileOverrides(overrides: readonly TimedOverride[], state: RecordsState): Uint8Array {
  const entries = overrides.map(({ entry, disposable, expiresMs = Number.POSITIVE_INFINITY }): TableEntry => {
    return { kind: KIND.override, name: encodeUtf8(entry), attributes: packNumbers(disposable ? 1 : 0, expiresMs) };
  });
  const stateEntry = { kind: KIND.override, name: STATE, attributes: packNumbers(state.modifiedMs, state.octets) };
  return writeTable([...entries, stateEntry], overrides);
}

/** Decisions in a compiled table. All methods throw AddrsiftError DATA for damage. */
export class CompiledOverrides implements OverrideIndex {
  readonly size: number;
  private readonly reader: TableReader;
  private readonly nowMs: number;

  /** Decisions that have expired at `nowMs` do not count. */
  constructor(source: TableSource, nowMs: number) {
    this.reader = new TableReader(source);
    this.size = this.reader.entryCount - 1;
    this.nowMs = nowMs;
  }

  /** True when the table was made from the records in this state. */
  isOf({ modifiedMs, octets }: RecordsState): boolean {
    const found = this.numbersOf(STATE);
    return found !== undefined && found[0] === modifiedMs && found[1] === octets;
  }

  get(name: string): Override | undefined {
    const octets = encodeUtf8(name);
    const numbers = octets.length > NAME_MAX ? undefined : this.numbersOf(octets);
    return numbers === undefined || numbers[1] <= this.nowMs ? undefined : { disposable: numbers[0] === 1 };
  }

  /** Asking costs no more than looking. */
  mayHaveMailboxes(): boolean {
    return true;
  }

  /** All decisions, with their details, of a whole table, which is checked. */
  readAll(): readonly TimedOverride[] {
    this.reader.verify();
    return this.reader.meta() as readonly TimedOverride[];
  }

  private numbersOf(name: Uint8Array): readonly [number, number] | undefined {
    const at = this.reader.find(KIND.override, hashName(KIND.override, name, 0, name.length), name, 0, name.length);
    if (at < 0) return undefined;
    const { buffer, byteOffset } = this.reader.octets;
    const view = new DataView(buffer, byteOffset + at, 16);
    return [view.getFloat64(0, true), view.getFloat64(8, true)];
  }
}

/** The decisions that have not expired at `nowMs`. */
export function overridesAt(nowMs: number, overrides: readonly TimedOverride[]): OverrideMap {
  const inForce = overrides.filter(({ expiresMs = Number.POSITIVE_INFINITY }) => expiresMs > nowMs);
  return new OverrideMap(
    new Map(
      inForce.map(({ entry, disposable, detail }) => [
        entry,
        { disposable, ...(detail === undefined ? {} : { detail }) },
      ]),
    ),
  );
}

/** When the next decision expires after `nowMs`; infinite when none does. */
export function nextExpiry(nowMs: number, overrides: readonly TimedOverride[]): number {
  const times = overrides.map(({ expiresMs = Number.POSITIVE_INFINITY }) => expiresMs).filter((ms) => ms > nowMs);
  return times.reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY);
}

function packNumbers(first: number, second: number): Uint8Array {
  const octets = new Uint8Array(16);
  const view = new DataView(octets.buffer);
  view.setFloat64(0, first, true);
  view.setFloat64(8, second, true);
  return octets;
}
