// JSON Lines back, octet for octet, with fields added to each object: a key for each, or one key for all. A line that is not an
// object comes back as the text of one.

import { type ByteWriter, Constant } from "../../bytes/byte-writer.ts";
import { decodeUtf8 } from "../../bytes/octets.ts";
import type { Classifier } from "../../detection/classifier.ts";
import type { Explanation } from "../../detection/evidence.ts";
import { ADDED_COLUMNS } from "../../detection/fields.ts";
import { jsonText } from "../../detection/format.ts";
import type { JsonlLayout } from "../rows/json-lines.ts";
import type { Row } from "../rows/row.ts";
import { JsonForm } from "./forms.ts";
import { type FieldChoice, JsonArrayRenderer, type JsonRow, NdjsonRenderer, type Renderer } from "./render.ts";
import { RowFields } from "./row-fields.ts";

const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** The key of a line that is not an object. */
export const BROKEN_LINE = "broken_line";

/** The renderer of JSON Lines, as lines or as one array. */
export function jsonlRenderer(
  format: "ndjson" | "json",
  layout: JsonlLayout,
  fields: FieldChoice | undefined,
): Renderer {
  const objects = new ObjectRow(layout, fields);
  return format === "json" ? new JsonArrayRenderer(objects) : new NdjsonRenderer(objects);
}

class ObjectRow implements JsonRow {
  private readonly fields: RowFields;
  private readonly explainKey: string;
  private readonly intoKey: Constant | undefined;

  constructor({ prefix, into }: JsonlLayout, fields: FieldChoice | undefined) {
    const names = fields?.names ?? ADDED_COLUMNS;
    this.fields = new RowFields(names, new JsonForm(into === undefined ? prefix : ""), fields?.reader);
    this.explainKey = jsonText(into === undefined ? `${prefix}explain` : "explain");
    this.intoKey = into === undefined ? undefined : new Constant(`${jsonText(into)}:`);
  }

  write(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    const { line, lineStart, lineEnd, insertAt, object, isNull } = row;
    if (object === "none") out.octet(OPEN);
    else out.range(line, lineStart, insertAt);
    if (object === "none" && !isNull) out.text(`"${BROKEN_LINE}":${jsonText(decodeUtf8(line, lineStart, lineEnd))},`);
    else if (object === "keys") out.octet(COMMA);
    // Each addition ends in a comma, and the last one goes.
    const before = out.length;
    this.add(out, row, classifier, explanation);
    if (out.length > before || object === "keys" || (object === "none" && !isNull)) out.length -= 1;
    if (object === "none") out.octet(CLOSE);
    else out.range(line, insertAt, lineEnd);
  }

  private add(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    const { intoKey } = this;
    if (intoKey === undefined) {
      this.addFields(out, row, classifier, explanation);
      return;
    }
    out.constant(intoKey);
    if (row.isNull) {
      out.text("null,");
      return;
    }
    out.octet(OPEN);
    const before = out.length;
    this.addFields(out, row, classifier, explanation);
    if (out.length > before) out.length -= 1;
    out.octet(CLOSE);
    out.octet(COMMA);
  }

  private addFields(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    this.fields.write(out, row, classifier);
    if (explanation !== undefined && !row.isNull) out.text(`${this.explainKey}:${jsonText(explanation)},`);
  }
}
