// One address a line. A line over 64 KiB counts as one row, but is never held as a whole.

import { LF } from "../../base/bytes/ascii.ts";
import { findByte } from "../../base/bytes/bytes.ts";
import { MAX_ADDRESS_BYTES, Row, type RowSink, type Scanner } from "./row.ts";

/** Finds lines, which end in LF or CR LF. */
export class LineScanner implements Scanner {
  private readonly row = new Row();
  /** Whether this is the rest of a line that was too long, and whether its bytes are shown. */
  private longLine: "no" | "dropped" | "shown" = "no";

  /** `showsLines`: the format returns the input lines, so a long line passes through in pieces. */
  constructor(private readonly echoesLines: boolean) {}

  scan(bytes: Uint8Array, start: number, end: number, last: boolean, sink: RowSink): number {
    let from = start;
    while (!sink.isFull) {
      const lf = findByte(bytes, LF, from, end);
      if (lf === end) break;
      this.scanLine(bytes, from, lf, sink);
      from = lf + 1;
    }
    if (sink.isFull) return from;
    if (last && (end > from || this.longLine !== "no")) this.scanLine(bytes, from, end, sink);
    else if (end - from > MAX_ADDRESS_BYTES) this.scanLongLineChunk(bytes, from, end, sink);
    else return from;
    return end;
  }

  private scanLine(bytes: Uint8Array, start: number, lf: number, sink: RowSink): void {
    if (this.longLine !== "no") {
      if (this.longLine === "shown") sink.passThrough(bytes.subarray(start, lf), true);
      this.longLine = "no";
      return;
    }
    this.setRow(bytes, start, lf, false);
    sink.accept(this.row);
  }

  /** The beginning of a line whose end is not there yet. Its row is written now; the rest is shown or dropped. */
  private scanLongLineChunk(bytes: Uint8Array, start: number, end: number, sink: RowSink): void {
    if (this.longLine === "no") {
      this.setRow(bytes, start, end, true);
      this.longLine = sink.accept(this.row) && this.echoesLines ? "shown" : "dropped";
    } else if (this.longLine === "shown") {
      sink.passThrough(bytes.subarray(start, end), false);
    }
  }

  private setRow(bytes: Uint8Array, start: number, end: number, continues: boolean): void {
    const { row } = this;
    row.setLine(bytes, start, end);
    row.isPartialLine = continues;
    row.readFault = end - start > MAX_ADDRESS_BYTES ? "line_too_long" : undefined;
    // Only this much of a longer line, because how much of it has arrived is chance.
    row.setAddress(bytes, start, Math.min(end, start + MAX_ADDRESS_BYTES));
  }
}
