// Forms of CSV outside of RFC 4180, which would be read as other columns or as malformed addresses: a note about each,
// by the rows that have arrived.

import { QUOTE, SPACE } from "../../base/bytes/ascii.ts";
import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import type { Message } from "../messages.ts";
import type { InputBuffer } from "../reader.ts";
import { formatDelimiter } from "./csv-header.ts";

const PROBE_BYTES = 64 * 1024;
/** Delimiters whose characters are in no list of addresses: each row has as many of them. */
const SEPARATORS = [";", "\t", "|", "~", "^", "\x01"] as const;

/** The note about the first row and those that have arrived after it; undefined if they are as they should be. */
export function describeDialect(
  first: Uint8Array,
  { bytes, start, end }: InputBuffer,
  delimiter: number,
  columns: number,
): Message | undefined {
  const stop = Math.min(end, start + PROBE_BYTES);
  const rest = bytes.subarray(start, stop);
  const isOne = columns === 1;
  if (isOne && isQuotedLine(first)) {
    return () => "each line is one quoted field: if it has several columns, remove the quotes around the lines first";
  }
  if (isOne) return describeSeparator(decodeUtf8(rest), delimiter);
  if (!first.includes(QUOTE) && !rest.includes(QUOTE)) return undefined;
  const text = `${decodeUtf8(first)}\n${decodeUtf8(rest)}`;
  const [border, plain] = [`\\u${delimiter.toString(16).padStart(4, "0")}\\r\\n`, '[^"\\r\\n]'];
  const has = (field: string): boolean => new RegExp(`(?:^|[${border}])${field}`).test(text);
  if (delimiter !== SPACE && has(` +"${plain}*" *(?:[${border}]|$)`)) {
    return () => "quotes after a space are part of the field: remove the spaces before them";
  }
  if (has(`="${plain}*"(?:[${border}]|$)`)) {
    return () => 'fields such as ="text" are formulas of a spreadsheet: save the table without them';
  }
  if (!has(`"${plain}*\\\\"[^"${border}]`)) return undefined;
  return () => "quotes seem to be escaped by a backslash, which ends the field: double them instead";
}

/** True for a line that is one quoted field with separators in it. */
function isQuotedLine(line: Uint8Array): boolean {
  return line[0] === QUOTE && /[,;\t|]/.test(decodeUtf8(line));
}

/** The note about a table of one column if each of its rows has the same number of another separator. */
function describeSeparator(text: string, delimiter: number): Message | undefined {
  const lines = text.split("\n").slice(0, 100);
  // The last line may be cut off, or be empty.
  if (lines.length > 1) lines.pop();
  const rows = lines.filter((line) => line.trim() !== "");
  const counts = (char: string): number[] => rows.map((row) => row.split(char).length - 1);
  const char = SEPARATORS.find((each) => {
    const [count = 0, ...others] = counts(each);
    return each.charCodeAt(0) !== delimiter && count > 0 && others.every((other) => other === count);
  });
  if (char === undefined) return undefined;
  const [shown, value] = char === "\t" ? ["tabs", "tab"] : [formatDelimiter(char.charCodeAt(0)), JSON.stringify(char)];
  return ({ option }) =>
    `the table has one column, but its rows have ${shown}: add ${option("delimiter", value)} to split them`;
}
