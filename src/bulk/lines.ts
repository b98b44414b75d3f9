// One address a line: finds the lines in a stream and hands them on as rows. A line over 64 KiB is a row like any other, though
// never held as a whole.

import { AddrsiftError } from "../errors.ts";
import type { Pipeline } from "./pipeline.ts";
import type { ByteSource } from "./ports.ts";
import { Row } from "./row.ts";

/** A longer line is no address, RFC 5321 §4.5.3.1.6 allows a thousand octets; this leaves room for anything on one line. */
export const LINE_MAX: number = 64 * 1024;
const READ_OCTETS = 256 * 1024;
const LF = 0x0a;

/** Reads lines until the end of the source, or until `stopped` says so, and writes their rows. */
export class LineReader {
  /** Octets read so far. */
  octetsRead = 0;
  private readonly buffer = Buffer.alloc(LINE_MAX + READ_OCTETS);
  private readonly row = new Row();
  private start = 0;
  private end = 0;
  /** Whether this is the rest of a line that was too long, and what becomes of its octets. */
  private inLongLine: "no" | "dropped" | "shown" = "no";

  private readonly pipeline: Pipeline;
  private readonly showsLines: boolean;

  /** `showsLines`: the format gives the input lines back, so a long line is passed through in pieces. */
  constructor(pipeline: Pipeline, showsLines: boolean) {
    this.pipeline = pipeline;
    this.showsLines = showsLines;
    this.row.octets = this.buffer;
  }

  async run(source: ByteSource, stopped: () => boolean): Promise<void> {
    let begun = false;
    while (!stopped()) {
      const count = await source.read(this.buffer, this.end);
      this.octetsRead += count;
      this.end += count;
      if (!begun && (this.end >= 3 || count === 0)) {
        this.readByteOrderMark();
        begun = true;
      }
      if (count === 0) break;
      if (begun) await this.takeLines();
    }
    if (!stopped() && (this.inLongLine !== "no" || this.end > this.start)) this.takeLine(this.end);
    await this.pipeline.flush();
  }

  private async takeLines(): Promise<void> {
    // Octets behind `end` are old: a line break found there is none.
    for (let lf = this.findLf(); lf < this.end; lf = this.findLf()) {
      this.takeLine(lf);
      this.start = lf + 1;
      if (this.pipeline.full) await this.pipeline.flush();
    }
    if (this.end - this.start > LINE_MAX) this.takeLongPiece();
    await this.pipeline.flush();
    this.buffer.copyWithin(0, this.start, this.end);
    this.end -= this.start;
    this.start = 0;
  }

  private findLf(): number {
    const lf = this.buffer.indexOf(LF, this.start);
    return lf < 0 ? this.end : lf;
  }

  private takeLine(lf: number): void {
    if (this.inLongLine !== "no") {
      if (this.inLongLine === "shown") this.pipeline.passThrough(this.buffer.subarray(this.start, lf), true);
      this.inLongLine = "no";
      return;
    }
    this.place(lf, false);
    if (lf - this.start > LINE_MAX) this.pipeline.tooLong(this.row);
    else this.pipeline.row(this.row);
  }

  /** The beginning of a line whose end is not in sight. Its row is written now; the rest follows or is dropped. */
  private takeLongPiece(): void {
    if (this.inLongLine === "no") {
      this.place(this.end, true);
      this.inLongLine = this.pipeline.tooLong(this.row) && this.showsLines ? "shown" : "dropped";
    } else if (this.inLongLine === "shown") {
      this.pipeline.passThrough(this.buffer.subarray(this.start, this.end), false);
    }
    this.start = this.end;
  }

  private place(lineEnd: number, continues: boolean): void {
    const { row } = this;
    row.lineStart = this.start;
    row.lineEnd = lineEnd;
    row.continues = continues;
    row.trimLine();
  }

  private readByteOrderMark(): void {
    const [a, b, c] = this.buffer;
    if (this.end >= 2 && ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff))) {
      const message = "the input is UTF-16: convert it first, for example with iconv -f UTF-16 -t UTF-8";
      throw new AddrsiftError("INPUT", message);
    }
    if (this.end < 3 || a !== 0xef || b !== 0xbb || c !== 0xbf) return;
    this.start = 3;
    if (this.showsLines) this.pipeline.passThrough(this.buffer.subarray(0, 3), false);
  }
}
