// Whether a domain's suffix can be that of a mail domain: root zone, special-use names, Public Suffix List. The caller
// gives the data.

import { asciiText } from "../../base/bytes/bytes.ts";
import type { SyntaxOptions } from "../options.ts";
import type { MailboxScan } from "../scan.ts";
import { type DomainScan, isIpv4 } from "./domain.ts";

/** Kinds of a top-level label: in the IANA root zone, reserved by an RFC, or neither. */
export interface TopLevel {
  readonly kind: "root-zone" | "special-use" | "unknown";
  /** The largest number of labels of a public suffix under it; at least 1 in the root zone. */
  readonly suffixLabels: number;
}

/** The data of the suffix rule. Bytes may be in either letter case. */
export interface SuffixData {
  topLevel(bytes: Uint8Array, start: number, end: number): TopLevel;
  /**
   * The longest suffix of the Public Suffix List's ICANN section at the end of `domain` (A-labels, lower case); null
   * without one.
   */
  publicSuffix(domain: string): string | null;
  /** True for a public suffix that is known to receive mail itself. */
  receivesMail(bytes: Uint8Array, start: number, end: number): boolean;
}

const DOT = 0x2e;

/**
 * Checks the suffix of a domain that is not a literal; false with the fault in `scan`, at the label, or at the
 * beginning of the domain when that was mapped. The private section of the list never counts: `gov.scot`, `uk.com` and
 * `eu.org` are mail domains.
 */
export function checkSuffix(domain: DomainScan, options: SyntaxOptions, data: SuffixData, scan: MailboxScan): boolean {
  const { bytes, start, end, inputStart } = domain;
  let label = end;
  while (label > start && bytes[label - 1] !== DOT) label -= 1;
  const topLevel = data.topLevel(bytes, label, end);
  if (topLevel.kind === "special-use") {
    return options.allowReserved === true || scan.reject("special_use_tld", placeOf(domain, label));
  }
  if (topLevel.kind === "unknown") return checkUnknown(domain, label, options, scan);
  if (options.allowBareSuffix === true) return true;
  if (label === start) return scan.reject("dotless", inputStart);
  // Most domains have more labels than any suffix under their last label: then they are not a suffix.
  if (hasMoreLabels(bytes, start, label, topLevel.suffixLabels)) return true;
  const name = asciiText(bytes, start, end);
  if (data.publicSuffix(name) !== name || data.receivesMail(bytes, start, end)) return true;
  return scan.reject("public_suffix", inputStart);
}

/** The bytes of a mapped domain have other places in the input: its start is the nearest certain one. */
function placeOf({ mapped, inputStart }: DomainScan, index: number): number {
  return mapped ? inputStart : index;
}

/** True for more than `count` labels from `start` on. The last one begins at `last`, and is not the only one. */
function hasMoreLabels(bytes: Uint8Array, start: number, last: number, count: number): boolean {
  let labels = 2;
  for (let i = last - 2; i >= start && labels <= count; i -= 1) if (bytes[i] === DOT) labels += 1;
  return labels > count;
}

/** The rule for a last label, from `label` on, that is neither in the root zone nor reserved. */
function checkUnknown(domain: DomainScan, label: number, options: SyntaxOptions, scan: MailboxScan): boolean {
  const { bytes, start, end, inputStart } = domain;
  const place = placeOf(domain, label);
  const first = bytes[label] as number;
  const numeric = first >= 0x30 && first <= 0x39 && /^\d+$/.test(asciiText(bytes, label, end));
  if (numeric && isIpv4(asciiText(bytes, start, end))) return scan.reject("ip_address", inputStart);
  // A top-level domain is never all digits (RFC 3696 §2), so no option lets one in.
  if (options.allowUnknownTld !== true || numeric) {
    return scan.reject(label === start && !numeric ? "dotless" : "unknown_tld", place);
  }
  return label > start || options.allowBareSuffix === true || scan.reject("dotless", place);
}

/** The part of the package tldts that is used. */
export interface Tldts {
  getPublicSuffix(
    domain: string,
    options: { allowPrivateDomains: boolean; extractHostname: boolean; validateHostname: boolean; detectIp: boolean },
  ): string | null;
}

// The parser has already checked the name. Only the ICANN section counts.
const OPTIONS = { allowPrivateDomains: false, extractHostname: false, validateHostname: false, detectIp: false };

/** The longest suffix of the ICANN section at the end of a domain in lower-case A-labels. */
export function suffixOf(tldts: () => Tldts): SuffixData["publicSuffix"] {
  let loaded: Tldts | undefined;
  return (domain) => {
    loaded ??= tldts();
    return loaded.getPublicSuffix(domain, OPTIONS);
  };
}
