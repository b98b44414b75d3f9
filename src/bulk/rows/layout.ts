// The layout of an input's rows, which its options and its preamble determine, and the scanner for it.

import type { CompiledLists } from "../../lists/table.ts";
import { type CsvLayout, CsvScanner, createCsvLocator } from "./csv.ts";
import { JsonLinesScanner } from "./json/lines.ts";
import type { JsonLinesLayout } from "./json/preamble.ts";
import { LineScanner } from "./lines.ts";
import type { LocateField, Scanner } from "./row.ts";
import { type ScanLayout, TextScanner } from "./scan.ts";
import { createTsvLocator, TsvScanner } from "./tsv.ts";

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

export type RowLayout =
  | { readonly kind: "lines" }
  | ({ readonly kind: "csv" } & CsvLayout)
  | ({ readonly kind: "tsv" } & CsvLayout)
  | ({ readonly kind: "jsonl" } & JsonLinesLayout)
  | ({ readonly kind: "scan" } & ScanLayout);

export const LINES: RowLayout = { kind: "lines" };

/** Result of reading the start of an input. */
export interface InputPreamble {
  readonly layout: RowLayout;
  /** Fields of the header; undefined without a header. */
  readonly names: readonly string[] | undefined;
  /** JSON: keys of the first objects. */
  readonly keys?: readonly string[];
  /** JSON: path of the array whose elements are the rows. */
  readonly arrayPath?: readonly string[];
  /** Header of output in the input's own format; empty without a header. */
  readonly header: Uint8Array;
  /** The header's lines, unchanged; empty without a header. */
  readonly headerBytes: Uint8Array;
  /** Number of rows before the first one: the header and the rows before it, without Excel's `sep=` line. */
  readonly preambleRows: number;
  /** Number of lines before the first row. */
  readonly preambleLines: number;
}

/** Returns the empty preamble of an input whose first byte is part of a row. */
export function headerlessPreamble(layout: RowLayout): InputPreamble {
  return { layout, names: undefined, header: EMPTY_BYTES, headerBytes: EMPTY_BYTES, preambleRows: 0, preambleLines: 0 };
}

/** Creates a function that locates the field in the column with this index. */
export function createFieldLocator(layout: RowLayout & { readonly kind: "csv" | "tsv" }, column: number): LocateField {
  return layout.kind === "tsv" ? createTsvLocator(column) : createCsvLocator(column, layout.delimiter);
}

/** Creates the scanner for rows of this layout. `echoesLines`: the output contains the lines of the input. */
export function createScanner(layout: RowLayout, echoesLines: boolean, lists: CompiledLists): Scanner {
  if (layout.kind === "csv") return new CsvScanner(layout);
  if (layout.kind === "tsv") return new TsvScanner(layout);
  if (layout.kind === "jsonl") return new JsonLinesScanner(layout);
  if (layout.kind === "scan") return new TextScanner(layout, lists);
  return new LineScanner(echoesLines);
}
