// Describes CSV dialects other than RFC 4180, which would yield wrong columns or malformed addresses.

import { QUOTE, SPACE } from "../../base/bytes/ascii.ts";
import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import type { Message } from "../messages.ts";
import { formatDelimiter } from "./csv-header.ts";

/** Maximum bytes of rows that are checked. */
const PROBE_BYTES = 64 * 1024;
/** Suspected delimiters if they occur equally often in every row, which they don't in a list of addresses. */
const SEPARATORS = [";", "\t", "|", "~", "^", "\x01"] as const;
/** Suspected delimiters if header and rows have equally many: a header may have one by chance, such as `Email*`. */
export const RARE_SEPARATORS = [":", "#", "*", "/", "!", "%", "=", "&", "$", "?", "+"] as const;

/** Returns a note about the dialect of the first record and of the rows that have arrived; undefined for RFC 4180. */
export function describeDialect(
  first: Uint8Array,
  rows: Uint8Array,
  delimiter: number,
  columns: number,
): Message | undefined {
  const rest = rows.subarray(0, PROBE_BYTES);
  if (columns === 1 && first[0] === QUOTE && /[,;\t|]/.test(decodeUtf8(first))) {
    return () => "each line is one quoted field: if it has several columns, remove the quotes around the lines first";
  }
  if (columns === 1) return suggestSeparator(decodeUtf8(first), decodeUtf8(rest), delimiter);
  if (!first.includes(QUOTE) && !rest.includes(QUOTE)) return undefined;
  const text = `${decodeUtf8(first)}\n${decodeUtf8(rest)}`;
  const border = `\\u${delimiter.toString(16).padStart(4, "0")}\\r\\n`;
  const unquoted = '[^"\\r\\n]';
  const hasField = (pattern: string): boolean => new RegExp(`(?:^|[${border}])${pattern}`).test(text);
  if (delimiter !== SPACE && hasField(` +"${unquoted}*" *(?:[${border}]|$)`)) {
    return () => "quotes after a space are part of the field: remove the spaces before them";
  }
  if (hasField(`="${unquoted}*"(?:[${border}]|$)`)) {
    return () => 'fields such as ="text" are formulas of a spreadsheet: save the table without them';
  }
  if (!hasField(`"${unquoted}*\\\\"[^"${border}]`)) return undefined;
  return () => 'quotes in fields seem to be written \\", which CSV does not have: write them as ""';
}

/** Returns a note if a table of one column contains another separator equally often in every row. */
function suggestSeparator(header: string, text: string, delimiter: number): Message | undefined {
  const lines = text.split("\n").slice(0, 100);
  // The last line may be incomplete.
  if (lines.length > 1) lines.pop();
  const rows = lines.filter((line) => line.trim() !== "");
  const occursEqually = (lines: readonly string[], char: string): boolean => {
    const [count = 0, ...others] = lines.map((line) => line.split(char).length - 1);
    return char.charCodeAt(0) !== delimiter && count > 0 && others.every((other) => other === count);
  };
  const separator =
    SEPARATORS.find((char) => occursEqually(rows, char)) ??
    RARE_SEPARATORS.find((char) => rows.length > 0 && occursEqually([header, ...rows], char));
  if (separator === undefined) return undefined;
  const name = formatDelimiter(separator.charCodeAt(0));
  const value = separator === "\t" ? "tab" : JSON.stringify(separator);
  return ({ option }) =>
    `the table has one column, but its rows have ${name}: add ${option("delimiter", value)} to split them`;
}
