// Shape of a detection's evidence, which explain.ts creates.

import { SYNTAX_FAULTS, type SyntaxCode } from "../address/faults.ts";
import { ADDRESS_WARNINGS } from "../address/warnings.ts";
import {
  allOptional,
  choice,
  closedObject,
  count,
  flag,
  listOf,
  named,
  number,
  optional,
  type Static,
  type TObject,
  text,
  time,
  type WithAbsent,
} from "../base/shapes.ts";
import { DOMAIN_KINDS } from "../lists/attributes.ts";
import { CONFIDENCES } from "../lists/confidence.ts";
import { ROUTING_STATUSES } from "./routing.ts";

export const MATCH = named(
  "Match",
  closedObject(
    {
      flag: choice(
        ["disposable", "relay_domain", "public_domain", "role_address", "protected", "mistyped", "parked"],
        "`disposable`, `relay_domain`, `public_domain`, `role_address`, `mistyped` (a misspelling of a mail " +
          "provider's name, even if it is registered), `protected` (a domain that no list may call disposable) or " +
          "`parked` (its mail exchanger serves domains for sale or spam traps: nobody reads mail there, but that " +
          "does not make it disposable).",
      ),
      entry: text("The entry that matched: a domain, a role's name, or a mail exchanger's name or address."),
      kind: choice(
        ["exact", "parent", "family", "role", "typo", "mx", "mx_address", "override"],
        "How it matched: `exact`; `parent`, a domain above it; `family`, a provider's user subdomain; `role`; " +
          "`typo`, a known misspelling; `override`; `mx` and `mx_address`, the name or the address of a mail " +
          "exchanger.",
      ),
      sources: listOf(text(), "The lists that contain the entry, each with its version."),
      confidence: optional(choice(CONFIDENCES, "Confidence of a disposable entry.")),
      since: optional(
        text("ISO date when the first of these lists added the disposable entry; absent if it predates the records."),
      ),
      last_seen: optional(
        text("ISO date of the last daily list that had the disposable entry; absent if none had it."),
      ),
      counted: optional(flag("False if the entry is below the minimum confidence, so that it does not decide.")),
      detail: optional(
        text(
          "The relay, the service of a mail exchanger, the operator of a public domain, the kind of a protected " +
            "one, or the domain that a misspelling means. Of an override: allowed or denied, by whom, when and why.",
        ),
      ),
    },
    "Why a flag is set.",
  ),
);

export type Match = Static<typeof MATCH>;

export const DNS_EVIDENCE = named(
  "DnsEvidence",
  closedObject(
    {
      status: choice(ROUTING_STATUSES, "The outcome of the DNS query."),
      exchanges: optional(
        listOf(
          closedObject({
            preference: count("Exchangers with a lower one come first."),
            exchange: text("Host name in lower-case A-labels, without the final dot."),
            addresses: optional(listOf(text(), "IP addresses, if they were looked up.")),
          }),
        ),
      ),
      checked_at: optional(time("Start of the lookup: ISO 8601, UTC.")),
      duration_ms: optional(number({ minimum: 0 })),
    },
    "`status`, the outcome of the lookup; `exchanges`, the mail exchangers with `preference`, `exchange` and, if " +
      "they were looked up, `addresses`; `checked_at`, its start (ISO 8601, UTC); `duration_ms`.",
  ),
);

export type DnsEvidence = Static<typeof DNS_EVIDENCE>;

export const EVIDENCE = {
  syntax_error: closedObject(
    {
      code: choice(Object.keys(SYNTAX_FAULTS) as SyntaxCode[]),
      offset: count("UTF-16 units from the start of `email`."),
      message: text("The problem, such as `the domain has no dot`."),
      reference: text("The RFC section or list that is violated."),
    },
    "For an invalid address only: `code`, `offset` in UTF-16 units into `email`, `message`, and `reference`, the " +
      "RFC section or list that says so.",
  ),
  suggestion: optional(
    text(
      "The address or domain that was probably meant, if this one is malformed, misspelled or suspicious. It is never applied.",
    ),
  ),
  local_part: text("The part before the `@`, quotes included."),
  domain: text("The domain in lower-case A-labels."),
  domain_unicode: text("The domain in U-labels."),
  registrable_domain: optional(text("The public suffix and one more label.")),
  public_suffix: optional(text("The suffix, by the ICANN section of the Public Suffix List.")),
  smtputf8: flag("The local part needs SMTPUTF8 (RFC 6531)."),
  canonicalization: closedObject(
    {
      provider: text("The rule set."),
      rules: listOf(text(), "The rules that applied."),
      tag: optional(text("The removed tag.")),
    },
    "`provider`, the rule set; `rules`, the rules that applied; `tag`, the removed tag.",
  ),
  matches: listOf(MATCH, "The matching entries."),
  domain_kind: optional(
    choice(
      DOMAIN_KINDS,
      "The kind of the domain, if known. Absent for public and relay domains; for disposable ones only " +
        "`free_subdomain`.",
    ),
  ),
  free_host: optional(
    closedObject(
      { host: text(), listed: count() },
      "For a `free_subdomain`: the host that hands out such names to anyone, and how many names below it count as " +
        "disposable by default. The host is no evidence about a name's owner; the number shows how often its names " +
        "are abused.",
    ),
  ),
  mail_provider: optional(
    text(
      "The provider of the domain's mail exchangers (`google_workspace`, `microsoft_365`, `proofpoint`, …), if they " +
        "were looked up and the provider is known.",
    ),
  ),
  dns: DNS_EVIDENCE,
  warnings: optional(listOf(choice(ADDRESS_WARNINGS), "Codes for valid but suspicious addresses and domains.")),
  data_version: text("The version of the lists."),
};

const { syntax_error, ...ADDRESS_EVIDENCE } = EVIDENCE;
const { local_part, smtputf8, canonicalization, ...DOMAIN_EVIDENCE } = ADDRESS_EVIDENCE;

export const FAULT_EXPLANATION = named(
  "FaultExplanation",
  closedObject(
    { syntax_error, suggestion: EVIDENCE.suggestion, data_version: EVIDENCE.data_version },
    "The evidence about a malformed address or domain, if requested.",
  ),
);

export const ADDRESS_EXPLANATION = named(
  "AddressExplanation",
  closedObject(ADDRESS_EVIDENCE, "The evidence about a well-formed address, if requested."),
);

export const DOMAIN_EXPLANATION = named(
  "DomainExplanation",
  closedObject(DOMAIN_EVIDENCE, "The evidence about a well-formed domain, if requested."),
);

/** All kinds of evidence as one shape, for the OpenAPI document. */
export const ANY_EXPLANATION: TObject = named(
  "Explanation",
  closedObject(
    { ...allOptional(EVIDENCE), data_version: EVIDENCE.data_version },
    "The evidence, if requested. Only malformed addresses and domains have `syntax_error`; their other fields are " +
      "`suggestion` and `data_version`.",
  ),
);

type Values = Static<TObject<typeof EVIDENCE>>;
export type FaultExplanation = WithAbsent<Static<typeof FAULT_EXPLANATION>, Values>;
export type AddressExplanation = WithAbsent<Static<typeof ADDRESS_EXPLANATION>, Values>;
export type DomainExplanation = WithAbsent<Static<typeof DOMAIN_EXPLANATION>, Values>;
export type Explanation = AddressExplanation | DomainExplanation | FaultExplanation;
