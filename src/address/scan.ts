// The scratch record that the parser fills: where the parts of an address are in its bytes. Reused, so that bulk work
// allocates nothing.

import type { SyntaxCode } from "./faults.ts";

/**
 * How the local part is written: an ASCII dot-string, a dot-string that needs SMTPUTF8, or a quoted string (ASCII or
 * not).
 */
export type LocalPartForm = "dot-string" | "utf8-dot-string" | "quoted";

/** The kinds of bytes in a plain dot-string, as bits, so that later steps can skip what is not there. */
export const TRAIT = { atext: 1, dot: 2, upper: 4, plus: 8, hyphen: 16, underscore: 32, digit: 64 } as const;
/** The traits of a local part that is not a plain dot-string: it may contain anything. */
export const ANY_TRAIT: number = -1;

/** Result of scanning one address. Indexes count bytes of the scanned array, not from the start of the address. */
export class MailboxScan {
  fault: SyntaxCode | undefined = undefined;
  faultIndex = 0;
  /** Index of the `@` between local part and domain. */
  at = 0;
  form: LocalPartForm = "dot-string";
  /** TRAIT bits of the local part. */
  traits: number = ANY_TRAIT;
  /** Bytes of the local part, as written or in normalization form C, whichever is longer. */
  localLength = 0;
  /** The local part holds a code point beyond ASCII: it needs SMTPUTF8 (RFC 6531). */
  smtputf8 = false;

  /** Notes a fault and gives -1, the sign for "stop" of scanners that give an index. */
  fail(code: SyntaxCode, index: number): -1 {
    this.fault = code;
    this.faultIndex = index;
    return -1;
  }

  /** Notes a fault and gives false, the sign for "stop" of checks. */
  reject(code: SyntaxCode, index: number): false {
    this.fail(code, index);
    return false;
  }
}

/** Local part, RFC 5321 §4.5.3.1.1. */
export const LOCAL_PART_MAX = 64;
/** Label, RFC 1035 §2.3.4. */
export const LABEL_MAX = 63;
/**
 * Domain in A-labels without the root's dot, RFC 1035 §2.3.4 (255 octets on the wire). RFC 5321 §4.5.3.1.2 says 255,
 * but DNS can't be asked about a longer name.
 */
export const DOMAIN_MAX = 253;
/**
 * Whole address: the path of RFC 5321 §4.5.3.1.3 has 256 bytes, two of them angle brackets (RFC 3696 erratum 1690).
 */
export const ADDRESS_MAX = 254;
/**
 * Domain as written, before UTS #46 maps it: 253 code points of at most 4 bytes each, and as many bytes again for
 * what the mapping removes. A longer one is refused unread.
 */
export const DOMAIN_INPUT_MAX = 2048;
