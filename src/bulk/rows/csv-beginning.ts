// The first records of a CSV input: its delimiter, whether it has a header, which column has the address. It reads only as much as
// shows that, because a row that has arrived must be answered.

import { decodeUtf8 } from "../../base/bytes/octets.ts";
import { AddrsiftError } from "../../base/errors.ts";
import { type Message, usage } from "../face.ts";
import type { InputBuffer } from "../reader.ts";
import { COLUMNS_MAX, HEADER_MAX, headerTooLong, refuseColumns } from "./bounds.ts";
import { type CsvLayout, DELIMITER_HINT, fieldsOf, holdsBareCr, RecordScan } from "./csv.ts";
import {
  addedNames,
  beginsWithData,
  type ColumnChoice,
  chooseColumn,
  chooseOthers,
  doubtfulColumns,
  isEmailHeader,
  outputHeader,
  saysEmail,
  shownColumn,
} from "./csv-header.ts";
import { delimiterOfSeparatorLine, shownDelimiter, sniffDelimiter } from "./csv-sniff.ts";
import { looksLikeAddress } from "./looks-like-address.ts";

// Octets in which the first column must come that shows itself by its values.
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
const NOTHING = new Uint8Array(0);

export interface CsvChoice extends Omit<ColumnChoice, "delimiter"> {
  readonly kind: "csv" | "tsv";
  /** An octet; undefined: it is found. */
  readonly delimiter: number | undefined;
  /** Rows before the header that are not read. */
  readonly skip: number;
}

/** Facts about all records, by the options and the first records. */
export interface CsvBeginning {
  readonly layout: CsvLayout;
  /** The fields of the header; undefined without a header. */
  readonly names: readonly string[] | undefined;
  /** The header of CSV output; empty where there is none. */
  readonly header: Uint8Array;
  /** The octets of the input before the first row, as they are. */
  readonly given: Uint8Array;
  readonly place: FirstPlace;
  /** Rows before the header of each input that are not read. */
  readonly skip: number;
}

/** Where the first row is: how many rows and how many lines are before it. A header is a row, Excel's `sep=` line is not. */
export interface FirstPlace {
  readonly headerRows: number;
  readonly headerLines: number;
}

/** The place after what was taken: with a header, or without. */
export function placeAfter(taken: Uint8Array, hasHeader: boolean): FirstPlace {
  return {
    headerRows: hasHeader ? 1 : 0,
    headerLines: taken.reduce((lines, octet) => lines + (octet === LF ? 1 : 0), 0),
  };
}

/** Reads the first records; the rows begin after the header. `added` are the fields that are added; `tell` is told in a sentence what was found. */
export async function readCsvBeginning(
  buffer: InputBuffer,
  choice: CsvChoice,
  added: readonly string[],
  tell: (note: string) => void,
): Promise<CsvBeginning> {
  const top = await takeTop(buffer, choice);
  const { separator, line: told } = await takeSeparatorLine(buffer, choice.delimiter, tell);
  const line = Uint8Array.from([...top, ...told]);
  const delimiter = choice.delimiter ?? separator ?? (await findDelimiter(buffer, choice, tell));
  const found: ColumnChoice = { ...choice, delimiter };
  const record = await firstRecord(buffer, delimiter);
  if (buffer.start === buffer.end) return emptyBeginning(found, line);
  if (choice.hasHeader && endsInCr(buffer, record, delimiter)) throw linesEndInCr(buffer);
  const fields = fieldsOf(buffer.octets, buffer.start, record.end, delimiter);
  const given = buffer.octets.slice(buffer.start, record.next);
  const crlf = record.next - record.end === 2;
  const octets = given.subarray(0, record.end - buffer.start);
  const data = choice.hasHeader && beginsWithData(fields, found);
  if (data) tell("the first row has an address, so the CSV has no header");
  if (!choice.hasHeader || data) {
    const layout = await layoutOf(buffer, fields, { ...found, hasHeader: false }, tell);
    return {
      layout,
      names: undefined,
      header: NOTHING,
      given: line,
      place: placeAfter(line, false),
      skip: choice.skip,
    };
  }
  buffer.start = record.next;
  const before = Uint8Array.from([...line, ...given, ...(given.at(-1) === LF ? [] : [LF])]);
  const layout = await layoutOf(buffer, fields, found, tell);
  return {
    layout,
    names: fields,
    header: outputHeader(octets, fields, crlf, found, addedNames(fields, layout, added)),
    given: before,
    place: placeAfter(before, true),
    skip: choice.skip,
  };
}

/** Takes the header of a further input, which must be that of the first; gives the place after it. Throws AddrsiftError INPUT when it is not. */
export async function takeSameHeader(buffer: InputBuffer, first: CsvBeginning): Promise<FirstPlace> {
  const { layout, names, skip } = first;
  const top = await takeTop(buffer, { skip, hasHeader: names !== undefined });
  const { line: told } = await takeSeparatorLine(buffer, layout.delimiter, () => {});
  const line = Uint8Array.from([...top, ...told]);
  if (names === undefined) return placeAfter(line, false);
  const record = await firstRecord(buffer, layout.delimiter);
  if (buffer.start === buffer.end) throw emptyCsv();
  refuseOtherHeader(names, fieldsOf(buffer.octets, buffer.start, record.end, layout.delimiter));
  const place = placeAfter(Uint8Array.from([...line, ...buffer.octets.subarray(buffer.start, record.next)]), true);
  buffer.start = record.next;
  return place;
}

/** Throws AddrsiftError INPUT when the header of a further input is another one than that of the first. */
export function refuseOtherHeader(names: readonly string[], fields: readonly string[]): void {
  const other = names.findIndex((name, i) => fields[i]?.trim() !== name.trim());
  if (other >= 0 || fields.length !== names.length) {
    const at = other >= 0 ? other : names.length;
    throw new AddrsiftError(
      "INPUT",
      `the header differs from that of the first file: column ${at + 1} is ${shownColumn(fields[at])}, not ${shownColumn(names[at])}: give this file in a call of its own`,
    );
  }
}

/** Takes the rows that are not read, and blank ones before the header, also those of only commas. */
export async function takeTop(
  buffer: InputBuffer,
  { skip, hasHeader }: Pick<CsvChoice, "skip" | "hasHeader">,
): Promise<Uint8Array> {
  const taken: number[] = [];
  for (let left = skip; left > 0 || hasHeader; ) {
    const end = await firstLineEnd(buffer, COMMA);
    const line = buffer.octets.subarray(buffer.start, Math.min(end + 1, buffer.end));
    const isBlank = line.every((octet) => octet <= SPACE || octet === COMMA || octet === SEMICOLON);
    if (line.length === 0 || (left === 0 && !isBlank)) break;
    if (!isBlank) left -= 1;
    taken.push(...line);
    buffer.start += line.length;
  }
  return Uint8Array.from(taken);
}

/** Throws AddrsiftError USAGE when the first record is rather a title, because a later one has more fields and the name of an e-mail column. */
function refuseTitle(
  { octets, start, end }: InputBuffer,
  fields: readonly string[],
  { hasHeader }: ColumnChoice,
): void {
  if (!hasHeader || fields.some(saysEmail)) return;
  const filled = (row: readonly string[]): number => row.filter((field) => field.trim() !== "").length;
  const width = filled(fields);
  let from = start;
  for (let skip = 1; skip <= TITLES_MAX; ) {
    const lf = octets.subarray(0, end).indexOf(LF, from);
    if (lf < 0) return;
    const row = fieldsOf(octets, from, lf, sniffDelimiter(octets, from, lf, undefined)).map((field) => field.trim());
    if (filled(row) > width && row.some(isEmailHeader) && !row.some((field) => field.includes("@"))) {
      const message: Message = ({ option }) =>
        `row ${skip + 1} looks like the header: add ${option("skip", String(skip))}`;
      throw usage(message, { skip });
    }
    if (filled(row) > 0) skip += 1;
    from = lf + 1;
  }
}

/** The first line, `sep=;`, tells Excel the delimiter. It is obeyed unless an option says another one, and is not a row. */
async function takeSeparatorLine(
  buffer: InputBuffer,
  chosen: number | undefined,
  tell: (note: string) => void,
): Promise<{ readonly separator: number | undefined; readonly line: Uint8Array }> {
  const end = await firstLineEnd(buffer, chosen ?? COMMA);
  const line = buffer.octets.slice(buffer.start, Math.min(end + 1, buffer.end));
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
    const lf = buffer.octets.subarray(0, buffer.end).indexOf(LF, buffer.start);
    if (lf >= 0) return lf;
    if (buffer.ended) return buffer.end;
    // Before anything is made of it, because that would take long.
    if (buffer.end - buffer.start > HEADER_MAX) return (await firstRecord(buffer, delimiter)).end;
    await buffer.fill();
  }
}

async function findDelimiter(buffer: InputBuffer, choice: CsvChoice, tell: (note: string) => void): Promise<number> {
  const end = await firstLineEnd(buffer, COMMA);
  const found = sniffDelimiter(buffer.octets, buffer.start, end, choice.column);
  if (found !== COMMA) tell(`the columns seem to be separated by ${shownDelimiter(found)}`);
  return found;
}

async function layoutOf(
  buffer: InputBuffer,
  fields: readonly string[],
  choice: ColumnChoice,
  tell: (note: string) => void,
): Promise<CsvLayout> {
  const column = await findColumn(buffer, fields, choice, tell);
  const others = chooseOthers(fields, column, choice);
  const { delimiter } = choice;
  return { delimiter, column, width: fields.length, ...(others.length > 0 && { others }) };
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
  if (found === undefined) return chooseColumn(fields, choice);
  const name = choice.hasHeader ? `, ${shownColumn(fields[found])}` : "";
  tell(`by its values, the address is in column ${found + 1}${name}`);
  return found;
}

/**
 * The only candidate that has addresses. A candidate with another value is none; two with an address stay in doubt. It looks at as
 * many records as decide.
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
    if (!record.scan(buffer.octets, start, buffer.end, layout, buffer.ended)) {
      if (buffer.ended || buffer.end - buffer.start > LOOKED_AT_MAX) break;
      await buffer.fill();
      continue;
    }
    const values = fieldsOf(buffer.octets, start, record.end, delimiter, COLUMNS_MAX).map((value) => value.trim());
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

/** An empty input has no rows. But if a header must be there, its absence is an error. */
function emptyBeginning(choice: ColumnChoice, line: Uint8Array): CsvBeginning {
  if (choice.hasHeader) throw emptyCsv();
  const layout = { delimiter: choice.delimiter, column: 0, width: 1 };
  return { layout, names: undefined, header: NOTHING, given: line, place: placeAfter(line, false), skip: 0 };
}

async function firstRecord(buffer: InputBuffer, delimiter: number): Promise<RecordScan> {
  const record = new RecordScan();
  const layout = { delimiter, column: 0, width: 1 };
  while (!record.scan(buffer.octets, buffer.start, buffer.end, layout, buffer.ended)) {
    if (buffer.ended || buffer.end - buffer.start > HEADER_MAX) {
      if (holdsBareCr(buffer.octets, buffer.start, buffer.end, delimiter)) throw linesEndInCr(buffer);
      throw record.inQuotes ? record.neverEnds(1) : headerTooLong(DELIMITER_HINT);
    }
    await buffer.fill();
  }
  if (record.end - buffer.start > HEADER_MAX) throw headerTooLong(DELIMITER_HINT);
  refuseColumns(record.fields, DELIMITER_HINT);
  return record;
}

/** True when lines end in CR only: then the first record is the whole file, or all of it up to a single line feed. */
function endsInCr({ octets, start }: InputBuffer, { end, next }: RecordScan, delimiter: number): boolean {
  // Only a header, with no line feed after it.
  const unended = end === next && end > start && octets[end - 1] === CR;
  return unended || holdsBareCr(octets, start, end, delimiter);
}

function emptyCsv(): AddrsiftError {
  return new AddrsiftError("INPUT", "the CSV is empty: it has no first row to find the column in");
}

function linesEndInCr({ octets, start, end }: InputBuffer): AddrsiftError {
  const isText = !octets.subarray(start, end).some((octet) => octet < SPACE && (octet < TAB || octet > CR));
  if (!isText) return new AddrsiftError("INPUT", "the CSV is not text: check that it is the right file");
  return new AddrsiftError(
    "INPUT",
    "the lines of the CSV seem to end in CR only: convert them first, for example with tr '\\r' '\\n'",
  );
}
