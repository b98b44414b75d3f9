// What mailbox providers do with the local part: one row for each, as data. Which domains are whose stands in data/providers.tsv.

/** How a provider reads a local part. */
export interface ProviderRule {
  readonly id: string;
  /** The octet between user and detail (RFC 5233), 0 when the provider has no subaddressing. */
  readonly separator: number;
  /** Characters that the provider ignores. */
  readonly ignored: string;
  /** Yandex: `-` is the same as `.`. */
  readonly hyphenIsDot: boolean;
  /** Fastmail: `detail@user.example.com` is `user@example.com`. */
  readonly userSubdomains: boolean;
  /** The one domain that all of the provider's names deliver to, when they are aliases. */
  readonly domain: string | undefined;
}

const PLUS = 0x2b;
const HYPHEN = 0x2d;

function rule(id: string, change: Partial<ProviderRule> = {}): ProviderRule {
  return {
    id,
    separator: PLUS,
    ignored: "",
    hyphenIsDot: false,
    userSubdomains: false,
    domain: undefined,
    ...change,
  };
}

/** Any other provider: `+` is the separator that nearly all use (RFC 5233), everything else is kept. */
export const GENERIC_PROVIDER: ProviderRule = rule("generic");

/** The providers with rules of their own, in the order of the compiled table's numbers (1 is the first). Sources: their help pages. */
export const PROVIDER_RULES: readonly ProviderRule[] = [
  // support.google.com/mail/answer/7436150: dots don't matter; answer/10313: googlemail.com is gmail.com.
  rule("gmail", { ignored: ".", domain: "gmail.com" }),
  rule("outlook"),
  // Yahoo's disposable addresses are "base-keyword": help.yahoo.com SLN15950.
  rule("yahoo", { separator: HYPHEN }),
  // support.apple.com/guide/icloud: me.com and mac.com deliver to icloud.com.
  rule("icloud", { domain: "icloud.com" }),
  // fastmail.help "Plus addressing and subdomain addressing".
  rule("fastmail", { userSubdomains: true }),
  // proton.me/support/addresses-and-aliases: `.`, `-` and `_` don't matter, nor does the domain.
  rule("proton", { ignored: ".-_", domain: "protonmail.com" }),
  // yandex.com/support/mail: all domains and `-` for `.` are one mailbox.
  rule("yandex", { hyphenIsDot: true, domain: "yandex.ru" }),
  rule("zoho"),
  rule("runbox"),
  rule("pobox"),
  rule("posteo"),
  rule("mail_ru"),
  // GMX has no subaddressing: `+` is part of the name.
  rule("gmx", { separator: 0 }),
];
