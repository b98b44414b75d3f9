// Rows of an answer in their order: the whole list with suggestions and duplicates, and a clean list of valid
// addresses, not disposable, each once.

import { decodeUtf8, encodeUtf8 } from "../../base/bytes/bytes.ts";
import { csvField } from "../../bulk/render/forms.ts";
import { fieldsOf, RecordScan } from "../../bulk/rows/csv.ts";
import { ADDED_COLUMNS, type Field } from "../../detection/fields.ts";

const REASON = "taken_out";
const LF = 0x0a;
const CR = 0x0d;
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
}

/** A row: its bytes, the place of its last added field, and the values of the added fields. */
interface AnswerRow {
  readonly record: Uint8Array;
  readonly fieldStart: number;
  readonly fieldEnd: number;
  readonly value: (name: Field) => string;
}

abstract class RowList {
  protected row: number;
  private readonly firstRows: Map<string, number> = new Map();

  constructor(
    protected readonly form: RowsForm,
    private readonly fields: readonly Field[],
  ) {
    this.row = form.before;
  }

  take(rows: Uint8Array): void {
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
      yield { record, fieldStart: scan.columnStart - from, fieldEnd: scan.columnEnd - from, value };
    }
  }

  protected abstract add(row: AnswerRow): void;
  protected abstract end(): void;

  /** Whether there were too many mailboxes to compare all rows. */
  get isPartial(): boolean {
    return this.firstRows.size >= MAILBOXES_MAX;
  }

  /** The first row with the same mailbox, if this is another one. */
  protected firstRow(normalized: string, max: number): number | undefined {
    const first = this.firstRows.get(normalized);
    if (first === undefined && normalized !== "" && this.firstRows.size < max) this.firstRows.set(normalized, this.row);
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
export class CleanList extends RowList {
  readonly kept: Uint8Array[] = [];
  readonly takenOut: Uint8Array[] = [];
  private next: Uint8Array[] = [];

  constructor(form: RowsForm) {
    super(form, CLEAN_FIELDS);
  }

  headerOf(header: Uint8Array): Uint8Array {
    return this.withField(header, REASON, REASON);
  }

  protected add({ record, value }: AnswerRow): void {
    const reason = this.reasonFor(value);
    if (reason === undefined) this.next.push(record);
    else this.takenOut.push(this.withField(record, REASON, reason));
  }

  protected end(): void {
    this.kept.push(joined(this.next.splice(0)));
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

/** All rows, with and without the columns `suggestion` and `duplicate_of`. */
export class FullList extends RowList {
  readonly full: Blob[] = [];
  readonly plain: Blob[] = [];
  duplicates = 0;
  private hasSuggestion = false;
  private readonly next: { full: Uint8Array[]; plain: Uint8Array[] } = { full: [], plain: [] };

  constructor(form: RowsForm) {
    super(form, FULL_FIELDS);
  }

  begin(header: Uint8Array): void {
    if (header.length === 0) return;
    const [row] = this.rowsOf(header);
    this.put(row as AnswerRow, `${this.form.prefix}duplicate_of`);
    this.end();
  }

  /** Whether there are suggestions or duplicates. */
  get isFull(): boolean {
    return this.hasSuggestion || this.duplicates > 0;
  }

  get rows(): readonly Blob[] {
    return this.isFull || this.form.isJson ? this.full : this.plain;
  }

  protected add(row: AnswerRow): void {
    const first = this.firstRow(row.value("normalized"), MAILBOXES_MAX);
    if (first !== undefined) this.duplicates += 1;
    this.hasSuggestion ||= row.value("suggestion") !== "";
    this.put(row, first);
  }

  private put({ record, fieldStart, fieldEnd }: AnswerRow, duplicateOf: string | number | undefined): void {
    const { full, plain } = this.next;
    if (this.form.isJson) {
      const name = `${this.form.prefix}duplicate_of`;
      full.push(duplicateOf === undefined ? record : this.withField(record, name, duplicateOf));
      return;
    }
    const added = encodeUtf8(`${String.fromCharCode(this.form.delimiter)}${duplicateOf ?? ""}`);
    full.push(record.subarray(0, fieldEnd), added, record.subarray(fieldEnd));
    plain.push(record.subarray(0, fieldStart - 1), record.subarray(fieldEnd));
  }

  protected end(): void {
    this.full.push(new Blob([joined(this.next.full.splice(0)) as BlobPart]));
    this.plain.push(new Blob([joined(this.next.plain.splice(0)) as BlobPart]));
  }
}

function objectOf(record: Uint8Array): Readonly<Record<string, unknown>> {
  return (JSON.parse(decodeUtf8(record, 0, record.length)) as Readonly<Record<string, unknown>> | null) ?? {};
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
