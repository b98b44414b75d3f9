// The current row: where its bytes are. The same object is used for every row.

import type { SyntaxCode } from "../../address/faults.ts";

/** Where an address stands in a text: its line and column from 1 on, and in a diff its file, in a log its commit. */
export interface Place {
  readonly commit: string | undefined;
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
}

/** A row of the input: the unchanged line or CSV record, and the address in it. */
export class Row {
  /** Holds the line; the next four indexes point into it. */
  line: Uint8Array = new Uint8Array(0);
  /** The line or record without its line break. */
  lineStart = 0;
  lineEnd = 0;
  /** CSV: where the header's width is reached and added columns go. */
  insertAt = 0;
  /** CSV: how many fields the record lacks. */
  missing = 0;
  /** The line break is CR LF. */
  crlf = false;
  /** The address is null, as opposed to empty: the row is blank, and has no field. */
  isNull = false;
  /** JSON Lines: whether the line is an object, with keys or without. */
  object: "keys" | "empty" | "none" = "none";
  /** Its number in the input, from 1 on; a header is row 1. */
  number = 0;
  /** Of an address in a text. */
  place: Place | undefined = undefined;
  /**
   * The first row with the same mailbox, which is before this one: its number, in another input with that one's name
   * before it.
   */
  duplicateOf: number | string | undefined = undefined;
  /** In a row with several addresses: the fault of one that is not read. */
  refused: SyntaxCode | undefined = undefined;
  /** The line is longer than this piece; its rest follows. */
  continues = false;
  /** Holds the address: the line's own bytes, or a copy where a quoted field was unquoted. */
  bytes: Uint8Array = new Uint8Array(0);
  /** The address, without white space around it. */
  start = 0;
  end = 0;

  /** True for a row without any address. */
  get blank(): boolean {
    return this.start === this.end;
  }

  /** Takes over the line of another row, without its address. */
  takeLine(row: Row): void {
    this.line = row.line;
    this.lineStart = row.lineStart;
    this.lineEnd = row.lineEnd;
    this.insertAt = row.insertAt;
    this.missing = row.missing;
    this.crlf = row.crlf;
    this.object = row.object;
    this.continues = row.continues;
  }

  /** Sets the address to the bytes between `start` and `end`, without ASCII white space around it. */
  placeAddress(bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes;
    let from = start;
    let to = end;
    while (from < to && isWhiteSpace(bytes[from] as number)) from += 1;
    while (to > from && isWhiteSpace(bytes[to - 1] as number)) to -= 1;
    this.start = from;
    this.end = to;
  }
}

function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
