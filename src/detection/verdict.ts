// The verdict on a domain: joins the lists, an override and the routing by the rules.

import type { DomainKind } from "../lists/attributes.ts";
import type { ListMatch } from "../lists/table.ts";
import type { DetectionSource } from "./detection.ts";
import type { RoutingEvidence } from "./routing-evidence.ts";

/** Everything in a detection that depends only on the domain. Equal verdicts are one object. */
export interface DomainVerdict {
  readonly id: number;
  readonly isPublic: boolean;
  /** The relay's identifier; undefined when the domain is not a relay. */
  readonly relayProvider: string | undefined;
  readonly isDisposable: boolean;
  /** A disposable entry names it that does not count. */
  readonly hasLowConfidenceEntry: boolean;
  readonly isMistyped: boolean;
  /** The evidence has a warning. */
  readonly hasWarning: boolean;
  readonly source: DetectionSource;
  /** A list or an override decides what the domain is, so DNS need not be asked. */
  readonly isDecided: boolean;
  readonly kind: DomainKind | undefined;
  /** DNS was asked: nothing there takes mail. */
  readonly acceptsNoMail: boolean;
  /** No list settles the domain, DNS was asked, and it did not answer. */
  readonly isUnanswered: boolean;
}

/** The kinds of domains whose names say nothing about whom their users work for. */
const NON_WORK_KINDS: readonly (DomainKind | undefined)[] = [
  "academic",
  "former_provider",
  "free_subdomain",
  "hidden",
  "machine",
  "reserved",
];

/** True where a well-formed address at the domain is probably one at work. A person who allows it takes doubt away. */
export function isWorkAddress(verdict: DomainVerdict): boolean {
  const { isPublic, relayProvider, isDisposable, isMistyped, kind, acceptsNoMail } = verdict;
  if (acceptsNoMail) return false;
  if (verdict.hasLowConfidenceEntry && verdict.source !== "override") return false;
  return !isPublic && relayProvider === undefined && !isDisposable && !isMistyped && !NON_WORK_KINDS.includes(kind);
}

/** Makes verdicts; equal ones are one object. */
export class VerdictFactory {
  private readonly interned: Map<string, DomainVerdict> = new Map();

  constructor(private readonly relayProvider: (number: number) => string) {}

  /** The look-up settles on one flag, so a relay or public domain is never disposable, unless an override says so. */
  judge(match: ListMatch, override: boolean | undefined, kind?: DomainKind, suspicious = false): DomainVerdict {
    const relay = match.decidingKind === "relay" ? match.relay : -1;
    const listed = match.decidingKind === "disposable";
    return this.intern({
      isPublic: match.public >= 0,
      relayProvider: relay < 0 ? undefined : this.relayProvider(relay),
      isDisposable: override ?? listed,
      hasLowConfidenceEntry: match.hasLowConfidenceEntry,
      isMistyped: match.decidingKind === "mistyped",
      hasWarning: suspicious,
      source: override === undefined ? "precomputed" : "override",
      isDecided: match.decidingKind !== "none" || override !== undefined,
      kind,
      acceptsNoMail: false,
      isUnanswered: false,
    });
  }

  withOverride(before: DomainVerdict, disposable: boolean): DomainVerdict {
    return this.intern({ ...before, isDisposable: disposable, source: "override", isDecided: true });
  }

  /** The verdict on an unsettled domain after DNS was asked. Without an answer only `unknown` changes. */
  withRouting(before: DomainVerdict, evidence: RoutingEvidence): DomainVerdict {
    if (!evidence.isAnswered) return this.intern({ ...before, isUnanswered: true });
    return this.intern({
      ...before,
      relayProvider: evidence.relayProvider ?? before.relayProvider,
      isDisposable: evidence.isDisposable,
      source: "live_dns",
      isDecided: true,
      acceptsNoMail: evidence.acceptsNoMail,
    });
  }

  private intern({ id: _, ...verdict }: Omit<DomainVerdict, "id"> & { readonly id?: number }): DomainVerdict {
    // Object literals have a fixed order of keys, so equal verdicts have equal text.
    const key = JSON.stringify(Object.values(verdict).map((value) => value ?? null));
    const existing = this.interned.get(key) ?? { id: this.interned.size, ...verdict };
    this.interned.set(key, existing);
    return existing;
  }
}
