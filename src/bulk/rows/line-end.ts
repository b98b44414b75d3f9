// Finds the end of a line that may come in many pieces, without looking at any byte twice.

import { findByte } from "../../base/bytes/words.ts";
import { type Message, RowsFault } from "../face.ts";

const LF = 0x0a;

/** Remembers how much of the line that has not ended yet was searched. */
export class LineEnd {
  private known = 0;

  /** The index of the line feed of the line that begins at `start`; `end` when it is not there yet. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const lf = findByte(bytes, LF, start + this.known, end);
    this.known = lf === end ? end - start : 0;
    return lf;
  }
}

/** The error for a row that has no line break within 16 MiB. */
export function neverEnds(row: number, hint: Message): RowsFault {
  return new RowsFault("INPUT", (face) => `row ${row} has no line break within 16 MiB: ${hint(face)}`);
}
