// Formats text and numbers for people, on a terminal and in the web UI.

import { encodeUtf8 } from "./bytes/bytes.ts";

const MAX_QUOTED_CHARS = 40;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Escapes every control, format and separator character. */
export function escapeInvisible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu,
    (char) => SHORT_ESCAPES[char] ?? `\\u{${(char.codePointAt(0) as number).toString(16)}}`,
  );
}

/** Quotes the text as one argument for a POSIX shell. Quotes invisible characters as `$'\012'`, by the bytes of UTF-8. */
export function quoteForShell(text: string): string {
  if (/^[\w./,:=@+-]+$/.test(text)) return text;
  if (escapeInvisible(text) === text) return `'${text.replaceAll("'", "'\\''")}'`;
  const toOctal = (byte: number): string => `\\${byte.toString(8).padStart(3, "0")}`;
  const isVisible = (char: string): boolean => escapeInvisible(char) === char;
  const escapeChar = (char: string): string =>
    isVisible(char) && !/['\\]/.test(char) ? char : Array.from(encodeUtf8(char), toOctal).join("");
  return `$'${Array.from(text, escapeChar).join("")}'`;
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Turns a message or phrase into a sentence. A field or host at its start, such as `config.url`, stays as it is. */
export function toSentence(message: string): string {
  return `${/^([\w-]+\.\w|localhost\b)/.test(message) ? message : capitalize(message)}${/[.!?]$/.test(message) ? "" : "."}`;
}

/** Quotes user input for a message, truncated. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, MAX_QUOTED_CHARS));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
}

export function formatNumber(value: number): string {
  // toLocaleString would load locale data, which takes 20 ms or more.
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Shortens texts to `maxChars` in the middle, or to more so that different texts stay different. */
export function shortenTexts(texts: readonly string[], maxChars: number): string[] {
  const headLength = Math.floor(0.4 * maxChars);
  const shortTexts = texts.map((text) => {
    const chars = [...text];
    const tail = chars.slice(headLength + 1 - maxChars);
    return chars.length <= maxChars ? text : `${chars.slice(0, headLength).join("")}…${tail.join("")}`;
  });
  return new Set(shortTexts).size < new Set(texts).size ? shortenTexts(texts, 2 * maxChars) : shortTexts;
}

/** Formats `1 row`, `2 rows`. */
export function pluralize(count: number, singular: string, plural: string): string {
  return `${formatNumber(count)} ${count === 1 ? singular : plural}`;
}

export function formatPercent(part: number, total: number): string {
  const percent = (100 * part) / Math.max(total, 1);
  if (percent > 0 && percent < 0.05) return "<0.1 %";
  return percent < 100 && percent >= 99.95 ? ">99.9 %" : `${percent.toFixed(1)} %`;
}

/** Formats the first three names of a list; an ellipsis stands for the others. */
export function formatFirst(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(", ")}, …` : names.join(", ");
}
