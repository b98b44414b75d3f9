// Canonical local part: equal for every letter-case, quoting, tag and dot variant of a mailbox. Used for comparison
// only. Works on bytes, so bulk work creates no strings.

import { DOT, HYPHEN } from "../base/bytes/ascii.ts";
import { decodeUtf8, encodeUtf8, LOWERCASE } from "../base/bytes/bytes.ts";
import { isAssigned, isCombiningMark } from "./code-points.ts";
import { isAtext } from "./local-part.ts";
import type { ProviderRule } from "./providers.ts";
import { ADDRESS_MAX, ANY_CHAR_CLASS, CHAR_CLASS, type MailboxScan } from "./scan.ts";

/**
 * Local part without unnecessary quotes. A plain dot-string refers to the input bytes, in any letter case; other forms
 * are copied in lower case.
 */
export class UnquotedLocalPart {
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  /** False for a quoted string that can't be written as a dot-string. It stays quoted, without tag or role. */
  isDotString = true;
  hadQuotes = false;
  charClasses: number = ANY_CHAR_CLASS;
}

/** Canonical local part and the rules that changed it. If nothing changed, `bytes` is the input. */
export class CanonicalLocalPart {
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  /** Holds a rewritten local part. Case mapping and NFC expand one byte to at most three. */
  readonly buffer: Uint8Array = new Uint8Array(3 * ADDRESS_MAX + 2);
  /** Index of the tag's separator in the unquoted local part; -1 if there is no tag. */
  separatorAt = -1;
  hasRemovedIgnoredChars = false;
  hasReplacedHyphens = false;

  setText(text: string): void {
    const bytes = encodeUtf8(text);
    this.buffer.set(bytes);
    this.setBufferLength(bytes.length);
  }

  setBufferLength(length: number): void {
    this.bytes = this.buffer;
    this.start = 0;
    this.end = length;
  }
}

export function normalizeQuoting(bytes: Uint8Array, start: number, scan: MailboxScan, out: UnquotedLocalPart): void {
  out.isDotString = true;
  out.hadQuotes = false;
  out.bytes = bytes;
  out.start = start;
  out.end = scan.atIndex;
  out.charClasses = scan.charClasses;
  if (scan.form === "dot-string") return;
  const isQuoted = scan.form === "quoted";
  const original = decodeUtf8(bytes, start, scan.atIndex);
  const text = foldCase(isQuoted ? original.slice(1, -1).replace(/\\(.)/gsu, "$1") : original);
  out.isDotString = !isQuoted || isDotString(encodeUtf8(text));
  out.hadQuotes = isQuoted && out.isDotString;
  out.bytes = encodeUtf8(out.isDotString ? text : `"${text.replace(/["\\]/g, "\\$&")}"`);
  out.start = 0;
  out.end = out.bytes.length;
}

/** Writes the canonical form of `localPart` under `rule` to `out`. Idempotent. */
export function canonicalizeLocalPart(localPart: UnquotedLocalPart, rule: ProviderRule, out: CanonicalLocalPart): void {
  out.separatorAt = -1;
  out.hasRemovedIgnoredChars = false;
  out.hasReplacedHyphens = false;
  if (!localPart.isDotString) {
    copyLowercase(localPart, localPart.end, "", out);
    return;
  }
  if (needsNoRewrite(localPart.charClasses, rule)) {
    out.bytes = localPart.bytes;
    out.start = localPart.start;
    out.end = localPart.end;
    return;
  }
  if (rule.separator !== 0) out.separatorAt = findSeparator(localPart, rule);
  const end = out.separatorAt < 0 ? localPart.end : out.separatorAt;
  copyLowercase(localPart, end, rule.ignoredChars, out);
  out.hasRemovedIgnoredChars = out.end > 0 && out.end < end - localPart.start;
  // A local part of only ignored characters is no mailbox at this provider, but the result must still be an address.
  if (out.end === 0) copyLowercase(localPart, end, "", out);
  if (out.hasRemovedIgnoredChars) renormalize(localPart, out);
  if (rule.treatsHyphenAsDot) replaceHyphens(out);
}

function needsNoRewrite(charClasses: number, rule: ProviderRule): boolean {
  const separator = rule.separator === HYPHEN ? CHAR_CLASS.hyphen : rule.separator === 0 ? 0 : CHAR_CLASS.plus;
  return (charClasses & (CHAR_CLASS.upper | separator)) === 0 && rule.ignoredChars === "" && !rule.treatsHyphenAsDot;
}

/**
 * Returns the index of the first separator that can start a tag, or -1. The user name before it needs a character that
 * is not ignored, and can't end with a dot unless dots are ignored.
 */
function findSeparator(localPart: UnquotedLocalPart, rule: ProviderRule): number {
  const { bytes, start, end } = localPart;
  const separator = rule.separator;
  let hasUser = false;
  for (let i = start; i < end; i += 1) {
    const byte = bytes[i] as number;
    if (byte === separator && hasUser && (bytes[i - 1] !== DOT || isIgnored(DOT, rule.ignoredChars))) return i;
    hasUser ||= !isIgnored(byte, rule.ignoredChars);
  }
  return -1;
}

function isIgnored(byte: number, ignoredChars: string): boolean {
  for (let i = 0; i < ignoredChars.length; i += 1) if (ignoredChars.charCodeAt(i) === byte) return true;
  return false;
}

function copyLowercase(localPart: UnquotedLocalPart, end: number, ignoredChars: string, out: CanonicalLocalPart): void {
  let length = 0;
  for (let i = localPart.start; i < end; i += 1) {
    const byte = localPart.bytes[i] as number;
    if (!isIgnored(byte, ignoredChars)) out.buffer[length++] = LOWERCASE[byte] as number;
  }
  out.setBufferLength(length);
}

/** Applies NFC again: a removed character may have separated a letter from its combining mark. */
function renormalize(localPart: UnquotedLocalPart, out: CanonicalLocalPart): void {
  if (localPart.charClasses !== ANY_CHAR_CLASS) return;
  const text = decodeUtf8(out.buffer, 0, out.end).normalize("NFC");
  // An address can't start with a combining mark, so keep the first character (never a dot) before one.
  const first = String.fromCharCode(localPart.bytes[localPart.start] as number);
  out.setText(isCombiningMark(text.codePointAt(0) as number) ? first + text : text);
}

/**
 * Shortens a canonical form longer than `limit` bytes: replaces each lower-case letter that has a shorter upper case.
 * If `limit` is at least the length of one spelling of the mailbox, all spellings get the same result.
 */
export function shortenLocalPart(out: CanonicalLocalPart, limit: number): void {
  if (out.end - out.start <= limit) return;
  const text = decodeUtf8(out.bytes, out.start, out.end);
  out.setText(text.replace(/i\u0307|[\u2c65\u2c66]/g, (lower) => SHORTER_UPPERCASE[lower] as string));
}

const SHORTER_UPPERCASE: Readonly<Record<string, string>> = { "i\u0307": "İ", ⱥ: "Ⱥ", ⱦ: "Ⱦ" };

/** Replaces each `-` with `.`, unless the result would not be a dot-string (`-a`, `a--b`). */
function replaceHyphens(out: CanonicalLocalPart): void {
  const { bytes, end: length } = out;
  let afterDot = true;
  for (let i = 0; i < length; i += 1) {
    const isDot = bytes[i] === DOT || bytes[i] === HYPHEN;
    if (isDot && (afterDot || i === length - 1)) return;
    afterDot = isDot;
  }
  for (let i = 0; i < length; i += 1) {
    if (bytes[i] !== HYPHEN) continue;
    bytes[i] = DOT;
    out.hasReplacedHyphens = true;
  }
}

/** Converts to lower case and NFC until neither changes the text. Ignores context: a final sigma becomes `σ`. */
function foldCase(text: string): string {
  let folded = text;
  for (let round = 0; round < 3; round += 1) {
    const next = Array.from(folded.normalize("NFC"), lowercaseChar).join("").normalize("NFC");
    if (next === folded) break;
    folded = next;
  }
  return folded;
}

/** Converts a character to lower case, unless that was added after Unicode 15.0: not every Node version maps it. */
function lowercaseChar(char: string): string {
  const lower = char.toLowerCase().replace("ς", "σ");
  return isAssigned(lower.codePointAt(0) as number) ? lower : char;
}

function isDotString(bytes: Uint8Array): boolean {
  let afterDot = true;
  for (const byte of bytes) {
    const isDot = byte === DOT;
    if (isDot ? afterDot : byte < 0x80 && !isAtext(byte)) return false;
    afterDot = isDot;
  }
  return !afterDot;
}
