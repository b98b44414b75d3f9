// A guess at the first line of an input: CSV with some delimiter, a line for Excel, an address. It reads nothing.

import { fieldsOf } from "./csv.ts";
import { isEmailHeader, looksLikeAddress, saysEmail } from "./csv-header.ts";

/** Delimiters that are looked for; at a draw the first one counts. */
const DELIMITERS = [0x2c, 0x3b, 0x09, 0x7c] as const;
// Bytes of a line that are looked at: each may be a field, of which a text is made under each delimiter.
const LINE_MAX = 16 * 1024;

/**
 * The delimiter of the line between `start` and `end`: the one under which a field speaks of e-mail, or gives the most
 * fields.
 */
export function sniffDelimiter(bytes: Uint8Array, start: number, end: number, column: string | undefined): number {
  const stop = Math.min(lineEnd(bytes, start, end), start + LINE_MAX);
  const scores = DELIMITERS.map((delimiter) => {
    const fields = fieldsOf(bytes, start, stop, delimiter).map((field) => field.trim());
    const speaks = fields.length > 1 ? Math.max(...fields.map((field) => speaksOfEmail(field, column))) : 0;
    return { delimiter, score: speaks * LINE_MAX + fields.length };
  });
  return scores.reduce((best, next) => (next.score > best.score ? next : best)).delimiter;
}

function speaksOfEmail(field: string, column: string | undefined): number {
  if (isEmailHeader(field) || (column !== undefined && field.toLowerCase() === column.trim().toLowerCase())) return 2;
  return saysEmail(field) || looksLikeAddress(field) ? 1 : 0;
}

/** The delimiter when a line that should be one address is probably a row of CSV, or its header. */
export function csvDelimiter(bytes: Uint8Array, start: number, end: number): number | undefined {
  const stop = Math.min(lineEnd(bytes, start, end), start + LINE_MAX);
  const delimiter = sniffDelimiter(bytes, start, stop, undefined);
  const fields = fieldsOf(bytes, start, stop, delimiter).map((field) => field.trim());
  if (fields.length < 2) return undefined;
  const withAt = fields.filter((field) => field.includes("@"));
  const rows = withAt.length > 0 && withAt.every(looksLikeAddress);
  return rows || (withAt.length === 0 && fields.some(isEmailHeader)) ? delimiter : undefined;
}

/** The delimiter that a first line such as `sep=;` tells Excel; undefined for any other line. */
export function delimiterOfSeparatorLine(line: string): number | undefined {
  const char = /^"?sep=([\x01-\x7e])"?[,;\t|]*$/iu.exec(line.replace(/\r?\n$/, "").trimStart())?.[1];
  return char === undefined || char === '"' ? undefined : char.charCodeAt(0);
}

/** A delimiter for a message. */
export function shownDelimiter(delimiter: number): string {
  return delimiter === 0x09 ? "tabs" : JSON.stringify(String.fromCharCode(delimiter));
}

/** Where the line ends, without its line break. */
function lineEnd(bytes: Uint8Array, start: number, end: number): number {
  return end > start && bytes[end - 1] === 0x0d ? end - 1 : end;
}
