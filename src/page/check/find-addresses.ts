// Finds the addresses of pasted text: tables, lines, lists of recipients and sentences.

import { formatNumber, quote } from "../../base/format-text.ts";
import { MESSAGE_ID_HEADER } from "../../bulk/rows/mail-headers.ts";
import { type FoundAddresses, type Place, readTable, WITHOUT_AT } from "./read-table.ts";

/** Matches a word with `@`, whose local part may be quoted or contain `|`. */
const ADDRESS =
  /(?<![^\s,;|:<>()[\]"'“„«‘?])(?:"[^"]*"(?=@)|(?!['“„«‘|])[^\s,;:<>()[\]"@]*)@(?:\[[^\]]*\]|[^\s,;|:<>()[\]"?])*/g;
const END_MARKS = /^[\p{Cf}*`]+|(?:[\p{Cf}'“”»’}.!?…*`]|&(?:gt|quot|nbsp))+$/gu;
/** Matches a link without its scheme, such as `//x.com/@jane`, but not `//jane@x.com`. */
const LINK = /^\/\/.*[^/]\//;
/** Matches two words, of which one may be a piece of the address in the other. */
const TWO_WORDS = /^(?!mailto:|\w+:\/\/)([^\s,;:<>()[\]"]+)(?:[,;:]+|,? )([^\s,;:<>()[\]"]+)$/;

export async function findAddresses(text: string): Promise<FoundAddresses> {
  const table = await readTable(text);
  return table === undefined ? findInText(text) : { ...table, places: table.places.flatMap(splitCell) };
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

/** Splits a cell with several addresses. A cell with escaped quotes stays whole. */
function splitCell(cell: Place): readonly Place[] {
  const places = findInLine(cell.address, cell.start);
  return places.length > 1 && cell.end - cell.start === cell.address.length ? places : [cell];
}

/** Finds the addresses of each line. A note has the lines and cells without one, unless there are no others. */
function findInText(text: string): FoundAddresses {
  const skipped: Place[] = [];
  let lineStart = 0;
  let hasMessageIds = false;
  const places = text.split("\n").flatMap((line) => {
    const offset = lineStart;
    lineStart += line.length + 1;
    // A header line may continue on the next line, after white space.
    hasMessageIds = MESSAGE_ID_HEADER.test(line) || (hasMessageIds && /^[ \t]/.test(line));
    const found = hasMessageIds ? [] : findInLine(line, offset);
    const cells = Array.from(line.matchAll(/[^\t,;|]+/g), ({ 0: cell, index }) => createPlace(cell, offset + index));
    const mistyped = cells.filter(({ address }) => WITHOUT_AT.test(address));
    if (found.length > 0) skipped.push(...mistyped);
    else if (mistyped.length === 0 && /[\p{L}\p{N}@]/u.test(line)) skipped.push(createPlace(line, offset));
    return found.length > 0 ? found : mistyped;
  });
  const [first] = skipped;
  if (places.length === 0 || first === undefined) return { places: places.concat(skipped), notes: [] };
  const note = `Skipped without an address: ${formatNumber(skipped.length)}, such as ${quote(first.address)}.`;
  return { places, notes: [note] };
}

function createPlace(part: string, offset: number): Place {
  const address = part.trim().replace(END_MARKS, "");
  const start = offset + part.indexOf(address);
  return { start, end: start + address.length, address };
}

/** Finds each word with `@`, without the text next to it. A line that may be one mistyped address stays whole. */
function findInLine(line: string, offset: number): Place[] {
  // Before and after an address may be a list's marks.
  const content = line.replace(/^[^\p{L}\p{N}"@]+|[\s,;]+$/gu, "");
  if (mayBeMistyped(content)) return [createPlace(content, offset + line.indexOf(content))];
  const matches = [...line.matchAll(ADDRESS)].filter(([address]) => address !== "@" && !LINK.test(address));
  return matches.map(({ 0: address, index }, i) => {
    const previous = matches[i - 1];
    const isRepeated = address === previous?.[0] && /[<[(]/.test(line.slice(previous.index, index));
    return { ...createPlace(address, offset + index), isRepeated };
  });
}

/** Reports whether a comma or space may be a mistake for a dot. */
function mayBeMistyped(line: string): boolean {
  const [, first = "", second = ""] = TWO_WORDS.exec(line) ?? [];
  if (/[^@]@$/.test(first)) return !second.includes("@");
  if (first.includes("@")) return /@[^.]*$|\.co$/.test(first) && /^[a-z.]{2,6}$/.test(second);
  const isName = /^\p{Lu}/u.test(first) && !/^\p{Lu}/u.test(second);
  return /\p{L}/u.test(first) && /@./.test(second) && !isName && !second.toLowerCase().includes(first.toLowerCase());
}
