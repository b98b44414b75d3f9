// Finds the e-mail column of a CSV file and makes the output's header. Errors list the possible columns.

import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { type Message, usage } from "../face.ts";
import { csvField } from "../render/forms.ts";

export interface ColumnChoice {
  /** A header's name or a number from 1 on. */
  readonly column: string | undefined;
  /** Further columns with addresses, named in the same way. */
  readonly others?: readonly string[];
  readonly hasHeader: boolean;
  /** Goes before the names of the added columns. */
  readonly prefix: string;
  /** The delimiter as a byte. */
  readonly delimiter: number;
}

/** How a table is read. */
export interface TableChoice extends Omit<ColumnChoice, "delimiter"> {
  readonly kind: "csv" | "tsv";
  /** A byte; undefined: it is found. */
  readonly delimiter: number | undefined;
  /** Rows before the header that are not read. */
  readonly skip: number;
}

/**
 * True for text that is probably an address, something, an `@` and a dot inside what follows: a guess for beginnings of
 * CSV.
 */
export function looksLikeAddress(text: string): boolean {
  const trimmed = text.trim();
  // With the dot in the expression, many dots take quadratic time.
  return /^[^\s@"<>]+@[^\s@"<>]+$/.test(trimmed) && trimmed.slice(trimmed.indexOf("@") + 2, -1).includes(".");
}

/** The index of the e-mail column among the fields of the first record. Throws AddrsiftError USAGE. */
export function chooseColumn(fields: readonly string[], choice: ColumnChoice): number {
  const names = fields.map((field) => field.trim());
  const column = choice.column === undefined ? likelyColumn(names, choice) : namedColumn(names, choice.column, choice);
  const name = names[column] as string;
  if (choice.hasHeader && name.includes("@")) {
    throw usage(
      ({ option }) =>
        `the header of column ${column + 1} is an address, ${shown(name)}: add ${option("no-header")}, or ${option("part")} if the input is a part of a larger file`,
    );
  }
  return column;
}

/** The indexes of the further columns of addresses; `first` is that of the first one. Throws AddrsiftError USAGE. */
export function chooseOthers(fields: readonly string[], first: number, choice: ColumnChoice): number[] {
  const columns = [first, ...(choice.others ?? []).map((column) => chooseColumn(fields, { ...choice, column }))];
  const twice = repeated(columns);
  if (twice !== undefined) {
    const name = shown(fields[twice]);
    throw usage(({ option }) => `${option("column")} names column ${twice + 1} (${name}) twice: name it once`);
  }
  return columns.slice(1);
}

/**
 * The names of the added columns: those of the fields, and where there are several addresses, for each the same behind
 * the name of its column.
 */
export function addedNames(
  names: readonly string[],
  { column, others = [] }: { readonly column: number; readonly others?: readonly number[] },
  fields: readonly string[],
): readonly string[] {
  if (others.length === 0) return fields;
  const columns = [column, ...others];
  const called = columns.map((i) => (names[i] ?? "").trim());
  return columns.flatMap((index, i) => {
    const name = called[i] as string;
    // Columns with equal names, or none, are named by their numbers.
    const unique = name !== "" && called.indexOf(name) === called.lastIndexOf(name);
    const own = unique ? name : [name, index + 1].filter((part) => part !== "").join("_");
    return fields.map((field) => `${own}_${field}`);
  });
}

function likelyColumn(names: readonly string[], choice: ColumnChoice): number {
  if (!choice.hasHeader) {
    if (names.length === 1) return 0;
    throw usage(
      ({ option }) =>
        `with ${option("no-header")} the e-mail column must be given by number: add ${option("column", "N")}, from 1 to ${names.length}`,
      { column: "1" },
    );
  }
  const hint = delimiterHint(names, choice);
  if (hint !== undefined) throw usage((face) => `the header has only one column, ${listed(names)}${hint(face)}`);
  const exact = indexesOf(names, isEmailHeader);
  const likely = exact.length === 1 ? exact : indexesOf(names, saysEmail);
  if (likely.length === 1) return likely[0] as number;
  if (likely.length > 1) {
    throw usage(
      ({ option }) =>
        `more than one header looks like e-mail: choose ${either(likely, (i) => `${option("column", String(i + 1))} (${shown(names[i])})`)}`,
      { column: String((likely[0] as number) + 1) },
    );
  }
  const mayBeData = names.some((name) => name.includes("@"));
  throw usage(
    ({ option }) => {
      const data = mayBeData ? ` (the first row has an @: if it is data, add ${option("no-header")})` : "";
      return `no header looks like e-mail: add ${option("column")} with one of ${listed(names)}${data}`;
    },
    { column: "1" },
  );
}

/** The byte of a delimiter as users write it, a character or `tab`; undefined for what can't be one. */
export function delimiterNamed(text: string): number | undefined {
  const char = text === "tab" || text === "\\t" ? "\t" : text;
  const byte = char.charCodeAt(0);
  const fits = char.length === 1 && byte <= 0x7e && byte !== 0x22 && byte !== 0x0a && byte !== 0x0d;
  return fits ? byte : undefined;
}

/** True for the complete name of an e-mail column, in the languages of common CSV exports. */
export function isEmailHeader(name: string): boolean {
  const exactly =
    /^(e[-_ ]?mail([-_ ]?(address|addr|adresse|adres|adresi|id))?|mail|courriel|adresse[-_ ](e[-_]?)?mail|correo([-_ ]electr[oó]nico)?|e[-_ ]?post([-_ ]?adress[e]?)?|correio[-_ ]eletr[oô]nico|posta[-_ ]elettronica|poczta|(адрес )?(электронн(ая|ой) почт[аы]|эл\. ?почта|почта)|メール(アドレス)?|電子メール|电子邮件(地址)?|电子邮箱|邮箱|電子郵件|이메일( ?주소)?)$/iu;
  return exactly.test(name);
}

/** The names that say e-mail: the only one that is exactly so, else all that seem so. */
export function emailNames(names: readonly string[]): string[] {
  const exact = names.filter(isEmailHeader);
  return exact.length === 1 ? exact : names.filter(saysEmail);
}

/** True for a name that has a word for e-mail, and does not say that the column is only about addresses. */
export function saysEmail(name: string): boolean {
  const words = name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  // A bare "mail" counts only at the end: "mail stop" and "mail code" are about letters on paper.
  const says =
    /e[-_ ]?mail|courriel|correo|correio|(^|[^\p{L}])(e[-_ ]?post|mail)$|почт[аы]|メール|邮箱|电子邮件|電子郵件|이메일/iu;
  // A column about addresses that contains none.
  const about =
    /(^|[^\p{L}])(hash|md5|sha|status|domain|verified|valid|invalid|confirmed|consent|opt|sent|bounced?|(un)?subscribed|count|date|type)([^\p{L}]|$)/iu;
  return says.test(words) && !about.test(words);
}

function indexesOf(names: readonly string[], fits: (name: string) => boolean): number[] {
  return names.flatMap((name, i) => (fits(name) ? [i] : []));
}

/**
 * The columns that may have the address when the names don't tell: those that say e-mail, or else all. Undefined when
 * an option or a name decides.
 */
export function doubtfulColumns(fields: readonly string[], choice: ColumnChoice): readonly number[] | undefined {
  if (choice.column !== undefined) return undefined;
  const names = fields.map((field) => field.trim());
  const all = indexesOf(names, () => true);
  if (!choice.hasHeader) return all.length === 1 ? undefined : all;
  if (indexesOf(names, isEmailHeader).length === 1) return undefined;
  const likely = indexesOf(names, saysEmail);
  if (likely.length === 1) return undefined;
  return likely.length > 1 ? likely : all;
}

/** True when the first record is not a header but a row: no name says e-mail, and there is an address. */
export function beginsWithData(fields: readonly string[], { column }: ColumnChoice): boolean {
  const names = fields.map((field) => field.trim());
  if (column === undefined) return !names.some(saysEmail) && names.some(looksLikeAddress);
  const number = columnNumber(column);
  return number !== undefined && looksLikeAddress(names[number - 1] ?? "") && !names.includes(column.trim());
}

/**
 * The header of the output: the unchanged record, and the names of the `fields` after it. Throws AddrsiftError USAGE.
 */
export function outputHeader(
  record: Uint8Array,
  names: readonly string[],
  crlf: boolean,
  choice: ColumnChoice,
  fields: readonly string[],
): Uint8Array {
  const added = fields.map((name) => choice.prefix + name);
  const there = new Set(names.map((name) => name.trim()));
  const taken = added.find((name) => there.has(name));
  if (taken !== undefined) {
    throw usage(
      ({ option }) =>
        `the header already has a column ${taken}: rename the added columns with ${option("prefix", "P")}`,
      { prefix: true },
    );
  }
  const delimiter = String.fromCharCode(choice.delimiter);
  const texts = added.map((name) => csvField(name, choice.delimiter));
  const behind = encodeUtf8(`${delimiter}${texts.join(delimiter)}${crlf ? "\r" : ""}\n`);
  const header = new Uint8Array(record.length + behind.length);
  header.set(record);
  header.set(behind, record.length);
  return header;
}

/** The index of a column by its name or number. Throws AddrsiftError USAGE. */
export function namedColumn(
  names: readonly string[],
  column: string,
  choice: Pick<ColumnChoice, "hasHeader" | "delimiter">,
): number {
  const wanted = column.trim();
  if (choice.hasHeader) {
    const same = indexesOf(names, (name) => name === wanted);
    const called = same.length > 0 ? same : indexesOf(names, (name) => name.toLowerCase() === wanted.toLowerCase());
    if (called.length > 1) {
      throw usage(({ option }) => {
        const which = either(called, (i) => option("column", String(i + 1)));
        return `${called.length} columns are called ${shown(wanted)}: choose ${which}`;
      });
    }
    if (called.length === 1) return called[0] as number;
  }
  const number = columnNumber(wanted);
  if (number !== undefined && number <= names.length) return number - 1;
  const there = choice.hasHeader ? listed(names) : `1 to ${names.length}`;
  const hint = delimiterHint(names, choice);
  throw usage((face) => {
    const what = wanted === "" ? `${face.option("column")} is empty` : `there is no column ${column}`;
    return `${what}: use one of ${there}${hint?.(face) ?? ""}`;
  });
}

/** The first value that stands there before. */
export function repeated<T>(values: readonly T[]): T | undefined {
  return values.find((value, i) => values.indexOf(value) < i);
}

/** A column's number from 1 on; undefined for any other text. */
export function columnNumber(text: string): number | undefined {
  const number = /^[0-9]{1,6}$/.test(text.trim()) ? Number(text) : 0;
  return number >= 1 ? number : undefined;
}

/** A single wide column usually means that the delimiter is another one. */
function delimiterHint(names: readonly string[], { delimiter }: Pick<ColumnChoice, "delimiter">): Message | undefined {
  if (names.length !== 1) return undefined;
  const [only = ""] = names;
  const counts = [",", ";", "\t", "|"].map((char) => [char, only.split(char).length] as const);
  const [char, count] = counts.reduce((best, next) => (next[1] > best[1] ? next : best));
  if (count < 2 || char.charCodeAt(0) === delimiter) return undefined;
  const [separate, value] = char === "\t" ? ["tabs separate", "tab"] : [`${char} separates`, `"${char}"`];
  return ({ option }) => ` (if ${separate} the columns, add ${option("delimiter", value)})`;
}

/** The columns with their numbers; if there are many, those that look like e-mail, or else the first. */
function listed(names: readonly string[]): string {
  const all = indexesOf(names, () => true);
  const likely = indexesOf(names, saysEmail);
  const few = names.length <= LISTED_MAX ? all : (likely.length > 0 ? likely : all).slice(0, LISTED_MAX);
  const text = few.map((i) => `${i + 1} ${shown(names[i])}`).join(", ");
  return few.length < names.length ? `${text}, … (${names.length} columns)` : text;
}

/** Columns to choose from; of many, the first. */
function either(columns: readonly number[], text: (column: number) => string): string {
  const texts = columns.slice(0, LISTED_MAX).map(text).join(" or ");
  return columns.length > LISTED_MAX ? `${texts} or … (${columns.length} columns)` : texts;
}

/** The name of a column for a message. */
export function shownColumn(name: string | undefined): string {
  return name === undefined ? "missing" : shown(name.trim());
}

function shown(name = ""): string {
  return JSON.stringify(name.slice(0, 40));
}

const LISTED_MAX = 30;
