// The canonical local part: one form for all letter-case, quoting, tag and dot variants of a mailbox. For comparison alone; mail
// goes to the address as given. Works on octets, so that bulk work makes no strings.

import { decodeUtf8, encodeUtf8, LOWER } from "../bytes/octets.ts";
import { isMark } from "./code-points.ts";
import { ADDRESS_MAX, LOCAL_PART_MAX } from "./limits.ts";
import { isAtext } from "./local-part.ts";
import type { ProviderRule } from "./providers.ts";
import { ANY_TRAIT, type MailboxScan, TRAIT } from "./scan.ts";

const DOT = 0x2e;
const HYPHEN = 0x2d;

/** The local part's text, lower-case and unquoted where that says the same; the source itself when it is a plain dot-string. */
export class LocalPartContent {
  octets: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  /** False for a quoted string that no dot-string can say: it has no tag, no role and stays quoted. */
  dotString = true;
  unquoted = false;
  /** TRAIT bits of the text. */
  traits: number = ANY_TRAIT;
}

/** The canonical local part, and what was done to reach it. It stands in the source where nothing had to be done. */
export class CanonicalLocalPart {
  octets: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  /** Room for a local part that had to be rewritten: case mapping and form C make at most three octets of one. */
  readonly own: Uint8Array = new Uint8Array(3 * ADDRESS_MAX + 2);
  /** Where in the content the tag's separator stands, -1 without a tag. */
  separatorAt = -1;
  ignoredRemoved = false;
  hyphensReplaced = false;

  /** The result is the first `length` octets of `own`. */
  setOwn(length: number): void {
    this.octets = this.own;
    this.start = 0;
    this.end = length;
  }
}

/** Reads the local part between `start` and `scan.at` into `content`; octets of the source may be in either letter case. */
export function readContent(bytes: Uint8Array, start: number, scan: MailboxScan, content: LocalPartContent): void {
  content.dotString = true;
  content.unquoted = false;
  content.octets = bytes;
  content.start = start;
  content.end = scan.at;
  content.traits = scan.traits;
  if (scan.form === "dot-string") return;
  const quoted = scan.form === "quoted";
  const written = decodeUtf8(bytes, start, scan.at);
  const text = foldWithin(quoted ? written.slice(1, -1).replace(/\\(.)/gsu, "$1") : written);
  content.dotString = !quoted || isDotString(encodeUtf8(text));
  content.unquoted = quoted && content.dotString;
  content.octets = encodeUtf8(content.dotString ? text : `"${text.replace(/["\\]/g, "\\$&")}"`);
  content.start = 0;
  content.end = content.octets.length;
}

/** Writes the canonical form of `content` under `rule` into `out`. Applying it to its own result changes nothing. */
export function canonicalizeLocalPart(content: LocalPartContent, rule: ProviderRule, out: CanonicalLocalPart): void {
  out.separatorAt = -1;
  out.ignoredRemoved = false;
  out.hyphensReplaced = false;
  if (!content.dotString) {
    copyLower(content, content.end, out);
    return;
  }
  if (staysAsItIs(content.traits, rule)) {
    out.octets = content.octets;
    out.start = content.start;
    out.end = content.end;
    return;
  }
  const ignored = rule.ignored;
  if (rule.separator !== 0) out.separatorAt = findSeparator(content, rule);
  const end = out.separatorAt < 0 ? content.end : out.separatorAt;
  if (ignored === "") {
    copyLower(content, end, out);
  } else {
    copyWithout(content, end, ignored, out);
  }
  if (rule.hyphenIsDot) replaceHyphens(out);
}

/** True when the text's traits alone say that nothing is to be done: small letters, no separator, nothing to ignore. */
function staysAsItIs(traits: number, rule: ProviderRule): boolean {
  const separator = rule.separator === HYPHEN ? TRAIT.hyphen : rule.separator === 0 ? 0 : TRAIT.plus;
  return (traits & (TRAIT.upper | separator)) === 0 && rule.ignored === "" && !rule.hyphenIsDot;
}

/** The first separator with a whole user before it: something that is not ignored, and no dot at its end that would stay. */
function findSeparator(content: LocalPartContent, rule: ProviderRule): number {
  const { octets, start, end } = content;
  const separator = rule.separator;
  let user = false;
  for (let i = start; i < end; i += 1) {
    const octet = octets[i] as number;
    if (octet === separator && user && (octets[i - 1] !== DOT || isIgnored(DOT, rule.ignored))) return i;
    user ||= !isIgnored(octet, rule.ignored);
  }
  return -1;
}

function isIgnored(octet: number, ignored: string): boolean {
  for (let i = 0; i < ignored.length; i += 1) if (ignored.charCodeAt(i) === octet) return true;
  return false;
}

function copyLower(content: LocalPartContent, end: number, out: CanonicalLocalPart): void {
  const { octets, start } = content;
  const target = out.own;
  for (let i = start; i < end; i += 1) target[i - start] = LOWER[octets[i] as number] as number;
  out.setOwn(end - start);
}

function copyWithout(content: LocalPartContent, end: number, ignored: string, out: CanonicalLocalPart): void {
  let length = 0;
  for (let i = content.start; i < end; i += 1) {
    const octet = content.octets[i] as number;
    if (!isIgnored(octet, ignored)) out.own[length++] = LOWER[octet] as number;
  }
  out.ignoredRemoved = length < end - content.start;
  out.setOwn(length);
  // A name of nothing but ignored characters is no mailbox there; it stays, so that the result is an address. So does one in which
  // a combining mark would come to stand first.
  if (length === 0 || !settleUnicode(content, out)) {
    copyLower(content, end, out);
    out.ignoredRemoved = false;
  }
}

/** Brings the rest back to form C, for letters and marks that an ignored character kept apart; false when a mark leads. */
function settleUnicode(content: LocalPartContent, out: CanonicalLocalPart): boolean {
  if (content.traits !== ANY_TRAIT) return true;
  const text = decodeUtf8(out.own, 0, out.end).normalize("NFC");
  if (isMark(text.codePointAt(0) as number)) return false;
  const octets = encodeUtf8(text);
  out.own.set(octets);
  out.setOwn(octets.length);
  return true;
}

/** Replaces `-` by `.` unless that would make no dot-string (`-a`, `a--b`), which no mailbox there is called. */
function replaceHyphens(out: CanonicalLocalPart): void {
  const { octets, end: length } = out;
  let afterDot = true;
  for (let i = 0; i < length; i += 1) {
    const dot = octets[i] === DOT || octets[i] === HYPHEN;
    if (dot && (afterDot || i === length - 1)) return;
    afterDot = dot;
  }
  for (let i = 0; i < length; i += 1) {
    if (octets[i] !== HYPHEN) continue;
    octets[i] = DOT;
    out.hyphensReplaced = true;
  }
}

/** Folded, unless that makes a text too long that was not (some small letters take more octets): then in form C alone. */
function foldWithin(text: string): string {
  const folded = foldCase(text);
  const octets = encodeUtf8(folded).length;
  const normalized = text.normalize("NFC");
  return octets > LOCAL_PART_MAX - 2 && octets > encodeUtf8(normalized).length ? normalized : folded;
}

/** Lower case by code point, so that no letter depends on its neighbours (final sigma), then form C until nothing changes. */
function foldCase(text: string): string {
  let folded = text;
  for (let round = 0; round < 3; round += 1) {
    const next = Array.from(folded.normalize("NFC"), (char) => char.toLowerCase().replace("ς", "σ"))
      .join("")
      .normalize("NFC");
    if (next === folded) break;
    folded = next;
  }
  return folded;
}

function isDotString(octets: Uint8Array): boolean {
  let afterDot = true;
  for (const octet of octets) {
    const dot = octet === DOT;
    if (dot ? afterDot : octet < 0x80 && !isAtext(octet)) return false;
    afterDot = dot;
  }
  return !afterDot;
}
