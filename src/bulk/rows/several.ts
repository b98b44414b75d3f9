// Rows with several addresses: the scanner of the first one finds each row, and the others are looked for in its line.

import type { SyntaxCode } from "../../address/faults.ts";
import type { Irregularity } from "./irregularities.ts";
import { Row } from "./row.ts";
import { ADDRESS_FIELD_MAX, type PlacesAddress, type RowTaker, type Scanner } from "./scanner.ts";

/** Finds rows with several addresses. */
export class SeveralScanner implements Scanner {
  /** `first` finds the first address of each row. */
  constructor(
    private readonly first: Scanner,
    private readonly others: readonly PlacesAddress[],
  ) {}

  take(bytes: Uint8Array, start: number, end: number, last: boolean, taker: RowTaker): number {
    return this.first.take(bytes, start, end, last, new SeveralTaker(this.others, taker));
  }
}

/** Takes rows with their first address and gives them on with all. */
class SeveralTaker implements RowTaker {
  private readonly rows: Row[];

  constructor(
    private readonly others: readonly PlacesAddress[],
    private readonly taker: RowTaker,
  ) {
    this.rows = [new Row(), ...others.map(() => new Row())];
  }

  get full(): boolean {
    return this.taker.full;
  }

  get rowNumber(): number {
    return this.taker.rowNumber;
  }

  row(row: Row): boolean {
    return this.all(row, undefined);
  }

  tooLong(row: Row): boolean {
    return this.all(row, "line_too_long");
  }

  broken(row: Row): boolean {
    row.refused = "not_an_object";
    return this.several([row, ...this.others.map(() => row)]);
  }

  several(rows: readonly Row[]): boolean {
    return this.taker.several(rows);
  }

  irregular(kind: Irregularity): void {
    this.taker.irregular(kind);
  }

  passThrough(bytes: Uint8Array, endsLine: boolean): void {
    this.taker.passThrough(bytes, endsLine);
  }

  private all(first: Row, refused: SyntaxCode | undefined): boolean {
    const { rows } = this;
    first.refused = refused;
    rows[0] = first;
    for (const [index, other] of this.others.entries()) {
      const row = rows[index + 1] as Row;
      row.takeLine(first);
      other.place(row);
      row.refused = row.end - row.start > ADDRESS_FIELD_MAX ? "line_too_long" : undefined;
    }
    return this.several(rows);
  }
}
