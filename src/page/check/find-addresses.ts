// Finds the addresses of pasted text: tables, lines, lists of recipients and sentences.

import { mentionsEmail } from "../../bulk/rows/csv-header.ts";
import { type FoundAddresses, type Place, readTable } from "./read-table.ts";

const SEPARATOR = /[,;\t|:<>()[\]"]/;
/** Matches a word with `@`, whose local part may be quoted or contain `|`. */
const ADDRESS =
  /(?<![^\s,;|:<>()[\]"'“„«‘])(?:"[^"]*"(?=@)|(?!['“„«‘|])[^\s,;:<>()[\]"@]*)@(?:[^\s,;|:<>()[\]"]*@)?(?:\[[^\]]*\]|[^\s,;|:<>()[\]"?])*/g;
const END_MARKS = /^\p{Cf}+|[\p{Cf}'“”»’}.]+$/gu;
const MAIL_HEADER = /^[A-Z][A-Za-z-]*:\s/;
/** Matches three words, or several that end like a greeting or a sentence. */
const PROSE = /\S\s+\S+\s+\S|\s\S+[,:.!?]\s*$/;
/** Matches a word next to an address that is not a part of it. */
const FUNCTION_WORD = /^\W*(and|or|und|oder|et|to|is|at|on|as|an|so|if|see|via|cc|bcc|mail)\W*$/i;

export async function findAddresses(text: string): Promise<FoundAddresses> {
  return (await readTable(text)) ?? { places: findPlaces(text), notes: [] };
}

/** Replaces addresses wherever they were found. All other characters stay. */
export async function replaceAddresses(text: string, replacements: ReadonlyMap<string, string>): Promise<string> {
  const { places } = await findAddresses(text);
  const replacedPlaces = places.filter(({ address }) => replacements.has(address));
  return replacedPlaces.reduceRight((rest, { start, end, address }) => {
    const replacement = replacements.get(address) as string;
    const isEscaped = end - start > address.length;
    return rest.slice(0, start) + (isEscaped ? replacement.replaceAll('"', '""') : replacement) + rest.slice(end);
  }, text);
}

/**
 * Finds each address without the names and text next to it. What may be one mistyped address stays whole, such as
 * `jane,doe@x.com`, `jane doe@x.com` and a line without `@`.
 */
function findPlaces(text: string): Place[] {
  const hasAt = text.includes("@");
  let lineStart = 0;
  return text.split("\n").flatMap((line) => {
    const offset = lineStart;
    lineStart += line.length + 1;
    const isHeader = !line.includes(".") && line.split(/[,;\t|]/).some(mentionsEmail);
    const isText = hasAt && (MAIL_HEADER.test(line) || PROSE.test(line));
    if (line.includes("@")) return findInLine(line, offset);
    return isHeader || isText || !/[\p{L}\p{N}]/u.test(line) ? [] : [createPlace(line, offset)];
  });
}

function createPlace(part: string, offset: number): Place {
  const address = part.trim().replace(END_MARKS, "");
  const start = offset + part.indexOf(address);
  return { start, end: start + address.length, address };
}

function findInLine(line: string, offset: number): Place[] {
  const matches = [...line.matchAll(ADDRESS)];
  let lastEnd = 0;
  return matches.map(({ 0: address, index }, i) => {
    const before = line.slice(lastEnd, index);
    const end = index + address.length;
    const after = line.slice(end, matches[i + 1]?.index);
    const start = index - findPrefix(before, address, after, lastEnd === 0).length;
    lastEnd = end + findSuffix(address, after).length;
    const isRepeated = address === matches[i - 1]?.[0] && /[<[(]/.test(before);
    return { ...createPlace(line.slice(start, lastEnd), offset + start), isRepeated };
  });
}

/** Returns what is before an address without brackets but may be a part of it: a word alone with it, or joined to it. */
function findPrefix(before: string, address: string, after: string, isFirst: boolean): string {
  if (address.startsWith("@")) return /(?<![^\s,;|])[^\s,;|]*\s?$/.exec(before)?.[0] ?? "";
  const isCapitalized = (text: string): boolean => /^\p{Lu}/u.test(text);
  const isName = (word: string): boolean =>
    address.toLowerCase().includes(word.toLowerCase()) || (isCapitalized(word) && !isCapitalized(address));
  const cell = before.split(SEPARATOR).at(-1) as string;
  const words = cell.replace(/^[^\p{L}\p{N}]*\s/u, "");
  if (/\p{L}/u.test(words)) {
    const isCellStart = cell === before ? isFirst : !"([:".includes(before.at(-cell.length - 1) as string);
    const isAlone = !/\S\s+\S/.test(words) && /^[^\p{L}\p{N}]*([,;\t|<>]|$)/u.test(after);
    return isCellStart && isAlone && !isName(words.trim()) && !FUNCTION_WORD.test(words) ? words : "";
  }
  const [joined = "", word = ""] = /(?<=^|\t|[^\p{L}\p{N}\s]\s?)(\p{L}[^\s,;|:<>()[\]"']*)[,;:(]+$/u.exec(before) ?? [];
  return isName(word) || word === "mailto" ? "" : joined;
}

/** Returns the end of a domain after a comma or space for a dot, which may be a part of the address. */
function findSuffix(address: string, after: string): string {
  const pattern = /@[^.]*$/.test(address)
    ? /^(?:[,;]\s*| +)\.?[a-z]{2,3}(?:\.[a-z]{2})?(?=\s*(?:[,;\t|]|$))/
    : /^[,; ]\.?(?:[a-z]{2}|com|net|org)(?=[,;\t]|\s*(?:\||$))/;
  const suffix = pattern.exec(after)?.[0] ?? "";
  return FUNCTION_WORD.test(suffix) ? "" : suffix;
}
