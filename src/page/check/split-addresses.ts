// Finds the addresses of pasted text: lines, lists of recipients, and rows of tables.

import { isEmailHeader } from "../../bulk/rows/csv-header.ts";

const CELL_SEPARATOR = /[,;\t]|\s\||\|\s/;
/** Matches a separator and a word. Text in double quotes or angle brackets may contain separators. */
const WORD = /([\s,;|]*)(<[^<>]*>|(?:"[^"]*"|[^\s,;|"<]|"(?![^"]*")|<(?![^<>]*>))+)/g;
/** Matches "(Sales)" in `Jane (Sales) <jane@x.com>`. */
const COMMENT = /(?<=\s)\([^()@]*\)(?=[\s,;<]|$)/g;
/** Matches `jane@x.com<mailto:jane@x.com>`, as Outlook writes it, and `jane@x.com <jane@x.com>`. */
const REPEATED_ADDRESS = /(?<![^\s,;<])([^\s,;<>"@]+@[^\s,;<>"@[\]()]+)\s*[<[(](?:mailto:)?\1[>\])]/gi;

/** Maximum nesting of wrappers, so that `1. 1. 1. …` takes linear time. */
const MAX_DEPTH = 8;
/** Match what may surround an address or a list, which is the first group. */
const WRAPPERS = [
  /^[\s\p{Cf},;]*(.*?(?<![\s\p{Cf},;|]))[\s\p{Cf},;|]*$/su,
  /^(?:[0-9]{1,4}[.)]|[-*+>|•·–—])\s+(.*)$/s,
  /^(?:"[^"@]*":|[^"@<>]*:\s)(.*)$/s,
  /^mailto:(.*?)(?:\?[^@]*)?$/is,
  /^(?:"[^"]*"\s*|[^@<]*)<([^<>]*@[^<>]*)>[^@]*$/,
  /^(?:[^@(]*\s)?\(([^()]*@[^()]*)\)[^@]*$/,
  /^(?:[^@[]*\s)?\[([^[\]]*@[^[\]]*)\][^@]*$/,
  /^\{([^{}]*)\}$/,
  /^"([^"]*)"$/,
  /^'([^@\s,;]*@[^@]*|[^']*)'$/,
  /^[“„«‘]([^“”„«»‘’]*)[”“»’]$/,
];

/**
 * Returns each address without the names and table cells next to it. What may be one mistyped address stays whole, such
 * as `jane,doe@x.com`, `jane doe@x.com` and a line without `@`.
 */
export function splitAddresses(text: string): string[] {
  let columnCount = 0;
  return text.split("\n").flatMap((line) => {
    const cells = line.split(CELL_SEPARATOR);
    const isHeader = !line.includes("@") && cells.some((cell) => isEmailHeader(unwrap(cell)));
    if (isHeader) columnCount = cells.length;
    return isHeader || !/[\p{L}\p{N}@]/u.test(line) ? [] : splitLine(line, cells.length === columnCount);
  });
}

function splitLine(line: string, isTableRow = false): string[] {
  const text = unwrap(line.replace(COMMENT, "").replace(REPEATED_ADDRESS, "$1"));
  const cells = groupWords(text, (cell, separator, word) => {
    return CELL_SEPARATOR.test(separator) && (isTableRow || !mayBeOneAddress(cell, separator, word));
  });
  const addresses = cells.filter((cell) => cell.includes("@")).flatMap(splitRecipients);
  return addresses.length === 0 || addresses[0] === text ? [text] : addresses.flatMap((part) => splitLine(part));
}

/** Splits `Jane <jane@x.com> joe@x.com`. Words next to an address without brackets may be a part of it. */
function splitRecipients(cell: string): string[] {
  let hasAddress = false;
  const recipients = groupWords(cell, (recipient, separator, word) => {
    const isNext = hasAddress && !/[,;]/.test(separator) && !(word.startsWith("<") && recipient.endsWith('"'));
    const isAddress = word.replace(/"[^"]*"/g, "").includes("@") || /^"[^"]*@[^"]*"$/.test(word);
    hasAddress = isAddress || (hasAddress && !isNext);
    return isNext;
  });
  const last = recipients.at(-1) as string;
  return last.includes("@") ? recipients : [...recipients.slice(0, -2), recipients.slice(-2).join(" ")];
}

type StartsGroup = (group: string, separator: string, word: string) => boolean;

function groupWords(text: string, startsGroup: StartsGroup): string[] {
  const groups: string[] = [];
  for (const [match, separator = "", word = ""] of text.matchAll(WORD)) {
    const group = groups.pop() ?? "";
    if (startsGroup(group, separator, word)) groups.push(group, word);
    else groups.push(group + match);
  }
  return groups;
}

/** Reports whether a separator may be a mistyped dot. */
function mayBeOneAddress(before: string, separator: string, after: string): boolean {
  const hasSpace = !/^[,;]+$/.test(separator);
  if (before.includes("@") === after.includes("@")) return false;
  if (before.includes("@")) return /@[^.,;]*$/.test(before) || (!hasSpace && /^([a-z]{2}|com|net|org)$/.test(after));
  const isCapitalized = (text: string): boolean => /^\p{Lu}/u.test(text);
  const isName = after.toLowerCase().includes(before.toLowerCase()) || (isCapitalized(before) && !isCapitalized(after));
  return !hasSpace && !isName && /^\p{L}\S*$/u.test(before);
}

function unwrap(text: string, depth = 0): string {
  const inner = WRAPPERS.reduce((text, wrapper) => text.replace(wrapper, "$1"), text);
  return inner === text || depth === MAX_DEPTH ? inner : unwrap(inner, depth + 1);
}
