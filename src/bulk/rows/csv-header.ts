// Which column of a CSV file holds the address, and what the output's header is. Errors list what there is.

import { encodeUtf8 } from "../../bytes/octets.ts";
import { AddrsiftError } from "../../errors.ts";
import { ADDED_COLUMNS, csvField } from "../render.ts";

/** What the user said about the columns. */
export interface ColumnChoice {
  /** A header's name or a number from 1 on. */
  readonly column: string | undefined;
  readonly hasHeader: boolean;
  /** Put before the added columns' names. */
  readonly prefix: string;
  /** The delimiter as an octet. */
  readonly delimiter: number;
}

// A column that is called nothing but e-mail address, in the languages that CSV exports come in.
const EXACTLY_EMAIL =
  /^(e[-_ ]?mail([-_ ]?(address|addr|adresse|id))?|mail|courriel|adresse[-_ ](e[-_]?)?mail|correo([-_ ]electr[oó]nico)?)$/iu;
const SAYS_EMAIL = /e[-_ ]?mail|courriel|correo/iu;

/** The index of the e-mail column among the fields of the first record. Throws AddrsiftError USAGE. */
export function chooseColumn(fields: readonly string[], choice: ColumnChoice): number {
  const names = fields.map((field) => field.trim());
  if (choice.column !== undefined) return namedColumn(names, choice.column, choice);
  if (!choice.hasHeader) {
    if (names.length === 1) return 0;
    throw usage(`--no-header leaves ${names.length} columns to choose from: say which by --column N`);
  }
  const hint = delimiterHint(names, choice);
  if (hint !== "") throw usage(`the header is one column, ${listed(names)}${hint}`);
  const exact = names.flatMap((name, i) => (EXACTLY_EMAIL.test(name) ? [i] : []));
  const likely = exact.length === 1 ? exact : names.flatMap((name, i) => (SAYS_EMAIL.test(name) ? [i] : []));
  if (likely.length === 1) return likely[0] as number;
  const what = likely.length === 0 ? "no header says e-mail" : "more than one header says e-mail";
  throw usage(`${what}: choose by --column from ${listed(names)}`);
}

/** Throws AddrsiftError INPUT for a first line that names the delimiter to Excel (`sep=;`) and is no header. */
export function refuseSeparatorLine(line: string): void {
  const char = /^"?sep=([^"])"?[,;\t|]*$/iu.exec(line.trimStart())?.[1];
  if (char === undefined) return;
  const option = char === "\t" ? "tab" : `"${char}"`;
  throw new AddrsiftError(
    "INPUT",
    `the first line, sep=${char === "\t" ? "TAB" : char}, tells Excel the delimiter and is no header: delete it, for example with sed 1d, and say --delimiter ${option}`,
  );
}

/** The header of the output: the record as it was, and the added names behind it. Throws AddrsiftError USAGE. */
export function outputHeader(
  record: Uint8Array,
  names: readonly string[],
  crlf: boolean,
  choice: ColumnChoice,
): Uint8Array {
  const added = ADDED_COLUMNS.map((name) => choice.prefix + name);
  const there = new Set(names.map((name) => name.trim()));
  const taken = added.find((name) => there.has(name));
  if (taken !== undefined) {
    throw usage(`the header has a column ${taken} already: give the added columns another name by --prefix P`);
  }
  const delimiter = String.fromCharCode(choice.delimiter);
  const fields = added.map((name) => csvField(name, choice.delimiter));
  const behind = encodeUtf8(`${delimiter}${fields.join(delimiter)}${crlf ? "\r" : ""}\n`);
  const header = new Uint8Array(record.length + behind.length);
  header.set(record);
  header.set(behind, record.length);
  return header;
}

function namedColumn(names: readonly string[], column: string, choice: ColumnChoice): number {
  const wanted = column.trim();
  if (choice.hasHeader) {
    const same = names.indexOf(wanted);
    const alike = names.findIndex((name) => name.toLowerCase() === wanted.toLowerCase());
    if (same >= 0 || alike >= 0) return same >= 0 ? same : alike;
  }
  const number = /^[0-9]{1,6}$/.test(wanted) ? Number(wanted) : 0;
  if (number >= 1 && number <= names.length) return number - 1;
  const there = choice.hasHeader ? listed(names) : `1 to ${names.length}`;
  throw usage(`there is no column ${column}: choose from ${there}${delimiterHint(names, choice)}`);
}

/** A single wide column usually means that the delimiter is another one. */
function delimiterHint(names: readonly string[], { delimiter }: ColumnChoice): string {
  if (names.length !== 1) return "";
  const [only = ""] = names;
  const counts = [",", ";", "\t", "|"].map((char) => [char, only.split(char).length] as const);
  const [char, count] = counts.reduce((best, next) => (next[1] > best[1] ? next : best));
  if (count < 2 || char.charCodeAt(0) === delimiter) return "";
  return ` (the columns seem to be delimited by ${char === "\t" ? "tabs: --delimiter tab" : `${char} : --delimiter "${char}"`})`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 30).map((name) => JSON.stringify(name.slice(0, 40)));
  return names.length > 30 ? `${shown.join(", ")}, … (${names.length} columns)` : shown.join(", ");
}

function usage(message: string): AddrsiftError {
  return new AddrsiftError("USAGE", message);
}
