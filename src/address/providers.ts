// Canonicalization rules of mailbox providers.

import { HYPHEN, PLUS } from "../base/bytes/ascii.ts";
import { encodeUtf8 } from "../base/bytes/bytes.ts";

export interface ProviderRule {
  readonly id: string;
  /** Byte between user and tag ("detail" in RFC 5233); 0 if the provider has no subaddressing. */
  readonly separator: number;
  readonly ignoredChars: string;
  /** Yandex: `a-b` and `a.b` are the same mailbox. */
  readonly treatsHyphenAsDot: boolean;
  /** Fastmail: `tag@user.example.com` is delivered to `user@example.com`. */
  readonly hasUserSubdomains: boolean;
  /** Whether the rule also applies to subdomains. */
  readonly includesSubdomains: boolean;
  /** If the provider's domains are aliases of each other, the one in the canonical form. */
  readonly canonicalDomain: string | undefined;
  readonly canonicalDomainBytes: Uint8Array | undefined;
}

const NO_TAGS = { separator: 0 } as const;

function rule(id: string, properties: Partial<ProviderRule> = {}): ProviderRule {
  return {
    id,
    separator: PLUS,
    ignoredChars: "",
    treatsHyphenAsDot: false,
    hasUserSubdomains: false,
    includesSubdomains: false,
    canonicalDomain: undefined,
    canonicalDomainBytes: properties.canonicalDomain === undefined ? undefined : encodeUtf8(properties.canonicalDomain),
    ...properties,
  };
}

/** Rule for all other domains. Nearly every provider with tags uses `+` (RFC 5233). */
export const GENERIC_PROVIDER: ProviderRule = rule("generic");

/**
 * The compiled table refers to rules by index plus 1, so append new ones. data/providers.tsv assigns operators to rules
 * and cites the provider's documentation.
 */
export const PROVIDER_RULES: readonly ProviderRule[] = [
  rule("gmail", { ignoredChars: ".", canonicalDomain: "gmail.com" }),
  rule("outlook"),
  rule("yahoo", { separator: HYPHEN }),
  rule("icloud", { canonicalDomain: "icloud.com" }),
  rule("fastmail", { hasUserSubdomains: true }),
  rule("proton", { ignoredChars: ".-_", canonicalDomain: "protonmail.com" }),
  rule("yandex", { treatsHyphenAsDot: true, canonicalDomain: "yandex.ru" }),
  ...["zoho", "runbox", "pobox", "posteo", "mail_ru"].map((id) => rule(id)),
  ...["gmx", "web_de", "mail_com", "t_online", "tuta", "netease", "tencent"].map((id) => rule(id, NO_TAGS)),
  ...["libero", "la_poste", "rediff", "aol"].map((id) => rule(id, NO_TAGS)),
  // Hosts in data/reply-hosts.tsv: the text after `+` identifies the recipient, so it is not a tag.
  rule("reply_address", { ...NO_TAGS, includesSubdomains: true }),
];
