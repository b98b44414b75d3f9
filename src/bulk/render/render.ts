// Renderers of the data formats. formats.ts has their table.

import { CLOSE_BRACE, COMMA, CR, LF, QUOTE } from "../../base/bytes/ascii.ts";
import { type ByteWriter, PreparedBytes } from "../../base/bytes/byte-writer.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { AddrsiftError } from "../../base/errors.ts";
import type { Classifier } from "../../detection/classifier.ts";
import type { Explanation } from "../../detection/evidence.ts";
import type { FieldReader } from "../../detection/field-reader.ts";
import { ADDED_COLUMNS, type Field } from "../../detection/fields.ts";
import { EMAIL_OUTPUT_MAX, formatEmail, JsonRenderer, toSafeJson, writeJsonSubject } from "../../detection/format.ts";
import type { Row } from "../rows/row.ts";
import { DelimitedEncoder, JsonEncoder, type Quoting } from "./encodings.ts";
import { RowFields } from "./row-fields.ts";

export interface Renderer {
  begin?(out: ByteWriter): void;
  /** Writes a row with one address. `explanation` is undefined without --explain. */
  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void;
  /** Begins a row with several addresses. If the row is not selected, the pipeline discards its output. */
  openRow?(out: ByteWriter, row: Row): void;
  address?(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void;
  /** Ends a row with several addresses that is selected. */
  closeRow?(out: ByteWriter, row: Row): void;
  skipRow?(row: Row): void;
  /** Writes buffered rows, because the next row may take long to arrive. */
  flush?(out: ByteWriter): void;
  /**
   * Begins an input, whose first row follows `headerLines` lines. `name` is a file name or `-`. `hasLines` reports, from
   * the first row on, whether each row is one or more lines of the input.
   */
  beginInput?(name: string, headerLines: number, hasLines: () => boolean): void;
  end?(out: ByteWriter): void;
}

/** Fields of the output rows, and the reader of fields other than ADDED_COLUMNS. */
export interface SelectedFields {
  readonly names: readonly Field[];
  readonly reader: FieldReader;
}

/** Writes the part of a row before its fields, for inputs without columns. */
export interface RowPrefix {
  beginInput?(name: string): void;
  /** Column names in CSV and TSV. */
  readonly columns: readonly string[];
  write(out: ByteWriter, row: Row, classifier: Classifier): void;
}

/** Writes a row as a JSON value. `openRow`, `address` and `closeRow` write rows with several addresses. */
export interface JsonRow extends Pick<Renderer, "openRow" | "address" | "closeRow"> {
  beginInput?(name: string): void;
  write(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void;
}

export class DetectionRow implements JsonRow {
  private readonly json = new JsonRenderer();

  write(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    if (row.isNull) out.text("null");
    else this.json.write(out, row, classifier, explanation);
  }
}

const JSON_PREFIX: RowPrefix = {
  columns: [],
  write(out, row, classifier) {
    writeJsonSubject(out, row, classifier);
    out.byte(QUOTE);
  },
};

/** Writes the prefix and the selected fields of a row. The default prefix is the address. */
export class SelectedFieldsRow implements JsonRow {
  private readonly fields: RowFields;

  constructor(
    private readonly prefix: RowPrefix = JSON_PREFIX,
    fields: SelectedFields | undefined,
  ) {
    this.fields = new RowFields(fields?.names ?? ADDED_COLUMNS, new JsonEncoder(), fields?.reader);
  }

  beginInput(name: string): void {
    this.prefix.beginInput?.(name);
  }

  write(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    if (row.isNull) {
      out.text("null");
      return;
    }
    this.prefix.write(out, row, classifier);
    out.byte(COMMA);
    this.fields.write(out, row, classifier);
    // Remove the comma after the last key.
    out.length -= 1;
    if (explanation !== undefined) out.text(`,"explain":${toSafeJson(explanation)}`);
    out.byte(CLOSE_BRACE);
  }
}

/** Writes rows as JSON values: one per line, or as one array. */
export class JsonRowsRenderer implements Renderer {
  private isFirst = true;

  constructor(
    private readonly json: JsonRow,
    private readonly isArray: boolean,
  ) {}

  begin(out: ByteWriter): void {
    if (this.isArray) out.text("[");
  }

  beginInput(name: string): void {
    this.json.beginInput?.(name);
  }

  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    this.separate(out);
    this.json.write(out, row, classifier, explanation);
    this.endRow(out);
  }

  openRow(out: ByteWriter, row: Row): void {
    this.separate(out);
    this.json.openRow?.(out, row);
  }

  address(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    this.json.address?.(out, row, classifier, explanation);
  }

  closeRow(out: ByteWriter, row: Row): void {
    this.json.closeRow?.(out, row);
    this.endRow(out);
  }

  end(out: ByteWriter): void {
    if (this.isArray) out.text(this.isFirst ? "]\n" : "\n]\n");
  }

  private separate(out: ByteWriter): void {
    if (this.isArray) out.text(this.isFirst ? "\n" : ",\n");
  }

  /** Called only for selected rows. */
  private endRow(out: ByteWriter): void {
    this.isFirst = false;
    if (!this.isArray) out.byte(LF);
  }
}

/** Writes the input lines unchanged. */
export class PlainRenderer implements Renderer {
  row(out: ByteWriter, row: Row): void {
    if (row.location === undefined) out.slice(row.line, row.lineStart, row.lineEnd);
    else out.slice(row.bytes, row.start, row.end);
    if (row.hasCrlf) out.byte(CR);
    if (!row.isPartialLine) out.byte(LF);
  }

  closeRow(out: ByteWriter, row: Row): void {
    this.row(out, row);
  }
}

// Maximum bytes of padding of short records: MAX_PADDING_PER_BYTE for each input byte, plus FREE_PADDING.
const MAX_PADDING_PER_BYTE = 64;
const FREE_PADDING = 64 * 1024 * 1024;

/** Writes CSV or TSV records unchanged, each followed by the added columns. Short records are padded. */
export class RecordRenderer implements Renderer {
  private readonly addedFields: RowFields;
  private readonly emptyField: PreparedBytes;
  private paddingLeft = FREE_PADDING;

  /** `header` is the first line of the output with its line break, or empty. */
  constructor(
    encoder: DelimitedEncoder,
    private readonly header: Uint8Array,
    fields: SelectedFields | undefined,
  ) {
    this.emptyField = new PreparedBytes(encoder.encodeMissing());
    this.addedFields = new RowFields(fields?.names ?? ADDED_COLUMNS, encoder, fields?.reader);
  }

  begin(out: ByteWriter): void {
    out.bytes(this.header);
  }

  row(out: ByteWriter, row: Row, classifier: Classifier): void {
    this.openRow(out, row);
    this.addedFields.write(out, row, classifier);
    this.closeRow(out, row);
  }

  openRow(out: ByteWriter, row: Row): void {
    if (row.missingFields > 0) this.limitPadding(row);
    out.slice(row.line, row.lineStart, row.appendOffset);
    for (let i = 0; i < row.missingFields; i += 1) out.prepared(this.emptyField);
  }

  address(out: ByteWriter, row: Row, classifier: Classifier): void {
    this.addedFields.write(out, row, classifier);
  }

  closeRow(out: ByteWriter, row: Row): void {
    if (row.appendOffset < row.lineEnd) out.slice(row.line, row.appendOffset, row.lineEnd);
    if (row.hasCrlf) out.byte(CR);
    out.byte(LF);
  }

  /** Throws AddrsiftError INPUT before short rows make the output much larger than the input. */
  private limitPadding({ missingFields, lineStart, lineEnd }: Row): void {
    this.paddingLeft += MAX_PADDING_PER_BYTE * (lineEnd - lineStart + 1) - missingFields * this.emptyField.length;
    if (this.paddingLeft >= 0) return;
    throw new AddrsiftError(
      "INPUT",
      "the first row has many more columns than the others, which would be filled up with over 64 MiB: shorten it",
    );
  }
}

/** Writes the address or domain of a row as the first field of a delimited format. */
export class AddressColumn implements RowPrefix {
  readonly columns: readonly string[];

  constructor(
    private readonly quoting: Quoting,
    name: string,
  ) {
    this.columns = [name];
  }

  write(out: ByteWriter, { bytes, start, end }: Row): void {
    if (end - start <= EMAIL_OUTPUT_MAX) {
      this.quoting.write(out, bytes, start, end);
    } else {
      const displayedEmail = encodeUtf8(formatEmail(bytes, start, end));
      this.quoting.write(out, displayedEmail, 0, displayedEmail.length);
    }
  }
}

/** Writes CSV or TSV for inputs without columns: a header, then the prefix and fields of each row. */
export class DelimitedRenderer implements Renderer {
  private readonly names: readonly string[];
  private readonly addedFields: RowFields;

  constructor(
    private readonly quoting: Quoting,
    private readonly prefix: RowPrefix,
    fields: SelectedFields | undefined,
  ) {
    const names = fields?.names ?? ADDED_COLUMNS;
    this.names = [...prefix.columns, ...names];
    this.addedFields = new RowFields(names, new DelimitedEncoder(quoting, ""), fields?.reader);
  }

  begin(out: ByteWriter): void {
    out.text(`${this.names.join(String.fromCharCode(this.quoting.delimiter))}\n`);
  }

  beginInput(name: string): void {
    this.prefix.beginInput?.(name);
  }

  row(out: ByteWriter, row: Row, classifier: Classifier): void {
    this.prefix.write(out, row, classifier);
    this.addedFields.write(out, row, classifier);
    out.byte(LF);
  }
}
