// A writer that records what a renderer writes for an example of a row: which bytes are copied from the row, and as
// what.

import { ByteWriter } from "../../base/bytes/byte-writer.ts";
import type { Classifier } from "../../detection/classifier.ts";
import type { Row } from "../rows/row.ts";
import { PART } from "./kernel.ts";

/** In a recorded output: the number of another row. */
export const NUMBER = "\u01fe";
/** In a recorded output: bytes of the row that the kernel can't copy. */
export const ODD = "\u01ff";

/**
 * Tells a row's parts by the arrays that their bytes come from: the row's line and its address have an array each, and
 * so has its canonical local part, which is not as written.
 */
export class Recorder extends ByteWriter {
  /**
   * Parts by the index of the zero that is written in place of each, because renderers take back bytes by the length.
   */
  private readonly parts: string[] = [];

  constructor(
    private readonly row: Row,
    private readonly classifier: Classifier,
  ) {
    super(512);
  }

  /** The output: a character below U+0100 for each byte, another one for each part. */
  get recorded(): string {
    const { bytes, parts } = this;
    let text = "";
    for (let i = 0; i < this.length; i += 1) {
      text += bytes[i] === 0 ? (parts[i] ?? ODD) : String.fromCharCode(bytes[i] as number);
    }
    return text;
  }

  override range(bytes: Uint8Array, start: number, end: number): void {
    const { row, classifier } = this;
    const { canonical } = classifier;
    if (bytes === row.line) {
      if (start === row.lineStart && end === row.insertAt) this.part(PART.line);
      else if (start === row.insertAt && end === row.lineEnd) this.part(PART.rest);
      else this.part(start === row.lineStart && end === row.lineEnd ? PART.line + PART.rest : ODD);
    } else if (bytes === row.bytes) {
      this.part(start === row.start && end === row.end ? PART.address : ODD);
    } else if (bytes === canonical.bytes) {
      this.part(start === canonical.start && end === canonical.end ? PART.canonical : ODD);
    } else super.range(bytes, start, end);
  }

  override hostName(bytes: Uint8Array, start: number, end: number): void {
    const { row, classifier } = this;
    if (bytes !== row.bytes) super.hostName(bytes, start, end);
    else this.part(start === classifier.domainAt && end === row.end ? PART.domain : ODD);
  }

  override decimal(value: number): void {
    if (value === this.row.duplicateOf) this.part(NUMBER);
    else super.decimal(value);
  }

  private part(part: string): void {
    this.parts[this.length] = part;
    this.byte(0);
  }
}
