// A guess at a file by its name and its first octets: lines or CSV, its delimiter, its columns. A person may correct all of it. The
// rules are those of the command line.

import { decodeUtf8 } from "../../base/bytes/octets.ts";
import { fieldsOf, RecordScan } from "../../bulk/rows/csv.ts";
import { beginsWithData, type ColumnChoice, chooseColumn } from "../../bulk/rows/csv-header.ts";
import { csvDelimiter, delimiterOfSeparatorLine, sniffDelimiter } from "../../bulk/rows/csv-sniff.ts";
import { looksLikeAddress } from "../../bulk/rows/looks-like-address.ts";
import { startsWith } from "./octets.ts";

/** How many octets of a file show what it is. */
export const LOOKED_AT_BYTES = 64 * 1024;

const BOM = [0xef, 0xbb, 0xbf];
const LF = 0x0a;
const CR = 0x0d;
const PREVIEW_ROWS = 4;

/** The form of a file, by which the daemon reads it. */
export type Layout =
  | { readonly kind: "lines" }
  | {
      readonly kind: "csv";
      /** An octet. */
      readonly delimiter: number;
      readonly hasHeader: boolean;
      /** The index of the e-mail column. */
      readonly column: number;
    };

/** The first octets of a file after what stands before its first record. */
export interface Beginning {
  readonly octets: Uint8Array;
  /** Where the first record begins. */
  readonly start: number;
  /** The delimiter that a line for Excel tells. */
  readonly told: number | undefined;
}

/** A file that was looked at. */
export interface Looked {
  readonly file: File;
  readonly beginning: Beginning;
}

export function beginningOf(octets: Uint8Array): Beginning {
  const start = startsWith(octets, BOM) ? BOM.length : 0;
  const next = lineEnd(octets, start) + 1;
  const told = delimiterOfSeparatorLine(decodeUtf8(octets, start, Math.min(next, octets.length)));
  return told === undefined ? { octets, start, told } : { octets, start: next, told };
}

/** The most likely layout of the file. */
export function guess(name: string, beginning: Beginning): Layout {
  const { octets, start, told } = beginning;
  const end = lineEnd(octets, start);
  const named = /\.(csv|tsv)(\.gz)?$/i.test(name);
  if (!named && told === undefined && csvDelimiter(octets, start, end) === undefined) return { kind: "lines" };
  const delimiter = told ?? sniffDelimiter(octets, start, end, undefined);
  const [first = []] = recordsOf(beginning, delimiter);
  const hasHeader = !beginsWithData(first, choiceOf(delimiter, true));
  return { kind: "csv", delimiter, hasHeader, column: guessColumn(beginning, delimiter, hasHeader) };
}

/** The column that probably has the address: by its header, else by its values, else the first. */
export function guessColumn(beginning: Beginning, delimiter: number, hasHeader: boolean): number {
  const [first = [], ...rows] = recordsOf(beginning, delimiter);
  try {
    return chooseColumn(first, choiceOf(delimiter, hasHeader));
  } catch {
    const values = hasHeader ? rows : [first, ...rows];
    return Math.max(
      0,
      first.findIndex((_, i) => values.some((row) => looksLikeAddress((row[i] ?? "").trim()))),
    );
  }
}

function choiceOf(delimiter: number, hasHeader: boolean): ColumnChoice {
  return { column: undefined, hasHeader, prefix: "", delimiter };
}

/** The fields of the first records. */
export function recordsOf({ octets, start }: Beginning, delimiter: number): string[][] {
  const scan = new RecordScan();
  const layout = { delimiter, column: 0, width: 1 };
  const records: string[][] = [];
  // The octets may end in the middle of a record, which is good enough for a look.
  for (let from = start; from < octets.length && records.length < PREVIEW_ROWS; from = scan.next) {
    if (!scan.scan(octets, from, octets.length, layout, true)) break;
    records.push(fieldsOf(octets, from, scan.end, delimiter));
  }
  return records;
}

/** The first record with its line break, as it stands in the file. */
export function headerRecord({ octets, start }: Beginning, delimiter: number): Uint8Array {
  const scan = new RecordScan();
  scan.scan(octets, start, octets.length, { delimiter, column: 0, width: 1 }, true);
  const record = octets.slice(start, scan.next);
  return record.at(-1) === LF ? record : Uint8Array.from([...record, LF]);
}

function lineEnd(octets: Uint8Array, start: number): number {
  const lf = octets.indexOf(LF, start);
  const end = lf < 0 ? octets.length : lf;
  return lf > start && octets[end - 1] === CR && lf < 0 ? end - 1 : end;
}
