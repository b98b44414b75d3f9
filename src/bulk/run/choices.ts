// What options or parameters say about the columns or keys of rows: which kinds of input each is for, and which contradict each other.
// Messages have the words of the command line.

import { AddrsiftError } from "../../base/errors.ts";
import { COLUMNS_MAX } from "../beginning/bounds.ts";
import type { CsvChoice } from "../beginning/csv-beginning.ts";
import type { JsonlChoice } from "../beginning/jsonl-beginning.ts";
import { columnNumber, delimiterNamed } from "../rows/csv-header.ts";
import { readPath } from "../rows/json/keys.ts";

/** The kinds of input whose rows have columns or keys. */
export const COLUMN_KINDS = ["csv", "tsv", "jsonl"] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];

/** Which kinds each option is for. */
export const OPTION_KINDS: Readonly<Record<string, readonly ColumnKind[]>> = {
  column: COLUMN_KINDS,
  prefix: COLUMN_KINDS,
  "no-header": ["csv", "tsv"],
  delimiter: ["csv"],
  into: ["jsonl"],
};

/** What was given for rows with columns or keys. */
interface Given {
  readonly columns: readonly string[];
  readonly prefix: string;
  /** The input is a part of a larger one. */
  readonly part: boolean;
}

/** How CSV or TSV is read. Throws AddrsiftError USAGE. */
export function csvChoice(
  { columns, prefix, part }: Given,
  { kind, delimiter, hasHeader }: Pick<CsvChoice, "kind" | "delimiter" | "hasHeader">,
): CsvChoice {
  if (part && (columns.length === 0 || columns.some((text) => columnNumber(text) === undefined))) {
    throw usage("--part reads no header: give the column's number, --column N");
  }
  if (part && columns.some((text) => (columnNumber(text) as number) > COLUMNS_MAX)) {
    throw usage(`--column must be at most ${COLUMNS_MAX} with --part, because rows are padded to it`);
  }
  const [column, ...others] = columns;
  return { kind, column, others, delimiter, hasHeader, prefix };
}

/** How JSON Lines are read. Throws AddrsiftError USAGE. */
export function jsonlChoice({ columns, prefix, part }: Given, into: string | undefined): JsonlChoice {
  if (part && columns.length === 0) throw usage("--part looks at no first row: give the key, --column PATH");
  if (into === "") throw usage("--into must be the name of a key, not empty");
  if (into !== undefined && prefix !== "") throw usage("--into and --prefix exclude each other: choose one");
  const [path, ...others] = columns.map(readPath);
  return { path, others, prefix, into };
}

/** The octet of a delimiter; undefined where none is given. Throws AddrsiftError USAGE. */
export function delimiterOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const octet = delimiterNamed(text);
  if (octet !== undefined) return octet;
  throw usage(`--delimiter must be one ASCII character other than a quote, or tab, not ${JSON.stringify(text)}`);
}

function usage(message: string): AddrsiftError {
  return new AddrsiftError("USAGE", message);
}
