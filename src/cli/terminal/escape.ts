// Text for people: no control, bidirectional or invisible character reaches a terminal. Also times.

import { escapeInvisible } from "../../base/shown.ts";

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
