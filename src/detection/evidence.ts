// The shape of the evidence behind a detection: types alone. It is made in `explain`.

import type { SyntaxCode } from "../address/faults.ts";
import type { DomainWarning } from "../address/warnings.ts";
import type { Confidence } from "../lists/confidence.ts";
import type { DomainKind } from "../lists/domain-kinds.ts";
import type { Exchange, MailRouting } from "./routing.ts";

/** Why a flag is set. */
export interface Match {
  readonly flag: "disposable" | "relay_domain" | "public_domain" | "role_address" | "protected" | "parked";
  /** The entry that matched: a domain, a role's name, a mail exchanger's name or address. */
  readonly entry: string;
  readonly kind: "exact" | "parent" | "family" | "role" | "mx" | "mx_address" | "override";
  /** The lists that say so, each with its version. */
  readonly sources: readonly string[];
  /** How sure a disposable entry of the lists is. */
  readonly confidence?: Confidence;
  /** False where the entry is below the least confidence that counts. */
  readonly counted?: boolean;
  /** Whose it is: the relay provider, the service of a mail exchanger, the operator of a public domain, the kind of a protected one. */
  readonly detail?: string;
}

/** What DNS said, or why it said nothing. */
export interface DnsEvidence {
  readonly status: MailRouting["status"];
  readonly exchanges?: readonly Exchange[];
  /** When it was asked: ISO 8601, UTC. */
  readonly checked_at?: string;
  readonly duration_ms?: number;
}

/** The evidence. Keys stand in the order of the type; a malformed address has the first two and the version alone. */
export interface Explanation {
  syntax_error?: {
    readonly code: SyntaxCode;
    /** UTF-16 units from the start of `email`. */
    readonly offset: number;
    readonly message: string;
    readonly reference: string;
  };
  suggestion?: string;
  local_part?: string;
  domain?: string;
  domain_unicode?: string;
  registrable_domain?: string;
  public_suffix?: string;
  smtputf8?: boolean;
  canonicalization?: { readonly provider: string; readonly rules: readonly string[]; readonly tag?: string };
  matches?: readonly Match[];
  /** What the domain is known to be. */
  domain_kind?: DomainKind;
  /** Whose mail exchangers the domain uses, where DNS was asked and the exchangers' list knows them. */
  mail_provider?: string;
  dns?: DnsEvidence;
  warnings?: readonly DomainWarning[];
  data_version: string;
}
