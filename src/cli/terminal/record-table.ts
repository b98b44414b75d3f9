// Records for people and for scripts: a table without lines, or JSON.

import { jsonText } from "../../detection/format.ts";
import type { GlobalOptions } from "../options/shared.ts";
import type { Runtime } from "../runtime.ts";
import { shownText, tellPerson } from "./say.ts";
import { loadTableTools, renderTable, screenWidth } from "./text-table.ts";

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
  runtime: Runtime,
  options: Pick<GlobalOptions, "no-color" | "quiet"> & { readonly json: boolean },
  { records, titles, row, none }: RecordList<Shown>,
): Promise<void> {
  if (options.json) printJson(runtime, records);
  else await printTable(runtime, options, titles, records.map(row));
  if (records.length === 0) tellPerson(runtime, options, none);
}

/** Prints rows under their titles; nothing when there are no rows. Cells are escaped here. */
export async function printTable(
  runtime: Runtime,
  options: Pick<GlobalOptions, "no-color">,
  titles: readonly string[],
  rows: readonly (readonly RecordCell[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = titles.map((title) => ({ title }));
  const cells = rows.map((row) => row.map((cell) => [cell].flat().map(shownText)));
  // Without a screen there is no width limit: scripts find a record in one line.
  const width = screenWidth(runtime, Number.POSITIVE_INFINITY);
  const tools = await loadTableTools(runtime, !options["no-color"]);
  runtime.stdout.write(renderTable(columns, cells, width, tools));
}
