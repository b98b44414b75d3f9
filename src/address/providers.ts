// How mailbox providers read the local part: one row for each, as data.

import { HYPHEN, PLUS } from "../base/bytes/ascii.ts";
import { encodeUtf8 } from "../base/bytes/bytes.ts";

export interface ProviderRule {
  readonly id: string;
  /** The byte between user and detail (RFC 5233), 0 when the provider has no subaddressing. */
  readonly separator: number;
  readonly ignoredChars: string;
  /** Yandex: `-` is the same as `.`. */
  readonly treatsHyphenAsDot: boolean;
  /** Fastmail: `detail@user.example.com` is `user@example.com`. */
  readonly hasUserSubdomains: boolean;
  /** Hosts below the name follow the rule too. */
  readonly includesSubdomains: boolean;
  /** The domain to which all of the provider's names deliver, when they are aliases. */
  readonly canonicalDomain: string | undefined;
  readonly canonicalDomainBytes: Uint8Array | undefined;
}

const NO_SEPARATOR = 0;

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

function ruleWithoutTags(id: string): ProviderRule {
  return rule(id, { separator: NO_SEPARATOR });
}

/** Any other provider: `+` is the separator that nearly all use (RFC 5233). */
export const GENERIC_PROVIDER: ProviderRule = rule("generic");

/**
 * The providers with their own rules, in the order of the compiled table's numbers (1 is the first): add new ones at
 * the end. data/providers.tsv says which operators' domains follow a rule, with the provider's page as its source.
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
  ...["gmx", "web_de", "mail_com", "t_online", "tuta", "netease", "tencent"].map(ruleWithoutTags),
  ...["libero", "la_poste", "rediff", "aol"].map(ruleWithoutTags),
  // The names of data/reply-hosts.tsv: what is after `+` says whose the address is.
  rule("reply_address", { separator: NO_SEPARATOR, includesSubdomains: true }),
];
