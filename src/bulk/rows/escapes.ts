// Characters that text writes as escapes: in URLs, HTML, source code, quoted-printable mail and SQL. Each is decoded
// once; an escape of an escape stays.

import {
  APOSTROPHE,
  AT,
  BACKSLASH,
  CLOSE_BRACE,
  EQUALS,
  OPEN_BRACE,
  PERCENT,
  SEMICOLON,
  ZERO,
} from "../../base/bytes/ascii.ts";
import { dataViewOf, decodeUtf8, encodeUtf8 } from "../../base/bytes/bytes.ts";

/** Left of the `%` of a SQL pattern, where it stands for any text. */
export const LIKE_BEFORE_PERCENT: RegExp = /like\W{0,8}(?:\w+\W{0,4})?['"`]$/i;
// By groups: 1 the sign before the octets of a UTF-8 character; 2 to 4 a character reference of HTML; 5 to 7 an escape
// of a string, whose backslash is doubled where the string is in another one. Then an apostrophe of SQL. The text has a
// unit for each byte.
const ESCAPE =
  /([%=])(?<!like\W{0,8}(?:\w+\W{0,4})?['"`]%)(?:[0-7][\da-f]|(?:[cd][\da-f]|(?:e[\da-f]|f[0-4]\1[89ab][\da-f])\1[89ab][\da-f])\1[89ab][\da-f])|&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));|\\{1,2}(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2}))|(?<=[a-z\x80-\xff])(?:'|\\{1,2})'(?=[a-z\x80-\xff])/gi;
/** Where every `=XX` is an escape: in a property of a vCard, and in an encoded word (RFC 2047). */
const QUOTED_PRINTABLE = /QUOTED-PRINTABLE|=\?[\w-]+\?q\?/i;
/** Elsewhere: what mail programs write around addresses, and characters of several octets. */
const MAIL_ESCAPE = /^=(?:3D|20|09|40|2E|2B|27|..=.*)$/;
/** What is before the value of a parameter in a URL. In quoted-printable text the sign behind it is =3D. */
const QUERY_NAME = /[?&][\w-]{1,40}$/;
/** What an address or a delimiter can be. */
const PRINTABLE = /^(?:[\0\t\n\r]|[^\p{Cc}\p{Cn}\p{Co}\p{Cs}\ufffd])$/u;

/** Names of the characters that HTML has in and around addresses. */
const NAMED_REFERENCES: ReadonlyMap<string, string> = new Map(
  (
    `amp& AMP& lt< LT< gt> GT> quot" QUOT" apos' commat@ period. plus+ lowbar_ UnderBar_ hyphen- dash- equals= percnt% ` +
    "num# excl! quest? sol/ colon: semi; comma, lpar( rpar) lsqb[ lbrack[ rsqb] rbrack] lcub{ lbrace{ rcub} rbrace} " +
    "verbar| vert| ast* midast* dollar$ Hat^ grave` bsol\\ nbsp\u00a0 Tab\t NewLine\n szligß aeligæ AEligÆ oslashø OslashØ"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, -1), entry.slice(-1)] as const),
);
/** Letters with an accent are named by the letter and the accent. */
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

/** Bytes without their escapes. */
export interface Unescaped {
  readonly bytes: Uint8Array;
  readonly length: number;
  /** For each byte, and for the end, the index in the original bytes. */
  readonly origins: Uint32Array;
  /** The index of the byte that stands for the one at `at`. */
  readonly at: number;
}

/** Decodes the escapes between `start` and `end`. */
export function unescapeAround(original: Uint8Array, start: number, end: number, at: number): Unescaped {
  const text = String.fromCharCode(...original.subarray(start, end));
  const bytes = new Uint8Array(end - start);
  const origins = new Uint32Array(end - start + 1);
  let length = 0;
  let from = start;
  let newAt = 0;
  const copyTo = (to: number): void => {
    if (from <= at && at < to) newAt = length + at - from;
    for (; from < to; from += 1) {
      origins[length] = from;
      bytes[length++] = original[from] as number;
    }
  };
  for (const match of text.matchAll(ESCAPE)) {
    const character = decodeEscape(match, text);
    if (character === undefined) continue;
    copyTo(start + match.index);
    const next = from + match[0].length;
    if (from <= at && at < next) newAt = length;
    const octets = encodeUtf8(character);
    bytes.set(octets, length);
    origins.fill(from, length, length + octets.length);
    length += octets.length;
    from = next;
  }
  copyTo(end);
  origins[length] = end;
  return { bytes, length, origins, at: newAt };
}

/** The character that an escape stands for; undefined where it is rather something else. */
function decodeEscape(match: RegExpExecArray, text: string): string | undefined {
  const [written, sign, decimal, hex, name, ...codes] = match;
  if (sign === "=") {
    if (/[a-f]/.test(written)) return undefined;
    const left = text.slice(0, match.index);
    if (!QUOTED_PRINTABLE.test(left) && (!MAIL_ESCAPE.test(written) || (written !== "=3D" && QUERY_NAME.test(left))))
      return undefined;
  }
  const digits = hex ?? codes.find((code) => code !== undefined);
  const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
  let character: string | undefined = "'";
  if (sign !== undefined)
    character = decodeUtf8(Uint8Array.from(written.slice(1).split(sign), (octet) => Number.parseInt(octet, 16)));
  else if (name !== undefined) character = NAMED_REFERENCES.get(name) ?? name.replace(ACCENTED_NAME, composeAccent);
  else if (!Number.isNaN(code)) character = code > 0x10ffff ? undefined : String.fromCodePoint(code);
  return character !== undefined && PRINTABLE.test(character) ? character : undefined;
}

function composeAccent(_: string, letter: string, accent: string): string {
  return (letter + COMBINING_ACCENTS[accent.toLowerCase()]).normalize();
}

const HASH = 0x23;
const AMPERSAND = 0x26;
const FOUR = 0x34;
const SIX = 0x36;
const LOWER_A = 0x61;
const LOWER_T = 0x74;
const LOWER_U = 0x75;
const LOWER_X = 0x78;

/**
 * The index of the next `@` between `start` and `end`, or of the digit 4 of what may be one as an escape, or of the t of
 * `&commat;`; `end` when there is none.
 */
export function findAtSign(bytes: Uint8Array, start: number, end: number): number {
  const words = dataViewOf(bytes);
  let i = start;
  // As in findByte, eight bytes at a time: an @, or one of `40`, `4;` and `t;`. A "4" and a "t" differ in one bit.
  for (; i + 9 <= end; i += 8) {
    const a = words.getInt32(i, true);
    const b = words.getInt32(i + 4, true);
    const nextA = words.getInt32(i + 1, true);
    const nextB = words.getInt32(i + 5, true);
    const firstA = (a & 0xbfbfbfbf) ^ 0x34343434;
    const firstB = (b & 0xbfbfbfbf) ^ 0x34343434;
    const found =
      findZeroBytes(a ^ 0x40404040) |
      findZeroBytes(b ^ 0x40404040) |
      findZeroBytes(firstA | (nextA ^ 0x30303030)) |
      findZeroBytes(firstB | (nextB ^ 0x30303030)) |
      findZeroBytes(firstA | (nextA ^ 0x3b3b3b3b)) |
      findZeroBytes(firstB | (nextB ^ 0x3b3b3b3b));
    if ((found & 0x80808080) === 0) continue;
    for (let j = i; j < i + 8; j += 1) if (bytes[j] === AT || mayBeEscapedAtSign(bytes, j)) return j;
  }
  while (i < end && bytes[i] !== AT && !mayBeEscapedAtSign(bytes, i)) i += 1;
  return i;
}

/** Whether the byte at `i` may be the first or the last one of an escape that is not part of a word. */
export function mayBeEscape(bytes: Uint8Array, i: number): boolean {
  switch (bytes[i]) {
    case PERCENT:
    case EQUALS:
      return isHex(bytes[i + 1]) && isHex(bytes[i + 2]);
    case BACKSLASH: {
      const next = bytes[bytes[i + 1] === BACKSLASH ? i + 2 : i + 1] as number;
      return (next | 0x20) === LOWER_X || next === LOWER_U;
    }
    case APOSTROPHE:
      return bytes[i - 1] === APOSTROPHE || bytes[i - 1] === BACKSLASH;
    case SEMICOLON:
      return bytes.subarray(Math.max(0, i - 10), i).includes(AMPERSAND);
    default:
      return bytes[i] === AMPERSAND || bytes[i] === CLOSE_BRACE;
  }
}

function isHex(byte = 0): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= LOWER_A && (byte | 0x20) <= 0x66);
}

/** High bits where a byte is zero, and perhaps at higher bytes. */
function findZeroBytes(word: number): number {
  return (word - 0x01010101) & ~word;
}

function mayBeEscapedAtSign(bytes: Uint8Array, i: number): boolean {
  const byte = bytes[i];
  if (byte !== FOUR && byte !== LOWER_T) return false;
  const isNumber = bytes[i + 1] === SEMICOLON;
  if (byte === LOWER_T) return isNumber && bytes[i - 1] === LOWER_A && bytes[i - 6] === AMPERSAND;
  if (isNumber ? bytes[i - 1] !== SIX : bytes[i + 1] !== ZERO) return false;
  let j = isNumber ? i - 2 : i - 1;
  if (bytes[j] === PERCENT || bytes[j] === EQUALS) return true;
  while (bytes[j] === ZERO) j -= 1;
  const before = bytes[j - 1];
  if (bytes[j] === HASH) return before === AMPERSAND;
  if (bytes[j] === OPEN_BRACE) return before === LOWER_U;
  return (
    (bytes[j] === LOWER_U || ((bytes[j] as number) | 0x20) === LOWER_X) && (before === BACKSLASH || before === HASH)
  );
}
