// The switches of the syntax policy. The rules are elsewhere.

/** Switches of the syntax policy. With all of them off, which is the default, an address must be deliverable on the internet. */
export interface SyntaxOptions {
  /** Refuse quoted local parts. */
  readonly noQuotedLocal?: boolean;
  /** Refuse internationalized local parts and domains written in Unicode; A-labels stay. */
  readonly asciiOnly?: boolean;
  /** Accept `[192.0.2.1]` and `[IPv6:…]`, RFC 5321 §4.1.3. */
  readonly allowDomainLiteral?: boolean;
  /** Accept a top-level domain that is not in the root zone. */
  readonly allowUnknownTld?: boolean;
  /** Accept special-use top-level domains (RFC 6761 and others), and single-label reserved names such as `localhost`. */
  readonly allowReserved?: boolean;
  /** Accept a domain that is itself a public suffix, and a bare top-level domain. */
  readonly allowBareSuffix?: boolean;
  /** Accept a local part over 64 octets; the whole address stays within 254. */
  readonly allowLongLocal?: boolean;
}
