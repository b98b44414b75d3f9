// Addresses that were found in text: each with its place before it, as CSV or JSON.

import { COMMA, QUOTE } from "../../base/bytes/ascii.ts";
import { type ByteWriter, Constant } from "../../base/bytes/byte-writer.ts";
import { jsonText, writeJsonText } from "../../detection/format.ts";
import type { Place, Row } from "../rows/row.ts";
import { CsvQuoting, csvField } from "./forms.ts";
import type { Subject } from "./render.ts";

/** The place of an address and the address itself, as the beginning of a record or an object. */
export class PlaceSubject implements Subject {
  readonly columns: readonly string[];
  private readonly quoting = new CsvQuoting(COMMA, false);
  /** The bytes before column and address. */
  private readonly beforeColumn: Constant;
  private readonly beforeEmail: Constant;
  private input = "-";
  /** The beginning of the last row, and the commit and file that it is for. */
  private head = new Constant("");
  private commit: string | undefined;
  private file: string | undefined;

  /** `log`: rows begin with the commit. */
  constructor(
    private readonly isCsv: boolean,
    private readonly log: boolean,
  ) {
    this.columns = [...(log ? ["commit"] : []), "file", "line", "column", "email"];
    this.beforeColumn = new Constant(isCsv ? "," : ',"column":');
    this.beforeEmail = new Constant(isCsv ? "," : ',"email":"');
  }

  beginInput(name: string): void {
    this.input = name;
  }

  write(out: ByteWriter, { bytes, start, end, place }: Row): void {
    const { commit, line, column, file = this.input } = place as Place;
    out.constant(this.headOf(commit, file));
    out.decimal(line);
    out.constant(this.beforeColumn);
    out.decimal(column);
    out.constant(this.beforeEmail);
    if (this.isCsv) this.quoting.write(out, bytes, start, end);
    else {
      writeJsonText(out, bytes, start, end);
      out.byte(QUOTE);
    }
  }

  /** The beginning of a row, up to the number of its line. */
  private headOf(commit: string | undefined, file: string): Constant {
    if (file === this.file && commit === this.commit) return this.head;
    this.file = file;
    this.commit = commit;
    const ofCommit = commit === undefined ? "" : `"commit":"${commit}",`;
    const text = this.isCsv
      ? `${this.log ? `${commit ?? ""},` : ""}${csvField(file, COMMA)},`
      : `{${ofCommit}"file":${jsonText(file)},"line":`;
    this.head = new Constant(text);
    return this.head;
  }
}
