// Checks whether a domain with this suffix can have mail: root zone, special-use names, Public Suffix List.

import { decodeAsciiLowercase } from "../../base/bytes/bytes.ts";
import type { MailboxScan } from "../scan.ts";
import { findLastLabel, isIpv4 } from "./domain.ts";

/** Kinds of a top-level label: in the IANA root zone, reserved by an RFC, or neither. */
export type TopLevel = "root-zone" | "special-use" | "unknown";

/** Lookups for the suffix check. They ignore ASCII letter case. */
export interface SuffixData {
  topLevel(bytes: Uint8Array, start: number, end: number): TopLevel;
  /** Reports whether the name is a suffix of two or more labels in the Public Suffix List's ICANN section. */
  isSuffix(bytes: Uint8Array, start: number, end: number): boolean;
  /** Reports whether the name is a public suffix that is known to receive mail itself. */
  receivesMail(bytes: Uint8Array, start: number, end: number): boolean;
}

/**
 * Checks the suffix of a domain that is not a literal. If it is not allowed, sets `scan.fault` and returns
 * false. Ignores the private section of the Public Suffix List: `gov.scot`, `uk.com` and `eu.org` are mail domains.
 */
export function checkSuffix(scan: MailboxScan, data: SuffixData): boolean {
  const { options, domain } = scan;
  const { bytes, start, end, inputStart, isMapped } = domain;
  const lastLabel = findLastLabel(bytes, start, end);
  // The bytes of a mapped domain differ from the input.
  const faultIndex = isMapped ? domain.inputLastLabel : lastLabel;
  const topLevel = data.topLevel(bytes, lastLabel, end);
  if (topLevel === "special-use") return options.allowReserved === true || scan.reject("special_use_tld", faultIndex);
  if (topLevel === "unknown") return checkUnknownTld(lastLabel, faultIndex, scan);
  if (lastLabel === start) return scan.reject("dotless", inputStart);
  if (!data.isSuffix(bytes, start, end) || data.receivesMail(bytes, start, end)) return true;
  return scan.reject("public_suffix", inputStart);
}

/** Checks a domain whose last label is neither in the root zone nor reserved. */
function checkUnknownTld(lastLabel: number, faultIndex: number, scan: MailboxScan): boolean {
  const { options, domain } = scan;
  const { bytes, start, end, inputStart } = domain;
  const first = bytes[lastLabel] as number;
  const isNumeric = first >= 0x30 && first <= 0x39 && /^\d+$/.test(decodeAsciiLowercase(bytes, lastLabel, end));
  if (isNumeric && isIpv4(decodeAsciiLowercase(bytes, start, end))) return scan.reject("ip_address", inputStart);
  // A top-level domain is never all digits (RFC 3696 §2), so no option allows one.
  if (options.allowUnknownTld !== true || isNumeric) {
    return scan.reject(lastLabel === start && !isNumeric ? "dotless" : "unknown_tld", faultIndex);
  }
  return lastLabel > start || scan.reject("dotless", faultIndex);
}
