// The tables of addrsift-detect(1), about a detection's result. What each field means stands in its shape; the other
// tables are keyed by the types that they explain, so a class or code without a text does not compile.

import { SYNTAX_FAULTS } from "../../address/faults.ts";
import type { DomainWarning } from "../../address/warnings.ts";
import type { RowClass } from "../../bulk/classes.ts";
import { sentence } from "../../cli/options/help.ts";
import { type DetectionSource, VALID_DETECTION } from "../../detection/detection.ts";
import { EVIDENCE, MATCH } from "../../detection/evidence.ts";
import type { MoreField } from "../../detection/fields.ts";
import type { MailRouting } from "../../detection/routing.ts";
import type { DomainKind } from "../../lists/attributes.ts";
import type { Confidence } from "../../lists/confidence.ts";
import { definitions, fieldList, plain, type Tables } from "./markdown.ts";

function terms(meanings: Readonly<Record<string, string>>): string {
  return definitions(Object.entries(meanings).map(([term, meaning]) => [`\`${term}\``, meaning] as const));
}

const CLASSES: Readonly<Record<RowClass, string>> = {
  valid: "The address is well-formed and its suffix is valid.",
  invalid: "It is not.",
  blank: "The line or field is empty or white space. Such a row is in no other class: `--reject invalid` keeps it.",
  disposable: "`disposable` is true.",
  mistyped:
    "The domain is a known misspelling of a mail provider's name, such as `gmial.com`, also where someone has " +
    "registered it, or it is malformed and it is known what was meant, as in `gmail.con`. It is never disposable " +
    "by the lists, and `suggestion` has the address that was meant.",
  suspicious:
    "The evidence has a warning: the domain mixes scripts, looks like another one, or has a character that " +
    "IDNA2008 leaves out.",
  relay: "`relay_domain` is true.",
  public: "`public_domain` is true.",
  role: "`role_address` is true.",
  subaddressed: "`subaddressing` is true.",
  reserved:
    "The domain is a special-use name or one for documentation, such as `example.com` or what ends in `.test`. " +
    "Without `--allow-reserved` the latter is `invalid` as well.",
  unreserved: "The address is valid, and not `reserved` or `hidden`: it may be the one that a person reads.",
  hidden:
    "A forge such as GitHub gives the address out to hide a person: `…@users.noreply.github.com`. It is not " +
    "`unreserved`.",
  work:
    "The address is probably someone's at work: it is valid, and not `public`, `relay`, `disposable`, " +
    "`reserved`, `mistyped` or `hidden`, and its domain is neither academic nor below a host of free subdomains.",
  no_mail:
    "DNS was asked, and nothing there takes mail: there is no such name (NXDOMAIN), it takes no mail (null MX), " +
    "or it has neither a mail exchanger nor an address. With `--dns off` no row is of this class.",
  unknown:
    "No list decides the domain, and DNS was asked and gave no answer. With `--dns off` no row is of this class.",
  duplicate: "A row before it has the same `normalized`. The first of such rows is not of this class.",
};

const MORE: Readonly<Record<MoreField, string>> = {
  fault: "Why the address is not valid: a code of SYNTAX FAULTS.",
  suggestion: "For an invalid or suspicious address: one that was probably meant.",
  warnings: "Codes for what is valid and yet worth a second look: a list in JSON, joined by `; ` elsewhere.",
  domain: "The domain in lower-case A-labels.",
  registrable_domain: "The public suffix and one label, by the Public Suffix List.",
  matched:
    "The entry that decides what the domain is: of an override, a list, or a mail exchanger where DNS was asked.",
  confidence: "How sure that entry is, where it is disposable.",
  sources: "The lists that have that entry: a list in JSON, joined by `; ` elsewhere.",
  dns_status: "What asking DNS came to: a value of `dns.status`.",
  exchange: "The mail exchanger that DNS named, where it was asked; of several the preferred one.",
  mail_provider: "Whose mail exchangers the domain uses, where DNS was asked.",
  domain_kind: "What the domain is known to be.",
  work: "True where the row is of the class `work`.",
  tag: "The tag that `normalized` leaves out.",
  duplicate_of:
    "The number of the first row with the same `normalized`, for the rows after it; where that is in an input " +
    "before this one, the input's name stands before it: `old.csv:17`. Not with `--part`; one job does the work.",
  row: "The number of the row in the input, from 1 on; a header is row 1. Not with `--part`; one job does the work.",
  data_version: "The version of the lists that the row was classified by.",
};

const SOURCES: Readonly<Record<DetectionSource, string>> = {
  precomputed: "Only by the lists.",
  live_dns: "By an answer of DNS, whether it says yes or no.",
  override: "By an override: a decision of your own, by `lists allow` or `lists deny`, or of the library's caller.",
};

const CONFIDENCE: Readonly<Record<Confidence, string>> = {
  legacy:
    "Named only by entries that are old: of lists without proof, what they had before 2025 and what the community " +
    "list took off; of the daily list, what it did not name on the last 90 days on which it was taken. Few of " +
    "these domains were seen in 2026.",
  single:
    "Named by one list without proof, since 2025, or by the daily list within the last 90 days on which it was taken.",
  corroborated: "Named by two of these.",
  confirmed:
    "Named by a list that keeps a proof for each entry, or by the daily list on one of the last four days on which it was taken: more than half of these names are back within 30 days.",
};

const DOMAIN_KIND: Readonly<Record<DomainKind, string>> = {
  academic: "A university or another body of higher education.",
  bank: "A bank or a payment service.",
  company: "A well-known company.",
  education: "A school, a research institute, an academic network.",
  free_subdomain:
    "A name below a host that gives names to anyone: one of the Public Suffix List's private section, or of ours. " +
    "It may be disposable as well.",
  government: "A public authority, a ministry, the military, an international body.",
  health: "A hospital or health service.",
  hidden: "A host of a forge such as GitHub, for addresses that hide people. No mail arrives there.",
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
  confusable_domain: "A label looks like Latin letters and is not, or the domain looks like a mailbox provider's.",
  idna2008_disallowed: "A label holds a code point that IDNA2008 leaves out, such as an emoji.",
};

const DNS: Readonly<Record<MailRouting["status"], string>> = {
  skipped:
    "DNS was not asked: a list or an override decides the domain, the options say so, or such a name is not in DNS.",
  ok: "There are mail exchangers.",
  implicit_mx: "There is only an address record (RFC 5321 §5.1).",
  null_mx: "The domain takes no mail (RFC 7505).",
  no_mail:
    "There is neither a mail exchanger nor a public address: one that is loopback, private or otherwise special " +
    "does not count.",
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
    more_fields: terms(MORE),
    fields: fieldList(VALID_DETECTION.properties),
    sources: terms(SOURCES),
    explain: fieldList(EVIDENCE),
    match: fieldList(MATCH.properties),
    confidence: terms(CONFIDENCE),
    kinds: terms(DOMAIN_KIND),
    warnings: terms(WARNINGS),
    dns: terms(DNS),
    faults: definitions(faults),
  };
}
