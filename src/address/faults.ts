// Syntax faults: code, message and reference.

import { decodeUtf8 } from "../base/bytes/bytes.ts";

/** Faults by code. Codes are stable: scripts match on them. `reference` is the RFC section or list that is violated. */
export const SYNTAX_FAULTS = {
  empty: fault("the address is empty", "RFC 5321 §4.1.2"),
  missing_at: fault("there is no @ between a local part and a domain", "RFC 5321 §4.1.2"),
  lookalike_at: fault("a look-alike character is used instead of @", "RFC 5321 §4.1.2"),
  multiple_at: fault("there is more than one @", "RFC 5321 §4.1.2"),
  several_addresses: fault("there is more than one address; the first ends here", "RFC 5321 §4.1.2, RFC 5322 §3.4"),
  invalid_utf8: fault("the bytes are not UTF-8", "RFC 3629 §3"),
  line_too_long: fault("the line or field is longer than 64 KiB", "RFC 5321 §4.5.3.1.3"),
  not_an_object: fault("the line is not a JSON object", "RFC 8259 §4"),
  address_too_long: fault("the address is longer than 254 octets", "RFC 5321 §4.5.3.1.3, RFC 3696 erratum 1690"),
  white_space: fault("white space is not allowed here", "RFC 5321 §4.1.2"),
  control_character: fault("a control character is not allowed", "RFC 5321 §4.1.2"),
  comment: fault("comments are not allowed", "RFC 5321 §4.1.2"),
  angle_bracket: fault("angle brackets, display names and routes are not allowed", "RFC 5321 §4.1.2"),
  unicode_disallowed: fault(
    "this character is invisible, or Unicode gives it no meaning",
    "RFC 6532 §3.1, RFC 5198 §2",
  ),
  unicode_leading_mark: fault("the local part starts with a combining mark", "RFC 5198 §2"),
  unicode_normalization: fault("the local part is not valid after Unicode normalization (NFC)", "RFC 6532 §3.1"),
  non_ascii: fault("only ASCII is allowed by the options", "RFC 6531 §3.3, option ascii-only"),
  local_part_empty: fault("there is nothing before the @", "RFC 5321 §4.1.2"),
  local_part_too_long: fault("the local part is longer than 64 octets", "RFC 5321 §4.5.3.1.1"),
  local_part_dot: fault("a dot begins or ends the local part, or follows another dot", "RFC 5321 §4.1.2 Dot-string"),
  local_part_character: fault("this character needs a quoted local part", "RFC 5321 §4.1.2 Atom, RFC 5322 §3.2.3"),
  quoted_empty: fault("the quoted local part is empty", "RFC 5321 §4.1.2 Quoted-string"),
  quoted_unterminated: fault("the quoted local part has no closing quote", "RFC 5321 §4.1.2 Quoted-string"),
  quoted_character: fault("this character is not allowed in a quoted local part", "RFC 5321 §4.1.2 QcontentSMTP"),
  quoted_address: fault("the whole address is in quotation marks", "RFC 5321 §4.1.2 Quoted-string"),
  quoted_misplaced: fault("a quoted string must be the whole local part", "RFC 5321 §4.1.2 Local-part"),
  quoted_disallowed: fault(
    "quoted local parts are not allowed by the options",
    "RFC 5321 §4.1.2, option no-quoted-local",
  ),
  domain_empty: fault("there is nothing after the @", "RFC 5321 §4.1.2 Domain"),
  domain_too_long: fault("the domain is longer than 253 octets", "RFC 1035 §2.3.4"),
  domain_dot: fault("a dot begins or ends the domain, or follows another dot", "RFC 5321 §4.1.2 Domain"),
  domain_character: fault("this character is not allowed in a domain", "RFC 5321 §4.1.2 sub-domain, RFC 5890 §2.3.1"),
  domain_underscore: fault("an underscore is not allowed in a mail domain", "RFC 5321 §4.1.2 sub-domain"),
  label_too_long: fault("a label of the domain is longer than 63 octets", "RFC 1035 §2.3.4"),
  label_hyphen: fault("a label begins or ends with a hyphen", "RFC 5321 §4.1.2 Let-dig, Ldh-str"),
  idna_invalid: fault("the internationalized domain is not valid", "UTS #46 §4, RFC 5893"),
  a_label_invalid: fault("an xn-- label does not decode and encode back to itself", "RFC 5890 §2.3.2.1"),
  domain_literal: fault("address literals are not allowed by default", "RFC 5321 §4.1.3, option allow-domain-literal"),
  domain_literal_invalid: fault("the address literal is malformed", "RFC 5321 §4.1.3"),
  ip_address: fault("a bare IP address is not a domain", "RFC 5321 §4.1.3, RFC 3696 §2"),
  dotless: fault("the domain has no dot", "RFC 7085, RFC 5321 §2.3.5"),
  unknown_tld: fault(
    "the top-level domain is not in the root zone",
    "IANA root zone database, option allow-unknown-tld",
  ),
  special_use_tld: fault(
    "the top-level domain is reserved and accepts no mail from the internet",
    "IANA special-use domain names (RFC 6761), option allow-reserved",
  ),
  public_suffix: fault("the domain is itself a public suffix", "Public Suffix List"),
};

function fault(message: string, reference: string): { readonly message: string; readonly reference: string } {
  return { message, reference };
}

export type SyntaxCode = keyof typeof SYNTAX_FAULTS;

/** The first fault of an address. */
export interface SyntaxFault {
  /** A key of SYNTAX_FAULTS. */
  readonly code: SyntaxCode;
  /** Start of the fault, as an index of the address: in UTF-16 units of a string, in bytes of a Uint8Array. */
  readonly offset: number;
  /** The problem, such as `the domain has no dot`. */
  readonly message: string;
  /** The RFC section or list that is violated. */
  readonly reference: string;
}

/** Returns the index in UTF-16 units, from `start`, of the code point that contains the byte at `index`. */
export function utf16Offset(bytes: Uint8Array, start: number, end: number, index: number): number {
  let charStart = index;
  while (charStart > start && charStart < end && ((bytes[charStart] as number) & 0xc0) === 0x80) charStart -= 1;
  return decodeUtf8(bytes, start, charStart).length;
}
