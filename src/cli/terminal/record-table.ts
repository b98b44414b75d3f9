// Records for people and for scripts: a table without lines, or JSON.

import type Table from "cli-table3";
import { jsonText } from "../../detection/format.ts";
import type { GlobalOptions } from "../options/shared.ts";
import type { Runtime } from "../runtime.ts";
import { shownText, tellPerson } from "./say.ts";
import {
  BatchedTable,
  type Cell,
  type Column,
  GAP,
  isAscii,
  loadPaint,
  type Paint,
  screenWidth,
  type TableScreen,
} from "./text-table.ts";

/** Prints a value as one line of JSON; every character that acts on a terminal is escaped. */
export function printJson({ stdout }: Pick<Runtime, "stdout">, value: unknown): void {
  stdout.write(`${jsonText(value)}\n`);
}

export type RecordCell = string | readonly string[];

export interface RecordList<Shown> {
  readonly records: readonly Shown[];
  readonly titles: readonly string[];
  readonly row: (record: Shown) => readonly RecordCell[];
  /** The line for a person when there are none. */
  readonly none: string;
}

export async function printRecords<Shown>(
  screen: TableScreen & Pick<Runtime, "stderr">,
  options: Pick<GlobalOptions, "no-color" | "quiet"> & { readonly json: boolean },
  { records, titles, row, none }: RecordList<Shown>,
): Promise<void> {
  if (options.json) printJson(screen, records);
  else await printTable(screen, options, titles, records.map(row));
  if (records.length === 0) tellPerson(screen, options, none);
}

/** Prints rows under their titles; nothing when there are no rows. Cells are escaped here. */
export async function printTable(
  screen: TableScreen,
  options: Pick<GlobalOptions, "no-color">,
  titles: readonly string[],
  rows: readonly (readonly RecordCell[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const cells = rows.map((row) => row.map((cell) => [cell].flat().map(shownText)));
  // Without a screen there is no width limit: scripts find a record in one line.
  const width = screenWidth(screen, Number.POSITIVE_INFINITY);
  const columns = titles.map((title) => ({ title }));
  const paint = await loadPaint(screen, !options["no-color"]);
  screen.stdout.write(recordTable(columns, cells, width, paint));
}

/** The table with its titles. Each line ends in a line feed and is at most `width` columns wide. */
export function recordTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
  paint: Paint,
): string {
  const table = new BatchedTable(columns, width, paint);
  // cli-table3 measures with an older Unicode, and would cut what it takes for wider than its column.
  return rows.flat(2).every(isAscii) ? layOut(table.first(rows)) : table.text(rows, false);
}

// Without lines, and with a gap between columns.
const PLAIN: Table.TableConstructorOptions = {
  style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": GAP },
  chars: Object.fromEntries(
    ["top", "bottom", "left", "right"]
      .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
      .concat(["mid", "mid-mid", "left-mid", "right-mid", "middle"])
      .map((name) => [name, ""]),
  ),
};

/** Lays out cells of lines; in a row with fewer cells than columns, the last cell spans the rest. */
function layOut({ widths, rows }: ReturnType<BatchedTable["first"]>): string {
  const TableClass = require("cli-table3") as typeof Table;
  const table = new TableClass({ ...PLAIN, colWidths: widths.map((width) => width + GAP) });
  for (const row of rows) {
    const colSpan = widths.length - row.length + 1;
    table.push(row.map((lines) => ({ content: lines.join("\n"), colSpan })));
  }
  return `${table.toString().replace(/ +$/gm, "")}\n`;
}
