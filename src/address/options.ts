// Switches of the syntax policy.

/** By default all switches are off: an address must be deliverable on the internet. */
export interface SyntaxOptions {
  /** Reject quoted local parts. */
  readonly noQuotedLocal?: boolean | undefined;
  /** Reject non-ASCII local parts and domains; accept A-labels. */
  readonly asciiOnly?: boolean | undefined;
  /** Accept `[192.0.2.1]` and `[IPv6:…]`, RFC 5321 §4.1.3. */
  readonly allowDomainLiteral?: boolean | undefined;
  /** Accept a top-level domain that is not in the root zone. */
  readonly allowUnknownTld?: boolean | undefined;
  /** Accept special-use top-level domains (RFC 6761), and reserved names of one label such as `localhost`. */
  readonly allowReserved?: boolean | undefined;
}

/** Switches by the name of their command-line option and query parameter. */
export const SYNTAX_SWITCHES = {
  "no-quoted-local": "noQuotedLocal",
  "ascii-only": "asciiOnly",
  "allow-domain-literal": "allowDomainLiteral",
  "allow-unknown-tld": "allowUnknownTld",
  "allow-reserved": "allowReserved",
} as const satisfies Readonly<Record<string, keyof SyntaxOptions>>;
export type SyntaxSwitch = keyof typeof SYNTAX_SWITCHES;

/** Returns the switches for which `readSwitch` returns a value. */
export function collectSyntaxOptions(readSwitch: (name: SyntaxSwitch) => boolean | undefined): SyntaxOptions {
  const entries = Object.entries(SYNTAX_SWITCHES).flatMap(([name, option]) => {
    const value = readSwitch(name as SyntaxSwitch);
    return value === undefined ? [] : [[option, value] as const];
  });
  return Object.fromEntries(entries);
}
