// How mailbox providers read the local part: one row for each, as data.

import { HYPHEN, PLUS } from "../base/bytes/ascii.ts";
import { encodeUtf8 } from "../base/bytes/bytes.ts";

export interface ProviderRule {
  readonly id: string;
  /** The byte between user and detail (RFC 5233), 0 when the provider has no subaddressing. */
  readonly separator: number;
  readonly ignored: string;
  /** Yandex: `-` is the same as `.`. */
  readonly hyphenIsDot: boolean;
  /** Fastmail: `detail@user.example.com` is `user@example.com`. */
  readonly userSubdomains: boolean;
  /** Hosts below the name follow the rule too. */
  readonly subdomains: boolean;
  /** The domain to which all of the provider's names deliver, when they are aliases. */
  readonly domain: string | undefined;
  readonly domainBytes: Uint8Array | undefined;
}

const NO_TAG = 0;

function rule(id: string, change: Partial<ProviderRule> = {}): ProviderRule {
  return {
    id,
    separator: PLUS,
    ignored: "",
    hyphenIsDot: false,
    userSubdomains: false,
    subdomains: false,
    domain: undefined,
    domainBytes: change.domain === undefined ? undefined : encodeUtf8(change.domain),
    ...change,
  };
}

function untagged(id: string): ProviderRule {
  return rule(id, { separator: NO_TAG });
}

/** Any other provider: `+` is the separator that nearly all use (RFC 5233). */
export const GENERIC_PROVIDER: ProviderRule = rule("generic");

/**
 * The providers with their own rules, in the order of the compiled table's numbers (1 is the first): add new ones at
 * the end. data/providers.tsv says which operators' domains follow a rule, with the provider's page as its source.
 */
export const PROVIDER_RULES: readonly ProviderRule[] = [
  rule("gmail", { ignored: ".", domain: "gmail.com" }),
  rule("outlook"),
  rule("yahoo", { separator: HYPHEN }),
  rule("icloud", { domain: "icloud.com" }),
  rule("fastmail", { userSubdomains: true }),
  rule("proton", { ignored: ".-_", domain: "protonmail.com" }),
  rule("yandex", { hyphenIsDot: true, domain: "yandex.ru" }),
  ...["zoho", "runbox", "pobox", "posteo", "mail_ru"].map((id) => rule(id)),
  ...["gmx", "web_de", "mail_com", "t_online", "tuta", "netease", "tencent"].map(untagged),
  ...["libero", "la_poste", "rediff", "aol"].map(untagged),
  // The names of data/reply-hosts.tsv: what is after `+` says whose the address is.
  rule("reply_address", { separator: NO_TAG, subdomains: true }),
];
