// Finds the addresses of pasted text: lines, lists of recipients, and rows of tables.

import { isEmailHeader } from "../../bulk/rows/csv-header.ts";

const CELL_SEPARATOR = /[,;\t|]/;
const SEPARATOR = /[,;\t|:<>()[\]"]/;
/** Matches a word with `@`, whose local part may be quoted. */
const ADDRESS =
  /(?<![^\s,;|:<>()[\]"'“„«‘])((?:"[^"]*"(?=@)|(?!['“„«‘])[^\s,;|:<>()[\]"]*)@(?:\[[^\]]*\]|[^\s,;|:<>()[\]"?])*)/;
const END_MARKS = /^\p{Cf}+|[\p{Cf}'“”»’}]+$/gu;

/**
 * Returns each address without the names and table cells next to it. What may be one mistyped address stays whole, such
 * as `jane,doe@x.com`, `jane doe@x.com` and a line without `@`.
 */
export function splitAddresses(text: string): string[] {
  let columnCount = 0;
  return text.split("\n").flatMap((line) => {
    const cells = line.split(CELL_SEPARATOR);
    const isHeader = !line.includes("@") && cells.some((cell) => isEmailHeader(cell.replace(/"/g, "").trim()));
    if (isHeader) columnCount = cells.length;
    return isHeader || !/[\p{L}\p{N}@]/u.test(line) ? [] : splitLine(line, cells.length === columnCount);
  });
}

function splitLine(line: string, isTableRow: boolean): string[] {
  const [first = "", ...parts] = line.split(ADDRESS);
  const addresses: string[] = [];
  let before = first;
  for (let i = 0; i < parts.length; i += 2) {
    const [address = "", after = ""] = parts.slice(i, i + 2);
    const suffix = isTableRow ? "" : findSuffix(address, after, i + 2 === parts.length);
    const isRepeated = address === parts[i - 2] && /[<[(]/.test(before);
    if (!isRepeated) addresses.push((isTableRow ? "" : findPrefix(before, address)) + address + suffix);
    before = after.slice(suffix.length);
  }
  return parts.length === 0 ? [line.trim()] : addresses.map((address) => address.replace(END_MARKS, ""));
}

/** Returns the words before an address without brackets, or a word joined to it, which may be a part of it. */
function findPrefix(before: string, address: string): string {
  if (address.startsWith("@")) return /(?<![^\s,;|])[^\s,;|]*\s?$/.exec(before)?.[0] ?? "";
  const words = before.split(SEPARATOR).at(-1) as string;
  if (/\p{L}/u.test(words)) return words.replace(/^[^\p{L}\p{N}]*\s/u, "");
  const [joined = "", word = ""] =
    /(?<=^|\t|[^\p{L}\p{N}\s]\s?)(\p{L}[^\s,;|:<>()[\]"']*)[,;|:(]+$/u.exec(before) ?? [];
  const isCapitalized = (text: string): boolean => /^\p{Lu}/u.test(text);
  const isName = address.toLowerCase().includes(word.toLowerCase()) || (isCapitalized(word) && !isCapitalized(address));
  return isName || word === "mailto" ? "" : joined;
}

/** Returns the words after an address, or the end of a domain after a comma for a dot, which may be a part of it. */
function findSuffix(address: string, after: string, isLast: boolean): string {
  const cells = after.split(CELL_SEPARATOR);
  const [words = ""] = (cells[0] as string).split(SEPARATOR);
  if ((isLast || cells.length > 1) && /^\s.*[\p{L}\p{N}]/u.test(words)) return words.trimEnd();
  const pattern = /@[^.]*$/.test(address) ? /^[,;]\s*[^\s,;|:<>()[\]"]+/ : /^[,;]([a-z]{2}|com|net|org)(?=[,;\s]|$)/;
  return pattern.exec(after)?.[0] ?? "";
}
