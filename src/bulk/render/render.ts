// Rows to bytes: the renderers of the data formats, whose table is formats.ts.

import { CLOSE_OBJECT, COMMA, CR, LF, QUOTE } from "../../base/bytes/ascii.ts";
import type { ByteWriter } from "../../base/bytes/byte-writer.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { AddrsiftError } from "../../base/errors.ts";
import type { Classifier } from "../../detection/classifier.ts";
import type { Explanation } from "../../detection/evidence.ts";
import type { FieldReader } from "../../detection/field-reader.ts";
import { ADDED_COLUMNS, type Field } from "../../detection/fields.ts";
import { EMAIL_SHOWN_MAX, JsonRenderer, jsonText, shownEmail, writeJsonSubject } from "../../detection/format.ts";
import type { Row } from "../rows/row.ts";
import { DelimitedForm, JsonForm, type Quoting } from "./forms.ts";
import { RowFields } from "./row-fields.ts";

export interface Renderer {
  begin(out: ByteWriter): void;
  /** One row. `explanation` is given when evidence was asked for. */
  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void;
  /** Begins a row with several addresses, which follow. What was written is dropped for a row that is not shown. */
  open?(out: ByteWriter, row: Row): void;
  address?(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void;
  /** Ends a row that is shown. */
  close?(out: ByteWriter, row: Row): void;
  skip?(row: Row): void;
  /** Writes rows that were kept, because the next ones may take long to arrive. */
  pause?(out: ByteWriter): void;
  /** A further input begins after so many lines; `name` is that of a file, or `-`. */
  beginInput?(name: string, headerLines: number): void;
  end(out: ByteWriter): void;
}

/** The fields that rows carry, and the reader of those that are not in each detection. */
export interface FieldChoice {
  readonly names: readonly Field[];
  readonly reader: FieldReader;
}

const NULL = Uint8Array.of(0x6e, 0x75, 0x6c, 0x6c);

/** The part of a row before its fields, for rows without columns. */
export interface Subject extends Pick<Renderer, "beginInput"> {
  /** The names of its columns in CSV and TSV. */
  readonly columns: readonly string[];
  write(out: ByteWriter, row: Row, classifier: Classifier): void;
}

/** Writes one row as a JSON value; of several addresses, if it can. */
export interface JsonRow extends Pick<Renderer, "beginInput" | "open" | "address" | "close"> {
  write(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void;
}

export class WholeDetection implements JsonRow {
  private readonly json = new JsonRenderer();

  write(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    if (row.isNull) out.all(NULL);
    else this.json.write(out, row, classifier, explanation);
  }
}

const JSON_SUBJECT: Subject = {
  columns: [],
  write(out, row, classifier) {
    writeJsonSubject(out, row, classifier);
    out.byte(QUOTE);
  },
};

/** The chosen fields of a row; by default it begins with its address. */
export class ChosenFields implements JsonRow {
  private readonly chosen: RowFields;

  constructor(
    private readonly subject: Subject = JSON_SUBJECT,
    fields: FieldChoice | undefined,
  ) {
    this.chosen = new RowFields(fields?.names ?? ADDED_COLUMNS, new JsonForm(), fields?.reader);
  }

  beginInput(name: string, headerLines: number): void {
    this.subject.beginInput?.(name, headerLines);
  }

  write(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    if (row.isNull) {
      out.all(NULL);
      return;
    }
    this.subject.write(out, row, classifier);
    out.byte(COMMA);
    this.chosen.write(out, row, classifier);
    // The comma after the last key.
    out.length -= 1;
    if (explanation !== undefined) out.text(`,"explain":${jsonText(explanation)}`);
    out.byte(CLOSE_OBJECT);
  }
}

/** Rows as JSON values: one a line, or one array of all. */
export class JsonRowsRenderer implements Renderer {
  private isFirst = true;

  constructor(
    private readonly json: JsonRow,
    private readonly isArray: boolean,
  ) {}

  begin(out: ByteWriter): void {
    if (this.isArray) out.text("[");
  }

  beginInput(name: string, headerLines: number): void {
    this.json.beginInput?.(name, headerLines);
  }

  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    this.separate(out);
    this.json.write(out, row, classifier, explanation);
    this.endRow(out);
  }

  open(out: ByteWriter, row: Row): void {
    this.separate(out);
    this.json.open?.(out, row);
  }

  address(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    this.json.address?.(out, row, classifier, explanation);
  }

  close(out: ByteWriter, row: Row): void {
    this.json.close?.(out, row);
    this.endRow(out);
  }

  end(out: ByteWriter): void {
    if (this.isArray) out.text(this.isFirst ? "]\n" : "\n]\n");
  }

  private separate(out: ByteWriter): void {
    if (this.isArray) out.text(this.isFirst ? "\n" : ",\n");
  }

  /** The row is sure to be shown. */
  private endRow(out: ByteWriter): void {
    this.isFirst = false;
    if (!this.isArray) out.byte(LF);
  }
}

/** The input lines, unchanged. */
export class PlainRenderer implements Renderer {
  begin(): void {}

  row(out: ByteWriter, row: Row): void {
    out.range(row.line, row.lineStart, row.lineEnd);
    if (row.crlf) out.byte(CR);
    if (!row.continues) out.byte(LF);
  }

  close(out: ByteWriter, row: Row): void {
    this.row(out, row);
  }

  end(): void {}
}

// Bytes that short records are filled up with: so many for each of their own bytes, and so many more.
const PADDING_FOR_A_BYTE = 64;
const PADDING_ALWAYS = 64 * 1024 * 1024;

/** CSV or TSV records, unchanged, each with the added columns after the header's width. */
export class RecordRenderer implements Renderer {
  private readonly added: RowFields;
  private readonly absent: Uint8Array;
  private paddingLeft = PADDING_ALWAYS;

  /** `header` is the output's first line, with its line break, or nothing. */
  constructor(
    form: DelimitedForm,
    private readonly header: Uint8Array,
    fields: FieldChoice | undefined,
  ) {
    this.absent = form.absent();
    this.added = new RowFields(fields?.names ?? ADDED_COLUMNS, form, fields?.reader);
  }

  begin(out: ByteWriter): void {
    out.all(this.header);
  }

  row(out: ByteWriter, row: Row, classifier: Classifier): void {
    this.open(out, row);
    this.added.write(out, row, classifier);
    this.close(out, row);
  }

  open(out: ByteWriter, row: Row): void {
    if (row.missing > 0) this.limitPadding(row);
    out.range(row.line, row.lineStart, row.insertAt);
    for (let i = 0; i < row.missing; i += 1) out.all(this.absent);
  }

  address(out: ByteWriter, row: Row, classifier: Classifier): void {
    this.added.write(out, row, classifier);
  }

  close(out: ByteWriter, row: Row): void {
    if (row.insertAt < row.lineEnd) out.range(row.line, row.insertAt, row.lineEnd);
    if (row.crlf) out.byte(CR);
    out.byte(LF);
  }

  end(): void {}

  /** Throws AddrsiftError INPUT before short rows make the output much larger than the input. */
  private limitPadding({ missing, lineStart, lineEnd }: Row): void {
    this.paddingLeft += PADDING_FOR_A_BYTE * (lineEnd - lineStart + 1) - missing * this.absent.length;
    if (this.paddingLeft >= 0) return;
    throw new AddrsiftError(
      "INPUT",
      "the first row has many more columns than the others, which would be filled up with over 64 MiB: shorten it",
    );
  }
}

/** The address of a row, or its domain, as the first field of a delimited format. */
export class SubjectColumn implements Subject {
  readonly columns: readonly string[];

  constructor(
    private readonly quoting: Quoting,
    name: string,
  ) {
    this.columns = [name];
  }

  write(out: ByteWriter, { bytes, start, end }: Row): void {
    if (end - start <= EMAIL_SHOWN_MAX) {
      this.quoting.write(out, bytes, start, end);
    } else {
      const shown = encodeUtf8(shownEmail(bytes, start, end));
      this.quoting.write(out, shown, 0, shown.length);
    }
  }
}

/** CSV or TSV of rows that have no columns: the subject and the fields, under a header. */
export class DelimitedRenderer implements Renderer {
  private readonly names: readonly string[];
  private readonly added: RowFields;

  constructor(
    private readonly quoting: Quoting,
    private readonly subject: Subject,
    fields: FieldChoice | undefined,
  ) {
    const names = fields?.names ?? ADDED_COLUMNS;
    this.names = [...subject.columns, ...names];
    this.added = new RowFields(names, new DelimitedForm(quoting, ""), fields?.reader);
  }

  begin(out: ByteWriter): void {
    out.text(`${this.names.join(String.fromCharCode(this.quoting.delimiter))}\n`);
  }

  beginInput(name: string, headerLines: number): void {
    this.subject.beginInput?.(name, headerLines);
  }

  row(out: ByteWriter, row: Row, classifier: Classifier): void {
    this.subject.write(out, row, classifier);
    this.added.write(out, row, classifier);
    out.byte(LF);
  }

  end(): void {}
}
