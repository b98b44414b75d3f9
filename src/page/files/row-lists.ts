// Rows of an answer in their order: as they are, the whole list with duplicates, or a clean list of valid addresses,
// not disposable, each once. They become blobs, which browsers keep on disk.

import { LF } from "../../base/bytes/ascii.ts";
import { decodeUtf8, encodeUtf8 } from "../../base/bytes/bytes.ts";
import { formatCsvField } from "../../bulk/render/encodings.ts";
import { fieldsOf, RecordScan } from "../../bulk/rows/csv.ts";
import { ADDED_COLUMNS, type Field } from "../../detection/fields.ts";

// Some hundred megabytes in a browser.
const MAILBOXES_MAX = 1_000_000;

/** All rows, a clean list and the rows that are not in it, or rows by their classes. */
export type Wanted = "all" | "clean" | { readonly classes: readonly string[]; readonly but: boolean };

export const CLEAN_FIELDS: readonly Field[] = [...ADDED_COLUMNS, "fault", "suggestion"];
export const FULL_FIELDS: readonly Field[] = [...ADDED_COLUMNS, "suggestion"];

/** The added fields; undefined for those of every answer. */
export function fieldsFor(wanted: Wanted): readonly Field[] | undefined {
  return wanted === "clean" ? CLEAN_FIELDS : wanted === "all" ? FULL_FIELDS : undefined;
}

export interface RowsForm {
  readonly isJson: boolean;
  /** The beginning of the added names. */
  readonly prefix: string;
  readonly delimiter: number;
  /** The index of the first added column. */
  readonly added: number;
  /** The rows of the file before the first one. */
  readonly before: number;
  /** Empty where there is none. */
  readonly header: Uint8Array;
}

/** A row: its bytes, the end of its last added field, and the values of the added fields. */
interface AnswerRow {
  readonly record: Uint8Array;
  readonly fieldEnd: number;
  readonly value: (name: Field) => string;
}

export class RowList {
  readonly rows: Blob[] = [];
  /** Rows that are not in a clean list. */
  readonly takenOut: Blob[] = [];
  duplicates = 0;
  /** There were too many mailboxes to compare all rows. */
  isPartial = false;
  private row: number;
  private readonly firstRows: Map<string, number> = new Map();
  private readonly fields: readonly Field[];
  /** The name of a field that is added here; undefined where rows stay as they are. */
  private readonly extra: string | undefined;
  private readonly kept: Uint8Array[] = [];
  private readonly out: Uint8Array[] = [];

  constructor(
    private readonly form: RowsForm,
    private readonly wanted: Wanted,
  ) {
    const { before, header, prefix } = form;
    this.row = before;
    this.fields = fieldsFor(wanted) ?? [];
    this.extra = wanted === "clean" ? "taken_out" : wanted === "all" ? `${prefix}duplicate_of` : undefined;
    if (wanted !== "all") this.kept.push(header);
    if (this.extra !== undefined)
      for (const row of this.rowsOf(header))
        (wanted === "all" ? this.kept : this.out).push(...this.withField(row, this.extra));
    this.end();
  }

  /** Takes the rows of the next part. */
  take(rows: Uint8Array): void {
    if (this.extra === undefined) this.kept.push(rows);
    else for (const row of this.rowsOf(rows)) this.add(row);
    this.end();
  }

  private end(): void {
    this.rows.push(new Blob(this.kept.splice(0) as BlobPart[]));
    this.takenOut.push(new Blob(this.out.splice(0) as BlobPart[]));
  }

  private *rowsOf(rows: Uint8Array): Generator<AnswerRow> {
    const { isJson, prefix, delimiter, added } = this.form;
    const scan = new RecordScan();
    const layout = { delimiter, column: added + this.fields.length - 1, width: 1 };
    for (let from = 0; from < rows.length; from = scan.next) {
      if (isJson || !scan.scan(rows, from, rows.length, layout, true)) {
        const end = rows.indexOf(LF, from);
        scan.end = end < 0 ? rows.length : end;
        scan.next = scan.end + 1;
      }
      const record = rows.subarray(from, Math.min(scan.next, rows.length));
      const object = isJson ? objectOf(record) : {};
      const values = isJson ? [] : fieldsOf(rows, from, scan.end, delimiter).slice(added);
      const value = (name: Field): string =>
        String((isJson ? object[prefix + name] : values[this.fields.indexOf(name)]) ?? "");
      yield { record, fieldEnd: scan.columnEnd - from, value };
    }
  }

  private add(row: AnswerRow): void {
    this.row += 1;
    if (this.wanted === "clean") {
      const reason = this.reasonFor(row.value);
      if (reason === undefined) this.kept.push(row.record);
      else this.out.push(...this.withField(row, reason));
    } else {
      const first = this.firstRow(row.value("normalized"), MAILBOXES_MAX);
      if (first !== undefined) this.duplicates += 1;
      this.kept.push(...this.withField(row, first));
    }
  }

  private reasonFor(value: AnswerRow["value"]): string | undefined {
    if (value("syntax_validation") === "") return "no address";
    if (value("syntax_validation") !== "true") return `invalid: ${value("fault")}`;
    if (value("disposable") === "true") return "disposable";
    const first = this.firstRow(value("normalized"), Number.POSITIVE_INFINITY);
    return first === undefined ? undefined : `duplicate of row ${first}`;
  }

  /** The first row with the same mailbox, if this is another one. */
  private firstRow(normalized: string, max: number): number | undefined {
    const first = this.firstRows.get(normalized);
    if (first === undefined && normalized !== "" && !this.isPartial) {
      this.firstRows.set(normalized, this.row);
      this.isPartial = this.firstRows.size >= max;
    }
    return first;
  }

  /** The row with one more field after the added ones; JSON has none for undefined. */
  private withField({ record, fieldEnd }: AnswerRow, value: string | number | undefined): readonly Uint8Array[] {
    const { isJson, delimiter } = this.form;
    if (!isJson) {
      const field = encodeUtf8(String.fromCharCode(delimiter) + formatCsvField(String(value ?? ""), delimiter));
      return [record.subarray(0, fieldEnd), field, record.subarray(fieldEnd)];
    }
    if (value === undefined) return [record];
    const begin = decodeUtf8(record, 0, record.length).trimEnd().slice(0, -1);
    return [encodeUtf8(`${begin}${begin === "{" ? "" : ","}"${this.extra}":${JSON.stringify(value)}}\n`)];
  }
}

function objectOf(record: Uint8Array): Readonly<Record<string, unknown>> {
  return (JSON.parse(decodeUtf8(record, 0, record.length)) as Readonly<Record<string, unknown>> | null) ?? {};
}
