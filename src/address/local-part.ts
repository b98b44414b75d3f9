// The local part: RFC 5321 §4.1.2 Dot-string and Quoted-string with RFC 6531's UTF-8. It ends before the `@`.

import { AT, BACKSLASH, QUOTE } from "../base/bytes/ascii.ts";
import { decodeUtf8, encodeUtf8 } from "../base/bytes/bytes.ts";
import { codePointAt, faultOfByte, isDisallowed, isMark, LOOKALIKE_AT, utf8Length } from "./code-points.ts";
import type { SyntaxCode } from "./faults.ts";
import { ANY_TRAIT, LOCAL_PART_MAX, MailboxScan, TRAIT } from "./scan.ts";

// TRAIT bits of RFC 5322 §3.2.3 atext, and of the dot; 0 for every other byte.
const TRAITS = new Uint8Array(256);
for (const char of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~") {
  TRAITS[char.charCodeAt(0)] = TRAIT.atext | traitOf(char);
}
TRAITS[0x2e] = TRAIT.dot;

function traitOf(char: string): number {
  if (char >= "A" && char <= "Z") return TRAIT.upper;
  if (char >= "0" && char <= "9") return TRAIT.digit;
  return { "+": TRAIT.plus, "-": TRAIT.hyphen, _: TRAIT.underscore }[char] ?? 0;
}

/** True when the byte is allowed in an unquoted atom (RFC 5322 §3.2.3). */
export function isAtext(byte: number): boolean {
  return ((TRAITS[byte] as number) & TRAIT.atext) !== 0;
}

/** Scans the local part from `start`; returns the index of the `@` after it, or -1 with the fault in `scan`. */
export function scanLocalPart(bytes: Uint8Array, start: number, end: number, scan: MailboxScan): number {
  scan.smtputf8 = false;
  const at =
    bytes[start] === QUOTE && start < end
      ? scanQuoted(bytes, start, end, scan)
      : scanDotString(bytes, start, end, scan);
  if (at < 0) return explainMissingAt(bytes, start, end, scan);
  if (at === start) return scan.fail("local_part_empty", start);
  if (at - start > LOCAL_PART_MAX) return scan.fail("local_part_too_long", start + LOCAL_PART_MAX);
  scan.localLength = at - start;
  return scan.smtputf8 ? checkNormalized(bytes, start, at, scan) : at;
}

function scanDotString(bytes: Uint8Array, start: number, end: number, scan: MailboxScan): number {
  scan.form = "dot-string";
  const stop = Math.min(end, start + LOCAL_PART_MAX + 1);
  let afterDot = true;
  let traits = 0;
  let i = start;
  while (i < stop) {
    const byte = bytes[i] as number;
    const trait = TRAITS[byte] as number;
    traits |= trait;
    if ((trait & TRAIT.atext) !== 0) {
      afterDot = false;
      i += 1;
    } else if (trait === TRAIT.dot) {
      if (afterDot) return scan.fail("local_part_dot", i);
      afterDot = true;
      i += 1;
    } else if (byte === AT) {
      scan.traits = scan.form === "dot-string" ? traits : ANY_TRAIT;
      return afterDot && i > start ? scan.fail("local_part_dot", i - 1) : i;
    } else {
      const other = byte === QUOTE ? "quoted_misplaced" : "local_part_character";
      const length = byte < 0x80 ? scan.fail(faultOfByte(byte, other), i) : scanCodePoint(bytes, i, start, end, scan);
      if (length < 0) return -1;
      scan.form = "utf8-dot-string";
      afterDot = false;
      i += length;
    }
  }
  return i < end ? scan.fail("local_part_too_long", start + LOCAL_PART_MAX) : scan.fail("missing_at", end);
}

function scanQuoted(bytes: Uint8Array, start: number, end: number, scan: MailboxScan): number {
  if (scan.options.noQuotedLocal === true) return scan.fail("quoted_disallowed", start);
  scan.form = "quoted";
  scan.traits = ANY_TRAIT;
  let i = start + 1;
  while (i < end && bytes[i] !== QUOTE) {
    // A quoted pair is a backslash and a printable ASCII byte: RFC 5321 §4.1.2 quoted-pairSMTP.
    const escaped = bytes[i] === BACKSLASH ? 1 : 0;
    if (i + escaped >= end) break;
    const byte = bytes[i + escaped] as number;
    if (byte < 0x20 || byte === 0x7f) return scan.fail("control_character", i + escaped);
    if (byte >= 0x80 && escaped === 1) return scan.fail("quoted_character", i + 1);
    const length = byte < 0x80 ? 1 + escaped : scanCodePoint(bytes, i, start + 1, end, scan);
    if (length < 0) return -1;
    i += length;
    if (i - start > LOCAL_PART_MAX) return scan.fail("local_part_too_long", start + LOCAL_PART_MAX);
  }
  if (i >= end) return scan.fail("quoted_unterminated", start);
  if (i === start + 1) return scan.fail("quoted_empty", start);
  if (i + 1 >= end) {
    const whole = bytes.subarray(start, end).includes(AT);
    return whole ? scan.fail("quoted_address", start) : scan.fail("missing_at", end);
  }
  return bytes[i + 1] === AT ? i + 1 : scan.fail("quoted_misplaced", i + 1);
}

/** The bytes of a code point beyond ASCII in a local part whose text begins at `first`; -1 with the fault. */
function scanCodePoint(bytes: Uint8Array, index: number, first: number, end: number, scan: MailboxScan): number {
  const codePoint = codePointAt(bytes, index, end);
  if (codePoint < 0) return scan.fail("invalid_utf8", index);
  if (LOOKALIKE_AT.has(codePoint)) return scan.fail("lookalike_at", index);
  if (scan.options.asciiOnly === true) return scan.fail("non_ascii", index);
  if (isDisallowed(codePoint)) return scan.fail("unicode_disallowed", index);
  if (index === first && isMark(codePoint)) return scan.fail("unicode_leading_mark", index);
  scan.smtputf8 = true;
  return utf8Length(codePoint);
}

/** RFC 6532 §3.1 wants form C: the text must be valid in it too (U+037E becomes `;`, some marks grow). */
function checkNormalized(bytes: Uint8Array, start: number, at: number, scan: MailboxScan): number {
  const text = decodeUtf8(bytes, start, at);
  const normalized = text.normalize("NFC");
  if (normalized === text) return at;
  const composed = encodeUtf8(`${normalized}@`);
  const again = new MailboxScan(scan.options);
  if (scanLocalPart(composed, 0, composed.length, again) === composed.length - 1) {
    scan.localLength = Math.max(scan.localLength, composed.length - 1);
    return at;
  }
  const code = again.fault === "local_part_too_long" ? again.fault : "unicode_normalization";
  return scan.fail(code, start);
}

/** If there is no `@` at all, the fault is `missing_at`, unless a look-alike explains it. */
function explainMissingAt(bytes: Uint8Array, start: number, end: number, scan: MailboxScan): -1 {
  if (scan.fault === "lookalike_at" || scan.fault === "missing_at") return -1;
  const separator = STARTS_RECIPIENT.has(scan.fault) ? indexAfterFirstRecipient(bytes, start, end) : -1;
  if (separator >= 0) return scan.fail("several_addresses", separator);
  for (let i = start; i < end; i += 1) if (bytes[i] === AT) return -1;
  return scan.fail("missing_at", end);
}

// The first of several recipients with display names, RFC 5322 §3.4: `Doe, John <j@example.org>, Ann <a@example.org>`.
const FIRST_RECIPIENT = /^[^<>@]*<[^<>@]*@[^<>@]*>(?=\s*[,;][^@]*[^\s,;<@]@)/;
const RECIPIENT_MAX = 1024;
/** Faults at the first byte that a display name and its brackets have and a local part has not. */
const STARTS_RECIPIENT = new Set<SyntaxCode | undefined>([
  "white_space",
  "angle_bracket",
  "quoted_misplaced",
  "local_part_character",
]);

/** The index of the separator after the first of several named recipients; -1 if there is no other recipient. */
function indexAfterFirstRecipient(bytes: Uint8Array, start: number, end: number): number {
  const first = FIRST_RECIPIENT.exec(decodeUtf8(bytes, start, Math.min(end, start + RECIPIENT_MAX)));
  return first === null ? -1 : start + encodeUtf8(first[0]).length;
}
