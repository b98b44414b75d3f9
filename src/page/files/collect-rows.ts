// Rows of an answer in their order: as they are, the whole list with duplicates, or a clean list of valid addresses,
// not disposable, each once. They become blobs, which browsers keep on disk.

import { LF } from "../../base/bytes/ascii.ts";
import { decodeUtf8, encodeUtf8 } from "../../base/bytes/bytes.ts";
import { formatCsvField } from "../../bulk/render/encodings.ts";
import { parseFields, RecordScan } from "../../bulk/rows/csv.ts";
import { ADDED_COLUMNS, type Field } from "../../detection/fields.ts";

// Some hundred megabytes in a browser.
const MAILBOXES_MAX = 1_000_000;

/** All rows, a clean list and the rows that are not in it, or rows by their classes. */
export type OutputSelection = "all" | "clean" | { readonly classes: readonly string[]; readonly but: boolean };

export const CLEAN_FIELDS: readonly Field[] = [...ADDED_COLUMNS, "fault", "suggestion"];
export const FULL_FIELDS: readonly Field[] = [...ADDED_COLUMNS, "suggestion"];

/** The added fields; undefined for those of every answer. */
export function fieldsFor(selection: OutputSelection): readonly Field[] | undefined {
  return selection === "clean" ? CLEAN_FIELDS : selection === "all" ? FULL_FIELDS : undefined;
}

export interface ResponseFormat {
  readonly isJson: boolean;
  /** The beginning of the added names. */
  readonly prefix: string;
  readonly delimiter: number;
  /** The index of the first added column. */
  readonly firstAddedColumn: number;
  /** The rows of the file before the first one. */
  readonly rowsBefore: number;
  /** Empty where there is none. */
  readonly header: Uint8Array;
}

/** A row: its bytes, the end of its last added field, and the values of the added fields. */
interface ResponseRow {
  readonly record: Uint8Array;
  readonly addedEnd: number;
  readonly value: (name: Field) => string;
}

export class RowCollector {
  readonly rows: Blob[] = [];
  /** Rows that are not in a clean list. */
  readonly removed: Blob[] = [];
  duplicates = 0;
  /** There were too many mailboxes to compare all rows. */
  isPartial = false;
  private rowNumber: number;
  private readonly firstRows: Map<string, number> = new Map();
  private readonly fields: readonly Field[];
  /** The name of a field that is added here; undefined where rows stay as they are. */
  private readonly extraField: string | undefined;
  private readonly pendingRows: Uint8Array[] = [];
  private readonly pendingRemoved: Uint8Array[] = [];

  constructor(
    private readonly format: ResponseFormat,
    private readonly selection: OutputSelection,
  ) {
    const { rowsBefore, header, prefix } = format;
    this.rowNumber = rowsBefore;
    this.fields = fieldsFor(selection) ?? [];
    this.extraField = selection === "clean" ? "taken_out" : selection === "all" ? `${prefix}duplicate_of` : undefined;
    if (selection !== "all") this.pendingRows.push(header);
    if (this.extraField !== undefined)
      for (const row of this.parseRows(header))
        (selection === "all" ? this.pendingRows : this.pendingRemoved).push(...this.appendField(row, this.extraField));
    this.flush();
  }

  /** Takes the rows of the next part. */
  add(rows: Uint8Array): void {
    if (this.extraField === undefined) this.pendingRows.push(rows);
    else for (const row of this.parseRows(rows)) this.addRow(row);
    this.flush();
  }

  private flush(): void {
    this.rows.push(new Blob(this.pendingRows.splice(0) as BlobPart[]));
    this.removed.push(new Blob(this.pendingRemoved.splice(0) as BlobPart[]));
  }

  private *parseRows(rows: Uint8Array): Generator<ResponseRow> {
    const { isJson, prefix, delimiter, firstAddedColumn } = this.format;
    const scan = new RecordScan();
    const layout = { delimiter, column: firstAddedColumn + this.fields.length - 1, width: 1 };
    for (let from = 0; from < rows.length; from = scan.next) {
      if (isJson || !scan.scan(rows, from, rows.length, layout, true)) {
        const end = rows.indexOf(LF, from);
        scan.end = end < 0 ? rows.length : end;
        scan.next = scan.end + 1;
      }
      const record = rows.subarray(from, Math.min(scan.next, rows.length));
      const object = isJson ? parseObject(record) : {};
      const values = isJson ? [] : parseFields(rows, from, scan.end, delimiter).slice(firstAddedColumn);
      const value = (name: Field): string =>
        String((isJson ? object[prefix + name] : values[this.fields.indexOf(name)]) ?? "");
      yield { record, addedEnd: scan.columnEnd - from, value };
    }
  }

  private addRow(row: ResponseRow): void {
    this.rowNumber += 1;
    if (this.selection === "clean") {
      const reason = this.removalReason(row.value);
      if (reason === undefined) this.pendingRows.push(row.record);
      else this.pendingRemoved.push(...this.appendField(row, reason));
    } else {
      const first = this.findFirst(row.value("normalized"), MAILBOXES_MAX);
      if (first !== undefined) this.duplicates += 1;
      this.pendingRows.push(...this.appendField(row, first));
    }
  }

  private removalReason(value: ResponseRow["value"]): string | undefined {
    if (value("syntax_validation") === "") return "no address";
    if (value("syntax_validation") !== "true") return `invalid: ${value("fault")}`;
    if (value("disposable") === "true") return "disposable";
    const first = this.findFirst(value("normalized"), Number.POSITIVE_INFINITY);
    return first === undefined ? undefined : `duplicate of row ${first}`;
  }

  /** The first row with the same mailbox, if this is another one. */
  private findFirst(normalized: string, max: number): number | undefined {
    const first = this.firstRows.get(normalized);
    if (first === undefined && normalized !== "" && !this.isPartial) {
      this.firstRows.set(normalized, this.rowNumber);
      this.isPartial = this.firstRows.size >= max;
    }
    return first;
  }

  /** The row with one more field after the added ones; JSON has none for undefined. */
  private appendField({ record, addedEnd }: ResponseRow, value: string | number | undefined): readonly Uint8Array[] {
    const { isJson, delimiter } = this.format;
    if (!isJson) {
      const field = encodeUtf8(String.fromCharCode(delimiter) + formatCsvField(String(value ?? ""), delimiter));
      return [record.subarray(0, addedEnd), field, record.subarray(addedEnd)];
    }
    if (value === undefined) return [record];
    const begin = decodeUtf8(record, 0, record.length).trimEnd().slice(0, -1);
    return [encodeUtf8(`${begin}${begin === "{" ? "" : ","}"${this.extraField}":${JSON.stringify(value)}}\n`)];
  }
}

function parseObject(record: Uint8Array): Readonly<Record<string, unknown>> {
  return (JSON.parse(decodeUtf8(record, 0, record.length)) as Readonly<Record<string, unknown>> | null) ?? {};
}
