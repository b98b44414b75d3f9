// Finds the address of each line. A line over 64 KiB is one row, but is processed in chunks and never buffered whole.

import { LF } from "../../base/bytes/ascii.ts";
import { findByte } from "../../base/bytes/bytes.ts";
import { MAX_ADDRESS_BYTES, Row, type RowSink, type Scanner } from "./row.ts";

/** Finds lines that end in LF or CR LF. */
export class LineScanner implements Scanner {
  private readonly row = new Row();
  /** `none` unless the next bytes continue a long line. Then, whether the output contains that line. */
  private longLine: "none" | "dropped" | "echoed" = "none";

  /** `echoesLines`: the format echoes input lines, so the chunks of a long line pass through. */
  constructor(private readonly echoesLines: boolean) {}

  scan(bytes: Uint8Array, start: number, end: number, isLast: boolean, sink: RowSink): number {
    let from = start;
    while (!sink.isFull) {
      const lf = findByte(bytes, LF, from, end);
      if (lf === end) break;
      this.scanLine(bytes, from, lf, sink);
      from = lf + 1;
    }
    if (sink.isFull) return from;
    if (isLast && (end > from || this.longLine !== "none")) this.scanLine(bytes, from, end, sink);
    else if (end - from > MAX_ADDRESS_BYTES) this.scanLongLineChunk(bytes, from, end, sink);
    else return from;
    return end;
  }

  private scanLine(bytes: Uint8Array, start: number, lf: number, sink: RowSink): void {
    if (this.longLine === "none") {
      this.setRow(bytes, start, lf, false);
      sink.accept(this.row);
      return;
    }
    if (this.longLine === "echoed") sink.passThrough(bytes.subarray(start, lf), true);
    this.longLine = "none";
  }

  /** Emits the row at the first chunk of a long line; further chunks are echoed or dropped. */
  private scanLongLineChunk(bytes: Uint8Array, start: number, end: number, sink: RowSink): void {
    if (this.longLine === "none") {
      this.setRow(bytes, start, end, true);
      this.longLine = sink.accept(this.row) && this.echoesLines ? "echoed" : "dropped";
    } else if (this.longLine === "echoed") {
      sink.passThrough(bytes.subarray(start, end), false);
    }
  }

  private setRow(bytes: Uint8Array, start: number, end: number, isPartialLine: boolean): void {
    const { row } = this;
    row.setLine(bytes, start, end);
    row.isPartialLine = isPartialLine;
    row.readFault = end - start > MAX_ADDRESS_BYTES ? "line_too_long" : undefined;
    // Truncate a longer line to a fixed length, because the length that has arrived depends on timing.
    row.setAddress(bytes, start, Math.min(end, start + MAX_ADDRESS_BYTES));
  }
}
