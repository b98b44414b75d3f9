// Finds the addresses of pasted text: tables, mail headers, lists and sentences. Each line is an address or a list of
// addresses, without the names, brackets and other text around them. Each `@`, each line and each cell of a table's
// email column is in an address or listed as skipped.

import { mentionsEmail } from "../../bulk/rows/csv-header.ts";
import { MESSAGE_ID_HEADER, RETURN_PATH } from "../../bulk/rows/mail-headers.ts";
import { type FoundAddresses, type Place, readTable, WITHOUT_AT } from "./read-table.ts";

/**
 * Matches the content of angle brackets, or a word, whose local part may be quoted or contain `|`. Words without `@`
 * match, too: otherwise, each of their quotation marks would start another search for an `@`.
 */
const WORD =
  /(?<=<)[^<>@:;="]*@[^<>@:;="]*(?=>)|(?<![^\s,;|:<>()[\]"'“„«‘?])(?:"[^"]*"(?=@)|(?!['“„«‘|])[^\s,;:<>()[\]"@]*)(?:@(?:\[[^\][\s]*\]|[^\s,;|:<>()[\]"?])*)?/g;
const COMPLETE_ADDRESS = /^(?:"[^"]*"|[^\s"@]+)@(?:\[.*\]|[^\s,@]+\.[^\s,.@]{2,})$/;
const START_MARKS = /^[\p{Cf}*`]+/u;
// In linear time, the marks at the end are only searched from the first of several.
const END_MARKS = /(?<![\p{Cf}'“”»’}.!?…*`]|&gt|&quot|&nbsp)(?:[\p{Cf}'“”»’}.!?…*`]|&(?:gt|quot|nbsp))+$/u;
/** Matches an `@`, also of another width or spelled out in brackets, as in `jane (at) x.com`. */
const AT_SIGN = /[@\uff20\ufe6b]|[([{]\s*at\s*[)\]}]/i;
/** Matches a sign that joins two words: `@`, or `@` or a dot in brackets. */
const JOINING_SIGN = /\s*(?:@|[([{]\s*(?:at|dot|[@.])\s*[)\]}])\s*/gi;
/** Matches a link with or without its scheme, such as `//x.com/@jane`, but not `//jane@x.com`. */
const LINK = /^:?\/\/.*[^/]\/|^:\/\//;
/** Matches two words, of which one may be a piece of the address in the other. */
const TWO_WORDS = /^(?!mailto:|\w+:\/\/)([^\s,;:<>()[\]"]+)(?:[,;:]+|,? )([^\s,;:<>()[\]"]+)$/;
/** Matches list marks or a number, and a label such as `To:`, before the addresses of a line. */
const PREFIX = /^(?:[\s>*•·+-]*\s)?(?:(?:\d+[.)]|\p{L}[\p{L}\w-]*:)\s+)?/u;
/** Matches a header line of a mail about its delivery, not about senders or recipients. */
const DELIVERY_HEADER =
  /^(?:received|(?:arc|authentication|dkim|list|received|x)-(?!\S*(?:from|to|sender|mail):)\S*):/i;
/** Match the parts of a line between separators. Only commas are often mistaken for a dot. */
const SEPARATED = [/[^\t]+/g, /[^;]+/g, /[^|]+/g, /(?:[^,]|,(?!\s))+/g, /[^,]+/g] as const;
const COMMA_INDEX = 3;
// A mistyped address has few words. In longer lines, addresses are in sentences.
const MAX_WORDS = 3;
const MAX_WHOLE_LENGTH = 400;

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
  const places = findInUnit(cell.address, cell.start);
  const isSplit = places.length > 1 && !hasOtherAt(cell.address, places, cell.start);
  return isSplit && cell.end - cell.start === cell.address.length ? places : [cell];
}

/** Finds the addresses of each line. If no line has one, all are checked. */
function findInText(text: string): FoundAddresses {
  const withoutAddress: Place[] = [];
  const withOtherAt: string[] = [];
  const headers: string[] = [];
  let lineStart = 0;
  let isHeader = false;
  const places = text.split("\n").flatMap((line) => {
    const offset = lineStart;
    lineStart += line.length + 1;
    const isContinuation = isHeader && /^[ \t]+\S/.test(line);
    isHeader = isContinuation || DELIVERY_HEADER.test(line) || MESSAGE_ID_HEADER.test(line);
    if (isHeader) {
      headers.push(line);
      return [];
    }
    const found = findInUnit(line, offset);
    const cells = Array.from(line.matchAll(/[^\t,;|]+/g), ({ 0: cell, index }) => createPlace(cell, offset + index));
    const withoutAt = cells.filter(({ address }) => WITHOUT_AT.test(address) && !AT_SIGN.test(address));
    const checked = found.length > 0 ? found : withoutAt;
    if (found.length > 0) withoutAddress.push(...withoutAt);
    else if (withoutAt.length === 0 && /[\p{L}\p{N}@]/u.test(line)) withoutAddress.push(createPlace(line, offset));
    if (checked.length > 0 && hasOtherAt(line, checked, offset)) withOtherAt.push(line);
    return checked;
  });
  const isChecked = places.length === 0;
  return {
    places: isChecked ? withoutAddress : places,
    skipped: {
      "Lines without an address": isChecked ? [] : withoutAddress.map(({ address }) => address),
      "Lines with another @, not checked": withOtherAt,
      "Mail header lines, not checked": headers,
    },
  };
}

/** Reports whether a text that starts at `offset` has an `@` between the places. */
function hasOtherAt(text: string, places: readonly Place[], offset: number): boolean {
  const starts = [...places.map(({ start }) => start - offset), text.length];
  return starts.some((start, i) => AT_SIGN.test(text.slice((places[i - 1]?.end ?? offset) - offset, start)));
}

function createPlace(part: string, offset: number): Place {
  const rest = part.trimStart().replace(START_MARKS, "");
  const address = rest.trimEnd().replace(END_MARKS, "");
  const start = offset + part.length - rest.length;
  return { start, end: start + address.length, address };
}

/**
 * Finds the addresses of a line or cell. If all of its words with `@` are complete addresses, returns these. Otherwise,
 * splits a list, and keeps a few words whole, because the detector may suggest an address for them.
 */
function findInUnit(text: string, offset: number): readonly Place[] {
  const rest = text.replace(PREFIX, "");
  const content = rest.replace(/(?<![\s,;])[\s,;]+$/, "");
  if (!AT_SIGN.test(content)) return [];
  const start = offset + text.length - rest.length;
  const cells = splitList(content);
  if (content.includes("\t")) return cells.flatMap((cell) => findInUnit(cell[0], start + cell.index));
  const words = findWords(content, start);
  const otherText = content.replace(WORD, (word) => (isAddress(word) ? "" : word));
  const isComplete = words.length > 0 && words.every(({ address }) => COMPLETE_ADDRESS.test(address));
  const isShort = content.length <= MAX_WHOLE_LENGTH;
  if (isComplete && !AT_SIGN.test(otherText) && !(isShort && mayBeMistyped(content))) return words;
  if (cells.length > 1) return cells.flatMap((cell) => findInUnit(cell[0], start + cell.index));
  const isWhole = isShort && content.replace(JOINING_SIGN, "@").split(/\s+/).length <= MAX_WORDS;
  return isWhole ? [createPlace(content, start)] : words;
}

/** Splits a row at tabs, semicolons or bars, or a list at the first separator between two parts with `@`. */
function splitList(content: string): readonly RegExpExecArray[] {
  const splits = SEPARATED.map((cell) => [...content.matchAll(cell)]);
  if (content.includes("\t")) return splits[0] ?? [];
  const isSplit = (cells: readonly RegExpExecArray[], i: number): boolean =>
    cells.filter(([cell]) => AT_SIGN.test(cell)).length > 1 || (i < COMMA_INDEX && cells.length > 2);
  return splits.find(isSplit) ?? [];
}

function isAddress(word: string): boolean {
  return word.includes("@") && word !== "@";
}

/** Finds each word with `@`, without the text next to it. In sentences and links, `to=jane@x.com` has a name before it. */
function findWords(content: string, offset: number): readonly Place[] {
  const matches = [...content.matchAll(WORD)].filter(
    ({ 0: word, index }) => isAddress(word) && !LINK.test((content[index - 1] === ":" ? ":" : "") + word),
  );
  return matches.flatMap(({ 0: word, index }, i) => {
    const previous = matches[i - 1];
    const isRepeated =
      previous?.[0].replace(END_MARKS, "") === word.replace(END_MARKS, "") &&
      /[<[(]/.test(content.slice(previous.index, index));
    const isExact = word === content || content[index - 1] === "<" || RETURN_PATH.test(word.replace(/@.*/s, ""));
    const address = isExact ? word : word.replace(/^[\w.-]+=/, "");
    if (address !== word && address.startsWith("@")) return [];
    return [{ ...createPlace(address, offset + index + word.length - address.length), isRepeated }];
  });
}

/** Reports whether two words may be one address, with a comma or space by mistake. */
function mayBeMistyped(line: string): boolean {
  const [, first = "", second = ""] = TWO_WORDS.exec(line) ?? [];
  if (first.includes("@")) return first.endsWith(".co") && /^[a-z]{2}$/.test(second);
  if (mentionsEmail(first)) return false;
  const isName = /^\p{Lu}/u.test(first) && !/^\p{Lu}/u.test(second);
  return /\p{L}/u.test(first) && /@./.test(second) && !isName && !second.toLowerCase().includes(first.toLowerCase());
}
