// CSV records (RFC 4180): quoted fields, doubled quotes, line breaks inside quotes. Finds and measures records; their
// bytes stay unchanged. All that knows when a quote opens and closes a field is in this file.

import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import { findByte } from "../../base/bytes/words.ts";
import { type Message, RowsFault } from "../face.ts";
import { neverEnds } from "./line-end.ts";
import { Row } from "./row.ts";
import { ADDRESS_FIELD_MAX, type PlacesAddress, type RowTaker, type Scanner } from "./scanner.ts";

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

/** A hint about a record that does not end where it should. */
export const DELIMITER_HINT: Message = ({ option }) => `fix that row, or check ${option("delimiter")}`;
/** A longer record counts as one whose quote never closes. */
export const RECORD_MAX: number = 16 * 1024 * 1024;

/** Facts about every record, by the header or options in its place. */
export interface CsvLayout {
  /** One ASCII byte. */
  readonly delimiter: number;
  /** Index of the e-mail column. */
  readonly column: number;
  readonly width: number;
  /** Indexes of further columns that have addresses. */
  readonly others?: readonly number[];
  /** No header gives the width: columns are added after each record's own last one. */
  readonly open?: boolean;
}

/** Finds records. */
export class CsvScanner implements Scanner {
  private readonly row = new Row();
  private readonly record = new RecordScan();
  private readonly field = new QuotedField();

  constructor(private readonly layout: CsvLayout) {}

  take(bytes: Uint8Array, start: number, end: number, last: boolean, taker: RowTaker): number {
    const { record, layout } = this;
    let from = start;
    while (from < end && !taker.full) {
      if (!record.scan(bytes, from, end, layout, last)) {
        if (last || end - from > RECORD_MAX) throw record.neverEnds(taker.rowNumber + 1);
        return from;
      }
      this.takeRecord(bytes, from, taker);
      from = record.next;
    }
    return from;
  }

  /** The index after the last record that ends between `start` and `end`, or `start`. */
  boundary(bytes: Uint8Array, start: number, end: number): number {
    const { record, layout } = this;
    let from = start;
    while (from < end && record.scan(bytes, from, end, layout, false)) from = record.next;
    return from;
  }

  private takeRecord(bytes: Uint8Array, start: number, taker: RowTaker): void {
    const { row, record, layout } = this;
    row.line = bytes;
    row.lineStart = start;
    row.lineEnd = record.end;
    row.crlf = record.next - record.end === 2;
    row.missing = Math.max(0, layout.width - record.fields);
    const surplus = layout.open !== true && record.fields > layout.width;
    row.insertAt = surplus ? record.widthEnd : record.end;
    if (surplus || row.missing > 0) taker.irregular("ragged");
    const length = record.columnEnd - record.columnStart;
    if (length > 0 && bytes[record.columnStart] === QUOTE) {
      this.field.place(row, bytes, record.columnStart, record.columnEnd);
    } else row.placeAddress(bytes, record.columnStart, record.columnEnd);
    if (row.end - row.start > ADDRESS_FIELD_MAX) taker.tooLong(row);
    else taker.row(row);
  }
}

/** The address in a quoted field, without the quotes: in place when none is doubled, else copied. */
class QuotedField {
  private unquoted: Uint8Array = new Uint8Array(1024);

  /** Sets the row's address to that of the field between `from` and `to`. */
  place(row: Row, bytes: Uint8Array, from: number, to: number): void {
    const start = from + 1;
    const close = to - 1;
    const wellClosed = close >= start && bytes[close] === QUOTE;
    const end = wellClosed ? close : to;
    let quote = start;
    while (quote < end && bytes[quote] !== QUOTE) quote += 1;
    if (quote === end) {
      row.placeAddress(bytes, start, end);
      return;
    }
    if (this.unquoted.length < end - start) this.unquoted = new Uint8Array(end - start);
    let length = 0;
    for (let i = start; i < end; i += 1) {
      const byte = bytes[i] as number;
      this.unquoted[length++] = byte;
      if (byte === QUOTE && bytes[i + 1] === QUOTE && i + 1 < end) i += 1;
    }
    row.placeAddress(this.unquoted, 0, length);
  }
}

/** Finds the address of a further column in a record. */
export class CsvField implements PlacesAddress {
  private readonly quoted = new QuotedField();

  constructor(
    private readonly column: number,
    private readonly delimiter: number,
  ) {}

  place(row: Row): void {
    const { line, lineStart, lineEnd } = row;
    let field = lineStart;
    for (let index = 0; ; index += 1) {
      const from = byteIsQuote(line, field, lineEnd) ? endOfQuoted(line, field, lineEnd) : field;
      const end = from < 0 ? lineEnd : findByte(line, this.delimiter, from, lineEnd);
      if (index === this.column) {
        if (byteIsQuote(line, field, end)) this.quoted.place(row, line, field, end);
        else row.placeAddress(line, field, end);
        return;
      }
      if (end === lineEnd) break;
      field = end + 1;
    }
    row.placeAddress(line, lineStart, lineStart);
  }
}

function byteIsQuote(bytes: Uint8Array, at: number, end: number): boolean {
  return at < end && bytes[at] === QUOTE;
}

/** One record's measures. Indexes point into the scanned bytes. */
export class RecordScan {
  fields = 0;
  columnStart = 0;
  columnEnd = 0;
  /** Where the field at the header's width ends. */
  widthEnd = 0;
  /** Where the record ends, without its line break. */
  end = 0;
  /** Where the next record begins. */
  next = 0;
  // For a record whose end was not found yet, in bytes from its beginning: where its last field begins, how far that
  // was scanned, and whether it is in quotes there. Without this, a long record over many reads would take quadratic
  // time.
  private knownField = 0;
  private known = 0;
  private knownQuoted = false;

  /**
   * Measures the record that begins at `start`; false when it does not end before `end`. Then the next call must be
   * about the same record, wherever it is by then, with more bytes or with `last`.
   */
  scan(bytes: Uint8Array, start: number, end: number, layout: CsvLayout, last: boolean): boolean {
    const { delimiter, column, width } = layout;
    const resumed = this.known > 0;
    this.columnStart = 0;
    this.columnEnd = 0;
    let fields = 0;
    let field = start + this.knownField;
    let i = start + this.known;
    let quoted = this.knownQuoted;
    for (;;) {
      if (i === field && i < end && bytes[i] === QUOTE) {
        quoted = true;
        i += 1;
      }
      if (quoted) {
        i = closingQuote(bytes, i, end);
        // A quote at the very end may be the first of a doubled one.
        if (i === end || (i + 1 === end && !last)) return this.keep(field - start, i - start, true);
        quoted = false;
        i += 1;
      }
      while (i < end && bytes[i] !== delimiter && bytes[i] !== LF) i += 1;
      if (i === end && !last) return this.keep(field - start, i - start, false);
      const ends = i === end || bytes[i] === LF;
      if (ends && resumed) {
        // The bytes may move, so the record is measured again as a whole.
        this.keep(0, 0, false);
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

  /** The error for a record, the row of this number, that does not end within 16 MiB or before the end of the input. */
  neverEnds(row: number): RowsFault {
    if (!this.inQuotes) return neverEnds(row, DELIMITER_HINT);
    return new RowsFault("INPUT", (face) => `row ${row} opens a quote that never closes: ${DELIMITER_HINT(face)}`);
  }

  /** A record whose end was not found is in quotes at the end of its bytes. */
  get inQuotes(): boolean {
    return this.knownQuoted;
  }

  private keep(field: number, known: number, quoted: boolean): false {
    this.knownField = field;
    this.known = known;
    this.knownQuoted = quoted;
    return false;
  }
}

/** The fields of the record between `start` and `end`, the first `most` of them, unquoted, as text: for beginnings. */
export function fieldsOf(
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
export function holdsBareCr(bytes: Uint8Array, start: number, end: number, delimiter: number): boolean {
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
