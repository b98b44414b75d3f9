// Text for people: no control, bidirectional or invisible character reaches a terminal. Lines for a person on standard
// error, and times.

import { escapeInvisible } from "../../base/shown.ts";
import type { Output } from "./output.ts";

/** Prints a line even with --quiet: something was repaired or lost. */
export function warn({ stderr }: { readonly stderr: Pick<Output, "write"> }, line: string): void {
  stderr.write(`addrsift: ${shownText(line)}\n`);
}

/** Prints a line for a person: only when standard error is a terminal and --quiet is not given. */
export function tellPerson(
  runtime: { readonly stderr: Pick<Output, "isTerminal" | "write"> },
  { quiet }: { readonly quiet: boolean },
  line: string,
): void {
  if (!quiet && runtime.stderr.isTerminal) warn(runtime, line);
}

const KNOWN: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** The text with every control, format and separator character written as an escape. */
export function shownText(text: string): string {
  return escapeInvisible(text, KNOWN);
}

/** A time of a record (ISO 8601) to the minute, or to the second, for a table; empty for none. */
export function shownMinute(time: string | undefined): string {
  return time?.slice(0, 16).replace("T", " ") ?? "";
}

export function shownSecond(time: string | undefined): string {
  return time?.slice(0, 19).replace("T", " ") ?? "";
}
