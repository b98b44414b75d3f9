// Scanner of domains: letter-digit-hyphen labels, A-labels, Unicode (mapped by UTS #46) and address literals.

import { DOT, HYPHEN, OPEN_BRACKET } from "../../base/bytes/ascii.ts";
import { decodeAsciiLowercase, decodeUtf8, encodeUtf8 } from "../../base/bytes/bytes.ts";
import { DOMAIN_INPUT_MAX, DOMAIN_MAX, LABEL_MAX, MailboxScan } from "../scan.ts";
import { faultOfDomainByte, isLdhOrDot, mapDomain } from "./idna.ts";

/** Returns the start of the last label. Unlike lastIndexOf(), never reads before the domain. */
export function findLastLabel(bytes: Uint8Array, start: number, end: number): number {
  let lastLabel = end;
  while (lastLabel > start && bytes[lastLabel - 1] !== DOT) lastLabel -= 1;
  return lastLabel;
}

/** Converts a domain to lower-case A-labels. Returns undefined if it is invalid. */
export function toAsciiDomain(text: string): string | undefined {
  const bytes = encodeUtf8(text);
  const scan = new MailboxScan();
  if (!scanDomain(bytes, 0, bytes.length, scan)) return undefined;
  const { domain } = scan;
  return decodeAsciiLowercase(domain.bytes, domain.start, domain.end);
}

/** Returns the domain in a text such as `*.example.org`, `@example.org` or `example.org.`; undefined if there is none. */
export function findDomain(text: string): string | undefined {
  return toAsciiDomain(text.replace(/^(?:\*?@)?(?:\*?\.)?|\.$/g, ""));
}

/** Scans the domain from `start` to `end` into `scan.domain`. If it is invalid, sets `scan.fault` and returns false. */
export function scanDomain(bytes: Uint8Array, start: number, end: number, scan: MailboxScan): boolean {
  const { domain } = scan;
  domain.isLiteral = false;
  domain.bytes = bytes;
  domain.start = start;
  domain.end = end;
  domain.inputStart = start;
  domain.isMapped = false;
  if (start === end) return scan.reject("domain_empty", start);
  if (bytes[start] === OPEN_BRACKET) return scanLiteral(bytes, start, end, scan);
  const nonLdh = findNonLdh(bytes, start, end);
  if (nonLdh < end && (bytes[nonLdh] as number) < 0x80) {
    return scan.reject(faultOfDomainByte(bytes, nonLdh, end), nonLdh);
  }
  if (nonLdh === end && !hasALabel(bytes, start, end)) return checkLabels(bytes, start, end, scan);
  return scanInternationalDomain(bytes, start, end, nonLdh, scan);
}

function findNonLdh(bytes: Uint8Array, start: number, end: number): number {
  let i = start;
  while (i < end && isLdhOrDot(bytes[i] as number)) i += 1;
  return i;
}

function hasALabel(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i + 4 <= end; i += 1) {
    if (bytes[i + 3] !== HYPHEN || bytes[i + 2] !== HYPHEN) continue;
    const firstLetter = (bytes[i] as number) | 0x20;
    const secondLetter = (bytes[i + 1] as number) | 0x20;
    if (firstLetter === 0x78 && secondLetter === 0x6e && (i === start || bytes[i - 1] === DOT)) return true;
  }
  return false;
}

function scanInternationalDomain(
  bytes: Uint8Array,
  start: number,
  end: number,
  nonLdh: number,
  scan: MailboxScan,
): boolean {
  const { domain } = scan;
  if (scan.options.asciiOnly === true && nonLdh < end) return scan.reject("non_ascii", nonLdh);
  if (end - start > DOMAIN_INPUT_MAX) return scan.reject("domain_too_long", start + DOMAIN_MAX);
  const ascii = mapDomain(bytes, start, end, scan);
  if (ascii === undefined) return false;
  domain.isMapped = true;
  domain.inputLastLabel = findLastLabel(bytes, start, end);
  domain.bytes = encodeUtf8(ascii);
  domain.start = 0;
  domain.end = domain.bytes.length;
  // The mapping changes only letter case in ASCII, so a fault in the input has the same index.
  if (nonLdh === end) return checkLabels(bytes, start, end, scan);
  if (checkLabels(domain.bytes, 0, domain.end, scan)) return true;
  scan.faultIndex = start;
  return false;
}

/** Checks dots, hyphens and lengths. */
function checkLabels(bytes: Uint8Array, start: number, end: number, scan: MailboxScan): boolean {
  let labelStart = start;
  for (let i = start; i <= end; i += 1) {
    if (i < end && bytes[i] !== DOT) continue;
    if (i === labelStart) return scan.reject("domain_dot", i === end && i > start ? i - 1 : i);
    if (bytes[labelStart] === HYPHEN) return scan.reject("label_hyphen", labelStart);
    if (bytes[i - 1] === HYPHEN) return scan.reject("label_hyphen", i - 1);
    if (i - labelStart > LABEL_MAX) return scan.reject("label_too_long", labelStart + LABEL_MAX);
    labelStart = i + 1;
  }
  return end - start <= DOMAIN_MAX || scan.reject("domain_too_long", start + DOMAIN_MAX);
}

function scanLiteral(bytes: Uint8Array, start: number, end: number, scan: MailboxScan): boolean {
  const { domain } = scan;
  if (scan.options.allowDomainLiteral !== true) return scan.reject("domain_literal", start);
  // The longest literal has 52 bytes: brackets, `IPv6:` and an address of 45. Much longer text is not decoded.
  const isClosed = bytes[end - 1] === 0x5d && end - start <= 64;
  if (!isClosed || !isAddressLiteral(decodeUtf8(bytes, start + 1, end - 1))) {
    return scan.reject("domain_literal_invalid", start);
  }
  domain.isLiteral = true;
  domain.bytes = encodeUtf8(decodeUtf8(bytes, start, end).toLowerCase());
  domain.start = 0;
  domain.end = domain.bytes.length;
  return true;
}

/** Checks the text between the brackets: `192.0.2.1` or `IPv6:2001:db8::1`. */
function isAddressLiteral(text: string): boolean {
  return /^ipv6:/i.test(text) ? isIpv6(text.slice(5)) : isIpv4(text);
}

/** Checks an IPv4 address. Leading zeros are allowed, up to three digits (RFC 5321 §4.1.3 Snum). */
export function isIpv4(text: string): boolean {
  const octets = text.split(".");
  return octets.length === 4 && octets.every((octet) => /^\d{1,3}$/.test(octet) && Number(octet) <= 255);
}

function isIpv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const [left = "", right] = halves;
  const leftGroups = countGroups(left, right === undefined);
  const rightGroups = right === undefined ? 0 : countGroups(right, true);
  if (leftGroups < 0 || rightGroups < 0) return false;
  // `::` stands for at least two groups (RFC 5321 §4.1.3 IPv6-comp).
  return right === undefined ? leftGroups === 8 : leftGroups + rightGroups <= 6;
}

/** Counts the 16-bit groups on one side of `::`, or returns -1 if malformed. A final IPv4 address counts as two. */
function countGroups(side: string, isLastSide: boolean): number {
  if (side === "") return 0;
  const groups = side.split(":");
  const lastGroup = groups.at(-1) as string;
  const endsInIpv4 = isLastSide && lastGroup.includes(".");
  if (endsInIpv4 && !isIpv4(lastGroup)) return -1;
  const hexGroups = endsInIpv4 ? groups.slice(0, -1) : groups;
  if (!hexGroups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return -1;
  return hexGroups.length + (endsInIpv4 ? 2 : 0);
}
