// Finds CSV records and their fields (RFC 4180). No other file decides where a quote opens or closes a field.

import { AT, CR, LF, QUOTE } from "../../base/bytes/ascii.ts";
import { decodeUtf8, findByte, findEither } from "../../base/bytes/bytes.ts";
import { InputError, type Message } from "../messages.ts";
import { type LocateField, MAX_RECORD_BYTES, Row, type RowSink, type Scanner } from "./row.ts";

export const DELIMITER_HINT: Message = ({ option }) => `check its quotes, or ${option("delimiter")}`;
/** Maximum columns of the first record. Shorter records are padded to its width. */
export const MAX_COLUMNS = 16_384;

/** The layout of all records, from the header or from options. */
export interface CsvLayout {
  /** An ASCII byte. */
  readonly delimiter: number;
  /** Index of the column of addresses. */
  readonly column: number;
  /** Number of columns. */
  readonly width: number;
  /** Indexes of additional columns of addresses. */
  readonly additionalColumns?: readonly number[] | undefined;
  /** True if no header sets the width, so that added fields follow the last field of each record. */
  readonly hasOpenWidth?: boolean;
}

export class CsvScanner implements Scanner {
  private readonly row: Row;
  private readonly record = new RecordScan();

  constructor(private readonly layout: CsvLayout) {
    this.row = new Row(layout.additionalColumns?.map((column) => createCsvLocator(column, layout.delimiter)));
  }

  scan(bytes: Uint8Array, start: number, end: number, isLast: boolean, sink: RowSink): number {
    const { record, layout } = this;
    let from = start;
    while (from < end && !sink.isFull) {
      const isWhole = record.scan(bytes, from, end, layout, isLast);
      const row = sink.rowNumber + 1;
      if ((isWhole ? record.next : end) - from > MAX_RECORD_BYTES) {
        throw new InputError("INPUT", (wording) => `row ${row} does not end within 16 MiB: ${DELIMITER_HINT(wording)}`);
      }
      if (!isWhole && isLast) throw unclosedQuoteError(row, row + sink.lineOffset);
      if (!isWhole) return from;
      this.emitRecord(bytes, from, sink);
      from = record.next;
    }
    return from;
  }

  private emitRecord(bytes: Uint8Array, start: number, sink: RowSink): void {
    const { row, record, layout } = this;
    row.setLine(bytes, start, record.end);
    row.hasCrlf = record.next - record.end === 2;
    setAppendOffset(row, layout, record.fields, record.widthEnd, sink);
    setAddressFromField(row, record);
    if (record.lineFeeds > 0 || record.hasTextAfterQuote) this.checkQuotes(bytes, sink);
    row.emit(sink);
  }

  /** Counts line feeds in quotes. Warns if the record may contain later rows, or has text after a closing quote. */
  private checkQuotes(bytes: Uint8Array, sink: RowSink): void {
    const { end, lineFeeds, firstLineFeed, hasTextAfterQuote } = this.record;
    const line = sink.rowNumber + 1 + sink.lineOffset;
    sink.lineOffset += lineFeeds;
    if (lineFeeds > 0 && (hasTextAfterQuote || hasRowInQuotes(bytes, firstLineFeed, end, this.layout)))
      sink.warn("joined_rows", `${line}-${line + lineFeeds}`);
    else if (lineFeeds === 0) sink.warn("text_after_quote", `${line}`);
  }
}

/** Reports whether a line after `firstLineFeed` looks like a row: an address in the right field, before any quote. */
function hasRowInQuotes(bytes: Uint8Array, firstLineFeed: number, end: number, layout: CsvLayout): boolean {
  const { delimiter, column, additionalColumns = [], width, hasOpenWidth = false } = layout;
  if (findByte(bytes, AT, firstLineFeed, end) === end) return false;
  for (let lf = firstLineFeed; lf < end; ) {
    const from = lf + 1;
    lf = findByte(bytes, LF, from, end);
    const quotedEnd = findClosingQuote(bytes, from, lf);
    if (findByte(bytes, AT, from, quotedEnd) === quotedEnd) continue;
    const fields = parseFields(bytes, from, quotedEnd, delimiter);
    const hasAddress = [column, ...additionalColumns].some((index) => fields[index]?.includes("@"));
    if (hasAddress && (hasOpenWidth || parseFields(bytes, from, lf, delimiter).length === width)) return true;
  }
  return false;
}

export function createCsvLocator(column: number, delimiter: number): LocateField {
  const record = new RecordScan();
  const layout = { column, delimiter, width: 0 };
  return (row) => {
    record.scan(row.line, row.lineStart, row.lineEnd, layout, true);
    setAddressFromField(row, record);
  };
}

/**
 * Sets where added fields go: after the last field of the header's width. Warns if the record has more or fewer fields.
 * `widthEnd` is the end of the field at that width, if there is one.
 */
export function setAppendOffset(
  row: Row,
  { width, hasOpenWidth }: Pick<CsvLayout, "width" | "hasOpenWidth">,
  fields: number,
  widthEnd: number,
  sink: RowSink,
): void {
  row.missingFields = Math.max(0, width - fields);
  const hasSurplus = hasOpenWidth !== true && fields > width;
  row.appendOffset = hasSurplus ? widthEnd : row.lineEnd;
  if (hasSurplus || row.missingFields > 0) sink.warn("ragged");
}

/** Sets the row's address to the measured field, without its quotes. */
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

/** Measures one record. Indexes refer to the scanned bytes. */
export class RecordScan {
  /** Number of fields. */
  fields = 0;
  columnStart = 0;
  columnEnd = 0;
  /** End of the last field within the header's width. */
  widthEnd = 0;
  /** End of the record, without its line break. */
  end = 0;
  /** Start of the next record. */
  next = 0;
  /** Number of line feeds in quotes, and the index of the first one. */
  lineFeeds = 0;
  firstLineFeed = 0;
  hasTextAfterQuote = false;
  // State of an unfinished record, so that a long record over many reads does not take quadratic time. Offsets count
  // from the start of the record.
  private isInQuotes = false;
  private lastFieldOffset = 0;
  private scannedBytes = 0;

  /**
   * Measures the record that starts at `start`. Returns false if it does not end before `end`: the next call must be
   * for the same record, with more bytes or with `isLast`.
   */
  scan(bytes: Uint8Array, start: number, end: number, layout: RecordLayout, isLast: boolean): boolean {
    const { delimiter, column, width } = layout;
    const isResumed = this.scannedBytes > 0;
    this.columnStart = 0;
    this.columnEnd = 0;
    this.lineFeeds = 0;
    this.hasTextAfterQuote = false;
    let fields = 0;
    let field = start + this.lastFieldOffset;
    let i = start + this.scannedBytes;
    let isInQuotes = this.isInQuotes;
    for (;;) {
      let quotedEnd = end;
      if (i === field && i < end && bytes[i] === QUOTE) {
        isInQuotes = true;
        i += 1;
      }
      if (isInQuotes) {
        i = this.findQuotedEnd(bytes, i, end);
        // A quote at the end of the bytes may be half of a doubled quote.
        if (i === end || (i + 1 === end && !isLast)) return this.suspend(field - start, i - start, true);
        isInQuotes = false;
        i += 1;
        quotedEnd = i;
      }
      while (i < end && bytes[i] !== delimiter && bytes[i] !== LF) i += 1;
      if (i === end && !isLast) return this.suspend(field - start, i - start, false);
      const isRecordEnd = i === end || bytes[i] === LF;
      if (isRecordEnd && isResumed) {
        // `bytes` may have been reallocated, so measure the whole record again.
        this.suspend(0, 0, false);
        return this.scan(bytes, start, Math.min(end, i + 1), layout, isLast);
      }
      // A CR is part of the line break only before LF.
      const stop = isRecordEnd && i < end && i > field && bytes[i - 1] === CR ? i - 1 : i;
      if (fields === column) {
        this.columnStart = field;
        this.columnEnd = stop;
      }
      if (stop > quotedEnd) this.hasTextAfterQuote = true;
      fields += 1;
      if (fields === width) this.widthEnd = stop;
      if (isRecordEnd) {
        this.fields = fields;
        this.end = stop;
        this.next = Math.min(end, i + 1);
        return true;
      }
      field = i + 1;
      i = field;
    }
  }

  /** Returns the index of the first quote that is not doubled; without one, `end`. Counts the line feeds before it. */
  private findQuotedEnd(bytes: Uint8Array, from: number, end: number): number {
    for (let i = from; ; ) {
      i = findEither(bytes, QUOTE, LF, i, end);
      if (i === end) return i;
      if (bytes[i] === LF) {
        if (this.lineFeeds === 0) this.firstLineFeed = i;
        this.lineFeeds += 1;
        i += 1;
      } else if (i + 1 < end && bytes[i + 1] === QUOTE) i += 2;
      else return i;
    }
  }

  private suspend(lastFieldOffset: number, scannedBytes: number, isInQuotes: boolean): false {
    this.lastFieldOffset = lastFieldOffset;
    this.scannedBytes = scannedBytes;
    this.isInQuotes = isInQuotes;
    return false;
  }
}

export function unclosedQuoteError(row: number, line: number): InputError {
  const problem = `row ${row} opens a quote that never closes, so all rows from line ${line} on are missing`;
  return new InputError("INPUT", (wording) => `${problem}: ${DELIMITER_HINT(wording)}`);
}

/** Decodes the first `maxFields` fields of the record from `start` to `end`, without their quotes. */
export function parseFields(
  bytes: Uint8Array,
  start: number,
  end: number,
  delimiter: number,
  maxFields: number = Number.POSITIVE_INFINITY,
): string[] {
  const fields: string[] = [];
  for (let field = start; field <= end && fields.length < maxFields; ) {
    const isQuoted = bytes[field] === QUOTE && field < end;
    let i = isQuoted ? findQuotedEnd(bytes, field, end) : field;
    while (i < end && bytes[i] !== delimiter) i += 1;
    const text = decodeUtf8(bytes, field, i);
    fields.push(isQuoted ? text.replace(/^"|"$/g, "").replaceAll('""', '"') : text);
    field = i + 1;
  }
  return fields;
}

/** Reports whether the record has a CR outside of quotes and before its end. */
export function hasBareCr(bytes: Uint8Array, start: number, end: number, delimiter: number): boolean {
  let stop = end;
  while (stop > start && bytes[stop - 1] === CR) stop -= 1;
  for (let field = start; field < stop; ) {
    let i = bytes[field] === QUOTE ? findQuotedEnd(bytes, field, stop) : field;
    for (; i < stop && bytes[i] !== delimiter; i += 1) if (bytes[i] === CR) return true;
    field = i + 1;
  }
  return false;
}

/** Returns the index after the closing quote of the field that starts at `start`; without one, `end`. */
function findQuotedEnd(bytes: Uint8Array, start: number, end: number): number {
  return Math.min(findClosingQuote(bytes, start + 1, end) + 1, end);
}

/** Returns the index of the first quote that is not doubled; without one, `end`. */
function findClosingQuote(bytes: Uint8Array, from: number, end: number): number {
  let i = findByte(bytes, QUOTE, from, end);
  while (i + 1 < end && bytes[i + 1] === QUOTE) i = findByte(bytes, QUOTE, i + 2, end);
  return i;
}
