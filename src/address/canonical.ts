// The canonical local part: one form for all letter-case, quoting, tag and dot variants of a mailbox, for comparison.
// Works on bytes, so that bulk work makes no strings.

import { DOT, HYPHEN } from "../base/bytes/ascii.ts";
import { decodeUtf8, encodeUtf8, LOWER } from "../base/bytes/bytes.ts";
import { isAssigned, isMark } from "./code-points.ts";
import { isAtext } from "./local-part.ts";
import type { ProviderRule } from "./providers.ts";
import { ADDRESS_MAX, ANY_TRAIT, type MailboxScan, TRAIT } from "./scan.ts";

/** The local part without needless quotes: bytes of the source for a plain dot-string, else text in lower case. */
export class LocalPartContent {
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  /** False for a quoted string that can't be written as a dot-string: it has no tag and no role, and stays quoted. */
  dotString = true;
  unquoted = false;
  traits: number = ANY_TRAIT;
}

/** The canonical local part, and the rules that made it. It points into the source when nothing had to change. */
export class CanonicalLocalPart {
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  /** Space for a rewritten local part: case mapping and form C make at most three bytes of one. */
  readonly own: Uint8Array = new Uint8Array(3 * ADDRESS_MAX + 2);
  /** Index of the tag's separator in the content, -1 without a tag. */
  separatorAt = -1;
  ignoredRemoved = false;
  hyphensReplaced = false;

  setText(text: string): void {
    const bytes = encodeUtf8(text);
    this.own.set(bytes);
    this.setOwn(bytes.length);
  }

  setOwn(length: number): void {
    this.bytes = this.own;
    this.start = 0;
    this.end = length;
  }
}

export function readContent(bytes: Uint8Array, start: number, scan: MailboxScan, content: LocalPartContent): void {
  content.dotString = true;
  content.unquoted = false;
  content.bytes = bytes;
  content.start = start;
  content.end = scan.at;
  content.traits = scan.traits;
  if (scan.form === "dot-string") return;
  const quoted = scan.form === "quoted";
  const written = decodeUtf8(bytes, start, scan.at);
  const text = foldCase(quoted ? written.slice(1, -1).replace(/\\(.)/gsu, "$1") : written);
  content.dotString = !quoted || isDotString(encodeUtf8(text));
  content.unquoted = quoted && content.dotString;
  content.bytes = encodeUtf8(content.dotString ? text : `"${text.replace(/["\\]/g, "\\$&")}"`);
  content.start = 0;
  content.end = content.bytes.length;
}

/** Writes the canonical form of `content` under `rule` into `out`. Applying it to its own result changes nothing. */
export function canonicalizeLocalPart(content: LocalPartContent, rule: ProviderRule, out: CanonicalLocalPart): void {
  out.separatorAt = -1;
  out.ignoredRemoved = false;
  out.hyphensReplaced = false;
  if (!content.dotString) {
    copyLower(content, content.end, "", out);
    return;
  }
  if (staysAsItIs(content.traits, rule)) {
    out.bytes = content.bytes;
    out.start = content.start;
    out.end = content.end;
    return;
  }
  if (rule.separator !== 0) out.separatorAt = findSeparator(content, rule);
  const end = out.separatorAt < 0 ? content.end : out.separatorAt;
  copyLower(content, end, rule.ignored, out);
  out.ignoredRemoved = out.end > 0 && out.end < end - content.start;
  // A name of ignored characters only is not a mailbox there. It stays, so that the result is an address.
  if (out.end === 0) copyLower(content, end, "", out);
  if (out.ignoredRemoved) settleUnicode(content, out);
  if (rule.hyphenIsDot) replaceHyphens(out);
}

function staysAsItIs(traits: number, rule: ProviderRule): boolean {
  const separator = rule.separator === HYPHEN ? TRAIT.hyphen : rule.separator === 0 ? 0 : TRAIT.plus;
  return (traits & (TRAIT.upper | separator)) === 0 && rule.ignored === "" && !rule.hyphenIsDot;
}

/** The first separator after a complete user: not only ignored characters, and without a dot at its end that stays. */
function findSeparator(content: LocalPartContent, rule: ProviderRule): number {
  const { bytes, start, end } = content;
  const separator = rule.separator;
  let user = false;
  for (let i = start; i < end; i += 1) {
    const byte = bytes[i] as number;
    if (byte === separator && user && (bytes[i - 1] !== DOT || isIgnored(DOT, rule.ignored))) return i;
    user ||= !isIgnored(byte, rule.ignored);
  }
  return -1;
}

function isIgnored(byte: number, ignored: string): boolean {
  for (let i = 0; i < ignored.length; i += 1) if (ignored.charCodeAt(i) === byte) return true;
  return false;
}

function copyLower(content: LocalPartContent, end: number, ignored: string, out: CanonicalLocalPart): void {
  let length = 0;
  for (let i = content.start; i < end; i += 1) {
    const byte = content.bytes[i] as number;
    if (!isIgnored(byte, ignored)) out.own[length++] = LOWER[byte] as number;
  }
  out.setOwn(length);
}

/** Converts the rest to form C again, because an ignored character may have separated a letter from its mark. */
function settleUnicode(content: LocalPartContent, out: CanonicalLocalPart): void {
  if (content.traits !== ANY_TRAIT) return;
  const text = decodeUtf8(out.own, 0, out.end).normalize("NFC");
  // No address starts with a combining mark, so a mark keeps the first character, which is never a dot.
  const first = String.fromCharCode(content.bytes[content.start] as number);
  out.setText(isMark(text.codePointAt(0) as number) ? first + text : text);
}

/**
 * Shortens a canonical form that is longer than `limit` by capitals that take fewer bytes than their small letters. The
 * limit must be at least the length of one spelling of the mailbox; then the result is the same for all spellings.
 */
export function shortenLocalPart(out: CanonicalLocalPart, limit: number): void {
  if (out.end - out.start <= limit) return;
  const text = decodeUtf8(out.bytes, out.start, out.end);
  out.setText(text.replace(/i\u0307|[ⱥⱦ]/g, (small) => SHORT_CAPITALS[small] as string));
}

const SHORT_CAPITALS: Readonly<Record<string, string>> = { "i\u0307": "İ", ⱥ: "Ⱥ", ⱦ: "Ⱦ" };

/** Replaces `-` by `.` unless the result would not be a dot-string (`-a`, `a--b`). */
function replaceHyphens(out: CanonicalLocalPart): void {
  const { bytes, end: length } = out;
  let afterDot = true;
  for (let i = 0; i < length; i += 1) {
    const dot = bytes[i] === DOT || bytes[i] === HYPHEN;
    if (dot && (afterDot || i === length - 1)) return;
    afterDot = dot;
  }
  for (let i = 0; i < length; i += 1) {
    if (bytes[i] !== HYPHEN) continue;
    bytes[i] = DOT;
    out.hyphensReplaced = true;
  }
}

/** Lower case by code point, so that no letter depends on its neighbours (final sigma), and form C until both hold. */
function foldCase(text: string): string {
  let folded = text;
  for (let round = 0; round < 3; round += 1) {
    const next = Array.from(folded.normalize("NFC"), smallLetter).join("").normalize("NFC");
    if (next === folded) break;
    folded = next;
  }
  return folded;
}

/** A small letter that a later Unicode gave to an old capital is not used, because not every machine knows it. */
function smallLetter(char: string): string {
  const small = char.toLowerCase().replace("ς", "σ");
  return isAssigned(small.codePointAt(0) as number) ? small : char;
}

function isDotString(bytes: Uint8Array): boolean {
  let afterDot = true;
  for (const byte of bytes) {
    const dot = byte === DOT;
    if (dot ? afterDot : byte < 0x80 && !isAtext(byte)) return false;
    afterDot = dot;
  }
  return !afterDot;
}
