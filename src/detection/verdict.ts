// The verdict on a domain: joins the lists, an override and the routing by the rules.

import type { DomainKind } from "../lists/attributes.ts";
import type { ListMatch } from "../lists/table.ts";
import type { DetectionSource } from "./detection.ts";
import type { RoutingEvidence } from "./routing-evidence.ts";

/** Everything in a detection that depends only on the domain. Equal verdicts are one object. */
export interface DomainVerdict {
  readonly id: number;
  readonly publicDomain: boolean;
  /** The relay's identifier; undefined when the domain is not a relay. */
  readonly relayProvider: string | undefined;
  readonly disposable: boolean;
  /** A disposable entry names it that does not count. */
  readonly doubted: boolean;
  readonly mistyped: boolean;
  /** The evidence has a warning. */
  readonly suspicious: boolean;
  readonly source: DetectionSource;
  /** A list or an override decides what the domain is, so DNS need not be asked. */
  readonly settled: boolean;
  readonly kind: DomainKind | undefined;
  /** DNS was asked: nothing there takes mail. */
  readonly noMail: boolean;
  /** No list settles the domain, DNS was asked, and it did not answer. */
  readonly unknown: boolean;
}

/** The kinds of domains whose names say nothing about whom their users work for. */
const NO_WORK: readonly (DomainKind | undefined)[] = [
  "academic",
  "former_provider",
  "free_subdomain",
  "hidden",
  "machine",
  "reserved",
];

/** True where a well-formed address at the domain is probably one at work. A person who allows it takes doubt away. */
export function isWork(verdict: DomainVerdict): boolean {
  const { publicDomain, relayProvider, disposable, mistyped, kind, noMail } = verdict;
  if (noMail) return false;
  if (verdict.doubted && verdict.source !== "override") return false;
  return !publicDomain && relayProvider === undefined && !disposable && !mistyped && !NO_WORK.includes(kind);
}

/** Makes verdicts; equal ones are one object. */
export class Verdicts {
  private readonly made: Map<string, DomainVerdict> = new Map();

  constructor(private readonly relayProvider: (number: number) => string) {}

  /** The look-up settles on one flag, so a relay or public domain is never disposable, unless an override says so. */
  judge(match: ListMatch, override: boolean | undefined, kind?: DomainKind, suspicious = false): DomainVerdict {
    const relay = match.settling === "relay" ? match.relay : -1;
    const listed = match.settling === "disposable";
    return this.intern({
      publicDomain: match.public >= 0,
      relayProvider: relay < 0 ? undefined : this.relayProvider(relay),
      disposable: override ?? listed,
      doubted: match.doubted,
      mistyped: match.settling === "mistyped",
      suspicious,
      source: override === undefined ? "precomputed" : "override",
      settled: match.settling !== "none" || override !== undefined,
      kind,
      noMail: false,
      unknown: false,
    });
  }

  override(before: DomainVerdict, disposable: boolean): DomainVerdict {
    return this.intern({ ...before, disposable, source: "override", settled: true });
  }

  /** The verdict on an unsettled domain after DNS was asked. Without an answer only `unknown` changes. */
  judgeRouted(before: DomainVerdict, evidence: RoutingEvidence): DomainVerdict {
    if (!evidence.answered) return this.intern({ ...before, unknown: true });
    return this.intern({
      ...before,
      relayProvider: evidence.relayProvider ?? before.relayProvider,
      disposable: evidence.disposable,
      source: "live_dns",
      settled: true,
      noMail: evidence.noMail,
    });
  }

  private intern({ id: _, ...verdict }: Omit<DomainVerdict, "id"> & { readonly id?: number }): DomainVerdict {
    // Object literals have a fixed order of keys, so equal verdicts have equal text.
    const key = JSON.stringify(Object.values(verdict).map((value) => value ?? null));
    const known = this.made.get(key) ?? { id: this.made.size, ...verdict };
    this.made.set(key, known);
    return known;
  }
}
