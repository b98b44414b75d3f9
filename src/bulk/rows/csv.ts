// CSV records (RFC 4180): quoted fields, doubled quotes, line breaks inside quotes. Finds and measures records; their
// bytes stay unchanged. Only this file knows when a quote opens and closes a field.

import { CR, LF, QUOTE } from "../../base/bytes/ascii.ts";
import { decodeUtf8, findByte } from "../../base/bytes/bytes.ts";
import { InputError, type Message } from "../messages.ts";
import { type FieldLocator, MAX_RECORD_BYTES, Row, type RowSink, type Scanner } from "./row.ts";

export const DELIMITER_HINT: Message = ({ option }) => `check its quotes, or ${option("delimiter")}`;
/** Columns of the first record. A shorter record is padded to its width. */
export const MAX_COLUMNS = 16_384;

/** Facts about every record, by the header or options in its place. */
export interface CsvLayout {
  /** One ASCII byte. */
  readonly delimiter: number;
  readonly column: number;
  readonly width: number;
  /** Indexes of further columns that have addresses. */
  readonly additionalColumns?: readonly number[] | undefined;
  /** No header sets the width: columns are added after each record's own last one. */
  readonly hasOpenWidth?: boolean;
}

export class CsvScanner implements Scanner {
  private readonly row: Row;
  private readonly record = new RecordScan();

  constructor(private readonly layout: CsvLayout) {
    this.row = new Row(layout.additionalColumns?.map((column) => new CsvFieldLocator(column, layout.delimiter)));
  }

  scan(bytes: Uint8Array, start: number, end: number, last: boolean, sink: RowSink): number {
    const { record, layout } = this;
    let from = start;
    while (from < end && !sink.isFull) {
      const isWhole = record.scan(bytes, from, end, layout, last);
      const row = sink.rowNumber + 1;
      if ((isWhole ? record.next : end) - from > MAX_RECORD_BYTES) {
        throw new InputError("INPUT", (face) => `row ${row} does not end within 16 MiB: ${DELIMITER_HINT(face)}`);
      }
      if (!isWhole && last) throw unclosedQuoteError(row);
      if (!isWhole) return from;
      this.emitRecord(bytes, from, sink);
      from = record.next;
    }
    return from;
  }

  /** The index after the last record that ends between `start` and `end`, or `start`. */
  lastRecordEnd(bytes: Uint8Array, start: number, end: number): number {
    const { record, layout } = this;
    let from = start;
    while (from < end && record.scan(bytes, from, end, layout, false)) from = record.next;
    return from;
  }

  private emitRecord(bytes: Uint8Array, start: number, sink: RowSink): void {
    const { row, record, layout } = this;
    row.setLine(bytes, start, record.end);
    row.hasCrlf = record.next - record.end === 2;
    row.missingFields = Math.max(0, layout.width - record.fields);
    const surplus = layout.hasOpenWidth !== true && record.fields > layout.width;
    row.appendOffset = surplus ? record.widthEnd : record.end;
    if (surplus || row.missingFields > 0) sink.warn("ragged");
    setAddressFromField(row, record);
    row.emit(sink);
  }
}

/** Finds the address of a further column in a record. */
export class CsvFieldLocator implements FieldLocator {
  private readonly record = new RecordScan();
  private readonly layout: RecordLayout;

  constructor(column: number, delimiter: number) {
    this.layout = { column, delimiter, width: 0 };
  }

  locate(row: Row): void {
    this.record.scan(row.line, row.lineStart, row.lineEnd, this.layout, true);
    setAddressFromField(row, this.record);
  }
}

/** Sets the row's address to the field in the e-mail column, without its quotes. */
function setAddressFromField(row: Row, { columnStart: from, columnEnd: to }: RecordScan): void {
  const { line } = row;
  if (from === to || line[from] !== QUOTE) {
    row.setAddress(line, from, to);
    return;
  }
  const start = from + 1;
  const end = to > start && line[to - 1] === QUOTE ? to - 1 : to;
  if (findByte(line, QUOTE, start, end) === end) row.setAddress(line, start, end);
  else row.setDecodedAddress(line, start, end, unquoteField);
}

/** A doubled quote means one. */
function unquoteField(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number {
  let length = 0;
  for (let i = start; i < end; i += 1) {
    const byte = bytes[i] as number;
    target[length++] = byte;
    if (byte === QUOTE && bytes[i + 1] === QUOTE && i + 1 < end) i += 1;
  }
  return length;
}

type RecordLayout = Pick<CsvLayout, "delimiter" | "column" | "width">;

/** One record's measures. Indexes point into the scanned bytes. */
export class RecordScan {
  fields = 0;
  columnStart = 0;
  columnEnd = 0;
  /** Where the field at the header's width ends. */
  widthEnd = 0;
  /** Where the record ends, without its line break. */
  end = 0;
  next = 0;
  /** A record whose end was not found is in quotes at the end of its bytes. */
  private inQuotes = false;
  // In such a record, in bytes from its beginning: where its last field begins, and how far that was scanned. Without
  // this, a long record over many reads would take quadratic time.
  private lastFieldOffset = 0;
  private scannedBytes = 0;

  /**
   * Measures the record that begins at `start`; false when it does not end before `end`. Then the next call must be
   * about the same record, wherever it is by then, with more bytes or with `last`.
   */
  scan(bytes: Uint8Array, start: number, end: number, layout: RecordLayout, last: boolean): boolean {
    const { delimiter, column, width } = layout;
    const resumed = this.scannedBytes > 0;
    this.columnStart = 0;
    this.columnEnd = 0;
    let fields = 0;
    let field = start + this.lastFieldOffset;
    let i = start + this.scannedBytes;
    let quoted = this.inQuotes;
    for (;;) {
      if (i === field && i < end && bytes[i] === QUOTE) {
        quoted = true;
        i += 1;
      }
      if (quoted) {
        i = closingQuote(bytes, i, end);
        // A quote at the very end may be the first of a doubled one.
        if (i === end || (i + 1 === end && !last)) return this.suspend(field - start, i - start, true);
        quoted = false;
        i += 1;
      }
      while (i < end && bytes[i] !== delimiter && bytes[i] !== LF) i += 1;
      if (i === end && !last) return this.suspend(field - start, i - start, false);
      const ends = i === end || bytes[i] === LF;
      if (ends && resumed) {
        // The bytes may move, so the record is measured again as a whole.
        this.suspend(0, 0, false);
        return this.scan(bytes, start, Math.min(end, i + 1), layout, last);
      }
      // CR belongs to the line break only before LF.
      const stop = ends && i < end && i > field && bytes[i - 1] === CR ? i - 1 : i;
      if (fields === column) {
        this.columnStart = field;
        this.columnEnd = stop;
      }
      fields += 1;
      if (fields === width) this.widthEnd = stop;
      if (ends) {
        this.fields = fields;
        this.end = stop;
        this.next = Math.min(end, i + 1);
        return true;
      }
      field = i + 1;
      i = field;
    }
  }

  private suspend(field: number, known: number, quoted: boolean): false {
    this.lastFieldOffset = field;
    this.scannedBytes = known;
    this.inQuotes = quoted;
    return false;
  }
}

/** The error for the last record of an input, the row of this number, that does not end there. */
export function unclosedQuoteError(row: number): InputError {
  return new InputError("INPUT", (face) => `row ${row} opens a quote that never closes: ${DELIMITER_HINT(face)}`);
}

/** The fields of the record between `start` and `end`, the first `most` of them, unquoted, as text: for beginnings. */
export function parseFields(
  bytes: Uint8Array,
  start: number,
  end: number,
  delimiter: number,
  most: number = Number.POSITIVE_INFINITY,
): string[] {
  const names: string[] = [];
  for (let field = start; field <= end && names.length < most; ) {
    const quoted = bytes[field] === QUOTE && field < end;
    const from = quoted ? endOfQuoted(bytes, field, end) : field;
    // A quote that does not close has the rest.
    let i = from < 0 ? end : from;
    while (i < end && bytes[i] !== delimiter) i += 1;
    const text = decodeUtf8(bytes, field, i);
    names.push(quoted ? text.replace(/^"|"$/g, "").replaceAll('""', '"') : text);
    field = i + 1;
  }
  return names;
}

/** True when the record from `start` has a CR outside quotes that ends no line; CRs at its end don't count. */
export function hasBareCr(bytes: Uint8Array, start: number, end: number, delimiter: number): boolean {
  let stop = end;
  while (stop > start && bytes[stop - 1] === CR) stop -= 1;
  for (let field = start; field < stop; ) {
    let i = bytes[field] === QUOTE ? endOfQuoted(bytes, field, stop) : field;
    if (i < 0) return false;
    for (; i < stop && bytes[i] !== delimiter; i += 1) if (bytes[i] === CR) return true;
    field = i + 1;
  }
  return false;
}

/** The index after the quote that closes the field opened at `start`; -1 when there is none before `end`. */
function endOfQuoted(bytes: Uint8Array, start: number, end: number): number {
  const close = closingQuote(bytes, start + 1, end);
  return close === end ? -1 : close + 1;
}

/** The index of the first quote from `from` on that is not doubled; `end` when there is none before it. */
function closingQuote(bytes: Uint8Array, from: number, end: number): number {
  let i = findByte(bytes, QUOTE, from, end);
  while (i + 1 < end && bytes[i + 1] === QUOTE) i = findByte(bytes, QUOTE, i + 2, end);
  return i;
}
