// Syntax faults: code, message and reference.

/** Faults by code. Codes are stable: scripts match on them. `reference` is the RFC section or list that is violated. */
export const SYNTAX_FAULTS = {
  empty: { message: "the address is empty", reference: "RFC 5321 §4.1.2" },
  missing_at: { message: "there is no @ between a local part and a domain", reference: "RFC 5321 §4.1.2" },
  lookalike_at: { message: "a look-alike character is used instead of @", reference: "RFC 5321 §4.1.2" },
  multiple_at: { message: "there is more than one @", reference: "RFC 5321 §4.1.2" },
  several_addresses: {
    message: "there is more than one address; the first ends here",
    reference: "RFC 5321 §4.1.2, RFC 5322 §3.4",
  },
  invalid_utf8: { message: "the bytes are not UTF-8", reference: "RFC 3629 §3" },
  line_too_long: { message: "the line or field is longer than 64 KiB", reference: "RFC 5321 §4.5.3.1.3" },
  not_an_object: { message: "the line is not a JSON object", reference: "RFC 8259 §4" },
  address_too_long: {
    message: "the address is longer than 254 octets",
    reference: "RFC 5321 §4.5.3.1.3, RFC 3696 erratum 1690",
  },
  white_space: { message: "white space is not allowed here", reference: "RFC 5321 §4.1.2" },
  control_character: { message: "a control character is not allowed", reference: "RFC 5321 §4.1.2" },
  comment: { message: "comments are not allowed", reference: "RFC 5321 §4.1.2" },
  angle_bracket: {
    message: "display names, routes and angle brackets are not allowed",
    reference: "RFC 5321 §4.1.2",
  },
  unicode_disallowed: {
    message: "an invisible, private-use, separator, replacement or unassigned code point is not allowed",
    reference: "RFC 6532 §3.1, RFC 5198 §2",
  },
  unicode_leading_mark: { message: "the local part starts with a combining mark", reference: "RFC 5198 §2" },
  unicode_normalization: {
    message: "the local part is not valid after Unicode normalization (NFC)",
    reference: "RFC 6532 §3.1",
  },
  non_ascii: { message: "only ASCII is allowed by the options", reference: "RFC 6531 §3.3, option --ascii-only" },
  local_part_empty: { message: "there is nothing before the @", reference: "RFC 5321 §4.1.2" },
  local_part_too_long: { message: "the local part is longer than 64 octets", reference: "RFC 5321 §4.5.3.1.1" },
  local_part_dot: {
    message: "the local part begins or ends with a dot, or has two dots in a row",
    reference: "RFC 5321 §4.1.2 Dot-string",
  },
  local_part_character: {
    message: "this character needs a quoted local part",
    reference: "RFC 5321 §4.1.2 Atom, RFC 5322 §3.2.3",
  },
  quoted_empty: { message: "the quoted local part is empty", reference: "RFC 5321 §4.1.2 Quoted-string" },
  quoted_unterminated: {
    message: "the quoted local part has no closing quote",
    reference: "RFC 5321 §4.1.2 Quoted-string",
  },
  quoted_character: {
    message: "this character is not allowed in a quoted local part",
    reference: "RFC 5321 §4.1.2 QcontentSMTP",
  },
  quoted_address: {
    message: "the whole address is in quotation marks",
    reference: "RFC 5321 §4.1.2 Quoted-string",
  },
  quoted_misplaced: {
    message: "a quoted string must be the whole local part",
    reference: "RFC 5321 §4.1.2 Local-part",
  },
  quoted_disallowed: {
    message: "quoted local parts are not allowed by the options",
    reference: "RFC 5321 §4.1.2, option --no-quoted-local",
  },
  domain_empty: { message: "there is nothing after the @", reference: "RFC 5321 §4.1.2 Domain" },
  domain_too_long: { message: "the domain is longer than 253 octets", reference: "RFC 1035 §2.3.4" },
  domain_dot: {
    message: "the domain begins or ends with a dot, or has two dots in a row",
    reference: "RFC 5321 §4.1.2 Domain",
  },
  domain_character: {
    message: "this character is not allowed in a domain",
    reference: "RFC 5321 §4.1.2 sub-domain, RFC 5890 §2.3.1",
  },
  domain_underscore: {
    message: "an underscore is not allowed in a mail domain",
    reference: "RFC 5321 §4.1.2 sub-domain",
  },
  label_too_long: { message: "a label of the domain is longer than 63 octets", reference: "RFC 1035 §2.3.4" },
  label_hyphen: { message: "a label begins or ends with a hyphen", reference: "RFC 5321 §4.1.2 Let-dig, Ldh-str" },
  idna_invalid: { message: "the internationalized domain is not valid", reference: "UTS #46 §4, RFC 5893" },
  a_label_invalid: {
    message: "an xn-- label does not decode and encode back to itself",
    reference: "RFC 5890 §2.3.2.1",
  },
  domain_literal: {
    message: "address literals are not allowed by default",
    reference: "RFC 5321 §4.1.3, option --allow-domain-literal",
  },
  domain_literal_invalid: { message: "the address literal is malformed", reference: "RFC 5321 §4.1.3" },
  ip_address: {
    message: "a bare IP address is not a domain",
    reference: "RFC 5321 §4.1.3, RFC 3696 §2",
  },
  dotless: { message: "the domain has a single label", reference: "RFC 7085, RFC 5321 §2.3.5" },
  unknown_tld: {
    message: "the top-level domain is not in the root zone",
    reference: "IANA root zone database, option --allow-unknown-tld",
  },
  special_use_tld: {
    message: "the top-level domain is reserved and accepts no mail from the internet",
    reference: "IANA special-use domain names (RFC 6761), option --allow-reserved",
  },
  public_suffix: {
    message: "the domain is itself a public suffix",
    reference: "Public Suffix List",
  },
} as const;

export type SyntaxCode = keyof typeof SYNTAX_FAULTS;

/** The first fault of an address. `offset` is in bytes of UTF-8 from the start of the address. */
export interface SyntaxFault {
  readonly code: SyntaxCode;
  readonly offset: number;
}
