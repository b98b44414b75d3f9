// Collects the rows of the daemon's responses into output files: all rows with `duplicate_of`, the clean list, and the
// removed rows with the reason. They become blobs, which browsers keep on disk.

import { CLOSE_BRACE, LF, QUOTE } from "../../base/bytes/ascii.ts";
import { ByteWriter } from "../../base/bytes/byte-writer.ts";
import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import { increment } from "../../bulk/name-counts.ts";
import { formatCsvField } from "../../bulk/render/encodings.ts";
import { parseFields, RecordScan } from "../../bulk/rows/csv.ts";
import type { RowLayout } from "../../bulk/rows/layout.ts";
import { RowWarnings } from "../../bulk/rows/row-warnings.ts";
import type { RowClass } from "../../detection/classes.ts";
import { ADDED_COLUMNS, type Field } from "../../detection/fields.ts";

/** Maximum mailboxes to compare. A Map can have 16 million entries. */
const MAX_MAILBOXES = 10_000_000;
/** Typical size of a response. */
const TYPICAL_BYTES = 4 * 1024 * 1024;

/** The added fields of a file. Duplicates are found and added here, because the daemon sees one chunk only. */
export const FILE_FIELDS: readonly Field[] = [...ADDED_COLUMNS, "fault", "suggestion", "classes"];
const NORMALIZED = FILE_FIELDS.indexOf("normalized");
const FAULT = FILE_FIELDS.indexOf("fault");

export interface ResponseFormat {
  readonly kind: RowLayout["kind"];
  /** Prefix of the added names. */
  readonly prefix: string;
  readonly delimiter: number;
  readonly firstAddedColumn: number;
  /** Number of rows of the file before the first response: the header, and those above it. */
  readonly rowsBefore: number;
  /** Empty if the file has no header. */
  readonly header: Uint8Array;
  /** The file's own header, for a clean list of unchanged rows. If the clean list has the added fields, undefined. */
  readonly unchangedHeader: Uint8Array | undefined;
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
  readonly mailbox: string;
  /** What `duplicate_of` is if the row is no duplicate: null in a JSON object whose address is null. */
  readonly missingValue: null | undefined;
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
  /** Number of removed rows by the class that they were removed for. */
  readonly removedRows: Map<string, number> = new Map();
  readonly warnings: RowWarnings = new RowWarnings();
  /** Whether there were too many mailboxes to compare all rows. */
  isPartial = false;
  private rowNumber: number;
  private readonly record = new RecordScan();
  /** Number of the first row of each mailbox. */
  private readonly firstRows = new Map<string, number>();
  /** Numbers of the first rows that are not in the clean list. */
  private readonly removedFirstRows = new Set<number>();

  constructor(
    private readonly format: ResponseFormat,
    private readonly rejected: readonly RowClass[],
  ) {
    this.rowNumber = format.rowsBefore;
    for (const row of this.parseRows(format.header)) {
      if (format.unchangedHeader === undefined) this.clean.writer.slice(row.bytes, row.start, row.end);
      this.writeWithField(this.all, row, "duplicate_of", `${format.prefix}duplicate_of`);
      this.writeWithField(this.removed, row, "removed_reason", `${format.prefix}removed_reason`);
    }
    if (format.unchangedHeader !== undefined) this.clean.writer.bytes(format.unchangedHeader);
  }

  /** Adds the rows of the next response, which is to `chunk`. */
  add(rows: Uint8Array, chunk: Uint8Array): void {
    const keepsRows = this.format.unchangedHeader !== undefined;
    let start = 0;
    for (const row of this.parseRows(rows)) {
      const end = keepsRows ? this.findRowEnd(chunk, start) : 0;
      this.addRow(row, keepsRows ? chunk.subarray(start, end) : rows.subarray(row.start, row.end));
      start = end;
    }
    for (const file of [this.all, this.clean, this.removed]) file.flush();
  }

  /** Returns the index after the row that starts at `start` of a chunk. */
  private findRowEnd(chunk: Uint8Array, start: number): number {
    const { kind, delimiter } = this.format;
    if (kind !== "csv") return chunk.indexOf(LF, start) + 1 || chunk.length;
    this.record.scan(chunk, start, chunk.length, { delimiter, column: 0, width: 1 }, true);
    return this.record.next;
  }

  private addRow(row: ResponseRow, cleanRow: Uint8Array): void {
    this.rowNumber += 1;
    const first = row.mailbox === "" ? undefined : this.findFirst(row.mailbox);
    const isDuplicate = first !== undefined;
    if (isDuplicate) this.duplicates += 1;
    this.all.rows += 1;
    this.writeWithField(this.all, row, "duplicate_of", first ?? row.missingValue, isDuplicate);
    const [removedClass, reason] = this.findRemoval(row, first) ?? [];
    if (removedClass !== undefined) {
      if (first === undefined) {
        if (row.mailbox !== "" && !this.isPartial) this.removedFirstRows.add(this.rowNumber);
      } else if (removedClass === "duplicate" && this.removedFirstRows.has(first)) {
        this.warnings.add("repeats_dropped", this.rowNumber);
      }
      increment(this.removedRows, removedClass);
      this.removed.rows += 1;
      this.writeWithField(this.removed, row, "removed_reason", reason, isDuplicate);
    } else {
      this.clean.rows += 1;
      this.clean.writer.slice(cleanRow, 0, cleanRow.length);
      if (cleanRow.at(-1) !== LF) this.clean.writer.byte(LF);
    }
  }

  /** Returns the class that the row is removed for, and the reason; undefined for a row of the clean list. */
  private findRemoval({ classes, readFault }: ResponseRow, first: number | undefined): [string, string] | undefined {
    const rejected = this.rejected.find((name) => classes.includes(name));
    if (rejected !== undefined) return [rejected, rejected];
    if (classes.includes("invalid")) return ["invalid", `invalid: ${readFault()}`];
    if (!classes.includes("valid")) return ["blank", "blank"];
    if (first === undefined || !this.rejected.includes("duplicate")) return undefined;
    return ["duplicate", `duplicate of row ${first}`];
  }

  /** Returns the first row with the mailbox; undefined if it is this row. */
  private findFirst(mailbox: string): number | undefined {
    const first = this.firstRows.get(mailbox);
    if (first !== undefined) return first;
    if (this.firstRows.size < MAX_MAILBOXES) this.firstRows.set(mailbox, this.rowNumber);
    else this.isPartial = true;
    return undefined;
  }

  private *parseRows(bytes: Uint8Array): Generator<ResponseRow> {
    const { kind, delimiter, firstAddedColumn } = this.format;
    const isJson = kind === "jsonl";
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
    const readField = (name: Field): unknown => object[this.format.prefix + name];
    return {
      bytes,
      start,
      classesEnd: end,
      addedEnd: end,
      end,
      mailbox: String(readField("normalized") ?? ""),
      missingValue: readField("normalized") === null ? null : undefined,
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
      mailbox: decodeUtf8(bytes, columnStart, columnEnd),
      missingValue: undefined,
      classes: decodeUtf8(bytes, classesStart, classesEnd).split("; "),
      readFault: () => parseFields(bytes, start, next, delimiter)[firstAddedColumn + FAULT] ?? "",
    };
  }

  /** Writes the row with one more field after the added ones. JSON omits an undefined field. */
  private writeWithField(
    { writer }: OutputFile,
    { bytes, start, classesEnd, addedEnd, end }: ResponseRow,
    name: string,
    value: string | number | null | undefined,
    isDuplicate = false,
  ): void {
    const { kind, delimiter, prefix } = this.format;
    if (kind !== "jsonl") {
      writer.slice(bytes, start, classesEnd);
      if (isDuplicate) writer.text("; duplicate");
      writer.slice(bytes, classesEnd, addedEnd);
      writer.byte(delimiter);
      if (typeof value === "number") writer.decimal(value);
      else if (typeof value === "string") writer.text(formatCsvField(value, delimiter));
      writer.slice(bytes, addedEnd, end);
    } else if (value === undefined) {
      writer.slice(bytes, start, end);
    } else {
      const brace = bytes.lastIndexOf(CLOSE_BRACE, end - 1);
      // `classes` is the last added field, so its bracket is before the brace.
      writer.slice(bytes, start, isDuplicate ? brace - 1 : brace);
      if (isDuplicate) writer.text(',"duplicate"]');
      writer.text(`${brace === start + 1 ? "" : ","}"${prefix}${name}":${JSON.stringify(value)}}\n`);
    }
  }
}
