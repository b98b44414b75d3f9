// One address a line. A line over 64 KiB counts as one row, but is never held as a whole.

import { LF } from "../../base/bytes/ascii.ts";
import { findByte } from "../../base/bytes/bytes.ts";
import { ADDRESS_FIELD_MAX, Row, type RowTaker, type Scanner } from "./row.ts";

/** Finds lines, which end in LF or CR LF. */
export class LineScanner implements Scanner {
  private readonly row = new Row();
  /** Whether this is the rest of a line that was too long, and whether its bytes are shown. */
  private inLongLine: "no" | "dropped" | "shown" = "no";

  /** `showsLines`: the format returns the input lines, so a long line passes through in pieces. */
  constructor(private readonly showsLines: boolean) {}

  take(bytes: Uint8Array, start: number, end: number, last: boolean, taker: RowTaker): number {
    let from = start;
    while (!taker.full) {
      const lf = findByte(bytes, LF, from, end);
      if (lf === end) break;
      this.takeLine(bytes, from, lf, taker);
      from = lf + 1;
    }
    if (taker.full) return from;
    if (last && (end > from || this.inLongLine !== "no")) this.takeLine(bytes, from, end, taker);
    else if (end - from > ADDRESS_FIELD_MAX) this.takeLongPiece(bytes, from, end, taker);
    else return from;
    return end;
  }

  private takeLine(bytes: Uint8Array, start: number, lf: number, taker: RowTaker): void {
    if (this.inLongLine !== "no") {
      if (this.inLongLine === "shown") taker.passThrough(bytes.subarray(start, lf), true);
      this.inLongLine = "no";
      return;
    }
    this.place(bytes, start, lf, false);
    taker.row(this.row);
  }

  /** The beginning of a line whose end is not there yet. Its row is written now; the rest is shown or dropped. */
  private takeLongPiece(bytes: Uint8Array, start: number, end: number, taker: RowTaker): void {
    if (this.inLongLine === "no") {
      this.place(bytes, start, end, true);
      this.inLongLine = taker.row(this.row) && this.showsLines ? "shown" : "dropped";
    } else if (this.inLongLine === "shown") {
      taker.passThrough(bytes.subarray(start, end), false);
    }
  }

  private place(bytes: Uint8Array, start: number, end: number, continues: boolean): void {
    const { row } = this;
    row.placeLine(bytes, start, end);
    row.continues = continues;
    row.refused = end - start > ADDRESS_FIELD_MAX ? "line_too_long" : undefined;
    // Only this much of a longer line, because how much of it has arrived is chance.
    row.placeAddress(bytes, start, Math.min(end, start + ADDRESS_FIELD_MAX));
  }
}
