// Result of the parser: byte indexes of the parts of an address. Reused, so bulk work allocates nothing.

import type { SyntaxCode } from "./faults.ts";
import type { SyntaxOptions } from "./options.ts";

export type LocalPartForm = "dot-string" | "utf8-dot-string" | "quoted";

/** Bits for the bytes in a plain dot-string. Later steps use them to skip work. */
export const CHAR_CLASS = { atext: 1, dot: 2, upper: 4, plus: 8, hyphen: 16, underscore: 32, digit: 64 } as const;
/** All bits set: a local part that is not a plain dot-string can contain anything. */
export const ANY_CHAR_CLASS: number = -1;

/** Domain in A-labels: a range of the input, in any letter case; or if mapped, other bytes, in lower case. */
export class DomainScan {
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  isLiteral = false;
  /** Start of the domain in the scanned array. */
  inputStart = 0;
  /** If mapped: start of the last label in the scanned array. Only ASCII dots count. */
  inputLastLabel = 0;
  isMapped = false;
}

/** Result of scanning one address. Indexes are relative to the scanned array, not to the start of the address. */
export class MailboxScan {
  fault: SyntaxCode | undefined = undefined;
  faultIndex = 0;
  /** Index of the `@` between local part and domain. */
  atIndex = 0;
  form: LocalPartForm = "dot-string";
  charClasses: number = ANY_CHAR_CLASS;
  /** Length of the local part in bytes, as written or in NFC, whichever is longer. */
  localPartLength = 0;
  /** Whether the local part is not ASCII and so needs SMTPUTF8 (RFC 6531). */
  smtputf8 = false;
  readonly domain: DomainScan = new DomainScan();

  constructor(readonly options: SyntaxOptions = {}) {}

  /** Sets the fault. For scanners that return an index. */
  fail(code: SyntaxCode, index: number): -1 {
    this.fault = code;
    this.faultIndex = index;
    return -1;
  }

  /** Sets the fault. For checks that return a boolean. */
  reject(code: SyntaxCode, index: number): false {
    this.fail(code, index);
    return false;
  }
}

// Maximum lengths in bytes.
/** Local part, RFC 5321 §4.5.3.1.1. */
export const LOCAL_PART_MAX = 64;
/** Label, RFC 1035 §2.3.4. */
export const LABEL_MAX = 63;
/** Domain in A-labels, RFC 1035 §2.3.4. RFC 5321 §4.5.3.1.2 allows 255, but DNS names have at most 253. */
export const DOMAIN_MAX = 253;
/** Address: the path of RFC 5321 §4.5.3.1.3 without its angle brackets (RFC 3696 erratum 1690). */
export const ADDRESS_MAX = 254;
/** Domain as written: 253 code points of up to 4 bytes, and as much again for code points that UTS #46 removes. */
export const DOMAIN_INPUT_MAX = 2048;
