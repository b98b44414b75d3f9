// Chooses the address columns of a table by options, by header names or by the first line, and formats the output's
// header. Names are trimmed. Errors list the possible columns.

import { COMMA, CR, LF, QUOTE, SEMICOLON, TAB } from "../../base/bytes/ascii.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { closestNames, formatAlternatives } from "../../base/closest-names.ts";
import { quote } from "../../base/format-text.ts";
import { type Message, usage, type Wording } from "../messages.ts";
import { formatCsvField } from "../render/encodings.ts";
import { type CsvLayout, parseFields } from "./csv.ts";

export interface TableOptions {
  readonly kind: "csv" | "tsv";
  /** A header name, or a column number from 1. */
  readonly column: string | undefined;
  /** Additional columns of addresses. */
  readonly additionalColumns?: readonly string[] | undefined;
  readonly hasHeader: boolean;
  /** Prefix of the names of added columns. */
  readonly prefix: string;
  /** The delimiter's byte; if undefined, it is detected from the first line. */
  readonly delimiter: number | undefined;
  /** Number of rows to skip before the header. */
  readonly skip: number;
  /** Whether to skip a title above the header, if there is one, instead of rejecting it. */
  readonly skipsTitle?: boolean;
  /** With --spreadsheet-safe, names of added columns must not be formulas. */
  readonly spreadsheetSafe?: boolean;
}

export type ColumnOptions = Omit<TableOptions, "kind" | "skip" | "delimiter"> & { readonly delimiter: number };

/** Maximum columns or keys that an error lists. */
export const MAX_LISTED = 30;
/** Delimiters that are detected. If several yield equally many fields, the first one wins. */
const DELIMITERS = [COMMA, SEMICOLON, TAB, 0x7c] as const;
/** Delimiters that are detected only if the others don't occur, because they are valid in addresses. */
const RARE_DELIMITERS = [0x7e, 0x5e] as const;
// Maximum bytes of a line for detection, which splits it at each delimiter.
const PROBE_BYTES = 16 * 1024;

/** Reports whether text is probably an address: something, an `@`, and a domain with a dot inside. */
export function looksLikeAddress(text: string): boolean {
  const trimmed = text.trim();
  // The dot is checked separately: in the pattern, many dots would take quadratic time.
  return /^[^\s@"<>]+@[^\s@"<>]+$/.test(trimmed) && trimmed.slice(trimmed.indexOf("@") + 2, -1).includes(".");
}

/** Returns the index of the email column by its name or number. Throws AddrsiftError USAGE. */
export function chooseColumn(names: readonly string[], options: ColumnOptions): number {
  const column =
    options.column === undefined ? guessColumn(names, options) : findColumn(names, options.column, options);
  rejectAddressHeader(names, column, options);
  return column;
}

/** Throws AddrsiftError USAGE if the header of the column is an address. */
export function rejectAddressHeader(names: readonly string[], column: number, { hasHeader }: ColumnOptions): void {
  const name = names[column] as string;
  if (!hasHeader || !name.includes("@")) return;
  throw usage(
    ({ option }) =>
      `the header of column ${column + 1} is an address, ${quote(name)}: add ${option("no-header")}, ` +
      `or ${option("part")} if the input is a part of a larger file`,
  );
}

/** Returns the indexes of the additional columns; undefined if there are none. Throws AddrsiftError USAGE. */
export function chooseAdditionalColumns(
  names: readonly string[],
  first: number,
  options: ColumnOptions,
): number[] | undefined {
  const others = options.additionalColumns?.map((column) => chooseColumn(names, { ...options, column }));
  const duplicate = firstDuplicate([first, ...(others ?? [])]);
  if (duplicate === undefined) return others;
  throw usage(
    ({ option }) =>
      `${option("column")} names column ${duplicate + 1} (${quote(names[duplicate] as string)}) twice: name it once`,
  );
}

/** Returns the names of the added columns. With several addresses, each field is prefixed with the column's name. */
export function addedColumnNames(
  names: readonly string[],
  { column, additionalColumns }: Pick<CsvLayout, "column" | "additionalColumns">,
  fields: readonly string[],
): readonly string[] {
  if (additionalColumns === undefined) return fields;
  const columns = [column, ...additionalColumns];
  const columnNames = columns.map((i) => names[i] ?? "");
  return columns.flatMap((index, i) => {
    const name = columnNames[i] as string;
    // If a name is empty or not unique, the column's number is added.
    const isUnique = name !== "" && columnNames.indexOf(name) === columnNames.lastIndexOf(name);
    const columnName = isUnique ? name : [name, index + 1].filter((part) => part !== "").join("_");
    return fields.map((field) => `${columnName}_${field}`);
  });
}

function guessColumn(names: readonly string[], options: ColumnOptions): number {
  if (!options.hasHeader) {
    if (names.length === 1) return 0;
    throw usage(
      ({ option }) =>
        `without a header, the email column has to be chosen by number: add ${option("column", "N")}, from 1 to ${names.length}`,
      { column: "1" },
    );
  }
  const hint = suggestDelimiter(names, options);
  if (hint !== undefined)
    throw usage((wording) => `the header has only one column, ${listColumns(names)}${hint(wording)}`);
  const likelyColumns = emailColumns(names);
  if (likelyColumns.length === 1) return likelyColumns[0] as number;
  if (likelyColumns.length > 1) {
    throw usage(
      ({ option }) =>
        "more than one header looks like email: choose " +
        formatChoices(likelyColumns, (i) => `${option("column", String(i + 1))} (${quote(names[i] as string)})`),
      { column: String((likelyColumns[0] as number) + 1) },
    );
  }
  const mayBeData = names.some((name) => name.includes("@"));
  throw usage(
    ({ option }) => {
      const data = mayBeData ? ` (the first row has an @: if it is data, add ${option("no-header")})` : "";
      return `no header looks like email: add ${option("column")} with one of ${listColumns(names)}${data}`;
    },
    { column: "1" },
  );
}

/** Parses a delimiter as users write it: a character, `tab` or `\\t`. Returns undefined if it can't be one. */
export function parseDelimiter(text: string): number | undefined {
  const char = text === "tab" || text === "\\t" ? "\t" : text;
  const byte = char.charCodeAt(0);
  return char.length === 1 && byte <= 0x7e && ![QUOTE, LF, CR].includes(byte) ? byte : undefined;
}

const EMAIL_HEADERS = [
  /^e[-_ ]?mail([-_ ]?(address|addr|adresse|adres|adresi|id))?$/iu,
  /^(mail|courriel|adresse[-_ ](e[-_]?)?mail|correo([-_ ]electr[oó]nico)?|poczta)$/iu,
  /^(e[-_ ]?post([-_ ]?adress[e]?)?|correio[-_ ]eletr[oô]nico|posta[-_ ]elettronica)$/iu,
  /^(адрес )?(электронн(ая|ой) почт[аы]|эл\. ?почта|почта)$/iu,
  /^(メール(アドレス)?|電子メール|电子邮件(地址)?|电子邮箱|邮箱|電子郵件|이메일( ?주소)?)$/iu,
];

/** Reports whether a name is a usual name of an email column, in the languages of common exports. */
export function isEmailHeader(name: string): boolean {
  return EMAIL_HEADERS.some((header) => header.test(name));
}

/** Returns the only column that `isEmailHeader` accepts. Otherwise, returns all columns whose names mention email. */
export function emailColumns(names: readonly string[]): number[] {
  const exact = filterIndexes(names, isEmailHeader);
  return exact.length === 1 ? exact : filterIndexes(names, mentionsEmail);
}

const NOT_ADDRESS_WORDS =
  "accepts|hash|md5|sha|status|domain|verified|(in)?valid|confirmed|consent|opt|sent|bounced?|(un)?subscribed|count|date|type";
/** Matches the name of a column that is about addresses but contains none. */
const NOT_ADDRESS_COLUMN = new RegExp(`(^|[^\\p{L}])(${NOT_ADDRESS_WORDS})([^\\p{L}]|$)`, "iu");

/** Reports whether a name has a word for email, and none of NOT_ADDRESS_WORDS. */
export function mentionsEmail(name: string): boolean {
  const words = name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  // A bare "mail" counts only at the end, or before a number: "mail stop" and "mail code" are about letters on paper.
  const emailWord =
    /e[-_ ]?mail|courriel|correo|correio|(^|[^\p{L}])(e[-_ ]?post|mail)[-_ ]?\d*$|почт[аы]|メール|邮箱|电子邮件|電子郵件|이메일/iu;
  return emailWord.test(words) && !NOT_ADDRESS_COLUMN.test(words);
}

function filterIndexes(names: readonly string[], matches: (name: string) => boolean): number[] {
  return names.flatMap((name, i) => (matches(name) ? [i] : []));
}

/**
 * Finds the columns or paths that may contain the addresses, by their values. A bad value does not rule out a
 * candidate: otherwise, one bad address would select another candidate.
 */
export class AddressCandidates<Candidate> {
  private readonly withAt = new Set<Candidate>();
  private readonly withAddress = new Set<Candidate>();

  add(candidate: Candidate, value: string): void {
    // Malformed addresses count only if a name mentions email.
    if (value.includes("@")) this.withAt.add(candidate);
    if (looksLikeAddress(value)) this.withAddress.add(candidate);
  }

  /** Returns the candidates with a value that may be an address: only of `named`, unless that is empty. */
  select(named: readonly Candidate[]): readonly Candidate[] {
    return named.length > 0 ? named.filter((each) => this.withAt.has(each)) : [...this.withAddress];
  }
}

/** Reports whether the first record is a row, not a header: no name mentions email, and a field is an address. */
export function isDataRecord(names: readonly string[], { column }: ColumnOptions): boolean {
  if (column === undefined) return !names.some(mentionsEmail) && names.some(looksLikeAddress);
  const number = parseColumnNumber(column);
  return number !== undefined && looksLikeAddress(names[number - 1] ?? "") && !names.includes(column.trim());
}

/** Appends the names of the added columns to the header, which is unchanged. Throws AddrsiftError USAGE. */
export function formatOutputHeader(
  record: Uint8Array,
  names: readonly string[],
  crlf: boolean,
  options: ColumnOptions,
  fields: readonly string[],
): Uint8Array {
  const added = fields.map((name) => options.prefix + name);
  const takenName = added.find((name) => names.includes(name));
  if (takenName !== undefined) {
    throw usage(
      ({ option }) =>
        `the header already has a column ${takenName}: rename the added columns with ${option("prefix", "P")}`,
      { prefix: true },
    );
  }
  const delimiter = String.fromCharCode(options.delimiter);
  const texts = added.map((name) => formatCsvField(name, options.delimiter, options.spreadsheetSafe));
  return Uint8Array.from([...record, ...encodeUtf8(`${delimiter}${texts.join(delimiter)}${crlf ? "\r" : ""}\n`)]);
}

/** Returns the index of a column by its name or number. Throws AddrsiftError USAGE. */
export function findColumn(
  names: readonly string[],
  column: string,
  options: Pick<ColumnOptions, "hasHeader" | "delimiter">,
): number {
  const equalColumns = options.hasHeader ? findColumnsByName(names, column) : [];
  if (equalColumns.length > 1) {
    throw usage(({ option }) => {
      const which = formatChoices(equalColumns, (i) => option("column", String(i + 1)));
      return `${equalColumns.length} columns are called ${quote(column.trim())}: choose ${which}`;
    });
  }
  const index = findColumnIndex(options.hasHeader ? names : names.map(() => ""), column);
  if (index !== undefined) return index;
  const available = options.hasHeader ? listColumns(names) : `1 to ${names.length}`;
  const hint = suggestDelimiter(names, options);
  const readableNames = options.hasHeader ? names.filter((name) => !name.includes("\u{FFFD}")) : [];
  const similarNames = closestNames(column.trim(), readableNames).slice(0, MAX_LISTED);
  throw usage((wording) => {
    const problem = column.trim() === "" ? `${wording.option("column")} is empty` : `there is no column ${column}`;
    if (similarNames.length > 0) return `${problem}: did you mean ${formatAlternatives(similarNames.map(quote))}?`;
    const encoding = available.includes("\u{FFFD}") ? `, or ${wording.option("encoding", "windows-1252")}` : "";
    return `${problem}: use one of ${available}${encoding}${hint?.(wording) ?? ""}`;
  });
}

/** Returns the index of the first column with this name or number; undefined if there is none. */
export function findColumnIndex(names: readonly string[], column: string): number | undefined {
  const number = parseColumnNumber(column);
  return (
    findColumnsByName(names, column)[0] ?? (number !== undefined && number <= names.length ? number - 1 : undefined)
  );
}

function findColumnsByName(names: readonly string[], column: string): number[] {
  const trimmedName = column.trim();
  const exactMatches = filterIndexes(names, (name) => name === trimmedName);
  return exactMatches.length > 0
    ? exactMatches
    : filterIndexes(names, (name) => name.toLowerCase() === trimmedName.toLowerCase());
}

export function firstDuplicate<T>(values: readonly T[]): T | undefined {
  return values.find((value, i) => values.indexOf(value) < i);
}

/** Parses a column number, from 1; undefined for any other text. */
export function parseColumnNumber(text: string): number | undefined {
  const number = /^[0-9]{1,6}$/.test(text.trim()) ? Number(text) : 0;
  return number >= 1 ? number : undefined;
}

/** Suggests another delimiter if the header is one column that contains it. */
function suggestDelimiter(
  names: readonly string[],
  { delimiter }: Pick<ColumnOptions, "delimiter">,
): Message | undefined {
  if (names.length !== 1) return undefined;
  const [name = ""] = names;
  const counts = [",", ";", "\t", "|"].map((char) => [char, name.split(char).length] as const);
  const [char, count] = counts.reduce((best, next) => (next[1] > best[1] ? next : best));
  if (count < 2 || char.charCodeAt(0) === delimiter) return undefined;
  const [separate, value] = char === "\t" ? ["tabs separate", "tab"] : [`${char} separates`, `"${char}"`];
  const verb = ({ kind }: Wording): string => (delimiter === TAB ? `use ${kind("csv")} with` : "add");
  return (wording) => ` (if ${separate} the columns, ${verb(wording)} ${wording.option("delimiter", value)})`;
}

/** Lists columns with their numbers. Of too many columns, lists those that mention email, or else the first ones. */
function listColumns(names: readonly string[]): string {
  const all = [...names.keys()];
  const likely = filterIndexes(names, mentionsEmail);
  const listed = names.length <= MAX_LISTED ? all : (likely.length > 0 ? likely : all).slice(0, MAX_LISTED);
  const text = listed.map((i) => `${i + 1} ${quote(names[i] as string)}`).join(", ");
  return listed.length < names.length ? `${text}, … (${names.length} columns)` : text;
}

/** Lists columns to choose from. Of too many, lists the first ones. */
function formatChoices(columns: readonly number[], describeColumn: (column: number) => string): string {
  const texts = columns.slice(0, MAX_LISTED).map(describeColumn).join(" or ");
  return columns.length > MAX_LISTED ? `${texts} or … (${columns.length} columns)` : texts;
}

export function formatColumn(name: string | undefined): string {
  return name === undefined ? "missing" : quote(name);
}

/** Detects the delimiter that yields a field about email, or else the most fields. */
export function sniffDelimiter(line: Uint8Array, column?: string): number {
  const scoreDelimiter = (delimiter: number) => {
    const fields = parseLineFields(line, delimiter);
    const emailScore = fields.length > 1 ? Math.max(...fields.map((field) => scoreEmailField(field, column))) : 0;
    return { delimiter, emailScore, score: emailScore * PROBE_BYTES + fields.length };
  };
  const bestOf = (delimiters: readonly number[]) =>
    delimiters.map(scoreDelimiter).reduce((best, next) => (next.score > best.score ? next : best));
  const usual = bestOf(DELIMITERS);
  if (usual.score > 1 || parseLineFields(line, COMMA).some(isAddressField)) return usual.delimiter;
  const rare = bestOf(RARE_DELIMITERS);
  return rare.emailScore > 0 ? rare.delimiter : usual.delimiter;
}

function scoreEmailField(field: string, column: string | undefined): number {
  if (isEmailHeader(field) || (column !== undefined && field.toLowerCase() === column.trim().toLowerCase())) return 2;
  return mentionsEmail(field) || isAddressField(field) ? 1 : 0;
}

/** Reports whether a field is an address without a delimiter in its domain; its local part may have one. */
function isAddressField(field: string): boolean {
  return looksLikeAddress(field) && !/@.*[,;|\t~^]/.test(field);
}

/** Returns the delimiter if a line is probably a CSV row or header, also of a single column, not one address. */
export function detectCsvDelimiter(line: Uint8Array): number | undefined {
  const delimiter = sniffDelimiter(line);
  const fields = parseLineFields(line, delimiter);
  if (fields.length < 2) return fields.some(isEmailHeader) ? delimiter : undefined;
  const withAt = fields.filter((field) => field.includes("@"));
  const isRow = withAt.length > 0 && withAt.every(looksLikeAddress);
  const isHeader = withAt.length === 0 && fields.some(isEmailHeader);
  return isRow || isHeader ? delimiter : undefined;
}

/** Splits the first PROBE_BYTES of a line into trimmed fields. */
export function parseLineFields(line: Uint8Array, delimiter: number = sniffDelimiter(line)): string[] {
  let stop = line.length;
  while (stop > 0 && [CR, LF].includes(line[stop - 1] as number)) stop -= 1;
  return parseFields(line, 0, Math.min(stop, PROBE_BYTES), delimiter).map((field) => field.trim());
}

/** Returns the delimiter that Excel's first line `sep=;` sets; undefined for any other line. */
export function parseSeparatorLine(line: string): number | undefined {
  const char = /^"?sep=([\x01-\x7e])"?[,;\t|]*$/iu.exec(line.replace(/\r?\n$/, "").trimStart())?.[1];
  return char === undefined || char === '"' ? undefined : char.charCodeAt(0);
}

export function formatDelimiter(delimiter: number): string {
  return delimiter === TAB ? "tabs" : JSON.stringify(String.fromCharCode(delimiter));
}
