// A whole address: bytes or text in, a Mailbox or a SyntaxFault out.

import { asciiText, decodeUtf8, encodeUtf8 } from "../base/bytes/bytes.ts";
import type { Result } from "../base/result.ts";
import { scanDomain } from "./domain/domain.ts";
import { domainToUnicode } from "./domain/idna.ts";
import { checkSuffix, type SuffixData } from "./domain/suffix.ts";
import type { SyntaxFault } from "./faults.ts";
import { scanLocalPart } from "./local-part.ts";
import type { SyntaxOptions } from "./options.ts";
import { ADDRESS_MAX, MailboxScan } from "./scan.ts";

export interface DomainName {
  readonly ascii: string;
  readonly unicode: string;
}

/** A well-formed address, RFC 5321 §4.1.2 Mailbox. */
export interface Mailbox {
  /** As written, in normalization form C; a quoted string keeps its quotes. */
  readonly localPart: string;
  readonly domain: DomainName;
  /** The local part needs SMTPUTF8, RFC 6531. */
  readonly smtputf8: boolean;
}

/** Scans the local part and the `@`; returns the index of the domain, or -1 with the fault in `scan`. */
export function scanToDomain(bytes: Uint8Array, start: number, end: number, scan: MailboxScan): number {
  scan.fault = undefined;
  if (start === end) return scan.fail("empty", start);
  const at = scanLocalPart(bytes, start, end, scan);
  if (at < 0) return -1;
  scan.atIndex = at;
  return at + 1;
}

/** Checks RFC 5321 §4.5.3.1.3 for the parsed parts; false with the fault in `scan`. */
export function checkAddressLength(start: number, end: number, domainLength: number, scan: MailboxScan): boolean {
  if (scan.localPartLength + 1 + domainLength <= ADDRESS_MAX) return true;
  return scan.reject("address_too_long", Math.min(start + ADDRESS_MAX, end));
}

/**
 * Parses an address. Only the domain's letter case and its UTS #46 mapping change; nothing is trimmed or repaired.
 * Faults: every code of SYNTAX_FAULTS except `line_too_long`. Linear time in the input's length.
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
  if (!isValid) return { ok: false, fault: { code: scan.fault ?? "empty", offset: scan.faultIndex } };
  const ascii = asciiText(domain.bytes, domain.start, domain.end);
  const unicode = domain.isLiteral ? ascii : domainToUnicode(ascii);
  const localPart = decodeUtf8(bytes, 0, scan.atIndex).normalize("NFC");
  return { ok: true, value: { localPart, domain: { ascii, unicode }, smtputf8: scan.smtputf8 } };
}
