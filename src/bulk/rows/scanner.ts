// What finds rows in octets, as a port: lines and CSV records are read by the same reader.

import type { Irregularity } from "./irregularities.ts";
import type { Row } from "./row.ts";

/** An address longer than this is not read (RFC 5321 allows 254 octets; this leaves room for anything on one line). */
export const ADDRESS_FIELD_MAX: number = 64 * 1024;

/** Takes rows as they are found. */
export interface RowTaker {
  /** True when no more rows should come for now. */
  readonly full: boolean;
  /** Number of the row taken last. */
  readonly rowNumber: number;
  /** Takes a row; true when it is shown. */
  row(row: Row): boolean;
  /** Takes a row that is too long to be an address; true when it is shown. */
  tooLong(row: Row): boolean;
  /** Notes that the row to be taken next is not as it should be. */
  irregular(kind: Irregularity): void;
  /** Octets that stand in the output as they are, where the format shows the input itself. */
  passThrough(octets: Uint8Array, endsLine: boolean): void;
}

/**
 * Finds rows and hands them on. A row that does not end in sight is given again from its beginning, with more of it, by the next
 * call: so the scanner may remember how much of it is known already.
 */
export interface Scanner {
  /**
   * Takes the rows that end between `start` and `end` of `octets`, until the taker is full; gives the index from which to
   * go on. `last`: nothing follows, so the last row may lack its line break.
   */
  take(octets: Uint8Array, start: number, end: number, last: boolean, taker: RowTaker): number;
  /** The index behind the last row that ends between `start` and `end`, or `start`. */
  boundary(octets: Uint8Array, start: number, end: number): number;
}
