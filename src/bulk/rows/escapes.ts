// Decodes escaped characters in text: URLs, HTML, source code, quoted-printable mail and SQL. Each escape is decoded
// once, so an escaped escape stays an escape.

import {
  APOSTROPHE,
  AT,
  BACKSLASH,
  CLOSE_BRACE,
  EQUALS,
  isHexDigit,
  OPEN_BRACE,
  PERCENT,
  SEMICOLON,
  ZERO,
} from "../../base/bytes/ascii.ts";
import { dataViewOf, decodeUtf8, encodeUtf8 } from "../../base/bytes/bytes.ts";

const HASH = 0x23;
const AMPERSAND = 0x26;
const FOUR = 0x34;
const SIX = 0x36;
const LOWER_U = 0x75;
const LOWER_X = 0x78;
const COMMAT = encodeUtf8("&commat;");
const WIDE_AT = encodeUtf8("\uff20");
const SMALL_AT = encodeUtf8("\ufe6b");

/** Matches the text before a `%` that is the wildcard of an SQL pattern. */
export const LIKE_BEFORE_PERCENT: RegExp = /like\W{0,8}(?:\w+\W{0,4})?['"`]$/i;
// Matches text with one UTF-16 unit per byte. Groups: 1 is the sign before the octets of a UTF-8 character; 2 to 4 are
// an HTML character reference; 5 to 7 are a string escape, with two backslashes in a nested string; 8 is an @ after a
// backslash, or a wide one of East Asian text. Without a group: an escaped apostrophe in SQL.
const ESCAPE =
  /([%=])(?<!like\W{0,8}(?:\w+\W{0,4})?['"`]%)(?:[0-7][\da-f]|(?:[cd][\da-f]|(?:e[\da-f]|f[0-4]\1[89ab][\da-f])\1[89ab][\da-f])\1[89ab][\da-f])|&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));|\\{1,2}(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2}))|(?<=[\w-])(\\{1,2}@|\xef\xbc\xa0|\xef\xb9\xab)(?=[a-z\d\x80-\xff])|(?<=[a-z\x80-\xff])(?:'|\\{1,2})'(?=[a-z\x80-\xff])/gi;
/** Matches the start of text in which each `=XX` is an escape: a vCard property, or an encoded word (RFC 2047). */
const QUOTED_PRINTABLE = /QUOTED-PRINTABLE|=\?[\w-]+\?q\?/i;
/** Matches `=XX` that is an escape in any text: characters around addresses in mail, and multi-byte characters. */
const MAIL_ESCAPE = /^=(?:3[A-E]|2[07BCE]|09|40|..=.*)$/;
/** Matches the text before the `=` of a URL parameter, which quoted-printable text would have as `=3D`. */
const QUERY_NAME = /[?&][\w-]{1,40}$/;
/** Matches a character that can be part of an address or a delimiter. */
const PRINTABLE = /^(?:[\0\t\n\r]|[^\p{Cc}\p{Cn}\p{Co}\p{Cs}\ufffd])$/u;

/** Named HTML references for characters in and around addresses. */
const NAMED_REFERENCES: ReadonlyMap<string, string> = new Map(
  (
    `amp& AMP& lt< LT< gt> GT> quot" QUOT" apos' commat@ period. plus+ lowbar_ UnderBar_ hyphen- dash- equals= percnt% ` +
    "num# excl! quest? sol/ colon: semi; comma, lpar( rpar) lsqb[ lbrack[ rsqb] rbrack] lcub{ lbrace{ rcub} rbrace} " +
    "verbar| vert| ast* midast* dollar$ Hat^ grave` bsol\\ nbsp\u00a0 Tab\t NewLine\n szligß aeligæ AEligÆ oslashø OslashØ"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, -1), entry.slice(-1)] as const),
);
/** Matches the reference of an accented letter, such as `eacute`. */
const ACCENTED_NAME = /^([a-z])(grave|acute|circ|tilde|uml|ring|cedil|caron)$/i;
const COMBINING_ACCENTS: Readonly<Record<string, string>> = {
  grave: "\u0300",
  acute: "\u0301",
  circ: "\u0302",
  tilde: "\u0303",
  uml: "\u0308",
  ring: "\u030a",
  caron: "\u030c",
  cedil: "\u0327",
};

/** Bytes with their escapes decoded. */
export interface Unescaped {
  readonly bytes: Uint8Array;
  readonly length: number;
  /** Index in the original bytes for each decoded byte and for the end. */
  readonly origins: Uint32Array;
  /** Index of the decoded byte at the original index `at`. */
  readonly index: number;
}

/** Decodes the escapes between `start` and `end`, and maps the index `at`. Returns undefined if there are none. */
export function unescapeRange(original: Uint8Array, start: number, end: number, at: number): Unescaped | undefined {
  const text = String.fromCharCode(...original.subarray(start, end));
  const escapes = [...text.matchAll(ESCAPE)].flatMap((match) => {
    const character = decodeEscape(match, text);
    return character === undefined ? [] : [{ offset: start + match.index, length: match[0].length, character }];
  });
  if (escapes.length === 0) return undefined;
  const bytes = new Uint8Array(end - start);
  const origins = new Uint32Array(end - start + 1);
  let length = 0;
  let from = start;
  let newIndex = 0;
  const copyTo = (to: number): void => {
    if (from <= at && at < to) newIndex = length + at - from;
    for (; from < to; from += 1) {
      origins[length] = from;
      bytes[length++] = original[from] as number;
    }
  };
  for (const { offset, length: escapeLength, character } of escapes) {
    copyTo(offset);
    const next = from + escapeLength;
    if (from <= at && at < next) newIndex = length;
    const octets = encodeUtf8(character);
    bytes.set(octets, length);
    origins.fill(from, length, length + octets.length);
    length += octets.length;
    from = next;
  }
  copyTo(end);
  origins[length] = end;
  return { bytes, length, origins, index: newIndex };
}

/** Decodes the escapes of a text. */
export function unescapeText(text: string): string {
  const bytes = encodeUtf8(text);
  const unescaped = unescapeRange(bytes, 0, bytes.length, 0);
  return unescaped === undefined ? text : decodeUtf8(unescaped.bytes, 0, unescaped.length);
}

/** Returns the character of an escape; undefined if the match is probably not an escape. */
function decodeEscape(match: RegExpExecArray, text: string): string | undefined {
  const [spelling, sign, decimal, hex, name, ...rest] = match;
  if (rest[3] !== undefined) return "@";
  if (sign === "=") {
    if (/[a-f]/.test(spelling)) return undefined;
    const textBefore = text.slice(0, match.index);
    if (
      !QUOTED_PRINTABLE.test(textBefore) &&
      (!MAIL_ESCAPE.test(spelling) || (spelling !== "=3D" && QUERY_NAME.test(textBefore)))
    )
      return undefined;
  }
  const digits = hex ?? rest.find((code) => code !== undefined);
  const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
  let character: string | undefined = "'";
  if (sign !== undefined)
    character = decodeUtf8(Uint8Array.from(spelling.slice(1).split(sign), (octet) => Number.parseInt(octet, 16)));
  else if (name !== undefined) character = NAMED_REFERENCES.get(name) ?? name.replace(ACCENTED_NAME, composeAccent);
  else if (!Number.isNaN(code)) character = code > 0x10ffff ? undefined : String.fromCodePoint(code);
  return character !== undefined && PRINTABLE.test(character) ? character : undefined;
}

function composeAccent(_: string, letter: string, accent: string): string {
  return (letter + COMBINING_ACCENTS[accent.toLowerCase()]).normalize();
}

/** Finds each `@` and each possible escape of an `@`. Caches the next of each kind, because it may be far away. */
export class AtSignFinder {
  private bytes: Uint8Array = new Uint8Array(0);
  private nextAt = 0;
  private nextForty = 0;
  private nextReference = 0;
  private nextWide = 0;

  /** Sets the bytes to search, up to `end`. */
  reset(bytes: Uint8Array, end: number): void {
    this.bytes = bytes.subarray(0, end);
    this.nextAt = -1;
    this.nextForty = -1;
    this.nextReference = -1;
    this.nextWide = -1;
  }

  /** Returns the index of the next `@`, or of a byte of its escape; without one, `end`. */
  find(start: number): number {
    const { bytes } = this;
    const end = bytes.length;
    if (this.nextAt < start) this.nextAt = this.indexOf(AT, start);
    if (this.nextForty < start) {
      let i = findForty(bytes, start, end);
      while (i < end && !isHexEscape(bytes, i)) i = findForty(bytes, i + 1, end);
      this.nextForty = i;
    }
    if (this.nextReference < start) this.nextReference = this.indexOfMatch(AMPERSAND, start, isReference);
    if (this.nextWide < start) this.nextWide = this.indexOfMatch(WIDE_AT[0] as number, start, isWideAt);
    return Math.min(this.nextAt, this.nextForty, this.nextReference, this.nextWide);
  }

  private indexOfMatch(byte: number, start: number, matches: (bytes: Uint8Array, i: number) => boolean): number {
    let i = this.indexOf(byte, start);
    while (i < this.bytes.length && !matches(this.bytes, i)) i = this.indexOf(byte, i + 1);
    return i;
  }

  /** Uses a native search, which is faster than findByte for rare bytes. */
  private indexOf(byte: number, start: number): number {
    const index = this.bytes.indexOf(byte, start);
    return index < 0 ? this.bytes.length : index;
  }
}

/** Returns the index of the next `40`, the hexadecimal code of @; without one, `end`. Works like findByte. */
function findForty(bytes: Uint8Array, start: number, end: number): number {
  const words = dataViewOf(bytes);
  let i = start;
  for (; i + 5 <= end; i += 4) {
    const difference = (words.getInt32(i, true) ^ 0x34343434) | (words.getInt32(i + 1, true) ^ 0x30303030);
    const matches = (difference - 0x01010101) & ~difference & 0x80808080;
    if (matches !== 0) return i + ((31 - Math.clz32(matches & -matches)) >> 3);
  }
  while (i < end && (bytes[i] !== FOUR || bytes[i + 1] !== ZERO)) i += 1;
  return i;
}

/** Reports whether the `40` at `i` follows the beginning of an escape. */
function isHexEscape(bytes: Uint8Array, i: number): boolean {
  let j = i - 1;
  if (bytes[j] === PERCENT || bytes[j] === EQUALS) return true;
  while (bytes[j] === ZERO) j -= 1;
  const before = bytes[j - 1];
  if (bytes[j] === OPEN_BRACE) return before === LOWER_U;
  return (
    (bytes[j] === LOWER_U || ((bytes[j] as number) | 0x20) === LOWER_X) && (before === BACKSLASH || before === HASH)
  );
}

/** Reports whether a wide @ is at `i`: U+FF20, or the small U+FE6B. */
function isWideAt(bytes: Uint8Array, i: number): boolean {
  return [WIDE_AT, SMALL_AT].some((at) => at.every((byte, k) => bytes[i + k] === byte));
}

/** Reports whether the `&` at `i` begins `&commat;` or `&#64;`. */
function isReference(bytes: Uint8Array, i: number): boolean {
  let j = i + 2;
  if (bytes[i + 1] !== HASH) return COMMAT.every((byte, k) => bytes[i + k] === byte);
  while (bytes[j] === ZERO) j += 1;
  return bytes[j] === SIX && bytes[j + 1] === FOUR && bytes[j + 2] === SEMICOLON;
}

/** Reports whether the byte at `i` may be the first or the last one of an escape. */
export function mayBeEscape(bytes: Uint8Array, i: number): boolean {
  switch (bytes[i]) {
    case PERCENT:
    case EQUALS:
      return isHexDigit(bytes[i + 1]) && isHexDigit(bytes[i + 2]);
    case BACKSLASH: {
      const next = bytes[bytes[i + 1] === BACKSLASH ? i + 2 : i + 1] as number;
      return (next | 0x20) === LOWER_X || next === LOWER_U;
    }
    case APOSTROPHE:
      return bytes[i - 1] === APOSTROPHE || bytes[i - 1] === BACKSLASH;
    case AMPERSAND:
      return bytes.subarray(i + 3, i + 10).includes(SEMICOLON);
    case SEMICOLON:
      return bytes.subarray(Math.max(0, i - 10), i).includes(AMPERSAND);
    case CLOSE_BRACE: {
      let j = i - 1;
      while (isHexDigit(bytes[j])) j -= 1;
      return bytes[j] === OPEN_BRACE && bytes[j - 1] === LOWER_U;
    }
    default:
      return false;
  }
}
