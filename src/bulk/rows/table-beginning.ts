// The first records of a table, CSV or TSV: its delimiter, whether it has a header, which column has the address. It
// reads only as much as shows that, because a row that has arrived must be answered: up to 100 records while several
// columns may have the address, else the first one. About TSV, which programs write,
// it guesses nothing. It is over 250 lines, because all of it takes the same beginning, step by step.

import { COMMA, CR, LF, SEMICOLON, SPACE, TAB } from "../../base/bytes/ascii.ts";
import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import { AddrsiftError } from "../../base/errors.ts";
import { formatNumber } from "../../base/format-text.ts";
import { InputError, type Message, usage } from "../messages.ts";
import type { InputBuffer } from "../reader.ts";
import { COLUMNS_MAX, DELIMITER_HINT, fieldsOf, holdsBareCr, neverCloses, RecordScan } from "./csv.ts";
import { dialectNote } from "./csv-dialect.ts";
import {
  addedNames,
  beginsWithData,
  type Candidates,
  candidateColumns,
  chooseColumn,
  chooseOthers,
  delimiterOfSeparatorLine,
  isEmailHeader,
  lineFields,
  outputHeader,
  refuseAddress,
  saysEmail,
  shownColumn,
  shownDelimiter,
  sniffDelimiter,
  type TableChoice,
} from "./csv-header.ts";
import { type Beginning, type RowLayout, withoutHeader } from "./layout.ts";
import { RECORD_MAX } from "./row.ts";
import { LF_HINT, tsvFieldsOf } from "./tsv.ts";

/** Bytes of the first record. */
const HEADER_MAX = 1024 * 1024;
// Records in which a column must show by its values that it may have the addresses.
const RECORDS_LOOKED_AT_MAX = 100;
// Rows above a header that are named.
const TITLES_MAX = 10;

type TableLayout = RowLayout & { readonly kind: "csv" | "tsv" };
type KnownChoice = TableChoice & { readonly delimiter: number };
type Tell = (note: string | Message) => void;

/** The first record: its fields, its bytes without the line break, and with it. */
interface FirstRecord {
  readonly fields: readonly string[];
  readonly bytes: Uint8Array;
  readonly whole: Uint8Array;
}

/**
 * Reads the first records; the rows begin after the header. `added` are the fields that are added; `tell` gets a
 * sentence about what was found.
 */
export async function readTableBeginning(
  buffer: InputBuffer,
  choice: TableChoice,
  added: readonly string[],
  tell: Tell,
): Promise<Beginning> {
  const { kind, hasHeader } = choice;
  const { lead, separator } = await takeLead(buffer, choice, tell);
  const delimiter = choice.delimiter ?? separator ?? (await findDelimiter(buffer, choice, tell));
  const known: KnownChoice = { ...choice, delimiter };
  const first = await firstRecord(buffer, kind, delimiter);
  if (first === undefined) {
    // An empty input has no rows. But if a header must be there, its absence is an error.
    if (hasHeader) throw emptyTable(kind);
    return { ...withoutHeader({ kind, delimiter, column: 0, width: 1 }), given: lead };
  }
  if (hasHeader && kind === "csv" && endsInCr(first, delimiter)) throw linesEndInCr(buffer);
  const { fields, bytes, whole } = first;
  if (kind === "csv") noteDialect(buffer, first, delimiter, tell);
  const isData = hasHeader && kind === "csv" && beginsWithData(fields, known);
  if (isData) tell("the first row has an address, so the CSV has no header");
  if (!hasHeader || isData) {
    const layout = await layoutOf(buffer, fields, { ...known, hasHeader: false }, tell);
    return { ...withoutHeader(layout), given: lead };
  }
  buffer.start += whole.length;
  const given = Uint8Array.from([...lead, ...whole, ...(whole.at(-1) === LF ? [] : [LF])]);
  const layout = await layoutOf(buffer, fields, known, tell);
  const isCrlf = whole.length - bytes.length === 2;
  const header = outputHeader(bytes, fields, isCrlf, known, addedNames(fields, layout, added));
  return { layout, names: fields, header, given };
}

/** Tells about a form of CSV outside of RFC 4180 in the rows that have arrived. */
function noteDialect(buffer: InputBuffer, first: FirstRecord, delimiter: number, tell: Tell): void {
  const { start } = buffer;
  buffer.start += first.whole.length;
  const note = dialectNote(first.bytes, buffer, delimiter, first.fields.length);
  buffer.start = start;
  if (note !== undefined) tell(note);
}

/**
 * Takes the header of a further input, which must be that of the first; returns what is before the first row. Throws
 * AddrsiftError INPUT when it is not.
 */
export async function takeSameHeader(
  buffer: InputBuffer,
  { names, layout }: Beginning,
  skip: number,
): Promise<Uint8Array> {
  const { kind, delimiter } = layout as TableLayout;
  const { lead } = await takeLead(buffer, { kind, delimiter, skip, hasHeader: names !== undefined }, () => {});
  if (names === undefined) return lead;
  const record = await firstRecord(buffer, kind, delimiter);
  if (record === undefined) throw emptyTable(kind);
  refuseOtherHeader(names, record.fields);
  buffer.start += record.whole.length;
  return Uint8Array.from([...lead, ...record.whole]);
}

/** Throws AddrsiftError INPUT when the header of a further input differs from that of the first. */
function refuseOtherHeader(names: readonly string[], fields: readonly string[]): void {
  const at = names.findIndex((name, i) => fields[i] !== name);
  if (at < 0 && fields.length === names.length) return;
  const column = at < 0 ? names.length : at;
  throw new AddrsiftError(
    "INPUT",
    `the header differs from that of the first file: column ${column + 1} is ${shownColumn(fields[column])}, not ` +
      `${shownColumn(names[column])}: process it separately`,
  );
}

/**
 * Takes what is before the header: rows that are not read, blank ones, also those of only commas, and the line `sep=;`,
 * which shows Excel the delimiter. It is obeyed unless an option says another one.
 */
async function takeLead(
  buffer: InputBuffer,
  { kind, skip, hasHeader, delimiter: chosen }: Pick<TableChoice, "kind" | "skip" | "hasHeader" | "delimiter">,
  tell: Tell,
): Promise<{ readonly lead: Uint8Array; readonly separator: number | undefined }> {
  const lead: number[] = [];
  const take = (line: Uint8Array): void => {
    for (const byte of line) lead.push(byte);
    buffer.start += line.length;
  };
  let skipped: Uint8Array = new Uint8Array(0);
  for (let left = skip; left > 0 || hasHeader; ) {
    const line = await firstLine(buffer, COMMA);
    const isBlank = line.every((byte) => byte <= SPACE || byte === COMMA || byte === SEMICOLON);
    if (left === 0 && hasHeader && !isBlank) refuseSkippedHeader(skipped, line, skip);
    if (line.length === 0 || (left === 0 && !isBlank)) break;
    if (!isBlank) left -= 1;
    if (!isBlank) skipped = line.slice();
    take(line);
  }
  let separator: number | undefined;
  if (kind === "csv") {
    const line = await firstLine(buffer, chosen ?? COMMA);
    separator = delimiterOfSeparatorLine(decodeUtf8(line.subarray(0, 100)));
    if (separator !== undefined) take(line);
    if (separator !== undefined && (chosen === undefined || chosen === separator)) {
      const shown = shownDelimiter(separator);
      tell(`the first line says that the columns are separated by ${shown}; CSV output leaves it out`);
    }
  }
  return { lead: Uint8Array.from(lead), separator };
}

/**
 * Throws AddrsiftError USAGE when the first record is rather a title, because a later one has more fields and the name
 * of an e-mail column.
 */
function refuseTitle({ bytes, start, end }: InputBuffer, fields: readonly string[], choice: KnownChoice): void {
  if (!choice.hasHeader || fields.some(saysEmail)) return;
  const width = filled(fields);
  let from = start;
  for (let skip = 1; skip <= TITLES_MAX; ) {
    const lf = bytes.subarray(0, end).indexOf(LF, from);
    if (lf < 0) return;
    const row = lineFields(bytes.subarray(from, lf));
    if (filled(row) > width && looksLikeHeader(row)) {
      const rows = choice.skip + skip;
      const way = choice.skip === 0 ? "add" : "use";
      const message: Message = ({ option }) =>
        `row ${rows + 1} looks like the header: ${way} ${option("skip", String(rows))}`;
      throw usage(message, { skip: rows });
    }
    if (filled(row) > 0) skip += 1;
    from = lf + 1;
  }
}

/** Throws AddrsiftError USAGE if the last row that is skipped looks like the header, and the next one does not. */
function refuseSkippedHeader(skipped: Uint8Array, next: Uint8Array, skip: number): void {
  const [row, kept] = [lineFields(skipped), lineFields(next)];
  if (!looksLikeHeader(row) || filled(row) < filled(kept) || kept.some(saysEmail)) return;
  throw usage(({ option }) => {
    const instead = skip === 1 ? `leave ${option("skip")} out` : `use ${option("skip", String(skip - 1))}`;
    return `${option("skip", String(skip))} skips the header: ${instead}`;
  });
}

function looksLikeHeader(row: readonly string[]): boolean {
  const says = row.some(isEmailHeader) || row.filter(saysEmail).length > 1;
  return says && !row.some((field) => field.includes("@"));
}

/** Number of fields that are not empty. */
function filled(row: readonly string[]): number {
  return row.filter((field) => field !== "").length;
}

/** The first line with its line feed, or what there is of it at the end; it stays unread. */
async function firstLine(buffer: InputBuffer, delimiter: number): Promise<Uint8Array> {
  const end = await firstLineEnd(buffer, delimiter);
  return buffer.bytes.subarray(buffer.start, Math.min(end + 1, buffer.end));
}

/** Reads on until the first line has arrived; returns the index of its line feed, or of its end. */
async function firstLineEnd(buffer: InputBuffer, delimiter: number): Promise<number> {
  const end = await buffer.findLineEnd(HEADER_MAX);
  // An error, before anything is made of a long line, because that would take long.
  if (end === buffer.end && !buffer.ended) await firstCsvRecord(buffer, delimiter);
  return end;
}

async function findDelimiter(buffer: InputBuffer, { column }: TableChoice, tell: Tell): Promise<number> {
  const end = await firstLineEnd(buffer, COMMA);
  const delimiter = sniffDelimiter(buffer.bytes.subarray(buffer.start, end), column);
  if (delimiter !== COMMA) tell(`the columns seem to be separated by ${shownDelimiter(delimiter)}`);
  return delimiter;
}

async function layoutOf(
  buffer: InputBuffer,
  fields: readonly string[],
  choice: KnownChoice,
  tell: Tell,
): Promise<TableLayout> {
  const { kind, delimiter } = choice;
  const column = kind === "tsv" ? chooseColumn(fields, choice) : await findColumn(buffer, fields, choice, tell);
  const others = chooseOthers(fields, column, choice);
  return { kind, delimiter, column, width: fields.length, others };
}

/** The column of the address by its header or number, and in doubt by the values in the first records. */
async function findColumn(
  buffer: InputBuffer,
  fields: readonly string[],
  choice: KnownChoice,
  tell: Tell,
): Promise<number> {
  refuseTitle(buffer, fields, choice);
  const candidates = candidateColumns(fields, choice);
  const shown = candidates && (await columnByValues(buffer, candidates, choice.delimiter));
  const column = shown ?? chooseColumn(fields, choice);
  refuseAddress(fields, column, choice);
  const name = choice.hasHeader ? `, ${shownColumn(fields[column])}` : "";
  if (shown !== undefined) tell(`by its values, the address is in column ${column + 1}${name}`);
  else if (choice.hasHeader && choice.column === undefined) {
    const also = fields.filter((field, i) => i !== column && saysEmail(field)).slice(0, TITLES_MAX);
    if (also.length > 0) {
      tell(`the address is in column ${column + 1}${name} (also: ${also.map(shownColumn).join(", ")})`);
    }
  }
  return column;
}

/**
 * Returns the only candidate that has such a value in the first records. Other values don't rule a column out: then a
 * single bad address would lead to another column. Undefined if several columns or none may have the address, or if the
 * records are too large to look at so many.
 */
async function columnByValues(
  buffer: InputBuffer,
  { places, mayBe }: Candidates<number>,
  delimiter: number,
): Promise<number | undefined> {
  const record = new RecordScan();
  const possible = new Set<number>();
  let offset = 0;
  for (let records = 0; records < RECORDS_LOOKED_AT_MAX && possible.size < 2; ) {
    const start = buffer.start + offset;
    if (start === buffer.end && buffer.ended) break;
    if (!record.scan(buffer.bytes, start, buffer.end, { delimiter, column: 0, width: 1 }, buffer.ended)) {
      if (buffer.ended) break;
      if (buffer.end - buffer.start > RECORD_MAX) return undefined;
      await buffer.fill();
      continue;
    }
    const values = fieldsOf(buffer.bytes, start, record.end, delimiter, COLUMNS_MAX);
    for (const column of places) if (mayBe(values[column] ?? "")) possible.add(column);
    offset = record.next - buffer.start;
    records += 1;
  }
  return possible.size === 1 ? [...possible][0] : undefined;
}

/**
 * The first record, which stays unread; undefined when there is none. Throws AddrsiftError INPUT when it is too large.
 */
async function firstRecord(
  buffer: InputBuffer,
  kind: TableChoice["kind"],
  delimiter: number,
): Promise<FirstRecord | undefined> {
  const { end, next } = kind === "tsv" ? await firstTsvLine(buffer) : await firstCsvRecord(buffer, delimiter);
  const { bytes, start } = buffer;
  if (start === buffer.end) return undefined;
  const fields = kind === "tsv" ? tsvFieldsOf(bytes, start, end) : fieldsOf(bytes, start, end, delimiter);
  return {
    fields: fields.map((field) => field.trim()),
    bytes: bytes.slice(start, end),
    whole: bytes.slice(start, next),
  };
}

async function firstTsvLine(buffer: InputBuffer): Promise<{ readonly end: number; readonly next: number }> {
  const lf = await firstLineEnd(buffer, TAB);
  const { bytes, start } = buffer;
  const columns = 1 + bytes.subarray(start, lf).reduce((tabs, byte) => tabs + (byte === TAB ? 1 : 0), 0);
  refuseLarge(lf - start, columns, LF_HINT);
  const hasCr = lf < buffer.end && lf > start && bytes[lf - 1] === CR;
  return { end: hasCr ? lf - 1 : lf, next: Math.min(lf + 1, buffer.end) };
}

async function firstCsvRecord(buffer: InputBuffer, delimiter: number): Promise<RecordScan> {
  const record = new RecordScan();
  while (!record.scan(buffer.bytes, buffer.start, buffer.end, { delimiter, column: 0, width: 1 }, buffer.ended)) {
    if (buffer.ended || buffer.end - buffer.start > HEADER_MAX) {
      if (holdsBareCr(buffer.bytes, buffer.start, buffer.end, delimiter)) throw linesEndInCr(buffer);
      refuseLarge(buffer.end - buffer.start, 0, DELIMITER_HINT);
      throw neverCloses(1);
    }
    await buffer.fill();
  }
  refuseLarge(record.end - buffer.start, record.fields, DELIMITER_HINT);
  return record;
}

/** Throws AddrsiftError INPUT for a first record of more bytes or columns than it may have. */
function refuseLarge(bytes: number, columns: number, hint: Message): void {
  const refuse = (what: string): InputError => new InputError("INPUT", (face) => `row 1 ${what}: ${hint(face)}`);
  if (bytes > HEADER_MAX) throw refuse("is over 1 MiB, more than the first row may have");
  if (columns <= COLUMNS_MAX) return;
  throw refuse(`has ${formatNumber(columns)} columns, more than ${formatNumber(COLUMNS_MAX)}`);
}

/** True when lines end in CR only: then the first record is the whole file, or all of it up to a single line feed. */
function endsInCr({ bytes, whole }: FirstRecord, delimiter: number): boolean {
  // Only a header, with no line feed after it.
  const isUnended = bytes.length === whole.length && bytes.at(-1) === CR;
  return isUnended || holdsBareCr(bytes, 0, bytes.length, delimiter);
}

function emptyTable(kind: TableChoice["kind"]): AddrsiftError {
  return new AddrsiftError("INPUT", `the ${kind.toUpperCase()} is empty: it has no first row to find the column in`);
}

function linesEndInCr({ bytes, start, end }: InputBuffer): AddrsiftError {
  const isText = !bytes.subarray(start, end).some((byte) => byte < SPACE && (byte < TAB || byte > CR));
  if (!isText) return new AddrsiftError("INPUT", "the CSV is not text: check that it is the right file");
  return new AddrsiftError(
    "INPUT",
    "the lines of the CSV seem to end in CR only: convert them first, for example with tr '\\r' '\\n'",
  );
}
