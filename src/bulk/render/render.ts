// Rows to bytes, one renderer for each data format. The human table is in the command line's folder.

import type { ByteWriter } from "../../base/bytes/byte-writer.ts";
import type { Classifier } from "../../detection/classifier.ts";
import type { Explanation } from "../../detection/evidence.ts";
import type { FieldReader } from "../../detection/field-reader.ts";
import { ADDED_COLUMNS, type Field } from "../../detection/fields.ts";
import { EMAIL_SHOWN_MAX, JsonRenderer, jsonText, shownEmail, writeJsonSubject } from "../../detection/format.ts";
import type { Row } from "../rows/row.ts";
import { CsvQuoting, DelimitedForm, JsonForm, type Quoting, TsvQuoting } from "./forms.ts";
import { RowFields } from "./row-fields.ts";

/** Turns classified rows into output. */
export interface Renderer {
  /** Writes what comes before the first row. */
  begin(out: ByteWriter): void;
  /** One row. `explanation` is given when evidence was asked for. */
  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void;
  /**
   * A row with several addresses, in formats that have them: what comes before their fields. What was written is
   * dropped for a row that is not shown.
   */
  open?(out: ByteWriter, row: Row): void;
  /** The fields of one of them. */
  address?(
    out: ByteWriter,
    row: Row,
    index: number,
    classifier: Classifier,
    explanation: Explanation | undefined,
  ): void;
  /** Writes the end of a row that is shown, after its fields. */
  close?(out: ByteWriter, row: Row): void;
  skip?(row: Row): void;
  /** Writes rows that were kept, because the next ones may be long in coming. */
  pause?(out: ByteWriter): void;
  /** A further input begins after so many lines of its own; `name` is that of a file, or `-`. */
  beginInput?(name: string, headerLines: number): void;
  /** Writes what comes after the last row. */
  end(out: ByteWriter): void;
}

export const DATA_FORMATS = ["ndjson", "json", "csv", "tsv", "plain"] as const;
export type DataFormat = (typeof DATA_FORMATS)[number];

/** Which fields rows carry, and who reads those that are not in each detection. */
export interface FieldChoice {
  readonly names: readonly Field[];
  readonly reader: FieldReader;
}

export interface RenderOptions {
  readonly spreadsheetSafe: boolean;
  /** The subject of each row: the first column is called so. */
  readonly subject?: "email" | "domain";
  /** Undefined: those of each detection. */
  readonly fields?: FieldChoice | undefined;
}

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const CLOSE = 0x7d;
const NULL = Uint8Array.of(0x6e, 0x75, 0x6c, 0x6c);
const encoder = new TextEncoder();

/** The renderer of a data format, for rows that have no columns of their own. */
export function createRenderer(format: DataFormat, options: RenderOptions): Renderer {
  if (format === "plain") return new PlainRenderer();
  if (format === "ndjson") return new NdjsonRenderer(jsonRow(options));
  if (format === "json") return new JsonArrayRenderer(jsonRow(options));
  const { spreadsheetSafe, subject = "email", fields } = options;
  const quoting = format === "csv" ? new CsvQuoting(COMMA, spreadsheetSafe) : new TsvQuoting();
  return new DelimitedRenderer(quoting, subject, fields);
}

/** Writes one row as a JSON value; of several addresses, if it can. */
export interface JsonRow extends Pick<Renderer, "open" | "address" | "close"> {
  write(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void;
}

function jsonRow({ fields }: RenderOptions): JsonRow {
  return fields === undefined ? new WholeDetection() : new ChosenFields(fields);
}

/** A row as its whole detection. */
class WholeDetection implements JsonRow {
  private readonly json = new JsonRenderer();

  write(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    if (row.isNull) out.all(NULL);
    else this.json.write(out, row.bytes, row.start, row.end, classifier, explanation);
  }
}

/** A row as an object of the fields that were asked for. */
class ChosenFields implements JsonRow {
  private readonly chosen: RowFields;

  constructor({ names, reader }: FieldChoice) {
    this.chosen = new RowFields(names, new JsonForm(), reader);
  }

  write(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    if (row.isNull) {
      out.all(NULL);
      return;
    }
    writeJsonSubject(out, row.bytes, row.start, row.end, classifier);
    out.byte(QUOTE);
    out.byte(COMMA);
    this.chosen.write(out, row, classifier);
    // The comma after the last key.
    out.length -= 1;
    if (explanation !== undefined) out.text(`,"explain":${jsonText(explanation)}`);
    out.byte(CLOSE);
  }
}

/** Rows as JSON values; what stands between them is the format's. */
abstract class JsonRowsRenderer implements Renderer {
  constructor(private readonly json: JsonRow) {}

  abstract begin(out: ByteWriter): void;

  /** Writes the bytes before a row's value. */
  protected abstract before(out: ByteWriter): void;

  /** Writes the bytes after it, once it is sure to be shown. */
  protected abstract after(out: ByteWriter): void;

  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    this.before(out);
    this.json.write(out, row, classifier, explanation);
    this.after(out);
  }

  open(out: ByteWriter, row: Row): void {
    this.before(out);
    this.json.open?.(out, row);
  }

  address(
    out: ByteWriter,
    row: Row,
    index: number,
    classifier: Classifier,
    explanation: Explanation | undefined,
  ): void {
    this.json.address?.(out, row, index, classifier, explanation);
  }

  close(out: ByteWriter, row: Row): void {
    this.json.close?.(out, row);
    this.after(out);
  }

  abstract end(out: ByteWriter): void;
}

/** One JSON value a line. */
export class NdjsonRenderer extends JsonRowsRenderer {
  begin(): void {}

  protected before(): void {}

  protected after(out: ByteWriter): void {
    out.byte(LF);
  }

  end(): void {}
}

/** One JSON array of all rows. */
export class JsonArrayRenderer extends JsonRowsRenderer {
  private first = true;

  begin(out: ByteWriter): void {
    out.text("[");
  }

  protected before(out: ByteWriter): void {
    out.text(this.first ? "\n" : ",\n");
  }

  protected after(): void {
    this.first = false;
  }

  end(out: ByteWriter): void {
    out.text(this.first ? "]\n" : "\n]\n");
  }
}

/** Gives the input lines back, unchanged. */
class PlainRenderer implements Renderer {
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

/** Gives CSV or TSV records back unchanged, each with the added columns after the header's width. */
export class RecordRenderer implements Renderer {
  private readonly added: RowFields;
  private readonly absent: Uint8Array;

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
    out.range(row.line, row.lineStart, row.insertAt);
    for (let i = 0; i < row.missing; i += 1) out.all(this.absent);
  }

  address(out: ByteWriter, row: Row, _: number, classifier: Classifier): void {
    this.added.write(out, row, classifier);
  }

  close(out: ByteWriter, row: Row): void {
    if (row.insertAt < row.lineEnd) out.range(row.line, row.insertAt, row.lineEnd);
    if (row.crlf) out.byte(CR);
    out.byte(LF);
  }

  end(): void {}
}

/** CSV or TSV of rows without columns of their own: the address and the chosen fields, under a header. */
class DelimitedRenderer implements Renderer {
  private readonly names: readonly string[];
  private readonly added: RowFields;

  constructor(
    private readonly quoting: Quoting,
    subject: string,
    fields: FieldChoice | undefined,
  ) {
    const names = fields?.names ?? ADDED_COLUMNS;
    this.names = [subject, ...names];
    this.added = new RowFields(names, new DelimitedForm(quoting, ""), fields?.reader);
  }

  begin(out: ByteWriter): void {
    out.text(`${this.names.join(String.fromCharCode(this.quoting.delimiter))}\n`);
  }

  row(out: ByteWriter, row: Row, classifier: Classifier): void {
    if (row.end - row.start <= EMAIL_SHOWN_MAX) {
      this.quoting.write(out, row.bytes, row.start, row.end);
    } else {
      const shown = encoder.encode(shownEmail(row.bytes, row.start, row.end));
      this.quoting.write(out, shown, 0, shown.length);
    }
    this.added.write(out, row, classifier);
    out.byte(LF);
  }

  end(): void {}
}
