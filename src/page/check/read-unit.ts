// Finds the addresses of a line, or of a cell of a table: an address as written, a list or a sentence. Each `@` and each
// item of a list is in an address or listed as skipped.

import { RETURN_PATH } from "../../bulk/rows/mail-headers.ts";

/** Where an address is in a text, in UTF-16 units. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly address: string;
  /** True if the place before it has the same address, as in `a@b.com <a@b.com>`. */
  readonly isRepeated?: boolean;
  /** The only other word of the line or cell, directly before the address, if it may be part of the local part. */
  readonly wordBefore?: string | undefined;
}

export interface FoundAddresses {
  readonly places: readonly Place[];
  /** Text that is not checked. */
  readonly skipped: readonly Place[];
}

const GAP = String.raw`[^\S\t\r\n]*`;
const AT = String.raw`(?:[@\uff20\ufe6b]|[([{]${GAP}(?:at|AT|@)${GAP}[)\]}])`;
const DOT = String.raw`[([{]${GAP}(?:dot|DOT|\.)${GAP}[)\]}]`;
const END_OF_ITEM = String.raw`(?=${GAP}(?:[,;|<>()\t\r\n]|$))`;
const ATOM = String.raw`[^\s,;|:<>()[\]"@\uff20\ufe6b]+`;
const LOCAL_PART = `(?:"[^"]*"(?=${AT})|(?!['“„«‘])${ATOM}(?:${GAP}${DOT}${GAP}${ATOM})*)`;
const DOMAIN = String.raw`(?:\[[^\][\s]*\]|[^\s,;|/:<>()[\]"?])*`;
/** Matches where a domain with a dot starts, or with a comma instead. */
const START_OF_DOMAIN = String.raw`(?=[^\s@,;|/:<>()[\]{}"?]*[\p{L}\p{N}]${GAP}(?:[.,]\p{L}|${DOT}))`;
/**
 * Matches the end of a label after the sign `@`, or, completed with `\.`, also its dot. A label has at most 63 characters
 * (RFC 1035 §2.3.4). Without this limit, each comma of a long word would start a search for its beginning.
 */
const AFTER_LABEL = String.raw`(?<=[@\uff20\ufe6b)\]}]${GAP}[^\s.@]{0,63}`;
/** Match mistyped dots before the rest of a domain: `x (dot) com`, `x,com`, `x, com`, `x .com`, `x. com` and `x.co uk`. */
const MISTYPED_DOTS = [
  `${GAP}${DOT}${GAP}`,
  String.raw`${AFTER_LABEL}),(?=[a-z]{2,4}(?:\.[a-z]{2})?(?![\w@-]|\.\w))`,
  `${AFTER_LABEL}), (?=[a-z]{2,3}${END_OF_ITEM})`,
  String.raw`${AFTER_LABEL})${GAP}(?=\.\p{L})`,
  String.raw`${AFTER_LABEL}\.)${GAP}(?=[a-z]{2,3}(?:\.[a-z]{2})?${END_OF_ITEM})`,
  String.raw`(?<=\.co)(?:, ?| )(?=[a-z]{2}${END_OF_ITEM})`,
];
/** Matches the content of angle brackets with one sign `@`, which may be repeated, as in `<jane@@x.com>`. */
const ENCLOSED_WORD = String.raw`(?<=<)(?=[^<>]*?${AT})(?![^@<>]*@(?:\s*@)*\s*[^@\s<>][^@<>]*@)[^<>:;="]*(?=>)`;
const AT_AND_DOMAIN = `(?:(?:${GAP}${AT})+${GAP}${START_OF_DOMAIN}|@)${DOMAIN}(?:(?:${MISTYPED_DOTS.join("|")})${DOMAIN})*`;
/**
 * Matches the content of angle brackets, or a word with or without `@`. Words with `@` include white space and mistyped
 * dots between their parts. Words without `@` match because otherwise each of their quotation marks would start another
 * search for an `@`.
 */
const WORD = new RegExp(
  String.raw`${ENCLOSED_WORD}|(?<![^\s,;|/:<>()[\]"'“„«‘?])(?:${LOCAL_PART}(?:${AT_AND_DOMAIN})?|@${DOMAIN})`,
  "gu",
);
/** Matches two words with a sign `@` between them, such as `jane @ x`, and nothing else. */
const LONE_ADDRESS = new RegExp(String.raw`^[^\s,;|@([{]+\s*${AT}\s*\p{L}[^\s,;|@]*$`, "u");
const START_MARKS = /^[\p{Cf}*`]+/u;
// Matches only from the first of several marks, which keeps the search linear.
const END_MARKS =
  /(?:(?<=\.\p{L}{2,18})['’]s)?(?:(?<![\p{Cf}'“”»’}.!?…*`]|&gt|&quot|&nbsp)(?:[\p{Cf}'“”»’}.!?…*`]|&(?:gt|quot|nbsp))+)?$/u;
/** Matches an address without `@`, such as `jane.x.com` or `jane(at)x.com`, but no link. */
const WITHOUT_AT = /^(?!www\.)[^\s@/]+\.\p{L}{2,}$/iu;
export const SEPARATORS_AT_END = /(?<![\s,;])[\s,;]+$/;
/** Match an item of a list; quoted text is whole. In lists with semicolons, names have commas: `Doe, Jane <…>;`. */
const ITEM = /(?:"[^"]*"|[^,;])+/g;
const SEMICOLON_ITEM = /(?:"[^"]*"|[^;])+/g;
export const HAS_WORD = /[\p{L}\p{N}@\uff20\ufe6b]/u;
/** Matches an `@`, also of another width or spelled out in brackets, as in `jane (at) x.com`. */
export const AT_SIGN = /[@\uff20\ufe6b]|[([{]\s*at\s*[)\]}]/i;
/** Matches a user's name, as in `Follow us @acme` or `x.com/@acme`. */
const HANDLE = /(?<![^\s/,;|])@\w+(?![\w@-]|\s*[.,]\w)/g;
/** Matches a link with or without its scheme, such as `//x.com/@jane`, but not `//jane@x.com`. */
const LINK = /^:?\/\/.*[^/]\/|^:\/\//;
/** Matches list marks or a number, and a label such as `To:`, before the addresses of a line. */
const PREFIX = /^(?:[\s>*•·+-]*\s)?[•●▪‣·–—]*(?:(?:\d+[.)]|\p{L}[\p{L}\w-]*:)\s+)?/u;
/** Matches a word in brackets or quotes, or with one angle bracket, or a link to an address. */
const ENCLOSED = /^(?:mailto:.*|\{".*\}|<.*|.*>|\(.*\)|\[.*\]|"[^"]*"|'.*'|[“„«‘].*[“”»’])$/i;

/** Finds the addresses of a line, or of a cell of an email column. If it has none, words such as `jane.x.com` are checked. */
export function readUnit(text: string, offset = 0, isCell = false): FoundAddresses {
  // Spaces for a handle keep the offsets. A quoted local part can look like a handle, so addresses come from the text.
  const withoutHandles = text.replace(HANDLE, (handle) => " ".repeat(handle.length));
  const found = findInUnit(withoutHandles, offset, isCell).map((place, _, { length }) => {
    const [start, end] = [place.start - offset, place.end - offset];
    const before = length > 1 || HAS_WORD.test(text.slice(end)) ? "" : text.slice(0, start).replace(PREFIX, "");
    return { ...place, address: text.slice(start, end), wordBefore: WORD_BEFORE.exec(before)?.[1] };
  });
  const cells = Array.from(text.matchAll(/[^\t,;|]+/g), ({ 0: cell, index }) => createPlace(cell, offset + index));
  const places = found.length > 0 ? found : cells.filter(isWithoutAt);
  const gaps = [...places, undefined].map((next, i): Gap => {
    const start = places[i - 1]?.end ?? offset;
    const gapText = withoutHandles.slice(start - offset, next && next.start - offset);
    return { start, text: gapText, isFirst: i === 0, isLast: !next };
  });
  // Without an address, or with another `@`, the text is skipped as a whole.
  const isSkipped = places.length === 0 ? HAS_WORD.test(text) : gaps.some((gap) => AT_SIGN.test(gap.text));
  const itemPattern = text.includes(";") ? SEMICOLON_ITEM : ITEM;
  return {
    places,
    skipped: isSkipped ? [createPlace(text, offset)] : gaps.flatMap((gap) => findItems(gap, itemPattern)),
  };
}

/** Text before, between or after addresses. */
type Gap = Readonly<{ start: number; text: string; isFirst: boolean; isLast: boolean }>;

/**
 * Matches a lower-case word that is the only text before an address, apart from a label such as `Email:`. A tab would end
 * a cell.
 */
const WORD_BEFORE = /^(?:[^:]*:\s*)?((?=\S*\p{Ll})[\p{Ll}\p{N}._-]+)(?:,|[^\S\t]+)$/u;
/** Matches a word before an address that may be the start of its local part, as in `jane doe@x.com`. */
const START_OF_LOCAL_PART = /^\s*\p{Ll}[\p{Ll}\p{N}._-]*\s+$/u;

/**
 * Finds the items of a list, and words such as `jane.x.com` in an item with an address. Its other words are a name or a
 * sentence.
 */
function findItems({ start, text, isFirst, isLast }: Gap, itemPattern: RegExp): readonly Place[] {
  return Array.from(text.matchAll(itemPattern)).flatMap(({ 0: item, index }) => {
    const hasAddress = (index === 0 && !isFirst) || (index + item.length === text.length && !isLast);
    if (!hasAddress) return HAS_WORD.test(item) ? [createPlace(item, start + index)] : [];
    const words = splitWords(createPlace(item, start + index));
    return isFirst && START_OF_LOCAL_PART.test(text) ? words : words.filter(isWithoutAt);
  });
}

function splitWords({ address: text, start }: Place): readonly Place[] {
  return Array.from(text.matchAll(/[^\s,;|<>()]+/g), ({ 0: word, index }) => createPlace(word, start + index, true));
}

/** Finds words such as `jane.x.com` in text without another address, and without `@`. */
export function findWordsWithoutAt(text: Place): readonly Place[] {
  return AT_SIGN.test(text.address) ? [] : splitWords(text).filter(isWithoutAt);
}

/** Reports whether text that is not checked may have an address. Other text is a name, a greeting or a telephone number. */
export function mayHaveAddress({ address: text }: Place): boolean {
  return AT_SIGN.test(text.replace(HANDLE, "")) || text.split(/[\s,;|<>()]+/).some((word) => WITHOUT_AT.test(word));
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
 * Finds the addresses of a line or cell. One word is checked as written, unless it is enclosed. So are several words of
 * a cell without separators, because they may be one address with white space in its local part.
 */
function findInUnit(text: string, offset: number, isCell: boolean): readonly Place[] {
  const rest = text.replace(PREFIX, "");
  if (!AT_SIGN.test(rest)) return [];
  const start = offset + text.length - rest.length;
  const words = findWords(rest, start);
  const isWhole = isOneWord(text.trim()) || LONE_ADDRESS.test(text.trim()) || (isCell && !/[,;<>()"]/.test(rest));
  const isExact = words.length < 2 && isWhole && !ENCLOSED.test(rest.trim());
  return isExact ? [createPlace(rest, start, false)] : words;
}

/** Reports whether a text has no white space, and no separator between an address and other text. */
function isOneWord(text: string): boolean {
  const items = text.replace(WORD, (word) => (isAddress(word) ? "@" : word)).split(/[,;|]/);
  return !/\s/.test(text.replace(WORD, "")) && items.filter((item) => HAS_WORD.test(item)).length < 2;
}

function isAddress(word: string): boolean {
  return AT_SIGN.test(word) && /[^@\s]/.test(word);
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
