// Shape of a detection's evidence, which explain.ts creates.

import { SYNTAX_FAULTS, type SyntaxCode } from "../address/faults.ts";
import { DOMAIN_WARNINGS } from "../address/warnings.ts";
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
  rawSchema,
  type Static,
  type TObject,
  text,
  time,
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
          "provider's name, also where someone has registered it), `protected` (a domain that no list may call " +
          "disposable) or `parked` (its mail exchanger serves names that are for sale, or spam traps: no person " +
          "reads mail there, and it is not disposable by that).",
      ),
      entry: text("The entry that matched: a domain, a role's name, or a mail exchanger's name or address."),
      kind: choice(
        ["exact", "parent", "family", "role", "typo", "mx", "mx_address", "override"],
        "How it matched: `exact`; `parent`, a domain above it; `family`, a provider's user subdomain; `role`; " +
          "`typo`, a known misspelling; `override`; `mx` and `mx_address`, the name or the address of a mail " +
          "exchanger.",
      ),
      sources: listOf(text(), "The lists that say so, each with its version."),
      confidence: optional(choice(CONFIDENCES, "How sure a disposable entry of the lists is.")),
      since: optional(
        text(
          "The ISO date on which the first of these lists had a disposable entry; missing where it has been " +
            "there for longer than is known.",
        ),
      ),
      last_seen: optional(
        text(
          "The ISO date on which the daily list last had a disposable entry, counted in days of updates; " +
            "missing where it never did.",
        ),
      ),
      counted: optional(flag("False where the entry is below the least confidence that counts: it decides nothing.")),
      detail: optional(
        text(
          "Whose it is: the relay, the service of a mail exchanger, the operator of a public domain, the kind " +
            "of a protected one, the domain that a misspelling means. Of an override: allowed or denied, by whom, " +
            "when and why.",
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
        listOf(closedObject({ preference: count(), exchange: text(), addresses: optional(listOf(text())) })),
      ),
      checked_at: optional(time("When it was asked: ISO 8601, UTC.")),
      duration_ms: optional(number({ minimum: 0 })),
    },
    "`status`, what asking DNS came to; `exchanges`, the mail exchangers with `preference`, `exchange` and, " +
      "where they were asked for, `addresses`; `checked_at`, when it was asked (ISO 8601, UTC); `duration_ms`.",
  ),
);

export type DnsEvidence = Static<typeof DNS_EVIDENCE>;

const VERSION = text("The version of the lists.");
const SUGGESTION = optional(
  text("For an invalid or suspicious address: one that was probably meant. It is never applied."),
);
const SYNTAX_ERROR = closedObject(
  {
    code: choice(Object.keys(SYNTAX_FAULTS) as SyntaxCode[]),
    offset: count("UTF-16 units from the start of `email`."),
    message: text(),
    reference: text(),
  },
  "For an invalid address only: `code`, `offset` in UTF-16 units into `email`, `message`, and `reference`, the " +
    "RFC section or list that says so.",
);

export const EVIDENCE = {
  syntax_error: SYNTAX_ERROR,
  suggestion: SUGGESTION,
  local_part: text("What is before the `@`, quotes included."),
  domain: text("The domain in lower-case A-labels."),
  domain_unicode: text("The domain in U-labels."),
  registrable_domain: optional(text("The public suffix and one label more.")),
  public_suffix: optional(text("The suffix by the ICANN section of the Public Suffix List.")),
  smtputf8: flag("The local part needs SMTPUTF8 (RFC 6531)."),
  canonicalization: closedObject(
    { provider: text(), rules: listOf(text()), tag: optional(text()) },
    "`provider`, the rule set; `rules`, a list of what was done; `tag`, the tag that was taken away.",
  ),
  matches: listOf(MATCH, "What matched."),
  domain_kind: optional(
    choice(
      DOMAIN_KINDS,
      "What the domain is known to be. Not present for a public or relay domain, and for most others; of a " +
        "disposable one only `free_subdomain`.",
    ),
  ),
  free_host: optional(
    closedObject(
      { host: text(), listed: count() },
      "Of a `free_subdomain`: the host where anyone can get such names, and how many names below it count as " +
        "disposable by default. The host says nothing about the person who has the name; the number says how often " +
        "its names are abused.",
    ),
  ),
  mail_provider: optional(
    text(
      "Whose mail exchangers the domain uses (`google_workspace`, `microsoft_365`, `proofpoint`, …), where DNS " +
        "was asked and the exchangers are known.",
    ),
  ),
  dns: DNS_EVIDENCE,
  warnings: optional(listOf(choice(DOMAIN_WARNINGS), "Codes for what is valid and yet worth a second look.")),
  data_version: VERSION,
};

const { syntax_error: _, ...MAILBOX_EVIDENCE } = EVIDENCE;
const MEANING = "The evidence, present when it was asked for.";

/** All kinds of evidence as one shape, for generated clients. */
export const ANY_EXPLANATION = named(
  "Explanation",
  closedObject(
    { ...allOptional(EVIDENCE), data_version: VERSION },
    `${MEANING} A malformed address has the first two and the version only.`,
  ),
);

export type Explanation = Flattened<Partial<Values> & Pick<Values, "data_version">>;
type Values = Static<TObject<typeof EVIDENCE>>;
type Flattened<T> = { [Key in keyof T]: T[Key] };

export const FAULT_EXPLANATION = named(
  "FaultExplanation",
  rawSchema<Explanation>(
    closedObject({ syntax_error: SYNTAX_ERROR, suggestion: SUGGESTION, data_version: VERSION }, MEANING),
  ),
);

export const MAILBOX_EXPLANATION = named(
  "Explanation",
  rawSchema<Explanation>(closedObject(MAILBOX_EVIDENCE, MEANING)),
);
