// Finds the fields of tab-separated rows as databases exchange them: one row per line. Tab, LF, CR and backslash are
// escaped by a backslash, `\N` is null, and nothing is quoted.

import { BACKSLASH, CR, TAB } from "../../base/bytes/ascii.ts";
import { decodeUtf8, findByte } from "../../base/bytes/bytes.ts";
import type { Message } from "../messages.ts";
import { type CsvLayout, setAppendOffset } from "./csv.ts";
import { LineBasedScanner, type LocateField, type Row, type RowSink } from "./row.ts";

export const LF_HINT: Message = () => "check that lines end in LF";
const NULL_LETTER = 0x4e;

export class TsvScanner extends LineBasedScanner {
  constructor(private readonly layout: Omit<CsvLayout, "delimiter">) {
    super(LF_HINT, layout.additionalColumns?.map(createTsvLocator));
  }

  /** A CR is part of the line break only before a line feed. */
  protected scanLine(bytes: Uint8Array, start: number, lf: number, hasLf: boolean, sink: RowSink): void {
    const { row, layout } = this;
    row.hasCrlf = hasLf && lf > start && bytes[lf - 1] === CR;
    const stop = row.hasCrlf ? lf - 1 : lf;
    row.setLine(bytes, start, stop);
    let fields = 0;
    let columnStart = -1;
    let columnEnd = stop;
    let widthEnd = stop;
    for (let field = start; ; ) {
      const tab = findByte(bytes, TAB, field, stop);
      if (fields === layout.column) {
        columnStart = field;
        columnEnd = tab;
      }
      fields += 1;
      if (fields === layout.width) widthEnd = tab;
      if (tab === stop) break;
      field = tab + 1;
    }
    setAppendOffset(row, layout, fields, widthEnd, sink);
    setAddressFromField(row, columnStart, columnEnd);
    row.emit(sink);
  }
}

export function createTsvLocator(column: number): LocateField {
  return (row) => {
    const { line, lineStart, lineEnd } = row;
    let start = lineStart;
    for (let index = 0; index < column && start >= 0; index += 1) {
      const tab = findByte(line, TAB, start, lineEnd);
      start = tab === lineEnd ? -1 : tab + 1;
    }
    setAddressFromField(row, start, start < 0 ? start : findByte(line, TAB, start, lineEnd));
  };
}

/** Sets the row's address to the field from `start` to `end`. If `start` is negative (no field), it is null. */
function setAddressFromField(row: Row, start: number, end: number): void {
  const { line } = row;
  row.isNull = false;
  if (start < 0 || (end - start === 2 && line[start] === BACKSLASH && line[start + 1] === NULL_LETTER)) row.setNull();
  else if (findByte(line, BACKSLASH, start, end) === end) row.setAddress(line, start, end);
  else row.setDecodedAddress(line, start, end, unescapeField);
}

const ESCAPE_LETTERS = "tnrbfv0";
const ESCAPED_CHARACTERS = "\t\n\r\b\f\v\0";
/** Lookup table: the byte that an escape stands for, by the byte after the backslash. */
const UNESCAPED = Uint8Array.from({ length: 256 }, (_, byte) => {
  const index = ESCAPE_LETTERS.indexOf(String.fromCharCode(byte));
  return index < 0 ? byte : ESCAPED_CHARACTERS.charCodeAt(index);
});

function unescapeField(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number {
  let length = 0;
  for (let i = start; i < end; i += 1) {
    const isEscape = bytes[i] === BACKSLASH && i + 1 < end;
    if (isEscape) i += 1;
    const byte = bytes[i] as number;
    target[length++] = isEscape ? (UNESCAPED[byte] as number) : byte;
  }
  return length;
}

/** Decodes the fields of the row from `start` to `end`. */
export function parseTsvFields(bytes: Uint8Array, start: number, end: number): string[] {
  const field = new Uint8Array(end - start);
  const fields: string[] = [];
  for (let from = start; from <= end; ) {
    const tab = findByte(bytes, TAB, from, end);
    fields.push(decodeUtf8(field, 0, unescapeField(bytes, from, tab, field)));
    from = tab + 1;
  }
  return fields;
}
