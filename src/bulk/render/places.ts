// Addresses that were found in text, each with its place: file, line, column and address as a CSV record or an object,
// which gets the fields as a row of such an input does.

import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { ADDED_COLUMNS } from "../../detection/fields.ts";
import { jsonText, shownEmail } from "../../detection/format.ts";
import type { Row } from "../rows/row.ts";
import { CsvQuoting, csvField, DelimitedForm } from "./forms.ts";
import { jsonlRenderer } from "./json-lines.ts";
import { RecordRenderer, type Renderer, type RenderOptions } from "./render.ts";

const COMMA = 0x2c;
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
    : jsonlRenderer(format, { path: undefined, prefix: "", into: undefined, added: [] }, fields);
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
