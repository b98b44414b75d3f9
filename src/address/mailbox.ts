// Address parser: returns a Mailbox or a SyntaxFault.

import { decodeAsciiLowercase, decodeUtf8, encodeUtf8 } from "../base/bytes/bytes.ts";
import type { Result } from "../base/result.ts";
import { scanDomain } from "./domain/domain.ts";
import { domainToUnicode } from "./domain/idna.ts";
import { checkSuffix, type SuffixData } from "./domain/suffix.ts";
import { SYNTAX_FAULTS, type SyntaxFault, utf16Offset } from "./faults.ts";
import { scanLocalPart } from "./local-part.ts";
import type { SyntaxOptions } from "./options.ts";
import { ADDRESS_MAX, MailboxScan } from "./scan.ts";

/** A domain in A-labels and in U-labels, both in lower case. A domain literal is the same in both. */
export interface DomainName {
  readonly ascii: string;
  readonly unicode: string;
}

/** A well-formed address, RFC 5321 §4.1.2 Mailbox. */
export interface Mailbox {
  /** As written, in NFC; a quoted string keeps its quotes. */
  readonly localPart: string;
  readonly domain: DomainName;
  /** Whether the local part needs SMTPUTF8 (RFC 6531). */
  readonly smtputf8: boolean;
}

/** Scans the local part and the `@`. Returns the start of the domain, or sets `scan.fault` and returns -1. */
export function scanToDomain(bytes: Uint8Array, start: number, end: number, scan: MailboxScan): number {
  scan.fault = undefined;
  if (start === end) return scan.fail("empty", start);
  const atSign = scanLocalPart(bytes, start, end, scan);
  if (atSign < 0) return -1;
  scan.atIndex = atSign;
  return atSign + 1;
}

/** Checks the length of the whole address (RFC 5321 §4.5.3.1.3); sets the fault in `scan` if it is too long. */
export function checkAddressLength(start: number, end: number, domainLength: number, scan: MailboxScan): boolean {
  if (scan.localPartLength + 1 + domainLength <= ADDRESS_MAX) return true;
  return scan.reject("address_too_long", Math.min(start + ADDRESS_MAX, end));
}

/**
 * Parses an address in linear time. Nothing is trimmed or repaired. Can return every fault of SYNTAX_FAULTS except
 * `line_too_long` and `not_an_object`, which concern rows.
 */
export function parseMailbox(
  address: string | Uint8Array,
  options: SyntaxOptions,
  suffixes: SuffixData,
): Result<Mailbox, SyntaxFault> {
  const bytes = typeof address === "string" ? encodeUtf8(address) : address;
  const scan = new MailboxScan(options);
  const { domain } = scan;
  const end = bytes.length;
  const domainStart = scanToDomain(bytes, 0, end, scan);
  const isValid =
    domainStart >= 0 &&
    scanDomain(bytes, domainStart, end, scan) &&
    (domain.isLiteral || checkSuffix(scan, suffixes)) &&
    checkAddressLength(0, end, domain.end - domain.start, scan);
  if (!isValid) {
    const { fault: code = "empty", faultIndex } = scan;
    const offset = typeof address === "string" ? utf16Offset(bytes, 0, end, faultIndex) : faultIndex;
    return { ok: false, fault: { code, offset, ...SYNTAX_FAULTS[code] } };
  }
  const ascii = decodeAsciiLowercase(domain.bytes, domain.start, domain.end);
  const unicode = domain.isLiteral ? ascii : domainToUnicode(ascii);
  const localPart = decodeUtf8(bytes, 0, scan.atIndex).normalize("NFC");
  return { ok: true, value: { localPart, domain: { ascii, unicode }, smtputf8: scan.smtputf8 } };
}
