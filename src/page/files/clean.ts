// Parts the rows of an answer into a clean list, of valid addresses that are neither disposable nor there before, and
// those that were taken out, each with the reason in one more column.

import { decodeUtf8, encodeUtf8 } from "../../base/bytes/bytes.ts";
import { csvField } from "../../bulk/render/forms.ts";
import { fieldsOf, RecordScan } from "../../bulk/rows/csv.ts";
import { ADDED_COLUMNS, type Field } from "../../detection/fields.ts";

/** The fields that rows must have. */
export const CLEAN_FIELDS: readonly Field[] = [...ADDED_COLUMNS, "fault", "suggestion"];
const REASON = "taken_out";
const LF = 0x0a;
const CR = 0x0d;

/** How the rows of an answer are written. */
export interface RowsForm {
  /** Of JSON: what the added names begin with. */
  readonly json: { readonly prefix: string } | undefined;
  readonly delimiter: number;
  /** The index of the first added column. */
  readonly added: number;
  /** The rows of the file before the first one. */
  readonly before: number;
}

export class CleanList {
  readonly kept: Uint8Array[] = [];
  readonly takenOut: Uint8Array[] = [];
  private readonly firstRows: Map<string, number> = new Map();
  private row: number;

  constructor(private readonly form: RowsForm) {
    this.row = form.before;
  }

  /** The header of the rows that were taken out. */
  headerOf(header: Uint8Array): Uint8Array {
    return this.withReason(header, REASON);
  }

  /** Takes the next rows of the file. */
  take(rows: Uint8Array): void {
    const { json, delimiter, added } = this.form;
    const scan = new RecordScan();
    const layout = { delimiter, column: 0, width: 1 };
    const kept: Uint8Array[] = [];
    for (let from = 0; from < rows.length; ) {
      if (json !== undefined || !scan.scan(rows, from, rows.length, layout, true)) {
        const end = rows.indexOf(LF, from);
        scan.end = end < 0 ? rows.length : end;
        scan.next = scan.end + 1;
      }
      const record = rows.subarray(from, Math.min(scan.next, rows.length));
      const values = json ? valuesOf(record, json.prefix) : fieldsOf(rows, from, scan.end, delimiter).slice(added);
      const reason = this.reasonFor(values);
      if (reason === undefined) kept.push(record);
      else this.takenOut.push(this.withReason(record, reason));
      from = scan.next;
    }
    this.kept.push(joined(kept));
  }

  /** Why a row is not in the clean list; undefined where it is. */
  private reasonFor(values: readonly string[]): string | undefined {
    this.row += 1;
    const value = (name: Field): string => values[CLEAN_FIELDS.indexOf(name)] ?? "";
    if (value("syntax_validation") === "") return "no address";
    if (value("syntax_validation") !== "true") return `invalid: ${value("fault")}`;
    if (value("disposable") === "true") return "disposable";
    const normalized = value("normalized");
    const first = this.firstRows.get(normalized);
    if (first !== undefined) return `duplicate of row ${first}`;
    this.firstRows.set(normalized, this.row);
    return undefined;
  }

  private withReason(record: Uint8Array, reason: string): Uint8Array {
    let end = record.length;
    while (end > 0 && (record[end - 1] === LF || record[end - 1] === CR)) end -= 1;
    const text = decodeUtf8(record, 0, end);
    const { json, delimiter } = this.form;
    if (json === undefined)
      return encodeUtf8(`${text}${String.fromCharCode(delimiter)}${csvField(reason, delimiter)}\n`);
    return encodeUtf8(`${text.replace(/\}\s*$/, text.length > 2 ? "," : "")}"${REASON}":${JSON.stringify(reason)}}\n`);
  }
}

function valuesOf(record: Uint8Array, prefix: string): string[] {
  const object = JSON.parse(decodeUtf8(record, 0, record.length)) as Readonly<Record<string, unknown>> | null;
  return CLEAN_FIELDS.map((name) => String(object?.[prefix + name] ?? ""));
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
