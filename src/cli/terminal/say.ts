// Lines for a person on standard error.

import type { Runtime } from "../runtime.ts";
import { shownText } from "./escape.ts";

/** Prints a line even with --quiet: something was repaired or lost. */
export function warn({ stderr }: Pick<Runtime, "stderr">, line: string): void {
  stderr.write(`addrsift: ${shownText(line)}\n`);
}

/** Prints a line for a person: only when standard error is a terminal and --quiet is not given. */
export function tellPerson(
  runtime: Pick<Runtime, "stderr">,
  { quiet }: { readonly quiet: boolean },
  line: string,
): void {
  if (!quiet && runtime.stderr.isTerminal) warn(runtime, line);
}
