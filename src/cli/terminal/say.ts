// Lines for a person on standard error.

import type { Runtime } from "../runtime.ts";
import { shownText } from "./escape.ts";

/** Says a line whatever --quiet says: something was repaired or lost. */
export function warn({ stderr }: Pick<Runtime, "stderr">, line: string): void {
  stderr.write(`addrsift: ${shownText(line)}\n`);
}

/** Says a line to a person who watches: standard error is a terminal, and --quiet is not given. */
export function tellPerson(
  runtime: Pick<Runtime, "stderr">,
  { quiet }: { readonly quiet: boolean },
  line: string,
): void {
  if (!quiet && runtime.stderr.isTerminal) warn(runtime, line);
}
