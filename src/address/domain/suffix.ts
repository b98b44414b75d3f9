// Whether a domain's suffix can be that of a mail domain: root zone, special-use names, Public Suffix List.

import { DOT } from "../../base/bytes/ascii.ts";
import { asciiText } from "../../base/bytes/bytes.ts";
import type { DomainScan, MailboxScan } from "../scan.ts";
import { isIpv4 } from "./domain.ts";

/** Kinds of a top-level label: in the IANA root zone, reserved by an RFC, or neither. */
export type TopLevel = "root-zone" | "special-use" | "unknown";

/** The data of the suffix rule. Bytes may be in either letter case. */
export interface SuffixData {
  topLevel(bytes: Uint8Array, start: number, end: number): TopLevel;
  /** True for a suffix of two labels or more of the list's ICANN section. */
  isSuffix(bytes: Uint8Array, start: number, end: number): boolean;
  /** True for a public suffix that is known to receive mail itself. */
  receivesMail(bytes: Uint8Array, start: number, end: number): boolean;
}

/**
 * Checks the suffix of a domain that is not a literal; false with the fault in `scan`. The private section of the list
 * never counts: `gov.scot`, `uk.com` and `eu.org` are mail domains.
 */
export function checkSuffix(scan: MailboxScan, data: SuffixData): boolean {
  const { options, domain } = scan;
  const { bytes, start, end, inputStart } = domain;
  let label = end;
  while (label > start && bytes[label - 1] !== DOT) label -= 1;
  const topLevel = data.topLevel(bytes, label, end);
  if (topLevel === "special-use") {
    return options.allowReserved === true || scan.reject("special_use_tld", placeOf(domain, label));
  }
  if (topLevel === "unknown") return checkUnknown(label, scan);
  if (label === start) return scan.reject("dotless", inputStart);
  if (!data.isSuffix(bytes, start, end) || data.receivesMail(bytes, start, end)) return true;
  return scan.reject("public_suffix", inputStart);
}

/** The place of a fault in the input; of a mapped domain, whose bytes are others, its beginning. */
function placeOf({ mapped, inputStart }: DomainScan, index: number): number {
  return mapped ? inputStart : index;
}

/** The rule for a last label, from `label` on, that is neither in the root zone nor reserved. */
function checkUnknown(label: number, scan: MailboxScan): boolean {
  const { options, domain } = scan;
  const { bytes, start, end, inputStart } = domain;
  const place = placeOf(domain, label);
  const first = bytes[label] as number;
  const numeric = first >= 0x30 && first <= 0x39 && /^\d+$/.test(asciiText(bytes, label, end));
  if (numeric && isIpv4(asciiText(bytes, start, end))) return scan.reject("ip_address", inputStart);
  // A top-level domain is never all digits (RFC 3696 §2), so no option lets one in.
  if (options.allowUnknownTld !== true || numeric) {
    return scan.reject(label === start && !numeric ? "dotless" : "unknown_tld", place);
  }
  return label > start || scan.reject("dotless", place);
}
