// Scanner of local parts: RFC 5321 §4.1.2 Dot-string and Quoted-string, with UTF-8 (RFC 6531).

import { AT, BACKSLASH, QUOTE } from "../base/bytes/ascii.ts";
import { decodeUtf8, encodeUtf8 } from "../base/bytes/bytes.ts";
import {
  codePointAt,
  faultOfByte,
  isCombiningMark,
  isDisallowed,
  LOOKALIKE_AT_SIGNS,
  utf8Length,
} from "./code-points.ts";
import type { SyntaxCode } from "./faults.ts";
import { ANY_CHAR_CLASS, CHAR_CLASS, LOCAL_PART_MAX, MailboxScan } from "./scan.ts";

// CHAR_CLASS bits by byte, for atext (RFC 5322 §3.2.3) and the dot; else 0.
const CHAR_CLASSES = new Uint8Array(256);
for (const char of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~") {
  CHAR_CLASSES[char.charCodeAt(0)] = CHAR_CLASS.atext | charClassOf(char);
}
CHAR_CLASSES[0x2e] = CHAR_CLASS.dot;

function charClassOf(char: string): number {
  if (char >= "A" && char <= "Z") return CHAR_CLASS.upper;
  if (char >= "0" && char <= "9") return CHAR_CLASS.digit;
  return { "+": CHAR_CLASS.plus, "-": CHAR_CLASS.hyphen, _: CHAR_CLASS.underscore }[char] ?? 0;
}

/** Reports whether the byte is allowed in an unquoted atom (RFC 5322 §3.2.3). */
export function isAtext(byte: number): boolean {
  return ((CHAR_CLASSES[byte] as number) & CHAR_CLASS.atext) !== 0;
}

/** Scans the local part from `start`. Returns the index of the `@` after it, or sets `scan.fault` and returns -1. */
export function scanLocalPart(bytes: Uint8Array, start: number, end: number, scan: MailboxScan): number {
  scan.smtputf8 = false;
  const atSign =
    bytes[start] === QUOTE && start < end
      ? scanQuoted(bytes, start, end, scan)
      : scanDotString(bytes, start, end, scan);
  if (atSign < 0) return reportBadLocalPart(bytes, start, end, scan);
  if (atSign === start) return scan.fail("local_part_empty", start);
  if (atSign - start > LOCAL_PART_MAX) return scan.fail("local_part_too_long", start + LOCAL_PART_MAX);
  scan.localPartLength = atSign - start;
  return scan.smtputf8 ? checkNfc(bytes, start, atSign, scan) : atSign;
}

function scanDotString(bytes: Uint8Array, start: number, end: number, scan: MailboxScan): number {
  scan.form = "dot-string";
  const scanEnd = Math.min(end, start + LOCAL_PART_MAX + 1);
  let afterDot = true;
  let charClasses = 0;
  let i = start;
  while (i < scanEnd) {
    const byte = bytes[i] as number;
    const charClass = CHAR_CLASSES[byte] as number;
    charClasses |= charClass;
    if ((charClass & CHAR_CLASS.atext) !== 0) {
      afterDot = false;
      i += 1;
    } else if (charClass === CHAR_CLASS.dot) {
      if (afterDot) return scan.fail("local_part_dot", i);
      afterDot = true;
      i += 1;
    } else if (byte === AT) {
      scan.charClasses = scan.form === "dot-string" ? charClasses : ANY_CHAR_CLASS;
      return afterDot && i > start ? scan.fail("local_part_dot", i - 1) : i;
    } else {
      const fallback = byte === QUOTE ? "quoted_misplaced" : "local_part_character";
      const length =
        byte < 0x80 ? scan.fail(faultOfByte(byte, fallback), i) : scanCodePoint(bytes, i, start, end, scan);
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
  scan.charClasses = ANY_CHAR_CLASS;
  let i = start + 1;
  while (i < end && bytes[i] !== QUOTE) {
    // A quoted pair is a backslash and a printable ASCII byte: RFC 5321 §4.1.2 quoted-pairSMTP.
    const escapeLength = bytes[i] === BACKSLASH ? 1 : 0;
    if (i + escapeLength >= end) return scan.fail("quoted_unterminated", start);
    const byte = bytes[i + escapeLength] as number;
    if (byte < 0x20 || byte === 0x7f) return scan.fail("control_character", i + escapeLength);
    if (byte >= 0x80 && escapeLength === 1) return scan.fail("quoted_character", i + 1);
    const length = byte < 0x80 ? 1 + escapeLength : scanCodePoint(bytes, i, start + 1, end, scan);
    if (length < 0) return -1;
    i += length;
    if (i - start > LOCAL_PART_MAX) return scan.fail("local_part_too_long", start + LOCAL_PART_MAX);
  }
  if (i >= end) return scan.fail("quoted_unterminated", start);
  if (i === start + 1) return scan.fail("quoted_empty", start);
  if (i + 1 >= end) {
    const hasAt = bytes.subarray(start, end).includes(AT);
    return hasAt ? scan.fail("quoted_address", start) : scan.fail("missing_at", end);
  }
  return bytes[i + 1] === AT ? i + 1 : scan.fail("quoted_misplaced", i + 1);
}

/**
 * Checks a non-ASCII code point in a local part whose text starts at `textStart` (after the quote, if any). Returns its
 * length in bytes, or sets `scan.fault` and returns -1.
 */
function scanCodePoint(bytes: Uint8Array, index: number, textStart: number, end: number, scan: MailboxScan): number {
  const codePoint = codePointAt(bytes, index, end);
  if (codePoint < 0) return scan.fail("invalid_utf8", index);
  if (LOOKALIKE_AT_SIGNS.has(codePoint)) return scan.fail("lookalike_at", index);
  if (scan.options.asciiOnly === true) return scan.fail("non_ascii", index);
  if (isDisallowed(codePoint)) return scan.fail("unicode_disallowed", index);
  if (index === textStart && isCombiningMark(codePoint)) return scan.fail("unicode_leading_mark", index);
  scan.smtputf8 = true;
  return utf8Length(codePoint);
}

/** Checks that the local part is also valid in NFC (RFC 6532 §3.1), which turns U+037E into `;` and can lengthen text. */
function checkNfc(bytes: Uint8Array, start: number, atSign: number, scan: MailboxScan): number {
  const text = decodeUtf8(bytes, start, atSign);
  const normalized = text.normalize("NFC");
  if (normalized === text) return atSign;
  const composed = encodeUtf8(`${normalized}@`);
  const rescan = new MailboxScan(scan.options);
  if (scanLocalPart(composed, 0, composed.length, rescan) === composed.length - 1) {
    scan.localPartLength = Math.max(scan.localPartLength, composed.length - 1);
    return atSign;
  }
  const code = rescan.fault === "local_part_too_long" ? rescan.fault : "unicode_normalization";
  return scan.fail(code, start);
}

/** Replaces the fault of the local part if there is no `@` at all, or if the text is a list of recipients. */
function reportBadLocalPart(bytes: Uint8Array, start: number, end: number, scan: MailboxScan): -1 {
  if (scan.fault === "lookalike_at" || scan.fault === "missing_at") return -1;
  const separator = RECIPIENT_LIST_FAULTS.has(scan.fault) ? findRecipientSeparator(bytes, start, end) : -1;
  if (separator >= 0) return scan.fail("several_addresses", separator);
  for (let i = start; i < end; i += 1) if (bytes[i] === AT) return -1;
  return scan.fail("missing_at", end);
}

// The first of several recipients with display names, RFC 5322 §3.4: `Doe, John <j@example.org>, Ann <a@example.org>`.
const FIRST_RECIPIENT = /^[^<>@]*<[^<>@]*@[^<>@]*>(?=\s*[,;][^@]*[^\s,;<@]@)/;
const FIRST_RECIPIENT_MAX = 1024;
/** Faults that the scanner may report for a display name or an angle bracket. */
const RECIPIENT_LIST_FAULTS = new Set<SyntaxCode | undefined>([
  "white_space",
  "angle_bracket",
  "quoted_misplaced",
  "local_part_character",
]);

/** Returns the index of the separator after the first of several named recipients; -1 if there is only one. */
function findRecipientSeparator(bytes: Uint8Array, start: number, end: number): number {
  const match = FIRST_RECIPIENT.exec(decodeUtf8(bytes, start, Math.min(end, start + FIRST_RECIPIENT_MAX)));
  return match === null ? -1 : start + encodeUtf8(match[0]).length;
}
