// Reads the preamble of CSV or TSV: the delimiter, the header and the column of addresses. Rows must be processed as
// they arrive, so this waits only for the first record, or for up to 100 if several columns may contain the addresses.
// TSV is written by programs, so nothing about it is guessed.

import { AT, COMMA, CR, LF, SEMICOLON, SPACE, TAB } from "../../base/bytes/ascii.ts";
import { countByte, decodeUtf8, findByte } from "../../base/bytes/bytes.ts";
import { AddrsiftError } from "../../base/errors.ts";
import { formatNumber } from "../../base/format-text.ts";
import { InputError, type Message, usage } from "../messages.ts";
import type { InputBuffer } from "../reader.ts";
import { DELIMITER_HINT, hasBareCr, MAX_COLUMNS, parseFields, RecordScan, unclosedQuoteError } from "./csv.ts";
import { describeDialect } from "./csv-dialect.ts";
import {
  AddressCandidates,
  addedColumnNames,
  chooseAdditionalColumns,
  chooseColumn,
  emailColumns,
  formatColumn,
  formatDelimiter,
  formatOutputHeader,
  isDataRecord,
  isEmailHeader,
  mentionsEmail,
  parseLineFields,
  parseSeparatorLine,
  rejectAddressHeader,
  sniffDelimiter,
  type TableOptions,
} from "./csv-header.ts";
import { headerlessPreamble, type InputPreamble, type RowLayout } from "./layout.ts";
import { MAX_RECORD_BYTES } from "./row.ts";
import { LF_HINT, parseTsvFields } from "./tsv.ts";

const MAX_HEADER_BYTES = 1024 * 1024;
// Maximum records that are checked for values with addresses.
const MAX_PROBED_RECORDS = 100;
// Maximum rows above the header that are suggested for --skip.
const MAX_TITLE_ROWS = 10;

type TableLayout = RowLayout & { readonly kind: "csv" | "tsv" };
type ResolvedTableOptions = TableOptions & { readonly delimiter: number };
type OnNote = (note: string | Message) => void;

interface FirstRecord {
  /** Trimmed, without their quotes. */
  readonly fields: readonly string[];
  /** Without the line break. */
  readonly content: Uint8Array;
  /** With the line break. */
  readonly bytes: Uint8Array;
}

/** Reads the preamble. `added` are the added fields. `onNote` receives notes about what was detected. */
export async function readTablePreamble(
  buffer: InputBuffer,
  options: TableOptions,
  added: readonly string[],
  onNote: OnNote,
): Promise<InputPreamble> {
  const { kind, hasHeader } = options;
  const { separator, ...leading } = await skipLeadingLines(buffer, options, onNote);
  const delimiter = options.delimiter ?? separator ?? (await detectDelimiter(buffer, options, onNote));
  const resolvedOptions: ResolvedTableOptions = { ...options, delimiter };
  const first = await readFirstRecord(buffer, kind, delimiter);
  if (first === undefined) {
    if (hasHeader) throw emptyTableError(kind);
    const layout: RowLayout = { kind, delimiter, column: 0, width: 1 };
    return { ...headerlessPreamble(layout), ...leading };
  }
  if (hasHeader && kind === "csv" && hasCrOnlyLines(first, delimiter)) throw crOnlyError(buffer);
  const { fields, content, bytes } = first;
  const below = hasHeader && kind === "csv" ? findHeaderBelowTitle(buffer, first, options.column) : undefined;
  if (below !== undefined) {
    // A record with line breaks counts as one row.
    const rows = leading.preambleRows + below.lines + 1 - countByte(content, LF, 0, content.length);
    rejectTitle(rows, below.skip, options, onNote);
    buffer.start = below.start;
    const preamble = await readTablePreamble(buffer, options, added, onNote);
    const preambleRows = rows - 1 + preamble.preambleRows;
    return { ...preamble, preambleRows, preambleLines: leading.preambleLines + below.lines + preamble.preambleLines };
  }
  const rest = buffer.unread.subarray(bytes.length);
  const note = kind === "csv" ? describeDialect(content, rest, delimiter, fields.length) : undefined;
  if (note !== undefined) onNote(note);
  const isData = hasHeader && kind === "csv" && isDataRecord(fields, resolvedOptions);
  if (isData) onNote("the first row has an address, so the CSV has no header");
  if (!hasHeader || isData) {
    const layout = await createLayout(buffer, fields, { ...resolvedOptions, hasHeader: false }, onNote);
    return { ...headerlessPreamble(layout), ...leading };
  }
  if (content.includes(LF) && content.includes(AT)) {
    const problem = "the header has lines with addresses, as if a quote did not close";
    throw new InputError("INPUT", (wording) => `${problem}: ${DELIMITER_HINT(wording)}`);
  }
  buffer.start += bytes.length;
  const headerBytes = Uint8Array.from([...bytes, ...(bytes.at(-1) === LF ? [] : [LF])]);
  const preambleRows = leading.preambleRows + 1;
  const preambleLines = leading.preambleLines + countByte(headerBytes, LF, 0, headerBytes.length);
  const layout = await createLayout(buffer, fields, resolvedOptions, onNote);
  const isCrlf = bytes.length - content.length === 2;
  const header = formatOutputHeader(content, fields, isCrlf, resolvedOptions, addedColumnNames(fields, layout, added));
  return { layout, names: fields, header, headerBytes, preambleRows, preambleLines };
}

/** Skips the header of a further input and returns its preamble. Throws AddrsiftError INPUT if the header differs. */
export async function checkSameHeader(
  buffer: InputBuffer,
  { names, layout }: InputPreamble,
  skip: number,
): Promise<Pick<InputPreamble, "preambleRows" | "preambleLines">> {
  const { kind, delimiter } = layout as TableLayout;
  const options = { kind, delimiter, skip, hasHeader: names !== undefined };
  const { preambleRows, preambleLines } = await skipLeadingLines(buffer, options, () => {});
  if (names === undefined) return { preambleRows, preambleLines };
  const record = await readFirstRecord(buffer, kind, delimiter);
  if (record === undefined) throw emptyTableError(kind);
  rejectOtherHeader(names, record.fields);
  buffer.start += record.bytes.length;
  const headerLines = countByte(record.bytes, LF, 0, record.bytes.length);
  return { preambleRows: preambleRows + 1, preambleLines: preambleLines + headerLines };
}

function rejectOtherHeader(names: readonly string[], fields: readonly string[]): void {
  const firstMismatch = names.findIndex((name, i) => fields[i] !== name);
  if (firstMismatch < 0 && fields.length === names.length) return;
  const column = firstMismatch < 0 ? names.length : firstMismatch;
  throw new AddrsiftError(
    "INPUT",
    `the header differs from that of the first file: column ${column + 1} is ${formatColumn(fields[column])}, not ` +
      `${formatColumn(names[column])}: process it separately`,
  );
}

/**
 * Skips the lines before the header: the rows of --skip, blank lines, lines of delimiters only, and Excel's line
 * `sep=;`, which sets the delimiter unless an option does.
 */
async function skipLeadingLines(
  buffer: InputBuffer,
  { kind, skip, hasHeader, delimiter: selected }: Pick<TableOptions, "kind" | "skip" | "hasHeader" | "delimiter">,
  onNote: OnNote,
) {
  let preambleRows = 0;
  let lastSkippedRow: Uint8Array = new Uint8Array(0);
  for (let rowsLeft = skip; rowsLeft > 0 || hasHeader; ) {
    const line = await readFirstLine(buffer, COMMA);
    const isBlank = isBlankLine(line);
    if (rowsLeft === 0 && hasHeader && !isBlank) rejectSkippedHeader(lastSkippedRow, line, skip);
    if (line.length === 0 || (rowsLeft === 0 && !isBlank)) break;
    if (!isBlank) rowsLeft -= 1;
    if (!isBlank) lastSkippedRow = line.slice();
    buffer.start += line.length;
    preambleRows += 1;
  }
  if (lastSkippedRow.length > 0) onNote("the output leaves out the skipped rows");
  let separator: number | undefined;
  if (kind === "csv") {
    const line = await readFirstLine(buffer, selected ?? COMMA);
    separator = parseSeparatorLine(decodeUtf8(line.subarray(0, 100)));
    if (separator !== undefined) buffer.start += line.length;
    if (separator !== undefined && (selected === undefined || selected === separator)) {
      const delimiterName = formatDelimiter(separator);
      onNote(`the first line says that the columns are separated by ${delimiterName}; the output leaves it out`);
    }
  }
  return { preambleRows, preambleLines: preambleRows + (separator === undefined ? 0 : 1), separator };
}

/** Throws AddrsiftError USAGE if there are `skip` rows above the header, unless the options skip them. */
function rejectTitle(row: number, skip: number, options: TableOptions, onNote: OnNote): void {
  const problem = `row ${row} looks like the header`;
  if (options.skipsTitle === true) {
    onNote(`${problem}: the rows above it are left out`);
    return;
  }
  const [verb, rows] = [options.skip === 0 ? "add" : "use", options.skip + skip];
  const note = row > rows + 1 ? " (without blank rows)" : "";
  throw usage(({ option }) => `${problem}: ${verb} ${option("skip", String(rows))}${note}`, { skip: rows });
}

/**
 * Finds the header below a title: a row that names an email column and has no fewer fields than the first record. If
 * the first record may be a header or a row itself, or has as many fields, the next row must have an address there.
 */
function findHeaderBelowTitle(
  { bytes, start, end }: InputBuffer,
  { fields, bytes: title }: FirstRecord,
  column: string | undefined,
) {
  const selectedName = column?.trim().toLowerCase();
  if (fields.some((field) => isEmailHeader(field) || field.toLowerCase() === selectedName)) return undefined;
  const width = countFilled(fields);
  const mayBeHeaderOrRow = fields.some((field) => mentionsEmail(field) || field.includes("@"));
  for (let [from, lines, skip] = [start, 0, 0]; skip <= MAX_TITLE_ROWS; lines += 1) {
    const lf = findByte(bytes, LF, from, end);
    if (lf === end) return undefined;
    const line = bytes.subarray(from, lf);
    const names = parseLineFields(line);
    if (from >= start + title.length && looksLikeHeader(names) && countFilled(names) >= width) {
      const next = bytes.subarray(lf + 1, findByte(bytes, LF, lf + 1, end));
      const values = parseLineFields(next, sniffDelimiter(line));
      const isWider = !mayBeHeaderOrRow && countFilled(names) > width;
      if (isWider || names.some((name, i) => mentionsEmail(name) && values[i]?.includes("@")))
        return { start: from, lines, skip };
    }
    if (!isBlankLine(line)) skip += 1;
    from = lf + 1;
  }
  return undefined;
}

/** Throws AddrsiftError USAGE if the last skipped row looks like the header, and the next one does not. */
function rejectSkippedHeader(lastSkippedRow: Uint8Array, next: Uint8Array, skip: number): void {
  const [row, nextFields] = [parseLineFields(lastSkippedRow), parseLineFields(next)];
  if (!looksLikeHeader(row) || countFilled(row) < countFilled(nextFields) || nextFields.some(mentionsEmail)) return;
  throw usage(({ option }) => {
    const fix = skip === 1 ? `leave ${option("skip")} out` : `use ${option("skip", String(skip - 1))}`;
    return `${option("skip", String(skip))} skips the header: ${fix}`;
  });
}

function looksLikeHeader(row: readonly string[]): boolean {
  const mentionsEmailColumn = row.some(isEmailHeader) || row.filter(mentionsEmail).length > 1;
  return mentionsEmailColumn && !row.some((field) => field.includes("@"));
}

function isBlankLine(line: Uint8Array): boolean {
  return line.every((byte) => byte <= SPACE || byte === COMMA || byte === SEMICOLON);
}

function countFilled(row: readonly string[]): number {
  return row.filter((field) => field !== "").length;
}

/** Returns the first line with its line feed, which stays unread. */
async function readFirstLine(buffer: InputBuffer, delimiter: number): Promise<Uint8Array> {
  const end = await findFirstLineEnd(buffer, delimiter);
  return buffer.bytes.subarray(buffer.start, Math.min(end + 1, buffer.end));
}

/** Reads until the first line is complete. Returns the index of its line feed, or of the end of input. */
async function findFirstLineEnd(buffer: InputBuffer, delimiter: number): Promise<number> {
  const end = await buffer.findLineEnd(MAX_HEADER_BYTES);
  // Reject a line that is too long before processing it.
  if (end === buffer.end && !buffer.ended) await readFirstCsvRecord(buffer, delimiter);
  return end;
}

async function detectDelimiter(buffer: InputBuffer, { column }: TableOptions, onNote: OnNote): Promise<number> {
  const end = await findFirstLineEnd(buffer, COMMA);
  const delimiter = sniffDelimiter(buffer.bytes.subarray(buffer.start, end), column);
  if (delimiter !== COMMA) onNote(`the columns seem to be separated by ${formatDelimiter(delimiter)}`);
  return delimiter;
}

async function createLayout(
  buffer: InputBuffer,
  fields: readonly string[],
  options: ResolvedTableOptions,
  onNote: OnNote,
): Promise<TableLayout> {
  const { kind, delimiter } = options;
  const column =
    kind === "tsv" ? chooseColumn(fields, options) : await findAddressColumn(buffer, fields, options, onNote);
  const additionalColumns = chooseAdditionalColumns(fields, column, options);
  return { kind, delimiter, column, width: fields.length, additionalColumns };
}

/** Returns the column of addresses, by its name or number, or else by the values of the first records. */
async function findAddressColumn(
  buffer: InputBuffer,
  fields: readonly string[],
  options: ResolvedTableOptions,
  onNote: OnNote,
): Promise<number> {
  const likely = options.hasHeader ? emailColumns(fields) : [];
  const isDecided = options.column !== undefined || likely.length === 1 || (!options.hasHeader && fields.length === 1);
  const columnByValues = isDecided ? undefined : await findColumnByValues(buffer, fields.length, likely, options);
  const column = columnByValues ?? chooseColumn(fields, options);
  rejectAddressHeader(fields, column, options);
  const name = options.hasHeader ? `, ${formatColumn(fields[column])}` : "";
  if (columnByValues !== undefined) onNote(`by its values, the address is in column ${column + 1}${name}`);
  else if (options.hasHeader && options.column === undefined) {
    const otherEmailColumns = fields
      .filter((field, i) => i !== column && mentionsEmail(field))
      .slice(0, MAX_TITLE_ROWS);
    if (otherEmailColumns.length > 0) {
      onNote(
        `the address is in column ${column + 1}${name} (not checked: ${otherEmailColumns.map(formatColumn).join(", ")})`,
      );
    }
  }
  return column;
}

/**
 * Returns the only column with addresses in the first records: one of `likely`, unless that is empty. Returns undefined
 * if there is not exactly one, or if the records are too large.
 */
async function findColumnByValues(
  buffer: InputBuffer,
  width: number,
  likely: readonly number[],
  { delimiter }: ResolvedTableOptions,
): Promise<number | undefined> {
  const record = new RecordScan();
  const candidates = new AddressCandidates<number>();
  let possible: readonly number[] = [];
  let offset = 0;
  for (let records = 0; records < MAX_PROBED_RECORDS && possible.length < 2; ) {
    const start = buffer.start + offset;
    if (start === buffer.end && buffer.ended) break;
    if (!record.scan(buffer.bytes, start, buffer.end, { delimiter, column: 0, width: 1 }, buffer.ended)) {
      if (buffer.ended) break;
      if (buffer.end - buffer.start > MAX_RECORD_BYTES) return undefined;
      await buffer.fill();
      continue;
    }
    const values = parseFields(buffer.bytes, start, record.end, delimiter, width);
    for (const [column, value] of values.entries()) candidates.add(column, value);
    possible = candidates.select(likely);
    offset = record.next - buffer.start;
    records += 1;
  }
  return possible.length === 1 ? possible[0] : undefined;
}

/** Returns the first record, which stays unread; undefined if there is none. Throws AddrsiftError INPUT. */
async function readFirstRecord(
  buffer: InputBuffer,
  kind: TableOptions["kind"],
  delimiter: number,
): Promise<FirstRecord | undefined> {
  const { end, next } = kind === "tsv" ? await readFirstTsvLine(buffer) : await readFirstCsvRecord(buffer, delimiter);
  const { bytes, start } = buffer;
  if (start === buffer.end) return undefined;
  const fields = kind === "tsv" ? parseTsvFields(bytes, start, end) : parseFields(bytes, start, end, delimiter);
  return {
    fields: fields.map((field) => field.trim()),
    content: bytes.slice(start, end),
    bytes: bytes.slice(start, next),
  };
}

async function readFirstTsvLine(buffer: InputBuffer): Promise<{ readonly end: number; readonly next: number }> {
  const lf = await findFirstLineEnd(buffer, TAB);
  const { bytes, start } = buffer;
  const columns = 1 + bytes.subarray(start, lf).reduce((tabs, byte) => tabs + (byte === TAB ? 1 : 0), 0);
  rejectOversized(lf - start, columns, LF_HINT);
  const hasCr = lf < buffer.end && lf > start && bytes[lf - 1] === CR;
  return { end: hasCr ? lf - 1 : lf, next: Math.min(lf + 1, buffer.end) };
}

async function readFirstCsvRecord(buffer: InputBuffer, delimiter: number): Promise<RecordScan> {
  const record = new RecordScan();
  while (!record.scan(buffer.bytes, buffer.start, buffer.end, { delimiter, column: 0, width: 1 }, buffer.ended)) {
    if (buffer.ended || buffer.end - buffer.start > MAX_HEADER_BYTES) {
      if (hasBareCr(buffer.bytes, buffer.start, buffer.end, delimiter)) throw crOnlyError(buffer);
      rejectOversized(buffer.end - buffer.start, 0, DELIMITER_HINT);
      throw unclosedQuoteError(1, 1);
    }
    await buffer.fill();
  }
  rejectOversized(record.end - buffer.start, record.fields, DELIMITER_HINT);
  return record;
}

function rejectOversized(bytes: number, columns: number, hint: Message): void {
  const createError = (problem: string): InputError =>
    new InputError("INPUT", (wording) => `row 1 ${problem}: ${hint(wording)}`);
  if (bytes > MAX_HEADER_BYTES) throw createError("is over 1 MiB, more than the first row may have");
  if (columns <= MAX_COLUMNS) return;
  throw createError(`has ${formatNumber(columns)} columns, more than ${formatNumber(MAX_COLUMNS)}`);
}

/** Reports whether lines end in CR only, so that the first record contains several lines. */
function hasCrOnlyLines({ content, bytes }: FirstRecord, delimiter: number): boolean {
  // The header has no line feed.
  const isUnterminated = content.length === bytes.length && content.at(-1) === CR;
  return isUnterminated || hasBareCr(content, 0, content.length, delimiter);
}

function emptyTableError(kind: TableOptions["kind"]): AddrsiftError {
  return new AddrsiftError("INPUT", `the ${kind.toUpperCase()} is empty: it has no first row to find the column in`);
}

function crOnlyError({ bytes, start, end }: InputBuffer): AddrsiftError {
  const isText = !bytes.subarray(start, end).some((byte) => byte < SPACE && (byte < TAB || byte > CR));
  if (!isText) return new AddrsiftError("INPUT", "the CSV is not text: check that it is the right file");
  return new AddrsiftError(
    "INPUT",
    "the lines of the CSV seem to end in CR only: convert them first, for example with tr '\\r' '\\n'",
  );
}
