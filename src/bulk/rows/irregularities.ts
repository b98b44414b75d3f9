// Rows that were taken although something was wrong with them: how many, and where the first ones are.

/**
 * A record of another width than the header, a line or field over 64 KiB, an address with bytes that are not UTF-8, a line that
 * seems to be several lines ending in CR only, a line that is not a JSON object, an object that has an added key already, several addresses in one place; a row
 * that --fail-on looks for.
 */
export type Irregularity =
  | "ragged"
  | "too_long"
  | "not_utf8"
  | "bare_cr"
  | "no_object"
  | "key_taken"
  | "several"
  | "failing";

/** How many rows, and the numbers of the first ones. */
export interface IrregularRows {
  count: number;
  readonly first: number[];
}

const FIRST = 5;

/** Counts irregular rows by kind; memory is bounded. */
export class Irregularities {
  readonly byKind: Map<Irregularity, IrregularRows> = new Map();

  add(kind: Irregularity, row: number): void {
    const rows = this.byKind.get(kind) ?? { count: 0, first: [] };
    if (rows.count === 0) this.byKind.set(kind, rows);
    rows.count += 1;
    if (rows.first.length < FIRST) rows.first.push(row);
  }
}
