// Records for people and for scripts: a table without lines, or JSON.

import { jsonText } from "../../detection/format.ts";
import type { GlobalOptions } from "../options/shared.ts";
import type { Runtime } from "../runtime.ts";
import { shownText } from "./escape.ts";
import { loadTableTools, renderTable, screenWidth } from "./text-table.ts";

/** Prints a value as one line of JSON; every character that acts on a terminal is escaped. */
export function printJson({ stdout }: Pick<Runtime, "stdout">, value: unknown): void {
  stdout.write(`${jsonText(value)}\n`);
}

/** One line, or several. */
export type RecordCell = string | readonly string[];

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
