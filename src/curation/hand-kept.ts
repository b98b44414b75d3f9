// Hand-kept lists: tab-separated text, sorted, each row with its source or reason. Rows are checked when read; a fault names file
// and line.

import { CurationError } from "./sources.ts";

/** Rows of one list by its first column. */
export type Rows = ReadonlyMap<string, readonly string[]>;

/** The form of a row. */
export interface RowShape {
  readonly file: string;
  readonly columns: readonly string[];
  /** Checks the first column; gives what is wrong, or undefined. */
  check?(name: string, row: readonly string[]): string | undefined;
}

/** Parses a list; `#` lines are comments. The last column is the source or reason and may not be empty, like all others. */
export function parseRows(text: string, shape: RowShape): Rows {
  const rows = new Map<string, readonly string[]>();
  let previous = "";
  text.split("\n").forEach((line, index) => {
    if (line === "" || line.startsWith("#")) return;
    const row = line.split("\t");
    const [name = ""] = row;
    const wrong = faultOf(row, name, previous, shape);
    if (wrong !== undefined) throw new CurationError(`data/${shape.file}:${index + 1}: ${wrong}`);
    previous = name;
    rows.set(name, row);
  });
  if (rows.size === 0) throw new CurationError(`data/${shape.file} is empty`);
  return rows;
}

function faultOf(row: readonly string[], name: string, previous: string, shape: RowShape): string | undefined {
  if (row.length !== shape.columns.length) return `${row.length} columns, not ${shape.columns.join(", ")}`;
  const blank = row.findIndex((field) => field.trim() !== field || field === "");
  if (blank >= 0) return `column ${shape.columns[blank]} is empty or has white space around it`;
  if (Buffer.compare(Buffer.from(name), Buffer.from(previous)) <= 0) return `${name} is out of order or doubled`;
  return shape.check?.(name, row);
}
