// The port of the scanners, which find rows in bytes: one reader reads lines and CSV records.

import type { Irregularity } from "./irregularities.ts";
import type { Row } from "./row.ts";

/** An address longer than this is not read (RFC 5321 allows 254 octets; this leaves room for anything on one line). */
export const ADDRESS_FIELD_MAX: number = 64 * 1024;

/** Takes rows as they are found. */
export interface RowTaker {
  /** True when the taker wants no more rows for now. */
  readonly full: boolean;
  /** Number of the last row taken. */
  readonly rowNumber: number;
  /** Takes a row; true when it is shown. */
  row(row: Row): boolean;
  /** Takes a row that is too long to be an address; true when it is shown. */
  tooLong(row: Row): boolean;
  /** Takes a row whose line is not what each line must be; true when it is shown. */
  broken(row: Row): boolean;
  /** Takes a row with several addresses: its line as many times, each with one of them. True when it is shown. */
  several(rows: readonly Row[]): boolean;
  /** Notes that the next row is irregular. */
  irregular(kind: Irregularity): void;
  /** Bytes that go into the output unchanged, where the format shows the input itself. */
  passThrough(bytes: Uint8Array, endsLine: boolean): void;
}

/** Finds one of several addresses. */
export interface PlacesAddress {
  /** Sets the row's address, which stands somewhere in its line; empty, or null, where it is missing. */
  place(row: Row): void;
}

/**
 * Finds rows and gives them to a taker. When a row does not end in the bytes, the next call gets it again from its
 * beginning, with more bytes. So a scanner may remember how much of it is scanned.
 */
export interface Scanner {
  /**
   * Takes the rows that end between `start` and `end` of `bytes`, until the taker is full; gives the index where the
   * next call continues. `last`: nothing follows, so the last row may lack its line break.
   */
  take(bytes: Uint8Array, start: number, end: number, last: boolean, taker: RowTaker): number;
}
