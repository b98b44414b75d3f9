// Finds the addresses of pasted text: lines, lists of recipients, and rows of tables.

import { isEmailHeader } from "../../bulk/rows/csv-header.ts";

const CELL_SEPARATOR = /[,;\t|]/;
const SEPARATOR = /[,;\t|:<>()[\]"]/;
/** Matches a word with `@`, whose local part may be quoted or contain `|`. */
const ADDRESS =
  /(?<![^\s,;|:<>()[\]"'“„«‘])((?:"[^"]*"(?=@)|(?!['“„«‘|])[^\s,;:<>()[\]"@]*)@(?:[^\s,;|:<>()[\]"]*@)?(?:\[[^\]]*\]|[^\s,;|:<>()[\]"?])*)/;
const END_MARKS = /^\p{Cf}+|[\p{Cf}'“”»’}.]+$/gu;
const MAIL_HEADER = /^[A-Z][A-Za-z-]*:\s/;

/**
 * Returns each address without the names, text and table cells next to it. What may be one mistyped address stays
 * whole, such as `jane,doe@x.com`, `jane doe@x.com` and a line without `@`.
 */
export function splitAddresses(text: string): string[] {
  let columnCount = 0;
  return text.split("\n").flatMap((line) => {
    const cells = line.split(CELL_SEPARATOR);
    const isTableRow = cells.length > 1 && cells.length === columnCount;
    if (line.includes("@")) return (isTableRow ? cells : [line]).flatMap(splitLine);
    const isTableHeader = cells.some((cell) => isEmailHeader(cell.replace(/"/g, "").trim()));
    if (isTableHeader) columnCount = cells.length;
    const isMailHeader = MAIL_HEADER.test(line) && text.includes("@");
    return isTableHeader || isMailHeader || !/[\p{L}\p{N}]/u.test(line) ? [] : [line.trim()];
  });
}

function splitLine(line: string): string[] {
  const [first = "", ...parts] = line.split(ADDRESS);
  const addresses: string[] = [];
  let before = first;
  for (let i = 0; i < parts.length; i += 2) {
    const [address = "", after = ""] = parts.slice(i, i + 2);
    const suffix = findSuffix(address, after);
    const isRepeated = address === parts[i - 2] && /[<[(]/.test(before);
    if (!isRepeated) addresses.push((findPrefix(before, address) + address + suffix).replace(END_MARKS, ""));
    before = after.slice(suffix.length);
  }
  return addresses;
}

/** Returns the only word before an address without brackets, or a word joined to it, which may be a part of it. */
function findPrefix(before: string, address: string): string {
  if (address.startsWith("@")) return /(?<![^\s,;|])[^\s,;|]*\s?$/.exec(before)?.[0] ?? "";
  const words = (before.split(SEPARATOR).at(-1) as string).replace(/^[^\p{L}\p{N}]*\s/u, "");
  if (/\p{L}/u.test(words)) return /\S\s+\S/.test(words) ? "" : words;
  const [joined = "", word = ""] = /(?<=^|\t|[^\p{L}\p{N}\s]\s?)(\p{L}[^\s,;|:<>()[\]"']*)[,;:(]+$/u.exec(before) ?? [];
  const isCapitalized = (text: string): boolean => /^\p{Lu}/u.test(text);
  const isName = address.toLowerCase().includes(word.toLowerCase()) || (isCapitalized(word) && !isCapitalized(address));
  return isName || word === "mailto" ? "" : joined;
}

/** Returns the end of a domain after a comma or space for a dot, which may be a part of the address. */
function findSuffix(address: string, after: string): string {
  const pattern = /@[^.]*$/.test(address)
    ? /^(?:[,;]\s*| +)[^\s,;|:<>()[\]"]+/
    : /^[,; ]\.?(?:[a-z]{2}|com|net|org)(?=[,;\t]|\s*(?:\||$))/;
  return pattern.exec(after)?.[0] ?? "";
}
