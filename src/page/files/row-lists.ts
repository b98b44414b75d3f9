// Rows of an answer in their order: all as they are, the whole list with duplicates, and a clean list of valid
// addresses, not disposable, each once. They become blobs, which browsers keep on disk.

import { CR, LF } from "../../base/bytes/ascii.ts";
import { decodeUtf8, encodeUtf8 } from "../../base/bytes/bytes.ts";
import { csvField } from "../../bulk/render/forms.ts";
import { fieldsOf, RecordScan } from "../../bulk/rows/csv.ts";
import { ADDED_COLUMNS, type Field } from "../../detection/fields.ts";

const REASON = "taken_out";
// Some hundred megabytes in a browser.
const MAILBOXES_MAX = 1_000_000;

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

/** All rows as they are. */
export class RowList {
  readonly rows: Blob[];
  /** Rows that are not in a clean list. */
  readonly takenOut: Blob[] | undefined;
  duplicates = 0;
  /** There were too many mailboxes to compare all rows. */
  isPartial = false;

  constructor(protected readonly form: RowsForm) {
    this.rows = [blobOf([form.header])];
  }

  /** Takes the rows of the next part. */
  take(rows: Uint8Array): void {
    this.rows.push(blobOf([rows]));
  }
}

abstract class ComparedRows extends RowList {
  private row: number;
  private readonly firstRows: Map<string, number> = new Map();

  constructor(
    form: RowsForm,
    private readonly fields: readonly Field[],
  ) {
    super(form);
    this.row = form.before;
  }

  override take(rows: Uint8Array): void {
    for (const row of this.rowsOf(rows)) {
      this.row += 1;
      this.add(row);
    }
    this.end();
  }

  protected *rowsOf(rows: Uint8Array): Generator<AnswerRow> {
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

  protected abstract add(row: AnswerRow): void;
  protected abstract end(): void;

  /** The first row with the same mailbox, if this is another one. */
  protected firstRow(normalized: string, max: number): number | undefined {
    const first = this.firstRows.get(normalized);
    if (first === undefined && normalized !== "" && !this.isPartial) {
      this.firstRows.set(normalized, this.row);
      this.isPartial = this.firstRows.size >= max;
    }
    return first;
  }

  /** The record with one more field at its end. */
  protected withField(record: Uint8Array, name: string, value: string | number): Uint8Array {
    let end = record.length;
    while (end > 0 && (record[end - 1] === LF || record[end - 1] === CR)) end -= 1;
    const text = decodeUtf8(record, 0, end);
    const { isJson, delimiter } = this.form;
    if (!isJson) return encodeUtf8(`${text}${String.fromCharCode(delimiter)}${csvField(String(value), delimiter)}\n`);
    return encodeUtf8(`${text.replace(/\}\s*$/, text.length > 2 ? "," : "")}"${name}":${JSON.stringify(value)}}\n`);
  }
}

export const CLEAN_FIELDS: readonly Field[] = [...ADDED_COLUMNS, "fault", "suggestion"];

/** The rows that are not in the clean list have the reason in one more column. */
export class CleanList extends ComparedRows {
  override readonly takenOut: Blob[] = [];
  private readonly next: { kept: Uint8Array[]; out: Uint8Array[] } = { kept: [], out: [] };

  constructor(form: RowsForm) {
    super(form, CLEAN_FIELDS);
    if (form.header.length > 0) this.takenOut.push(blobOf([this.withField(form.header, REASON, REASON)]));
  }

  protected add({ record, value }: AnswerRow): void {
    const reason = this.reasonFor(value);
    if (reason === undefined) this.next.kept.push(record);
    else this.next.out.push(this.withField(record, REASON, reason));
  }

  protected end(): void {
    this.rows.push(blobOf(this.next.kept.splice(0)));
    this.takenOut.push(blobOf(this.next.out.splice(0)));
  }

  private reasonFor(value: AnswerRow["value"]): string | undefined {
    if (value("syntax_validation") === "") return "no address";
    if (value("syntax_validation") !== "true") return `invalid: ${value("fault")}`;
    if (value("disposable") === "true") return "disposable";
    const first = this.firstRow(value("normalized"), Number.POSITIVE_INFINITY);
    return first === undefined ? undefined : `duplicate of row ${first}`;
  }
}

export const FULL_FIELDS: readonly Field[] = [...ADDED_COLUMNS, "suggestion"];

/** All rows, with one more field for duplicates. */
export class FullList extends ComparedRows {
  override readonly rows: Blob[] = [];
  private readonly next: Uint8Array[] = [];
  private readonly duplicateName: string;

  constructor(form: RowsForm) {
    super(form, FULL_FIELDS);
    this.duplicateName = `${form.prefix}duplicate_of`;
    for (const row of this.rowsOf(form.header)) this.put(row, this.duplicateName);
    this.end();
  }

  protected add(row: AnswerRow): void {
    const first = this.firstRow(row.value("normalized"), MAILBOXES_MAX);
    if (first !== undefined) this.duplicates += 1;
    this.put(row, first);
  }

  private put({ record, fieldEnd }: AnswerRow, duplicateOf: string | number | undefined): void {
    if (this.form.isJson) {
      this.next.push(duplicateOf === undefined ? record : this.withField(record, this.duplicateName, duplicateOf));
      return;
    }
    const added = encodeUtf8(`${String.fromCharCode(this.form.delimiter)}${duplicateOf ?? ""}`);
    this.next.push(record.subarray(0, fieldEnd), added, record.subarray(fieldEnd));
  }

  protected end(): void {
    this.rows.push(blobOf(this.next.splice(0)));
  }
}

function objectOf(record: Uint8Array): Readonly<Record<string, unknown>> {
  return (JSON.parse(decodeUtf8(record, 0, record.length)) as Readonly<Record<string, unknown>> | null) ?? {};
}

function blobOf(pieces: Uint8Array[]): Blob {
  return new Blob(pieces as BlobPart[]);
}
