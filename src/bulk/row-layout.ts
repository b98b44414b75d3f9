// What the options and the beginning of an input say about all its rows, and from that the scanner and the renderer. Plain values,
// so that worker threads get a copy.

import { CsvQuoting, DelimitedForm, TsvQuoting } from "./render/forms.ts";
import { jsonlRenderer } from "./render/json-lines.ts";
import { createRenderer, type DataFormat, RecordRenderer, type Renderer, type RenderOptions } from "./render/render.ts";
import { type CsvLayout, CsvScanner } from "./rows/csv.ts";
import { type JsonlLayout, JsonlScanner } from "./rows/json-lines.ts";
import { LineScanner } from "./rows/lines.ts";
import type { Scanner } from "./rows/scanner.ts";
import { type TsvLayout, TsvScanner } from "./rows/tsv.ts";

/** How rows are found in an input. */
export type RowLayout =
  | { readonly kind: "lines" }
  | ({ readonly kind: "csv" } & CsvLayout)
  | ({ readonly kind: "tsv" } & TsvLayout)
  | ({ readonly kind: "jsonl" } & JsonlLayout);

export const LINES: RowLayout = { kind: "lines" };

/** A scanner that finds such rows. */
export function createScanner(layout: RowLayout, format: string): Scanner {
  if (layout.kind === "csv") return new CsvScanner(layout);
  if (layout.kind === "tsv") return new TsvScanner(layout);
  if (layout.kind === "jsonl") return new JsonlScanner(layout);
  return new LineScanner(format === "plain");
}

/** The output format that gives such rows back with fields added. */
export function ownFormat(layout: RowLayout): DataFormat {
  return layout.kind === "csv" || layout.kind === "tsv" ? layout.kind : "ndjson";
}

/** The renderer of such rows; `header` is the first line of the output where rows come back with columns added. */
export function createRowRenderer(
  layout: RowLayout,
  format: DataFormat,
  options: RenderOptions,
  header: Uint8Array = new Uint8Array(0),
): Renderer {
  const { fields } = options;
  if (layout.kind === "jsonl" && (format === "ndjson" || format === "json")) {
    return jsonlRenderer(format, layout, fields);
  }
  if (layout.kind === "csv" && format === "csv") {
    const quoting = new CsvQuoting(layout.delimiter, options.spreadsheetSafe);
    return new RecordRenderer(new DelimitedForm(quoting, ""), header, fields);
  }
  if (layout.kind === "tsv" && format === "tsv") {
    return new RecordRenderer(new DelimitedForm(new TsvQuoting(true), "\\N"), header, fields);
  }
  return createRenderer(format, options);
}
