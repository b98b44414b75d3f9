// Echoes JSON Lines and adds fields to each object: one key per field, or one key for all fields. A line that is not an
// object becomes the value of INVALID_LINE_KEY in a new object.

import { CLOSE_BRACE, COMMA, OPEN_BRACE } from "../../base/bytes/ascii.ts";
import { type ByteWriter, PreparedBytes } from "../../base/bytes/byte-writer.ts";
import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import type { Classifier } from "../../detection/classifier.ts";
import type { Explanation } from "../../detection/evidence.ts";
import { ADDED_COLUMNS } from "../../detection/fields.ts";
import { toSafeJson } from "../../detection/format.ts";
import { addressNames, type JsonLinesLayout } from "../rows/json/preamble.ts";
import type { Row } from "../rows/row.ts";
import { JsonEncoder } from "./encodings.ts";
import type { JsonRow, SelectedFields } from "./render.ts";
import { RowFields } from "./row-fields.ts";

/** Key of a line that is not an object, in its output. */
export const INVALID_LINE_KEY = "broken_line";

/** Writes an object of JSON Lines with the fields of its addresses. */
export class ObjectRow implements JsonRow {
  private readonly fields: readonly AddressFields[];
  private readonly intoKey: PreparedBytes | undefined;
  private readonly hasSeveralAddresses: boolean;
  // Output offset of the current row's added keys, and index in `fields` of the row's next address.
  private additionsStart = 0;
  private nextAddress = 0;

  constructor(layout: JsonLinesLayout, fields: SelectedFields | undefined) {
    const { prefix, into, additionalColumns } = layout;
    this.hasSeveralAddresses = additionalColumns !== undefined;
    this.intoKey = into === undefined ? undefined : new PreparedBytes(`${toSafeJson(into)}:`);
    this.fields = addressNames(layout).map((name) => {
      if (into === undefined) return new AddressFields(`${prefix}${name && `${name}_`}`, undefined, fields);
      return new AddressFields("", this.hasSeveralAddresses ? name : undefined, fields);
    });
  }

  write(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    this.openRow(out, row);
    this.address(out, row, classifier, explanation);
    this.closeRow(out, row);
  }

  openRow(out: ByteWriter, row: Row): void {
    const { line, lineStart, lineEnd, appendOffset, jsonObject, isNull } = row;
    if (jsonObject === "none") out.byte(OPEN_BRACE);
    else out.slice(line, lineStart, appendOffset);
    if (jsonObject === "none" && !isNull)
      out.text(`"${INVALID_LINE_KEY}":${toSafeJson(decodeUtf8(line, lineStart, lineEnd))},`);
    else if (jsonObject === "keys") out.byte(COMMA);
    // Each added key ends with a comma; `closeRow` removes the last one.
    this.additionsStart = out.length;
    this.nextAddress = 0;
    if (this.intoKey === undefined) return;
    out.prepared(this.intoKey);
    if (this.hasSeveralAddresses) out.byte(OPEN_BRACE);
  }

  address(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    const fields = this.fields[this.nextAddress++] as AddressFields;
    if (this.intoKey === undefined) fields.write(out, row, classifier, explanation);
    else fields.writeObject(out, row, classifier, explanation);
  }

  closeRow(out: ByteWriter, { line, lineEnd, appendOffset, jsonObject, isNull }: Row): void {
    if (this.hasSeveralAddresses && this.intoKey !== undefined) {
      out.length -= 1;
      out.byte(CLOSE_BRACE);
      out.byte(COMMA);
    }
    if (out.length > this.additionsStart || jsonObject === "keys" || (jsonObject === "none" && !isNull))
      out.length -= 1;
    if (jsonObject === "none") out.byte(CLOSE_BRACE);
    else out.slice(line, appendOffset, lineEnd);
  }
}

class AddressFields {
  private readonly fields: RowFields;
  private readonly explainKey: string;
  private readonly key: PreparedBytes | undefined;

  /** `prefix` precedes the field names. If a row has several addresses, `key` is the key of this address's object. */
  constructor(prefix: string, key: string | undefined, fields: SelectedFields | undefined) {
    this.fields = new RowFields(fields?.names ?? ADDED_COLUMNS, new JsonEncoder(prefix), fields?.reader);
    this.explainKey = toSafeJson(`${prefix}explain`);
    this.key = key === undefined ? undefined : new PreparedBytes(`${toSafeJson(key)}:`);
  }

  write(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    this.fields.write(out, row, classifier);
    if (explanation !== undefined && !row.isNull) out.text(`${this.explainKey}:${toSafeJson(explanation)},`);
  }

  writeObject(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    // If the only address of a row is null, the value is null. With several addresses, each value is an object.
    if (this.key !== undefined) out.prepared(this.key);
    else if (row.isNull) {
      out.text("null,");
      return;
    }
    out.byte(OPEN_BRACE);
    const objectStart = out.length;
    this.write(out, row, classifier, explanation);
    if (out.length > objectStart) out.length -= 1;
    out.byte(CLOSE_BRACE);
    out.byte(COMMA);
  }
}
