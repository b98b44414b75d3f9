// The form of a run's output: its renderer, by the format and by how the rows are found.

import type { ClassifierSetup } from "../detection/classifier.ts";
import { createExplain, type Explain } from "../detection/explain.ts";
import { FieldReader } from "../detection/field-reader.ts";
import { CsvQuoting, DelimitedForm, TsvQuoting } from "./render/forms.ts";
import { ObjectRow } from "./render/json-lines.ts";
import { PlaceSubject } from "./render/places.ts";
import {
  createRenderer,
  type DataFormat,
  type FieldChoice,
  JsonRowsRenderer,
  RecordRenderer,
  type Renderer,
  type RenderOptions,
} from "./render/render.ts";
import type { RowLayout } from "./rows/layout.ts";
import type { RowSettings } from "./run/options.ts";

/** The output format that returns such rows with fields added. */
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
    return createRenderer(format, options, new PlaceSubject(format === "csv", layout.log === true));
  }
  if (layout.kind === "jsonl" && (format === "ndjson" || format === "json")) {
    return new JsonRowsRenderer(new ObjectRow(layout, fields), format === "json");
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
}

export function dataOutput(format: DataFormat, rows: RowSettings): RowOutput {
  const subject = rows.policy.subject === "domain" ? "domain" : "email";
  const { spreadsheetSafe } = rows;
  return {
    format,
    createRenderer: (setup, layout, header) =>
      createRowRenderer(layout, format, { spreadsheetSafe, subject, fields: fieldChoice(rows, setup) }, header),
    createExplain: rows.explain ? (setup) => createExplain(setup, { shared: true }) : undefined,
  };
}

/** The chosen fields with their reader; undefined where none were chosen. */
export function fieldChoice({ fields }: RowSettings, setup: ClassifierSetup): FieldChoice | undefined {
  return fields === undefined ? undefined : { names: fields, reader: new FieldReader(setup) };
}
