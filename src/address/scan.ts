// The record that the parser fills: the places of an address's parts in its bytes. Reused, so that bulk work allocates
// nothing.

import type { SyntaxCode } from "./faults.ts";
import type { SyntaxOptions } from "./options.ts";

export type LocalPartForm = "dot-string" | "utf8-dot-string" | "quoted";

/** The kinds of bytes in a plain dot-string, as bits, so that later steps can skip work. */
export const CHAR_CLASS = { atext: 1, dot: 2, upper: 4, plus: 8, hyphen: 16, underscore: 32, digit: 64 } as const;
/** The traits of a local part that is not a plain dot-string: it may contain anything. */
export const ANY_CHAR_CLASS: number = -1;

/** The place of the domain's A-labels: in the input, in either letter case, or in other bytes, in lower case. */
export class DomainScan {
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  isLiteral = false;
  /** The place of the domain in the scanned array. */
  inputStart = 0;
  isMapped = false;
}

/** Result of scanning one address. Indexes count bytes of the scanned array, not from the start of the address. */
export class MailboxScan {
  fault: SyntaxCode | undefined = undefined;
  faultIndex = 0;
  /** Index of the `@` between local part and domain. */
  atIndex = 0;
  form: LocalPartForm = "dot-string";
  charClasses: number = ANY_CHAR_CLASS;
  /** Bytes of the local part, as written or in normalization form C, whichever is longer. */
  localPartLength = 0;
  /** The local part has a code point beyond ASCII: it needs SMTPUTF8 (RFC 6531). */
  smtputf8 = false;
  readonly domain: DomainScan = new DomainScan();

  constructor(readonly options: SyntaxOptions = {}) {}

  fail(code: SyntaxCode, index: number): -1 {
    this.fault = code;
    this.faultIndex = index;
    return -1;
  }

  reject(code: SyntaxCode, index: number): false {
    this.fail(code, index);
    return false;
  }
}

/** Local part, RFC 5321 §4.5.3.1.1. */
export const LOCAL_PART_MAX = 64;
/** Label, RFC 1035 §2.3.4. */
export const LABEL_MAX = 63;
/** Domain in A-labels, RFC 1035 §2.3.4. RFC 5321 §4.5.3.1.2 says 255, but DNS can't be asked about a longer name. */
export const DOMAIN_MAX = 253;
/** Whole address: the path of RFC 5321 §4.5.3.1.3 without its angle brackets (RFC 3696 erratum 1690). */
export const ADDRESS_MAX = 254;
/** Domain as written: 253 code points of at most 4 bytes, and as many bytes again for what UTS #46 removes. */
export const DOMAIN_INPUT_MAX = 2048;
