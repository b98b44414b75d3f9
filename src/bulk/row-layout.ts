// The form of a run's output: its renderer, by the format and by how the rows are found.

import { COMMA } from "../base/bytes/ascii.ts";
import { encodeUtf8 } from "../base/bytes/bytes.ts";
import type { ClassifierSetup } from "../detection/classifier.ts";
import { createExplain, type Explain } from "../detection/explain.ts";
import { FieldReader } from "../detection/field-reader.ts";
import { ADDED_COLUMNS } from "../detection/fields.ts";
import { jsonText, shownEmail } from "../detection/format.ts";
import { CsvQuoting, csvField, DelimitedForm, TsvQuoting } from "./render/forms.ts";
import { ObjectRow } from "./render/json-lines.ts";
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
import type { Row } from "./rows/row.ts";
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
    return placesRenderer(format, layout.log === true, options);
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
  /** Bytes collected before they are written, where that is not the usual number. */
  readonly writeBytes?: number;
}

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

const COLUMNS = ["file", "line", "column", "email"];

/** The renderer of places; those of a log begin with the commit. */
export function placesRenderer(
  format: "csv" | "ndjson" | "json",
  log: boolean,
  { fields, spreadsheetSafe }: RenderOptions,
): Renderer {
  const isCsv = format === "csv";
  const header = encodeUtf8(
    `${[...(log ? ["commit"] : []), ...COLUMNS, ...(fields?.names ?? ADDED_COLUMNS)].join(",")}\n`,
  );
  const inner = isCsv
    ? new RecordRenderer(new DelimitedForm(new CsvQuoting(COMMA, spreadsheetSafe), ""), header, fields)
    : new JsonRowsRenderer(
        new ObjectRow({ path: undefined, prefix: "", into: undefined, added: [] }, fields),
        format === "json",
      );
  let file = "-";
  return {
    begin: (out) => inner.begin(out),
    beginInput: (name) => {
      file = name;
    },
    row: (out, row, classifier, explanation) => {
      const { commit, line, column, file: own = file } = row.place as NonNullable<Row["place"]>;
      const email = shownEmail(row.bytes, row.start, row.end);
      row.line = encodeUtf8(
        isCsv
          ? `${log ? `${commit ?? ""},` : ""}${csvField(own, COMMA)},${line},${column},${csvField(email, COMMA)}`
          : `{${commit === undefined ? "" : `"commit":"${commit}",`}"file":${jsonText(own)},"line":${line},"column":${column},"email":${jsonText(email)}}`,
      );
      row.lineStart = 0;
      row.lineEnd = row.line.length;
      row.insertAt = isCsv ? row.lineEnd : row.lineEnd - 1;
      row.object = "keys";
      inner.row(out, row, classifier, explanation);
    },
    end: (out) => inner.end(out),
  };
}
