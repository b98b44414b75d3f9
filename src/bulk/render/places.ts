// Addresses that were found in text: each with its place before it, as CSV or JSON.

import { COMMA, QUOTE } from "../../base/bytes/ascii.ts";
import { ByteWriter, Constant } from "../../base/bytes/byte-writer.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { jsonText, writeJsonText } from "../../detection/format.ts";
import type { Place, Row } from "../rows/row.ts";
import type { Quoting } from "./forms.ts";
import type { Subject } from "./render.ts";

/** The place of an address and the address itself, as the beginning of a record or an object. */
export class PlaceSubject implements Subject {
  readonly columns: readonly string[];
  /** The bytes before column and address. */
  private readonly beforeColumn: Constant;
  private readonly beforeEmail: Constant;
  private input = "-";
  /** The beginning of the last row, and the commit and file that it is for. */
  private head = new Constant("");
  private commit: string | undefined;
  private file: string | undefined;

  /** `quoting` is that of CSV; undefined: JSON. `log`: rows begin with the commit. */
  constructor(
    private readonly quoting: Quoting | undefined,
    private readonly log: boolean,
  ) {
    this.columns = [...(log ? ["commit"] : []), "file", "line", "column", "email"];
    this.beforeColumn = new Constant(quoting ? "," : ',"column":');
    this.beforeEmail = new Constant(quoting ? "," : ',"email":"');
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
    if (this.quoting !== undefined) this.quoting.write(out, bytes, start, end);
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
    const head = new ByteWriter(256);
    if (this.quoting !== undefined) {
      if (this.log) head.text(`${commit ?? ""},`);
      const name = encodeUtf8(file);
      this.quoting.write(head, name, 0, name.length);
      head.byte(COMMA);
    } else {
      const ofCommit = commit === undefined ? "" : `"commit":"${commit}",`;
      head.text(`{${ofCommit}"file":${jsonText(file)},"line":`);
    }
    this.head = new Constant(head.bytes.slice(0, head.length));
    return this.head;
  }
}
