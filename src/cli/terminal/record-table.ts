// Records for people and for scripts: a table without lines, or JSON.

import type { Host } from "../open/compose.ts";
import type { Arguments } from "../options/arguments.ts";
import { shownText } from "./escape.ts";
import { isTerminal, writeNow } from "./streams.ts";
import { loadTableTools, renderTable, screenWidth } from "./text-table.ts";

/** Prints a value as one line of JSON; every character that a terminal would act upon is escaped. */
export function printJson(value: unknown): void {
  const text = JSON.stringify(value).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, escapeUnits);
  writeNow(1, `${text}\n`);
}

function escapeUnits(char: string): string {
  return Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join(
    "",
  );
}

/** One line, or several. */
export type RecordCell = string | readonly string[];

/** Prints rows under their titles; nothing at all when there are none. Cells may hold anything: it is escaped. */
export async function printTable(
  args: Arguments,
  host: Host,
  titles: readonly string[],
  rows: readonly (readonly RecordCell[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = titles.map((title) => ({ title }));
  const cells = rows.map((row) => row.map((cell) => [cell].flat().map(shownText)));
  // Without a screen there is nothing to fit: scripts find a record in one line.
  const width = screenWidth(host, Number.POSITIVE_INFINITY);
  writeNow(1, renderTable(columns, cells, width, await loadTableTools(host, !args.flag("no-color"))));
}

/** Says something to a person who watches: standard error is a terminal, and --quiet is not given. */
export function tellPerson(args: Arguments, host: Host, line: string): void {
  if (!args.flag("quiet") && isTerminal(2, host.load)) writeNow(2, `addrsift: ${shownText(line)}\n`);
}
