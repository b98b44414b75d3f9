// What finds rows in octets, as a port: lines and CSV records are read by the same reader.

import type { Pipeline } from "./pipeline.ts";

/** An address longer than this is not read (RFC 5321 allows 254 octets; this leaves room for anything on one line). */
export const ADDRESS_FIELD_MAX: number = 64 * 1024;

/** Finds rows and hands them to the pipeline. */
export interface Scanner {
  /**
   * Takes the rows that end between `start` and `end` of `octets`, until the pipeline is full; gives the index from which to
   * go on. `last`: nothing follows, so the last row may lack its line break.
   */
  take(octets: Uint8Array, start: number, end: number, last: boolean, pipeline: Pipeline): number;
  /** The index behind the last row that ends between `start` and `end`, or `start`. */
  boundary(octets: Uint8Array, start: number, end: number): number;
  /** The longest row that is held as a whole, in octets. */
  readonly rowMax: number;
}
