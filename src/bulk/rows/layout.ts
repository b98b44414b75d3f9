// The layout of an input's rows, as its options and its beginning say it, and from that the scanner.

import { CsvFieldLocator, type CsvLayout, CsvScanner } from "./csv.ts";
import { JsonLinesScanner } from "./json/lines.ts";
import type { JsonLinesLayout } from "./json/preamble.ts";
import { LineScanner } from "./lines.ts";
import type { FieldLocator, Scanner } from "./row.ts";
import { type ScanLayout, TextScanner } from "./scan.ts";
import { TsvFieldLocator, TsvScanner } from "./tsv.ts";

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

export type RowLayout =
  | { readonly kind: "lines" }
  | ({ readonly kind: "csv" } & CsvLayout)
  | ({ readonly kind: "tsv" } & CsvLayout)
  | ({ readonly kind: "jsonl" } & JsonLinesLayout)
  | ({ readonly kind: "scan" } & ScanLayout);

export const LINES: RowLayout = { kind: "lines" };

export interface InputPreamble {
  readonly layout: RowLayout;
  /** The fields of the header, which is row 1; undefined without a header. */
  readonly names: readonly string[] | undefined;
  /** The keys of the first objects of JSON. */
  readonly keys?: readonly string[];
  /** The path of the array that has the rows. */
  readonly array?: readonly string[];
  /** The header of output in the form of the input; empty where there is none. */
  readonly header: Uint8Array;
  /** The bytes of the input before the first row, as they are. */
  readonly preambleBytes: Uint8Array;
}

/** The beginning of an input in which the first byte begins a row. */
export function headerlessPreamble(layout: RowLayout): InputPreamble {
  return { layout, names: undefined, header: EMPTY_BYTES, preambleBytes: EMPTY_BYTES };
}

/** Finds the field of a column, from 0 on. */
export function createFieldLocator(layout: RowLayout & { readonly kind: "csv" | "tsv" }, column: number): FieldLocator {
  return layout.kind === "tsv" ? new TsvFieldLocator(column) : new CsvFieldLocator(column, layout.delimiter);
}

/** `showsLines`: the output has the lines of the input. */
export function createScanner(layout: RowLayout, echoesLines: boolean): Scanner {
  if (layout.kind === "csv") return new CsvScanner(layout);
  if (layout.kind === "tsv") return new TsvScanner(layout);
  if (layout.kind === "jsonl") return new JsonLinesScanner(layout);
  if (layout.kind === "scan") return new TextScanner(layout);
  return new LineScanner(echoesLines);
}
