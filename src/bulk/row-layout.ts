// The layout of an input's rows, as its options and its beginning say it, and from that the scanner and the renderer.

import type { ClassifierSetup } from "../detection/classifier.ts";
import { createExplain, type Explain } from "../detection/explain.ts";
import { FieldReader } from "../detection/field-reader.ts";
import { CsvQuoting, DelimitedForm, TsvQuoting } from "./render/forms.ts";
import { jsonlRenderer } from "./render/json-lines.ts";
import { placesRenderer } from "./render/places.ts";
import {
  createRenderer,
  type DataFormat,
  type FieldChoice,
  RecordRenderer,
  type Renderer,
  type RenderOptions,
} from "./render/render.ts";
import { CsvField, type CsvLayout, CsvScanner } from "./rows/csv.ts";
import { type JsonlLayout, JsonlScanner, JsonValue } from "./rows/json/lines.ts";
import { LineScanner } from "./rows/lines.ts";
import { type ScanLayout, TextScanner } from "./rows/scan.ts";
import type { PlacesAddress, Scanner } from "./rows/scanner.ts";
import { SeveralScanner } from "./rows/several.ts";
import { TsvField, type TsvLayout, TsvScanner } from "./rows/tsv.ts";
import type { RowSettings } from "./run/settings.ts";

/** How rows are found in an input. */
export type RowLayout =
  | { readonly kind: "lines" }
  | ({ readonly kind: "csv" } & CsvLayout)
  | ({ readonly kind: "tsv" } & TsvLayout)
  | ({ readonly kind: "jsonl" } & JsonlLayout)
  | ({ readonly kind: "scan" } & ScanLayout);

export const LINES: RowLayout = { kind: "lines" };

/** A scanner that finds such rows. */
export function createScanner(layout: RowLayout, format: string): Scanner {
  const others = otherAddresses(layout);
  const first = firstAddressScanner(layout, format);
  return others.length === 0 ? first : new SeveralScanner(first, others);
}

/** Finders of the addresses of a row after its first one. */
function otherAddresses(layout: RowLayout): readonly PlacesAddress[] {
  if (layout.kind === "lines" || layout.kind === "scan") return [];
  if (layout.kind === "jsonl") return (layout.several?.paths ?? []).map((path) => new JsonValue(path));
  return (layout.others ?? []).map((column) => fieldOf(layout, column));
}

/** Finds the field of a column, from 0 on. */
export function fieldOf(layout: RowLayout & { readonly kind: "csv" | "tsv" }, column: number): PlacesAddress {
  return layout.kind === "tsv" ? new TsvField(column) : new CsvField(column, layout.delimiter);
}

function firstAddressScanner(layout: RowLayout, format: string): Scanner {
  if (layout.kind === "csv") return new CsvScanner(layout);
  if (layout.kind === "tsv") return new TsvScanner(layout);
  if (layout.kind === "jsonl") return new JsonlScanner(layout);
  if (layout.kind === "scan") return new TextScanner(layout);
  return new LineScanner(format === "plain");
}

/** The output format that gives such rows back with fields added. */
export function ownFormat(layout: RowLayout): DataFormat {
  return layout.kind === "csv" || layout.kind === "tsv" ? layout.kind : "ndjson";
}

/** The renderer of such rows; `header` is the first line of the output where rows come back with columns added. */
function createRowRenderer(
  layout: RowLayout,
  format: DataFormat,
  options: RenderOptions,
  header: Uint8Array = new Uint8Array(0),
): Renderer {
  const { fields } = options;
  if (layout.kind === "scan" && (format === "csv" || format === "ndjson" || format === "json")) {
    return placesRenderer(format, options);
  }
  if (layout.kind === "jsonl" && (format === "ndjson" || format === "json")) {
    return jsonlRenderer(format, layout, fields);
  }
  if (layout.kind === "csv" && format === "csv") {
    const quoting = new CsvQuoting(layout.delimiter, options.spreadsheetSafe);
    return new RecordRenderer(new DelimitedForm(quoting, ""), header, fields);
  }
  if (layout.kind === "tsv" && format === "tsv") {
    return new RecordRenderer(new DelimitedForm(new TsvQuoting(), "\\N"), header, fields);
  }
  return createRenderer(format, options);
}

/** The form of the output: a renderer, and the evidence that it shows. */
export interface RowOutput {
  readonly format: string;
  /** `header` is the first line of rows that come back with columns added. */
  readonly createRenderer: (setup: ClassifierSetup, layout: RowLayout, header?: Uint8Array) => Renderer;
  /** Undefined where the output shows no evidence. */
  readonly createExplain: ((setup: ClassifierSetup) => Explain) | undefined;
  /** Octets collected before they are written, where that is not the usual number. */
  readonly writeOctets?: number;
}

/** Rows in a format for programs. */
export function dataOutput(format: DataFormat, rows: RowSettings): RowOutput {
  const subject = rows.policy.subject === "domain" ? "domain" : "email";
  const { spreadsheetSafe } = rows;
  return {
    format,
    createRenderer: (setup, layout, header) =>
      createRowRenderer(layout, format, { spreadsheetSafe, subject, fields: fieldChoice(rows, setup) }, header),
    createExplain: rows.explain ? createExplain : undefined,
  };
}

/** The chosen fields with their reader; undefined where none were chosen. */
export function fieldChoice({ fields }: RowSettings, setup: ClassifierSetup): FieldChoice | undefined {
  return fields === undefined ? undefined : { names: fields, reader: new FieldReader(setup) };
}
