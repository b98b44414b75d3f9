// The first records of a table, CSV or TSV: its delimiter, whether it has a header, which column has the address. It
// reads only as much as shows that, because a row that has arrived must be answered. Of TSV, which programs write,
// nothing is guessed.

import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import { AddrsiftError } from "../../base/errors.ts";
import { type Message, usage } from "../face.ts";
import type { InputBuffer } from "../reader.ts";
import { COLUMNS_MAX, HEADER_MAX, headerTooLong, refuseColumns } from "./bounds.ts";
import { DELIMITER_HINT, fieldsOf, holdsBareCr, RecordScan } from "./csv.ts";
import {
  addedNames,
  beginsWithData,
  type ColumnChoice,
  chooseColumn,
  chooseOthers,
  doubtfulColumns,
  isEmailHeader,
  looksLikeAddress,
  outputHeader,
  saysEmail,
  shownColumn,
  type TableChoice,
} from "./csv-header.ts";
import { delimiterOfSeparatorLine, shownDelimiter, sniffDelimiter } from "./csv-sniff.ts";
import { type Beginning, type FirstPlace, NOTHING, placeAfter, type RowLayout } from "./layout.ts";
import { LF_HINT, tsvFieldsOf } from "./tsv.ts";

// Bytes in which the first column must come that shows itself by its values.
const LOOKED_AT_MAX = 1024 * 1024;
// Records after which an e-mail column must have shown itself by its values.
const RECORDS_LOOKED_AT_MAX = 100;
// Rows above a header that are named.
const TITLES_MAX = 10;
const SPACE = 0x20;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;

type TableLayout = RowLayout & { readonly kind: "csv" | "tsv" };
/** A choice whose delimiter was found. */
type FoundChoice = TableChoice & { readonly delimiter: number };

/** The first record: its fields, its bytes without the line break, and all of it. */
interface FirstRecord {
  readonly fields: readonly string[];
  readonly bytes: Uint8Array;
  readonly whole: Uint8Array;
  readonly crlf: boolean;
}

/**
 * Reads the first records; the rows begin after the header. `added` are the fields that are added; `tell` gets a
 * sentence about what was found.
 */
export async function readTableBeginning(
  buffer: InputBuffer,
  choice: TableChoice,
  added: readonly string[],
  tell: (note: string) => void,
): Promise<Beginning> {
  const { kind, hasHeader, skip } = choice;
  const top = await takeTop(buffer, choice);
  const { separator, line } = await takeSeparatorLine(buffer, choice, tell);
  const given = Uint8Array.from([...top, ...line]);
  const delimiter = choice.delimiter ?? separator ?? (await findDelimiter(buffer, choice, tell));
  const found: FoundChoice = { ...choice, delimiter };
  const first = await firstRecord(buffer, kind, delimiter);
  const without = { names: undefined, header: NOTHING, given, skip, ...placeAfter(given, false) };
  if (first === undefined) {
    // An empty input has no rows. But if a header must be there, its absence is an error.
    if (hasHeader) throw emptyTable(kind);
    return { ...without, layout: { kind, delimiter, column: 0, width: 1 } };
  }
  if (hasHeader && kind === "csv" && endsInCr(buffer, first, delimiter)) throw linesEndInCr(buffer);
  const { fields, bytes, whole, crlf } = first;
  const isData = hasHeader && kind === "csv" && beginsWithData(fields, found);
  if (isData) tell("the first row has an address, so the CSV has no header");
  if (!hasHeader || isData) {
    return { ...without, layout: await layoutOf(buffer, fields, { ...found, hasHeader: false }, tell) };
  }
  buffer.start += whole.length;
  const before = Uint8Array.from([...given, ...whole, ...(whole.at(-1) === LF ? [] : [LF])]);
  const layout = await layoutOf(buffer, fields, found, tell);
  const header = outputHeader(bytes, fields, crlf, found, addedNames(fields, layout, added));
  return { layout, names: fields, header, given: before, skip, ...placeAfter(before, true) };
}

/**
 * Takes the header of a further input, which must be that of the first; gives the place after it. Throws AddrsiftError
 * INPUT when it is not.
 */
export async function takeSameHeader(buffer: InputBuffer, first: Beginning): Promise<FirstPlace> {
  const { names, skip } = first;
  const { kind, delimiter } = first.layout as TableLayout;
  const top = await takeTop(buffer, { skip, hasHeader: names !== undefined });
  const { line } = await takeSeparatorLine(buffer, { kind, delimiter }, () => {});
  if (names === undefined) return placeAfter([...top, ...line], false);
  const record = await firstRecord(buffer, kind, delimiter);
  if (record === undefined) throw emptyTable(kind);
  refuseOtherHeader(names, record.fields);
  buffer.start += record.whole.length;
  return placeAfter([...top, ...line, ...record.whole], true);
}

/** Throws AddrsiftError INPUT when the header of a further input is another one than that of the first. */
function refuseOtherHeader(names: readonly string[], fields: readonly string[]): void {
  const other = names.findIndex((name, i) => fields[i]?.trim() !== name.trim());
  if (other >= 0 || fields.length !== names.length) {
    const at = other >= 0 ? other : names.length;
    throw new AddrsiftError(
      "INPUT",
      `the header differs from that of the first file: column ${at + 1} is ${shownColumn(fields[at])}, not ` +
        `${shownColumn(names[at])}: process it separately`,
    );
  }
}

/** Takes the rows that are not read, and blank ones before the header, also those of only commas. */
async function takeTop(
  buffer: InputBuffer,
  { skip, hasHeader }: Pick<TableChoice, "skip" | "hasHeader">,
): Promise<Uint8Array> {
  const taken: number[] = [];
  for (let left = skip; left > 0 || hasHeader; ) {
    const end = await firstLineEnd(buffer, COMMA);
    const line = buffer.bytes.subarray(buffer.start, Math.min(end + 1, buffer.end));
    const isBlank = line.every((byte) => byte <= SPACE || byte === COMMA || byte === SEMICOLON);
    if (line.length === 0 || (left === 0 && !isBlank)) break;
    if (!isBlank) left -= 1;
    taken.push(...line);
    buffer.start += line.length;
  }
  return Uint8Array.from(taken);
}

/**
 * Throws AddrsiftError USAGE when the first record is rather a title, because a later one has more fields and the name
 * of an e-mail column.
 */
function refuseTitle({ bytes, start, end }: InputBuffer, fields: readonly string[], { hasHeader }: ColumnChoice): void {
  if (!hasHeader || fields.some(saysEmail)) return;
  const filled = (row: readonly string[]): number => row.filter((field) => field.trim() !== "").length;
  const width = filled(fields);
  let from = start;
  for (let skip = 1; skip <= TITLES_MAX; ) {
    const lf = bytes.subarray(0, end).indexOf(LF, from);
    if (lf < 0) return;
    const row = fieldsOf(bytes, from, lf, sniffDelimiter(bytes, from, lf, undefined)).map((field) => field.trim());
    if (filled(row) > width && row.some(isEmailHeader) && !row.some((field) => field.includes("@"))) {
      const message: Message = ({ option }) =>
        `row ${skip + 1} looks like the header: add ${option("skip", String(skip))}`;
      throw usage(message, { skip });
    }
    if (filled(row) > 0) skip += 1;
    from = lf + 1;
  }
}

/**
 * The first line, `sep=;`, tells Excel the delimiter. It is obeyed unless an option says another one, and is not a row.
 */
async function takeSeparatorLine(
  buffer: InputBuffer,
  { kind, delimiter: chosen }: Pick<TableChoice, "kind" | "delimiter">,
  tell: (note: string) => void,
): Promise<{ readonly separator: number | undefined; readonly line: Uint8Array }> {
  if (kind === "tsv") return { separator: undefined, line: NOTHING };
  const end = await firstLineEnd(buffer, chosen ?? COMMA);
  const line = buffer.bytes.slice(buffer.start, Math.min(end + 1, buffer.end));
  const separator = delimiterOfSeparatorLine(decodeUtf8(line.subarray(0, 100)));
  if (separator === undefined) return { separator, line: NOTHING };
  buffer.start += line.length;
  if (chosen === undefined || chosen === separator) {
    tell(
      `the first line says that the columns are separated by ${shownDelimiter(separator)}; CSV output leaves it out`,
    );
  }
  return { separator, line };
}

/** Reads on until the first line has arrived; gives the index of its line feed, or of its end. */
async function firstLineEnd(buffer: InputBuffer, delimiter: number): Promise<number> {
  for (;;) {
    const lf = buffer.bytes.subarray(0, buffer.end).indexOf(LF, buffer.start);
    if (lf >= 0) return lf;
    if (buffer.ended) return buffer.end;
    // Before anything is made of it, because that would take long.
    if (buffer.end - buffer.start > HEADER_MAX) return (await firstCsvRecord(buffer, delimiter)).end;
    await buffer.fill();
  }
}

async function findDelimiter(buffer: InputBuffer, choice: TableChoice, tell: (note: string) => void): Promise<number> {
  const end = await firstLineEnd(buffer, COMMA);
  const found = sniffDelimiter(buffer.bytes, buffer.start, end, choice.column);
  if (found !== COMMA) tell(`the columns seem to be separated by ${shownDelimiter(found)}`);
  return found;
}

async function layoutOf(
  buffer: InputBuffer,
  fields: readonly string[],
  choice: FoundChoice,
  tell: (note: string) => void,
): Promise<TableLayout> {
  const { kind, delimiter } = choice;
  const column = kind === "tsv" ? chooseColumn(fields, choice) : await findColumn(buffer, fields, choice, tell);
  const others = chooseOthers(fields, column, choice);
  return { kind, delimiter, column, width: fields.length, ...(others.length > 0 && { others }) };
}

/** The column of the address by its header or number, and in doubt by the values in the first records. */
async function findColumn(
  buffer: InputBuffer,
  fields: readonly string[],
  choice: ColumnChoice,
  tell: (note: string) => void,
): Promise<number> {
  refuseTitle(buffer, fields, choice);
  const candidates = doubtfulColumns(fields, choice);
  const found = candidates === undefined ? undefined : await columnByValues(buffer, candidates, choice.delimiter);
  if (found === undefined) {
    const column = chooseColumn(fields, choice);
    const also = fields.filter((name, i) => choice.column === undefined && i !== column && saysEmail(name.trim()));
    if (choice.hasHeader && also.length > 0) {
      const others = also.slice(0, TITLES_MAX).map(shownColumn).join(", ");
      tell(`the address is in column ${column + 1}, ${shownColumn(fields[column])} (also: ${others})`);
    }
    return column;
  }
  const name = choice.hasHeader ? `, ${shownColumn(fields[found])}` : "";
  tell(`by its values, the address is in column ${found + 1}${name}`);
  return found;
}

/**
 * The only candidate that has addresses. A column with any other value is ruled out; two with an address stay in doubt.
 * It looks at as many records as decide.
 */
async function columnByValues(
  buffer: InputBuffer,
  candidates: readonly number[],
  delimiter: number,
): Promise<number | undefined> {
  let left = [...candidates];
  const shown = new Set<number>();
  const record = new RecordScan();
  const layout = { delimiter, column: 0, width: 1 };
  let offset = 0;
  for (let records = 0; records < RECORDS_LOOKED_AT_MAX; ) {
    const start = buffer.start + offset;
    if (start === buffer.end && buffer.ended) break;
    if (!record.scan(buffer.bytes, start, buffer.end, layout, buffer.ended)) {
      if (buffer.ended || buffer.end - buffer.start > LOOKED_AT_MAX) break;
      await buffer.fill();
      continue;
    }
    const values = fieldsOf(buffer.bytes, start, record.end, delimiter, COLUMNS_MAX).map((value) => value.trim());
    left = left.filter((i) => (values[i] ?? "") === "" || looksLikeAddress(values[i] as string));
    for (const i of left) if ((values[i] ?? "") !== "") shown.add(i);
    const showing = left.filter((i) => shown.has(i));
    if (showing.length > 1 || left.length === 0 || (left.length === 1 && showing.length === 1)) break;
    offset = record.next - buffer.start;
    records += 1;
  }
  const showing = left.filter((i) => shown.has(i));
  return showing.length === 1 ? showing[0] : undefined;
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
  return { fields, bytes: bytes.slice(start, end), whole: bytes.slice(start, next), crlf: next - end === 2 };
}

async function firstTsvLine(buffer: InputBuffer): Promise<{ readonly end: number; readonly next: number }> {
  const lf = await firstLineEnd(buffer, TAB);
  const { bytes, start } = buffer;
  if (lf - start > HEADER_MAX) throw headerTooLong(LF_HINT);
  refuseColumns(1 + bytes.subarray(start, lf).reduce((tabs, byte) => tabs + (byte === TAB ? 1 : 0), 0), LF_HINT);
  const hasCr = lf < buffer.end && lf > start && bytes[lf - 1] === CR;
  return { end: hasCr ? lf - 1 : lf, next: Math.min(lf + 1, buffer.end) };
}

async function firstCsvRecord(buffer: InputBuffer, delimiter: number): Promise<RecordScan> {
  const record = new RecordScan();
  const layout = { delimiter, column: 0, width: 1 };
  while (!record.scan(buffer.bytes, buffer.start, buffer.end, layout, buffer.ended)) {
    if (buffer.ended || buffer.end - buffer.start > HEADER_MAX) {
      if (holdsBareCr(buffer.bytes, buffer.start, buffer.end, delimiter)) throw linesEndInCr(buffer);
      throw record.inQuotes ? record.neverEnds(1) : headerTooLong(DELIMITER_HINT);
    }
    await buffer.fill();
  }
  if (record.end - buffer.start > HEADER_MAX) throw headerTooLong(DELIMITER_HINT);
  refuseColumns(record.fields, DELIMITER_HINT);
  return record;
}

/** True when lines end in CR only: then the first record is the whole file, or all of it up to a single line feed. */
function endsInCr({ bytes, start }: InputBuffer, record: FirstRecord, delimiter: number): boolean {
  const { length } = record.bytes;
  // Only a header, with no line feed after it.
  const unended = length === record.whole.length && record.bytes.at(-1) === CR;
  return unended || holdsBareCr(bytes, start, start + length, delimiter);
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
