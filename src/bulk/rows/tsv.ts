// Tab-separated rows as databases and engines exchange them: a row a line; tab, line feed, CR and backslash are escaped
// by a backslash, `\\N` is null, nothing is quoted. The bytes stay unchanged.

import { findByte } from "../../base/bytes/words.ts";
import type { Message } from "../face.ts";
import { type CsvLayout, RECORD_MAX } from "./csv.ts";
import { LineEnd, neverEnds } from "./line-end.ts";
import { Row } from "./row.ts";
import { ADDRESS_FIELD_MAX, type PlacesAddress, type RowTaker, type Scanner } from "./scanner.ts";

/** A hint about a line that does not end. */
export const LF_HINT: Message = () => "check that lines end in LF";
const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const BACKSLASH = 0x5c;
const NULL_LETTER = 0x4e;

export class TsvScanner implements Scanner {
  private readonly row = new Row();
  private readonly lineEnd = new LineEnd();
  private readonly field = new EscapedField();

  constructor(private readonly layout: Omit<CsvLayout, "delimiter">) {}

  take(bytes: Uint8Array, start: number, end: number, last: boolean, taker: RowTaker): number {
    let from = start;
    while (!taker.full) {
      const lf = this.lineEnd.find(bytes, from, end);
      if (lf === end) break;
      this.takeRow(bytes, from, lf, true, taker);
      from = lf + 1;
    }
    if (taker.full || from === end) return from;
    if (last) {
      this.takeRow(bytes, from, end, false, taker);
      return end;
    }
    if (end - from > RECORD_MAX) throw neverEnds(taker.rowNumber + 1, LF_HINT);
    return from;
  }

  /** A CR belongs to the line break only before a line feed. */
  private takeRow(bytes: Uint8Array, start: number, lf: number, hasLf: boolean, taker: RowTaker): void {
    const { row, layout } = this;
    row.crlf = hasLf && lf > start && bytes[lf - 1] === CR;
    const stop = row.crlf ? lf - 1 : lf;
    row.line = bytes;
    row.lineStart = start;
    row.lineEnd = stop;
    row.insertAt = stop;
    let fields = 0;
    let columnStart = -1;
    let columnEnd = stop;
    for (let field = start; ; ) {
      const tab = findByte(bytes, TAB, field, stop);
      if (fields === layout.column) {
        columnStart = field;
        columnEnd = tab;
      }
      fields += 1;
      if (fields === layout.width && layout.open !== true) row.insertAt = tab;
      if (tab === stop) break;
      field = tab + 1;
    }
    row.missing = Math.max(0, layout.width - fields);
    if (row.missing > 0 || (layout.open !== true && fields > layout.width)) taker.irregular("ragged");
    this.field.place(row, bytes, columnStart, columnEnd);
    if (row.end - row.start > ADDRESS_FIELD_MAX) taker.tooLong(row);
    else taker.row(row);
  }
}

/** The address in a field, without its escapes. */
class EscapedField {
  private plain: Uint8Array = new Uint8Array(1024);

  /**
   * Sets the row's address to that of the field between `start` and `end`. A field that is missing, with a negative
   * `start`, is null.
   */
  place(row: Row, bytes: Uint8Array, start: number, end: number): void {
    row.isNull = start < 0 || (end - start === 2 && bytes[start] === BACKSLASH && bytes[start + 1] === NULL_LETTER);
    if (row.isNull) {
      row.placeAddress(bytes, row.lineStart, row.lineStart);
      return;
    }
    const backslash = findByte(bytes, BACKSLASH, start, end);
    if (backslash === end) {
      row.placeAddress(bytes, start, end);
      return;
    }
    if (this.plain.length < end - start) this.plain = new Uint8Array(2 * (end - start));
    row.placeAddress(this.plain, 0, unescapeField(bytes, start, end, this.plain));
  }
}

/** Finds the address of a further column in a row. */
export class TsvField implements PlacesAddress {
  private readonly field = new EscapedField();

  constructor(private readonly column: number) {}

  place(row: Row): void {
    const { line, lineStart, lineEnd } = row;
    let start = lineStart;
    for (let index = 0; index < this.column && start >= 0; index += 1) {
      const tab = findByte(line, TAB, start, lineEnd);
      start = tab === lineEnd ? -1 : tab + 1;
    }
    this.field.place(row, line, start, start < 0 ? start : findByte(line, TAB, start, lineEnd));
  }
}

/** The bytes that an escape's letter stands for; any other stands for itself. */
const MEANINGS = Uint8Array.from({ length: 256 }, (_, byte) => byte);
for (const [letter, byte] of [
  ["t", TAB],
  ["n", LF],
  ["r", CR],
  ["b", 0x08],
  ["f", 0x0c],
  ["v", 0x0b],
  ["0", 0x00],
] as const) {
  MEANINGS[letter.charCodeAt(0)] = byte;
}

/** Writes the bytes that a field stands for; gives their number. */
function unescapeField(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number {
  let length = 0;
  for (let i = start; i < end; i += 1) {
    const escapes = bytes[i] === BACKSLASH && i + 1 < end;
    if (escapes) i += 1;
    const byte = bytes[i] as number;
    target[length++] = escapes ? (MEANINGS[byte] as number) : byte;
  }
  return length;
}

/** The fields of the row between `start` and `end` as text: for headers. */
export function tsvFieldsOf(bytes: Uint8Array, start: number, end: number): string[] {
  const plain = new Uint8Array(end - start);
  const names: string[] = [];
  for (let field = start; field <= end; ) {
    const tab = findByte(bytes, TAB, field, end);
    names.push(new TextDecoder().decode(plain.subarray(0, unescapeField(bytes, field, tab, plain))));
    field = tab + 1;
  }
  return names;
}
