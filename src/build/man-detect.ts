// The tables of addrsift-detect(1), about a detection's result. Each is keyed by the type that it explains, so a field, class or code
// without a text does not compile.

import { SYNTAX_FAULTS } from "../address/faults.ts";
import type { DomainWarning } from "../address/warnings.ts";
import type { RowClass } from "../bulk/classes.ts";
import type { DetectionSource, ValidDetection } from "../detection/detection.ts";
import type { Explanation, Match } from "../detection/evidence.ts";
import type { MailRouting } from "../detection/routing.ts";
import type { Confidence } from "../lists/confidence.ts";
import type { DomainKind } from "../lists/domain-kinds.ts";
import { definitions, plain, sentence, type Tables } from "./man-markdown.ts";

function terms(meanings: Readonly<Record<string, string>>): string {
  return definitions(Object.entries(meanings).map(([term, meaning]) => [`\`${term}\``, meaning] as const));
}

const CLASSES: Readonly<Record<RowClass, string>> = {
  valid: "The address is well-formed and its suffix is valid.",
  invalid: "It is not.",
  blank: "The line is empty or white space. Such a row is in no other class.",
  disposable: "`disposable` is true.",
  relay: "`relay_domain` is true.",
  public: "`public_domain` is true.",
  role: "`role_address` is true.",
  subaddressed: "`subaddressing` is true.",
  unknown:
    "No list decides the domain, and DNS was asked and gave no answer. With `--dns off` no row is of this class.",
};

const FIELDS: Readonly<Record<keyof ValidDetection, string>> = {
  email:
    "String. The address that was checked, as given. Octets that are not UTF-8 show as U+FFFD, and it is cut at 1,024 characters with an ellipsis.",
  syntax_validation:
    "Boolean. False when the address is malformed or its suffix is invalid. Then no other field follows but `explain`.",
  normalized:
    "String. One canonical address for all tag, dot, letter-case and alias variants, by the rules of its provider. It is for comparison: mail goes to the address as given. Canonicalizing it again changes nothing.",
  subaddressing:
    "Boolean. A tag was recognised under the provider's rule, such as `+news` at Gmail and `-news` at Yahoo. Some providers have no tags: at GMX, web.de, mail.com, T-Online, Tuta, NetEase, QQ, Libero, La Poste, Rediff and AOL a `+` is part of the name.",
  role_address:
    "Boolean. The local part is a shared inbox: a role's name such as `info`, or such a name with a separator or digits behind it (`support-eu`, `sales2`). At a public domain only the whole name counts: `info@gmail.com`, but not `info.john@gmail.com`.",
  public_domain: "Boolean. The domain is a consumer (freemail) mailbox provider.",
  relay_domain:
    "Boolean. The domain is a privacy or forwarding relay. A relay is never disposable unless an override says so.",
  relay_provider:
    "String, present when `relay_domain` is true. The identifier of the relay, such as `apple_hide_my_email`.",
  disposable: "Boolean. The domain belongs to a service of throw-away addresses.",
  detection_source: "String. How `disposable` was reached, see below.",
  explain: "Object, present with `--explain`. The evidence, see EXPLAIN.",
};

const SOURCES: Readonly<Record<DetectionSource, string>> = {
  precomputed: "Only by the lists.",
  live_dns: "By an answer of DNS, whether it says yes or no.",
  override: "By a local override of the library's caller.",
};

const EXPLAIN: Readonly<Record<keyof Explanation, string>> = {
  syntax_error:
    "Object, for an invalid address only: `code` (see SYNTAX FAULTS), `offset` in UTF-16 units into `email`, `message`, and `reference`, the RFC section or list that says so.",
  suggestion: "String, for an invalid or suspicious address: one that was probably meant. It is never applied.",
  local_part: "String. What stands before the `@`, quotes included.",
  domain: "String. The domain in lower-case A-labels.",
  domain_unicode: "String. The domain in U-labels.",
  registrable_domain: "String. The public suffix and one label more.",
  public_suffix: "String. The suffix by the ICANN section of the Public Suffix List.",
  smtputf8: "Boolean. The local part needs SMTPUTF8 (RFC 6531).",
  canonicalization:
    "Object: `provider`, the rule set; `rules`, a list of what was done; `tag`, the tag that was removed.",
  matches: "List of what matched, see below.",
  domain_kind:
    "String. What the domain is known to be, see below. Not present for a public, relay or disposable domain, and for most others.",
  mail_provider:
    "String. Whose mail exchangers the domain uses (`google_workspace`, `microsoft_365`, `proofpoint`, …), where DNS was asked and the exchangers are known.",
  dns: "Object: `status`, the result of asking DNS, see below; `exchanges`, the mail exchangers with `preference`, `exchange` and, where they were asked for, `addresses`; `checked_at`, when it was asked (ISO 8601, UTC); `duration_ms`.",
  warnings: "List of codes for what is valid and yet worth a second look, see below.",
  data_version: "String. The version of the lists.",
};

const MATCH: Readonly<Record<keyof Match, string>> = {
  flag: "`disposable`, `relay_domain`, `public_domain`, `role_address`, `protected` (a domain that no list may call disposable) or `parked` (its mail exchanger serves names that are for sale, or spam traps: no person reads mail there, and it is not disposable by that).",
  entry: "The entry that matched: a domain, a role's name, or a mail exchanger's name or address.",
  kind: "How it matched: `exact`; `parent`, a domain above it; `family`, a provider's user subdomain; `role`; `override`; `mx` and `mx_address`, the name or the address of a mail exchanger.",
  sources: "The lists that say so, each with its version.",
  confidence: "How sure a disposable entry is, see below.",
  counted: "`false` where a disposable entry is below `--min-confidence`: it is shown and decides nothing.",
  detail:
    "Whose it is: the relay, the service of a mail exchanger, the operator of a public domain, the kind of a protected one.",
};

const CONFIDENCE: Readonly<Record<Confidence, string>> = {
  legacy: "Named only by the list with the longest memory. Most of its domains are dead.",
  single: "Named by one large crawl.",
  corroborated: "Named by both of these.",
  confirmed: "Named by a list that keeps a proof for each entry.",
};

const DOMAIN_KIND: Readonly<Record<DomainKind, string>> = {
  academic: "A university or another body of higher education.",
  bank: "A bank or a payment service.",
  company: "A well-known company.",
  education: "A school, a research institute, an academic network.",
  government: "A public authority, a ministry, the military, an international body.",
  health: "A hospital or health service.",
  isp: "An internet provider or telecom company. Where customers have mailboxes the domain is public instead.",
  "mail-infrastructure": "A sender or host of other people's mail, a filter, a cloud or content network.",
  media: "A newspaper, a broadcaster.",
  nonprofit: "A charity, an association, a free software project.",
  post: "A postal service.",
  reserved: "A special-use name, or one for documentation, such as `example.com`.",
  service: "A well-known online service.",
  utility: "Energy, water, transport.",
};

const WARNINGS: Readonly<Record<DomainWarning, string>> = {
  mixed_script_domain: "A label mixes scripts that are not written together.",
  confusable_domain: "A label looks like Latin letters and is not.",
  idna2008_disallowed: "A label holds a code point that IDNA2008 leaves out, such as an emoji.",
};

const DNS: Readonly<Record<MailRouting["status"], string>> = {
  skipped:
    "DNS was not asked: a list or an override decides the domain, the options say so, or such a name is not in DNS.",
  ok: "There are mail exchangers.",
  implicit_mx: "There is only an address record (RFC 5321 §5.1).",
  null_mx: "The domain takes no mail (RFC 7505).",
  no_mail:
    "There is neither a mail exchanger nor a public address: one that is loopback, private or otherwise special does not count.",
  nxdomain: "There is no such name.",
  timeout: "No answer came in time.",
  servfail: "The name server failed.",
  refused: "The name server refused.",
  error: "Anything else that is not an answer.",
};

export function detectTables(): Tables {
  const faults = Object.entries(SYNTAX_FAULTS).map(
    ([code, { message, reference }]) => [`\`${code}\``, `${sentence(plain(message))} ${plain(reference)}.`] as const,
  );
  return {
    classes: terms(CLASSES),
    fields: terms(FIELDS),
    sources: terms(SOURCES),
    explain: terms(EXPLAIN),
    match: terms(MATCH),
    confidence: terms(CONFIDENCE),
    kinds: terms(DOMAIN_KIND),
    warnings: terms(WARNINGS),
    dns: terms(DNS),
    faults: definitions(faults),
  };
}
