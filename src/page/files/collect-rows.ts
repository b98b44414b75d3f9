// Collects the rows of the daemon's responses into output files: all rows with `duplicate_of`, the clean list, and the
// removed rows with the reason. They become blobs, which browsers keep on disk.

import { LF, QUOTE } from "../../base/bytes/ascii.ts";
import { ByteWriter } from "../../base/bytes/byte-writer.ts";
import { decodeUtf8, encodeUtf8 } from "../../base/bytes/bytes.ts";
import { Duplicates, KEY_WORDS } from "../../bulk/duplicates.ts";
import { formatCsvField } from "../../bulk/render/encodings.ts";
import { parseFields, RecordScan } from "../../bulk/rows/csv.ts";
import type { RowClass } from "../../detection/classes.ts";
import { ADDED_COLUMNS, type Field } from "../../detection/fields.ts";

/** Maximum mailboxes to compare, at up to 48 bytes each. */
const MAX_MAILBOXES = 10_000_000;
/** Greater than the length of any canonical address as a CSV field. */
const MAILBOX_BYTES = 4096;
/** Typical size of a response. */
const TYPICAL_BYTES = 4 * 1024 * 1024;

/** The added fields of a file. Duplicates are found and added here, because the daemon sees one chunk only. */
export const FILE_FIELDS: readonly Field[] = [...ADDED_COLUMNS, "fault", "suggestion", "classes"];
const NORMALIZED = FILE_FIELDS.indexOf("normalized");
const FAULT = FILE_FIELDS.indexOf("fault");

export interface ResponseFormat {
  readonly isJson: boolean;
  /** Prefix of the added names. */
  readonly prefix: string;
  readonly delimiter: number;
  readonly firstAddedColumn: number;
  /** Number of rows of the file before the first response: 1 if it has a header. */
  readonly rowsBefore: number;
  /** Empty if the file has no header. */
  readonly header: Uint8Array;
}

interface ResponseRow {
  readonly bytes: Uint8Array;
  readonly start: number;
  /** Where the value of `classes` ends in a CSV row, without its quote. */
  readonly classesEnd: number;
  /** The end of the last added field. */
  readonly addedEnd: number;
  /** The end of the line break. */
  readonly end: number;
  /** The canonical address as the response has it. Empty if the address is invalid. */
  readonly mailbox: Uint8Array;
  readonly classes: readonly string[];
  readonly readFault: () => string;
}

export class OutputFile {
  rows = 0;
  readonly writer: ByteWriter = new ByteWriter(0, TYPICAL_BYTES);
  private readonly blobs: Blob[] = [];

  /** Moves the rows since the last flush to a blob. */
  flush(): void {
    this.blobs.push(new Blob([this.writer.buffer.subarray(0, this.writer.length) as BlobPart]));
    this.writer.clear();
  }

  toBlob(byteOrderMark: BlobPart, type: string): Blob {
    this.flush();
    return new Blob([byteOrderMark, ...this.blobs], { type });
  }
}

export class RowCollector {
  readonly all: OutputFile = new OutputFile();
  /** Valid rows in none of the rejected classes. */
  readonly clean: OutputFile = new OutputFile();
  readonly removed: OutputFile = new OutputFile();
  duplicates = 0;
  /** Whether there were too many mailboxes to compare all rows. */
  isPartial = false;
  private rowNumber: number;
  private readonly mailboxes: Duplicates;
  private readonly mailboxWords = new Int32Array(MAILBOX_BYTES / 4);
  private readonly mailboxBytes = new Uint8Array(this.mailboxWords.buffer);

  constructor(
    private readonly format: ResponseFormat,
    private readonly rejected: readonly RowClass[],
  ) {
    this.rowNumber = format.rowsBefore;
    const key = crypto.getRandomValues(new Int32Array(KEY_WORDS));
    this.mailboxes = new Duplicates(key, MAX_MAILBOXES, () => new RangeError());
    for (const row of this.parseRows(format.header)) {
      this.clean.writer.slice(row.bytes, row.start, row.end);
      this.writeWithField(this.all, row, "duplicate_of", `${format.prefix}duplicate_of`);
      this.writeWithField(this.removed, row, "removed_reason", `${format.prefix}removed_reason`);
    }
  }

  /** Adds the rows of the next response. */
  add(rows: Uint8Array): void {
    for (const row of this.parseRows(rows)) this.addRow(row);
    for (const file of [this.all, this.clean, this.removed]) file.flush();
  }

  private addRow(row: ResponseRow): void {
    this.rowNumber += 1;
    const first = row.mailbox.length === 0 ? undefined : this.findFirst(row.mailbox);
    const isDuplicate = first !== undefined;
    if (isDuplicate) this.duplicates += 1;
    this.all.rows += 1;
    this.writeWithField(this.all, row, "duplicate_of", first, isDuplicate);
    const reason = this.removalReason(row, first);
    if (reason !== undefined) {
      this.removed.rows += 1;
      this.writeWithField(this.removed, row, "removed_reason", reason, isDuplicate);
    } else {
      this.clean.rows += 1;
      this.clean.writer.slice(row.bytes, row.start, row.end);
    }
  }

  private removalReason({ classes, readFault }: ResponseRow, first: number | undefined): string | undefined {
    if (classes.includes("invalid")) return `invalid: ${readFault()}`;
    if (!classes.includes("valid")) return "no address";
    const rejected = this.rejected.find((name) => classes.includes(name));
    if (rejected === undefined && first !== undefined && this.rejected.includes("duplicate"))
      return `duplicate of row ${first}`;
    return rejected;
  }

  /** Returns the first row with the mailbox; undefined if it is this row. */
  private findFirst(mailbox: Uint8Array): number | undefined {
    this.mailboxBytes.set(mailbox);
    this.mailboxes.digestBatch(this.mailboxWords, 0, 1, () => mailbox.length);
    const first = this.mailboxes.firstRowOf(0, this.rowNumber, false);
    if (first === 0) this.isPartial = true;
    return first === 0 || first === this.rowNumber ? undefined : first;
  }

  private *parseRows(bytes: Uint8Array): Generator<ResponseRow> {
    const { isJson, delimiter, firstAddedColumn } = this.format;
    const scan = new RecordScan();
    const layout = { delimiter, column: firstAddedColumn + NORMALIZED, width: firstAddedColumn + FILE_FIELDS.length };
    for (let start = 0; start < bytes.length; ) {
      if (!isJson && !scan.scan(bytes, start, bytes.length, layout, true)) throw new Error("a response is incomplete.");
      const end = isJson ? bytes.indexOf(LF, start) + 1 : scan.next;
      yield isJson ? this.parseJson(bytes, start, end) : this.parseCsv(bytes, start, scan);
      start = end;
    }
  }

  private parseJson(bytes: Uint8Array, start: number, end: number): ResponseRow {
    const object: Readonly<Record<string, unknown>> = JSON.parse(decodeUtf8(bytes, start, end)) ?? {};
    const readField = (name: Field): unknown => object[this.format.prefix + name] ?? "";
    return {
      bytes,
      start,
      classesEnd: end,
      addedEnd: end,
      end,
      mailbox: encodeUtf8(String(readField("normalized"))),
      classes: [readField("classes")].flat().map(String),
      readFault: () => String(readField("fault")),
    };
  }

  private parseCsv(bytes: Uint8Array, start: number, scan: RecordScan): ResponseRow {
    const { delimiter, firstAddedColumn } = this.format;
    const { columnStart, columnEnd, widthEnd, next } = scan;
    // `classes` is the last added field, and no class has a quote.
    const isQuoted = bytes[widthEnd - 1] === QUOTE;
    const classesEnd = isQuoted ? widthEnd - 1 : widthEnd;
    const classesStart = bytes.lastIndexOf(isQuoted ? QUOTE : delimiter, classesEnd - 1) + 1;
    return {
      bytes,
      start,
      classesEnd,
      addedEnd: widthEnd,
      end: next,
      mailbox: bytes.subarray(columnStart, columnEnd),
      classes: decodeUtf8(bytes, classesStart, classesEnd).split("; "),
      readFault: () => parseFields(bytes, start, next, delimiter)[firstAddedColumn + FAULT] ?? "",
    };
  }

  /** Writes the row with one more field after the added ones. JSON omits an undefined field. */
  private writeWithField(
    { writer }: OutputFile,
    { bytes, start, classesEnd, addedEnd, end }: ResponseRow,
    name: string,
    value: string | number | undefined,
    isDuplicate = false,
  ): void {
    const { isJson, delimiter, prefix } = this.format;
    if (!isJson) {
      writer.slice(bytes, start, classesEnd);
      if (isDuplicate) writer.text("; duplicate");
      writer.slice(bytes, classesEnd, addedEnd);
      writer.byte(delimiter);
      if (typeof value === "number") writer.decimal(value);
      else if (value !== undefined) writer.text(formatCsvField(value, delimiter));
      writer.slice(bytes, addedEnd, end);
    } else if (value === undefined) {
      writer.slice(bytes, start, end);
    } else {
      const text = decodeUtf8(bytes, start, end).trimEnd();
      const object = isDuplicate ? `${text.slice(0, -2)},"duplicate"]` : text.slice(0, -1);
      writer.text(`${object}${object === "{" ? "" : ","}"${prefix}${name}":${JSON.stringify(value)}}\n`);
    }
  }
}
