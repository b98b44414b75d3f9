// Records for people and for scripts: a table without lines, or JSON.

import type Table from "cli-table3";
import { createPaint, NO_BORDERS } from "../commands/detect/human-table.ts";
import type { Host } from "../open/compose.ts";
import type { Arguments } from "../options/arguments.ts";
import { shownText } from "./escape.ts";
import { isTerminal, writeNow } from "./streams.ts";

const GAP = 2;

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
export type Cell = string | readonly string[];

/** Prints rows under their titles; nothing at all when there are none. Cells may hold anything: it is escaped. */
export async function printTable(
  args: Arguments,
  host: Host,
  titles: readonly string[],
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const paint = await createPaint(!args.flag("no-color"));
  const TableClass = host.load("cli-table3") as typeof Table;
  const table = new TableClass({
    head: titles.map((title) => paint.bold(title)),
    style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": GAP },
    chars: NO_BORDERS,
  });
  for (const row of rows) table.push(row.map((cell) => [cell].flat().map(shownText).join("\n")));
  writeNow(1, `${table.toString().replace(/[ \t]+$/gm, "")}\n`);
}

/** Says something to a person who watches: standard error is a terminal, and --quiet is not given. */
export function tellPerson(args: Arguments, host: Host, line: string): void {
  if (!args.flag("quiet") && isTerminal(2, host.load)) writeNow(2, `addrsift: ${shownText(line)}\n`);
}
