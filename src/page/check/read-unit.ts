// Finds the addresses of a line, or of a cell of a table: an address as written, a list, a sentence, or words that may be
// a mistyped address. Each `@` and each item of a list is in an address or listed as skipped.

import { mentionsEmail } from "../../bulk/rows/csv-header.ts";
import { RETURN_PATH } from "../../bulk/rows/mail-headers.ts";

/** Where an address is in a text, in UTF-16 units. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly address: string;
  /** True if the place before it has the same address, as in `a@b.com <a@b.com>`. */
  readonly isRepeated?: boolean;
}

export interface FoundAddresses {
  readonly places: readonly Place[];
  /** Text that is not checked. */
  readonly skipped: readonly Place[];
}

/**
 * Matches the content of angle brackets, or a word, whose local part may be quoted or contain `|`. Words without `@`
 * match, too: otherwise, each of their quotation marks would start another search for an `@`.
 */
const WORD =
  /(?<=<)[^<>@:;="]*@[^<>@:;="]*(?=>)|(?<![^\s,;|/:<>()[\]"'“„«‘?])(?:"[^"]*"(?=@)|(?!['“„«‘|])[^\s,;:<>()[\]"@]*)(?:@(?:\[[^\][\s]*\]|[^\s,;|/:<>()[\]"?])*)?/g;
const COMPLETE_ADDRESS = /^(?:"[^"]*"|[^\s"@]+)@(?:\[.*\]|[^\s,@]+\.[^\s,.@]{2,})$/;
const START_MARKS = /^[\p{Cf}*`]+/u;
// Matches only from the first of several marks, which keeps the search linear.
const END_MARKS = /(?<![\p{Cf}'“”»’}.!?…*`]|&gt|&quot|&nbsp)(?:[\p{Cf}'“”»’}.!?…*`]|&(?:gt|quot|nbsp))+$/u;
/** Matches an address without `@`, such as `jane.x.com` or `jane(at)x.com`, but no link. */
const WITHOUT_AT = /^(?!www\.)[^\s@/]+\.\p{L}{2,}$/iu;
export const SEPARATORS_AT_END = /(?<![\s,;])[\s,;]+$/;
/** Match an item of a list; quoted text is whole. In lists with semicolons, names have commas: `Doe, Jane <…>;`. */
const ITEM = /(?:"[^"]*"|[^,;])+/g;
const SEMICOLON_ITEM = /(?:"[^"]*"|[^;])+/g;
export const HAS_WORD = /[\p{L}\p{N}@]/u;
/** Matches an `@`, also of another width or spelled out in brackets, as in `jane (at) x.com`. */
const AT_SIGN = /[@\uff20\ufe6b]|[([{]\s*at\s*[)\]}]/i;
/** Matches a sign that joins two words: `@`, or `@` or a dot in brackets. */
const JOINING_SIGN = /\s*(?:@|[([{]\s*(?:at|dot|[@.])\s*[)\]}])\s*/gi;
/** Matches a user's name, as in `Follow us @acme` or `x.com/@acme`; `jane @acme` may be a mistyped address. */
const HANDLE = /(?:[,;|]\s*|(?<![^\s/]|^[^\s:]+\s(?=@\w+(?:\s*[,;|]|[^@]*$))))@\w+(?![\w@-]|[.,]\w)/g;
/** Matches a link with or without its scheme, such as `//x.com/@jane`, but not `//jane@x.com`. */
const LINK = /^:?\/\/.*[^/]\/|^:\/\//;
/** Matches two words, of which one may be a piece of the address in the other. */
const TWO_WORDS = /^(?!mailto:|\w+:\/\/)([^\s,;:<>()[\]"]+)(?:[,;:]+|,? )([^\s,;:<>()[\]"]+)$/;
/** Matches list marks or a number, and a label such as `To:`, before the addresses of a line. */
const PREFIX = /^(?:[\s>*•·+-]*\s)?(?:(?:\d+[.)]|\p{L}[\p{L}\w-]*:)\s+)?/u;
/** Match the parts of a line between separators. Only commas are often mistaken for a dot. */
const SEPARATED = [/[^\t]+/g, /[^;]+/g, /[^|]+/g, /(?:[^,]|,(?!\s))+/g, /[^,]+/g] as const;
const COMMA_INDEX = 3;
/** Matches a word in brackets or quotes, or a link to an address. */
const ENCLOSED = /^(?:mailto:.*|\{".*\}|<.*>|\(.*\)|\[.*\]|"[^"]*"|'.*'|[“„«‘].*[“”»’])$/i;
// A mistyped address has few words. In longer lines, addresses are in sentences.
const MAX_WORDS = 3;
const MAX_WHOLE_LENGTH = 400;

/** Finds the addresses of a line or cell. If it has none, words such as `jane.x.com` are checked. */
export function readUnit(text: string, offset = 0): FoundAddresses {
  // A quoted local part can contain what looks like a handle, so the addresses come from the text itself.
  const found = findInUnit(text.replace(HANDLE, blank), offset, true).map((place) => ({
    ...place,
    address: text.slice(place.start - offset, place.end - offset),
  }));
  const cells = Array.from(text.matchAll(/[^\t,;|]+/g), ({ 0: cell, index }) => createPlace(cell, offset + index));
  const places = found.length > 0 ? found : cells.filter(isWithoutAt);
  const gaps = [...places, undefined].map((next, i): Gap => {
    const start = places[i - 1]?.end ?? offset;
    return { start, text: text.slice(start - offset, next && next.start - offset), isFirst: i === 0, isLast: !next };
  });
  // Without an address, or with another `@`, the text is skipped as a whole.
  const isSkipped = places.length === 0 ? HAS_WORD.test(text) : gaps.some((gap) => AT_SIGN.test(gap.text));
  const itemPattern = text.includes(";") ? SEMICOLON_ITEM : ITEM;
  return {
    places,
    skipped: isSkipped ? [createPlace(text, offset)] : gaps.flatMap((gap) => findItems(gap, itemPattern)),
  };
}

/** Returns as many spaces, so that offsets stay the same. */
const blank = (text: string): string => " ".repeat(text.length);

/** Text before, between or after addresses. */
type Gap = Readonly<{ start: number; text: string; isFirst: boolean; isLast: boolean }>;

/**
 * Finds the items of a list, and words such as `jane.x.com` in an item with an address. Its other words are a name or a
 * sentence.
 */
function findItems({ start, text, isFirst, isLast }: Gap, itemPattern: RegExp): readonly Place[] {
  return Array.from(text.matchAll(itemPattern)).flatMap(({ 0: item, index }) => {
    const hasAddress = (index === 0 && !isFirst) || (index + item.length === text.length && !isLast);
    if (!hasAddress) return HAS_WORD.test(item) ? [createPlace(item, start + index)] : [];
    const words = Array.from(item.matchAll(/[^\s|]+/g), (word) => createPlace(word[0], start + index + word.index));
    return words.filter(isWithoutAt);
  });
}

/** Reports whether text that is not checked may have an address. Other text is a name, a greeting or a telephone number. */
export function mayHaveAddress({ address: text }: Place): boolean {
  return AT_SIGN.test(text) || text.split(/[\s,;|]+/).some((word) => WITHOUT_AT.test(word));
}

const isWithoutAt = ({ address }: Place): boolean => WITHOUT_AT.test(address) && !AT_SIGN.test(address);

/** Creates a place without outer white space. Marks around a part of several words are no part of an address. */
export function createPlace(part: string, offset: number, hasMarks: boolean = /\S\s+\S/.test(part)): Place {
  const rest = part.trimStart().replace(hasMarks ? START_MARKS : "", "");
  const address = rest.trimEnd().replace(hasMarks ? END_MARKS : "", "");
  const start = offset + part.length - rest.length;
  return { start, end: start + address.length, address };
}

/**
 * Finds the addresses of a line or cell, or of an item of its list. A line or cell of one word is an address as written,
 * unless it is enclosed. If all words with `@` are complete addresses, returns these. Otherwise, splits a list, and keeps
 * a few words whole, because the detector may suggest an address for them.
 */
function findInUnit(text: string, offset: number, isUnit = false): readonly Place[] {
  const rest = text.replace(PREFIX, "");
  if (!AT_SIGN.test(rest)) return [];
  const start = offset + text.length - rest.length;
  const words = findWords(rest, start);
  const isExact = isUnit && words.length < 2 && isOneWord(text.trim()) && !ENCLOSED.test(rest.trim());
  if (isExact) return [createPlace(rest, start, false)];
  const content = rest.replace(SEPARATORS_AT_END, "");
  const cells = splitList(content);
  if (content.includes("\t")) return cells.flatMap((cell) => findInUnit(cell[0], start + cell.index, isUnit));
  const otherText = content.replace(WORD, (word) => (isAddress(word) ? "" : word));
  const isComplete = words.length > 0 && words.every(({ address }) => COMPLETE_ADDRESS.test(address));
  const isShort = content.length <= MAX_WHOLE_LENGTH;
  if (isComplete && !AT_SIGN.test(otherText) && !(isShort && mayBeMistyped(content))) return words;
  if (cells.length > 1) return cells.flatMap((cell) => findInUnit(cell[0], start + cell.index));
  const isWhole = isShort && content.replace(JOINING_SIGN, "@").split(/\s+/).length <= MAX_WORDS;
  return isWhole ? [createPlace(content, start, !isUnit || /\s/.test(content))] : words;
}

/** Reports whether a text has no white space, and no separator between an address and other text. */
function isOneWord(text: string): boolean {
  const items = text.replace(WORD, (word) => (isAddress(word) ? "@" : word)).split(/[,;|]/);
  return !/\s/.test(text.replace(WORD, "")) && items.filter((item) => HAS_WORD.test(item)).length < 2;
}

/**
 * Splits a row at tabs, semicolons or bars, or a list at the first separator between two parts with `@`, or next to one
 * such as ` jane.x.com`.
 */
function splitList(content: string): readonly RegExpExecArray[] {
  const splits = SEPARATED.map((cell) => [...content.matchAll(cell)]);
  if (content.includes("\t")) return splits[0] ?? [];
  const isSplit = (cells: readonly RegExpExecArray[], i: number): boolean =>
    cells.filter(([cell]) => AT_SIGN.test(cell) || (/^\s/.test(cell) && WITHOUT_AT.test(cell.trim()))).length > 1 ||
    (i < COMMA_INDEX && (cells.length > 2 || /^\s/.test(cells[1]?.[0] ?? "")));
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
    return [{ ...createPlace(address, offset + index + word.length - address.length, true), isRepeated }];
  });
}

/** Reports whether two words may be one address, with a comma or space by mistake. */
function mayBeMistyped(line: string): boolean {
  const [, first = "", second = ""] = TWO_WORDS.exec(line) ?? [];
  if (first.includes("@")) return first.endsWith(".co") && /^[a-z]{2}$/.test(second);
  if (mentionsEmail(first) || (/\s/.test(line) && WITHOUT_AT.test(first))) return false;
  const isName = /^\p{Lu}/u.test(first) && !/^\p{Lu}/u.test(second);
  return /\p{L}/u.test(first) && /@./.test(second) && !isName && !second.toLowerCase().includes(first.toLowerCase());
}
