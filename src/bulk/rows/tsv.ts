// Tab-separated rows as databases and engines exchange them: a row a line; tab, line feed, CR and backslash are escaped
// by a backslash, `\\N` is null, nothing is quoted. The bytes stay unchanged.

import { BACKSLASH, CR, TAB } from "../../base/bytes/ascii.ts";
import { decodeUtf8, findByte } from "../../base/bytes/bytes.ts";
import type { Message } from "../messages.ts";
import type { CsvLayout } from "./csv.ts";
import { type FieldLocator, LineBasedScanner, type Row, type RowSink } from "./row.ts";

export const LF_HINT: Message = () => "check that lines end in LF";
const NULL_LETTER = 0x4e;

export class TsvScanner extends LineBasedScanner {
  constructor(private readonly layout: Omit<CsvLayout, "delimiter">) {
    super(
      LF_HINT,
      layout.additionalColumns?.map((column) => new TsvFieldLocator(column)),
    );
  }

  /** A CR belongs to the line break only before a line feed. */
  protected scanLine(bytes: Uint8Array, start: number, lf: number, hasLf: boolean, sink: RowSink): void {
    const { row, layout } = this;
    row.hasCrlf = hasLf && lf > start && bytes[lf - 1] === CR;
    const stop = row.hasCrlf ? lf - 1 : lf;
    row.setLine(bytes, start, stop);
    row.appendOffset = stop;
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
      if (fields === layout.width && layout.hasOpenWidth !== true) row.appendOffset = tab;
      if (tab === stop) break;
      field = tab + 1;
    }
    row.missingFields = Math.max(0, layout.width - fields);
    if (row.missingFields > 0 || (layout.hasOpenWidth !== true && fields > layout.width)) sink.warn("ragged");
    setAddressFromField(row, columnStart, columnEnd);
    row.emit(sink);
  }
}

/** Finds the address of a further column in a row. */
export class TsvFieldLocator implements FieldLocator {
  constructor(private readonly column: number) {}

  locate(row: Row): void {
    const { line, lineStart, lineEnd } = row;
    let start = lineStart;
    for (let index = 0; index < this.column && start >= 0; index += 1) {
      const tab = findByte(line, TAB, start, lineEnd);
      start = tab === lineEnd ? -1 : tab + 1;
    }
    setAddressFromField(row, start, start < 0 ? start : findByte(line, TAB, start, lineEnd));
  }
}

/** Sets the row's address to the field between `start` and `end`. A missing field, with a negative `start`, is null. */
function setAddressFromField(row: Row, start: number, end: number): void {
  const { line } = row;
  row.isNull = false;
  if (start < 0 || (end - start === 2 && line[start] === BACKSLASH && line[start + 1] === NULL_LETTER)) row.setNull();
  else if (findByte(line, BACKSLASH, start, end) === end) row.setAddress(line, start, end);
  else row.setDecodedAddress(line, start, end, unescapeField);
}

const LETTERS = "tnrbfv0";
const MEANT = "\t\n\r\b\f\v\0";
/** The bytes that an escape's letter means; any other means itself. */
const MEANINGS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const at = LETTERS.indexOf(String.fromCharCode(byte));
  return at < 0 ? byte : MEANT.charCodeAt(at);
});

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
export function parseTsvFields(bytes: Uint8Array, start: number, end: number): string[] {
  const plain = new Uint8Array(end - start);
  const names: string[] = [];
  for (let field = start; field <= end; ) {
    const tab = findByte(bytes, TAB, field, end);
    names.push(decodeUtf8(plain, 0, unescapeField(bytes, field, tab, plain)));
    field = tab + 1;
  }
  return names;
}
