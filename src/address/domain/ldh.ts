// Letters, digits and hyphen: the octets of a host name (RFC 952, RFC 1123 §2.1), and the faults of other octets.

import type { SyntaxCode } from "../faults.ts";

const LDH = new Uint8Array(256);
for (const char of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.") LDH[char.charCodeAt(0)] = 1;

/** True for a letter, a digit, the hyphen and the dot between labels. */
export function isLdhOrDot(octet: number): boolean {
  return LDH[octet] === 1;
}

/** The fault of an ASCII octet that is not allowed in a domain. */
export function faultOfDomainOctet(octet: number): SyntaxCode {
  if (octet === 0x40) return "multiple_at";
  if (octet === 0x5f) return "domain_underscore";
  if (octet === 0x20 || (octet >= 0x09 && octet <= 0x0d)) return "white_space";
  if (octet < 0x20 || octet === 0x7f) return "control_character";
  if (octet === 0x28 || octet === 0x29) return "comment";
  return octet === 0x3c || octet === 0x3e ? "angle_bracket" : "domain_character";
}
