// Writes the location of an address that --scan has found, as CSV or JSON.

import { COMMA, QUOTE } from "../../base/bytes/ascii.ts";
import { ByteWriter, PreparedBytes } from "../../base/bytes/byte-writer.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { toSafeJson, writeJsonText } from "../../detection/format.ts";
import type { Row, SourceLocation } from "../rows/row.ts";
import type { Quoting } from "./encodings.ts";
import type { RowPrefix } from "./render.ts";

/** Begins a record or object with the location of an address and the address itself. */
export class LocationPrefix implements RowPrefix {
  readonly columns: readonly string[];
  /** Constant bytes before the column number and before the address. */
  private readonly beforeColumn: PreparedBytes;
  private readonly beforeEmail: PreparedBytes;
  private input = "-";
  /** Start of the last row, up to the line number: cached, because later rows often have the same commit and file. */
  private lineStart = new PreparedBytes("");
  private commit: string | undefined;
  private file: string | undefined;

  /** `quoting` quotes CSV fields; if undefined, the output is JSON. `hasCommits`: each row begins with a commit. */
  constructor(
    private readonly quoting: Quoting | undefined,
    private readonly hasCommits: boolean,
  ) {
    this.columns = [...(hasCommits ? ["commit"] : []), "file", "line", "column", "email"];
    this.beforeColumn = new PreparedBytes(quoting ? "," : ',"column":');
    this.beforeEmail = new PreparedBytes(quoting ? "," : ',"email":"');
  }

  beginInput(name: string): void {
    this.input = name;
  }

  write(out: ByteWriter, { bytes, start, end, location }: Row): void {
    const { commit, line, column, file = this.input } = location as SourceLocation;
    out.prepared(this.lineStartOf(commit, file));
    out.decimal(line);
    out.prepared(this.beforeColumn);
    out.decimal(column);
    out.prepared(this.beforeEmail);
    if (this.quoting !== undefined) this.quoting.write(out, bytes, start, end);
    else {
      writeJsonText(out, bytes, start, end);
      out.byte(QUOTE);
    }
  }

  /** Returns the start of a row, up to its line number. */
  private lineStartOf(commit: string | undefined, file: string): PreparedBytes {
    if (file === this.file && commit === this.commit) return this.lineStart;
    this.file = file;
    this.commit = commit;
    const text = new ByteWriter(256);
    if (this.quoting !== undefined) {
      if (this.hasCommits) text.text(`${commit ?? ""},`);
      const name = encodeUtf8(file);
      this.quoting.write(text, name, 0, name.length);
      text.byte(COMMA);
    } else {
      const commitKey = commit === undefined ? "" : `"commit":"${commit}",`;
      text.text(`{${commitKey}"file":${toSafeJson(file)},"line":`);
    }
    this.lineStart = new PreparedBytes(text.buffer.slice(0, text.length));
    return this.lineStart;
  }
}
