// Conversion between Unicode domains and A-labels, by UTS #46 (tr46) and punycode. Both packages are loaded on demand.

import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import {
  codePointAt,
  faultOfByte,
  isAssigned,
  isDisallowed,
  JOINERS,
  LOOKALIKE_AT_SIGNS,
  utf8Length,
} from "../code-points.ts";
import type { SyntaxCode } from "../faults.ts";
import { LABEL_MAX, type MailboxScan } from "../scan.ts";

function uts46(): typeof import("tr46") {
  return require("tr46");
}

/** Loads the package. Without the slash, the name means Node's own deprecated module. */
function punycode(): typeof import("punycode/") {
  return require("punycode/");
}

// Hyphens and lengths are checked afterwards: `ab--cd` is a valid label, and lengths have their own fault.
const UTS46_OPTIONS = {
  checkBidi: true,
  checkHyphens: false,
  checkJoiners: true,
  transitionalProcessing: false,
  useSTD3ASCIIRules: true,
};
const A_LABEL_PREFIX = "xn--";
// A string, because in a regular expression literal these would not be ASCII in the built library.
const COMMON_LETTERS =
  "a-zß-öø-ÿāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįıĵķĸĺļľłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷźżžά-ώа-џぁ-ゖァ-ヺー一-鿿가-힣";
// Lower-case letters of common scripts, digits and inner hyphens. Most labels have no others, and loading tr46 takes
// longer than the rest of a call.
const UNCHANGED_LABEL = new RegExp(`^(?!-|xn--)[-0-9${COMMON_LETTERS}]+(?<!-)$`);

/** Reports whether UTS #46 is known to leave a label unchanged. False means that tr46 must decide. */
export function isUnchangedByUts46(label: string): boolean {
  return UNCHANGED_LABEL.test(label);
}

/**
 * Maps a domain with non-ASCII text or A-labels to lower-case A-labels. If the domain is invalid, sets `scan.fault` and
 * returns undefined. Characters are checked first, because the mapping removes or replaces some that are not allowed.
 */
export function mapDomain(bytes: Uint8Array, start: number, end: number, scan: MailboxScan): string | undefined {
  const text = decodeUtf8(bytes, start, end);
  const inputLabels = text.split(".");
  if (inputLabels.every(isUnchangedByUts46))
    return inputLabels.map((label) => (/^[!-~]*$/.test(label) ? label : toALabel(label))).join(".");
  if (checkCharacters(bytes, start, end, scan) < 0) return undefined;
  const ascii = uts46().toASCII(text, UTS46_OPTIONS);
  if (ascii === null) {
    scan.fail(hasInvalidALabel(bytes, start, end) ? "a_label_invalid" : "idna_invalid", start);
    return undefined;
  }
  const labels = ascii.split(".");
  if (!labels.every(isRoundTripALabel)) scan.fail("a_label_invalid", start);
  else if (labels.some(hasEdgeHyphen)) scan.fail("label_hyphen", start);
  else return ascii;
  return undefined;
}

/** Converts a domain from A-labels to U-labels, for display. */
export function domainToUnicode(ascii: string): string {
  if (!ascii.includes(A_LABEL_PREFIX)) return ascii;
  const labels = ascii.split(".").map(toULabel);
  return labels.every(isUnchangedByUts46) ? labels.join(".") : uts46().toUnicode(ascii, UTS46_OPTIONS).domain;
}

function toALabel(label: string): string {
  return A_LABEL_PREFIX + punycode().encode(label);
}

/** Decodes an A-label; returns other and malformed labels unchanged. */
function toULabel(label: string): string {
  try {
    return label.startsWith(A_LABEL_PREFIX) ? punycode().decode(label.slice(A_LABEL_PREFIX.length)) : label;
  } catch {
    return label;
  }
}

function checkCharacters(bytes: Uint8Array, start: number, end: number, scan: MailboxScan): number {
  for (let i = start; i < end; ) {
    const codePoint = codePointAt(bytes, i, end);
    if (codePoint < 0) return scan.fail("invalid_utf8", i);
    if (LOOKALIKE_AT_SIGNS.has(codePoint)) return scan.fail("multiple_at", i);
    if (codePoint < 0x80) {
      if (!isLdhOrDot(codePoint)) return scan.fail(faultOfDomainByte(bytes, i, end), i);
    } else if (isDisallowed(codePoint) && !JOINERS.has(codePoint)) {
      return scan.fail("unicode_disallowed", i);
    }
    i += utf8Length(codePoint);
  }
  return end;
}

function hasInvalidALabel(bytes: Uint8Array, start: number, end: number): boolean {
  const labels = decodeUtf8(bytes, start, end).toLowerCase().split(".");
  return !labels.filter((label) => /^[\x21-\x7e]+$/.test(label)).every(isRoundTripALabel);
}

/** Reports whether the U-label starts or ends with a hyphen (RFC 5891 §4.2.3.1), which its A-label does not show. */
function hasEdgeHyphen(label: string): boolean {
  const text = label.length > LABEL_MAX ? label : toULabel(label);
  return text !== label && /^-|-$/.test(text);
}

/**
 * Checks that decoding and encoding an A-label returns it (RFC 5890 §2.3.2.1), and that its code points are assigned.
 * Skips labels over 63 bytes, which are rejected elsewhere.
 */
function isRoundTripALabel(label: string): boolean {
  if (!label.startsWith(A_LABEL_PREFIX) || label.length > LABEL_MAX) return true;
  const text = toULabel(label);
  if (!/[^\x00-\x7f]/.test(text) || toALabel(text) !== label) return false;
  return Array.from(text).every((char) => isAssigned(char.codePointAt(0) as number));
}

const LDH = new Uint8Array(256);
for (const char of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.") LDH[char.charCodeAt(0)] = 1;

/** Reports whether the byte is a letter, digit, hyphen or dot. */
export function isLdhOrDot(byte: number): boolean {
  return LDH[byte] === 1;
}

// A separator, then another address. After white space, text in brackets does not count, because it can repeat the
// address: `a@b.org <a@b.org>`.
const NEXT_ADDRESS = /^(?:[,;|/&][^@]*|\s[^<>()[\]"@]*)[^\s,;|/&@]@[^\s,;@]/;
// Maximum bytes searched for the next address: room for a name and a local part.
const NEXT_ADDRESS_MAX = 128;

/** Returns the fault of the ASCII byte at `index`, which is not allowed in the domain that ends at `end`. */
export function faultOfDomainByte(bytes: Uint8Array, index: number, end: number): SyntaxCode {
  const byte = bytes[index] as number;
  if (byte === 0x40) return "multiple_at";
  if (NEXT_ADDRESS.test(decodeUtf8(bytes, index, Math.min(end, index + NEXT_ADDRESS_MAX)))) return "several_addresses";
  return faultOfByte(byte, byte === 0x5f ? "domain_underscore" : "domain_character");
}
