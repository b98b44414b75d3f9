// Decides the verdict on a domain from lists, override and mail routing.

import type { DomainKind } from "../lists/attributes.ts";
import type { ListMatch } from "../lists/table.ts";
import type { DetectionSource } from "./detection.ts";
import type { RoutingEvidence } from "./routing-evidence.ts";

/** The part of a detection that depends only on the domain. Equal verdicts are the same object. */
export interface DomainVerdict {
  readonly id: number;
  readonly isPublic: boolean;
  /** The relay's identifier; undefined if the domain is not a relay. */
  readonly relayProvider: string | undefined;
  readonly isDisposable: boolean;
  /** The domain has a disposable entry below the minimum confidence. */
  readonly hasLowConfidenceEntry: boolean;
  readonly isMistyped: boolean;
  readonly hasWarning: boolean;
  readonly source: DetectionSource;
  /** A list, an override or DNS has decided, so no lookup is needed. */
  readonly isDecided: boolean;
  readonly kind: DomainKind | undefined;
  /** DNS answered that the domain accepts no mail. */
  readonly acceptsNoMail: boolean;
  /** No list decides, and DNS did not answer. */
  readonly isUnanswered: boolean;
}

/** Kinds of domains whose users don't work for the domain's owner. */
const NON_WORK_KINDS: ReadonlySet<string | undefined> = new Set(
  "academic former_provider free_subdomain hidden machine reserved".split(" "),
);

/** Reports whether a well-formed address at the domain is probably a work address. */
export function isWorkAddress(verdict: DomainVerdict): boolean {
  const { isPublic, relayProvider, isDisposable, isMistyped, kind, acceptsNoMail } = verdict;
  if (acceptsNoMail) return false;
  if (verdict.hasLowConfidenceEntry && verdict.source !== "override") return false;
  return !isPublic && relayProvider === undefined && !isDisposable && !isMistyped && !NON_WORK_KINDS.has(kind);
}

/** Creates verdicts; equal ones are the same object. */
export class VerdictFactory {
  private readonly interned: Map<string, DomainVerdict> = new Map();

  constructor(private readonly relayProvider: (number: number) => string) {}

  /** Combines entries and override. One kind of entry decides, so a relay is disposable only by an override. */
  judge(match: ListMatch, override: boolean | undefined, kind?: DomainKind, hasWarning = false): DomainVerdict {
    const relay = match.decidingKind === "relay" ? match.relay : -1;
    return this.intern({
      isPublic: match.public >= 0,
      relayProvider: relay < 0 ? undefined : this.relayProvider(relay),
      isDisposable: override ?? match.decidingKind === "disposable",
      hasLowConfidenceEntry: match.hasLowConfidenceEntry,
      isMistyped: match.decidingKind === "mistyped",
      hasWarning,
      source: override === undefined ? "precomputed" : "override",
      isDecided: match.decidingKind !== "none" || override !== undefined,
      kind,
      acceptsNoMail: false,
      isUnanswered: false,
    });
  }

  withOverride(verdict: DomainVerdict, disposable: boolean): DomainVerdict {
    return this.intern({ ...verdict, isDisposable: disposable, source: "override", isDecided: true });
  }

  /** Updates the verdict on an undecided domain after a lookup. */
  withRouting(verdict: DomainVerdict, evidence: RoutingEvidence): DomainVerdict {
    if (!evidence.isAnswered) return this.intern({ ...verdict, isUnanswered: true });
    return this.intern({
      ...verdict,
      relayProvider: evidence.relayProvider ?? verdict.relayProvider,
      isDisposable: evidence.isDisposable,
      source: "live_dns",
      isDecided: true,
      acceptsNoMail: evidence.acceptsNoMail,
    });
  }

  private intern({ id: _, ...verdict }: Omit<DomainVerdict, "id"> & { readonly id?: number }): DomainVerdict {
    // All literals have the same key order, so equal verdicts have equal JSON.
    const key = JSON.stringify(Object.values(verdict).map((value) => value ?? null));
    const existing = this.interned.get(key) ?? { id: this.interned.size, ...verdict };
    this.interned.set(key, existing);
    return existing;
  }
}
