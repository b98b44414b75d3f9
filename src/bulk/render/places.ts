// Addresses that were found in text: each with its place and its fields, as CSV or JSON.

import { COMMA } from "../../base/bytes/ascii.ts";
import { ByteWriter, Constant } from "../../base/bytes/byte-writer.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import type { Classifier } from "../../detection/classifier.ts";
import type { Explanation } from "../../detection/evidence.ts";
import { ADDED_COLUMNS } from "../../detection/fields.ts";
import { jsonText, writeJsonText } from "../../detection/format.ts";
import type { Place, Row } from "../rows/row.ts";
import { CsvQuoting, csvField, DelimitedForm } from "./forms.ts";
import { ObjectRow } from "./json-lines.ts";
import { JsonRowsRenderer, RecordRenderer, type Renderer, type RenderOptions } from "./render.ts";

const COLUMNS = ["file", "line", "column", "email"];

/** Writes what a record or an object of another renderer has before the fields. */
export class PlacesRenderer implements Renderer {
  private readonly rows: Renderer;
  private readonly place = new ByteWriter(2048);
  private readonly quoting = new CsvQuoting(COMMA, false);
  /** The bytes between line, column and address, and after that. */
  private readonly between: readonly [Constant, Constant, Constant];
  private input = "-";
  /** The beginning of the last row, and the commit and file that it is for. */
  private head = new Constant("");
  private commit: string | undefined;
  private file: string | undefined;

  /** `log`: rows begin with the commit. */
  constructor(
    private readonly format: "csv" | "ndjson" | "json",
    private readonly log: boolean,
    { fields, spreadsheetSafe }: RenderOptions,
  ) {
    const [line, column, email] = format === "csv" ? [",", ",", ""] : [',"column":', ',"email":"', '"}'];
    this.between = [new Constant(line), new Constant(column), new Constant(email)];
    if (format === "csv") {
      const columns = [...(log ? ["commit"] : []), ...COLUMNS, ...(fields?.names ?? ADDED_COLUMNS)];
      const form = new DelimitedForm(new CsvQuoting(COMMA, spreadsheetSafe), "");
      this.rows = new RecordRenderer(form, encodeUtf8(`${columns.join(",")}\n`), fields);
    } else {
      const object = new ObjectRow({ path: undefined, prefix: "", into: undefined, added: [] }, fields);
      this.rows = new JsonRowsRenderer(object, format === "json");
    }
  }

  begin(out: ByteWriter): void {
    this.rows.begin(out);
  }

  beginInput(name: string): void {
    this.input = name;
  }

  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    const { place } = this;
    const isCsv = this.format === "csv";
    const [afterLine, afterColumn, afterEmail] = this.between;
    const { commit, line, column, file = this.input } = row.place as Place;
    place.clear();
    place.constant(this.headOf(commit, file));
    place.decimal(line);
    place.constant(afterLine);
    place.decimal(column);
    place.constant(afterColumn);
    if (isCsv) this.quoting.write(place, row.bytes, row.start, row.end);
    else writeJsonText(place, row.bytes, row.start, row.end);
    place.constant(afterEmail);
    row.line = place.bytes;
    row.lineStart = 0;
    row.lineEnd = place.length;
    row.insertAt = isCsv ? row.lineEnd : row.lineEnd - 1;
    row.object = "keys";
    this.rows.row(out, row, classifier, explanation);
  }

  end(out: ByteWriter): void {
    this.rows.end(out);
  }

  /** The beginning of a row, up to the number of its line. */
  private headOf(commit: string | undefined, file: string): Constant {
    if (file === this.file && commit === this.commit) return this.head;
    this.file = file;
    this.commit = commit;
    const ofCommit = commit === undefined ? "" : `"commit":"${commit}",`;
    const text =
      this.format === "csv"
        ? `${this.log ? `${commit ?? ""},` : ""}${csvField(file, COMMA)},`
        : `{${ofCommit}"file":${jsonText(file)},"line":`;
    this.head = new Constant(text);
    return this.head;
  }
}
