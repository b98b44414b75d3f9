// Merges the sources into one list of disposable domains: drops names that no list may hold, counts entries by source. Pure;
// everything unexpected is a CurationError.

import { confidenceRank, LINEAGE_BIT } from "../lists/confidence.ts";
import { findParent } from "./names.ts";
import { CurationError, type DisposableKey } from "./sources.ts";

/** Questions of the merge about a name. */
export interface NameRules {
  /** True when the name's top-level label is one of the root zone that is not reserved. */
  isInRootZone(domain: string): boolean;
  /** True for a host of free subdomains: a public suffix, private section included, or one that our own list names. */
  isFreeHost(domain: string): boolean;
  /** True when the name itself, or a parent that guards its subdomains too, must never be called disposable. */
  isProtected(domain: string): boolean;
}

/** The names of one source. */
export interface SourceNames {
  readonly key: DisposableKey;
  readonly names: readonly string[];
}

/** The result of a merge. */
export interface Merged {
  /** Lineage bits by domain. */
  readonly disposable: ReadonlyMap<string, number>;
  /** Entries that are hosts of free subdomains: each subdomain is someone else's. */
  readonly freeHosts: readonly string[];
  readonly protectedDropped: readonly string[];
  /** The number of entries that were below a listed parent of the same confidence or better. */
  readonly coveredByParent: number;
}

/** Merges the sources and our own `additions` by the rules. Throws CurationError when a canary would become disposable. */
export function mergeDisposable(
  sources: readonly SourceNames[],
  additions: Iterable<string>,
  rules: NameRules,
  canaries: Iterable<string>,
): Merged {
  const all = new Map<string, number>();
  for (const { key, names } of sources) {
    for (const domain of names) {
      if (rules.isInRootZone(domain)) all.set(domain, (all.get(domain) ?? 0) | LINEAGE_BIT[key]);
    }
  }
  for (const domain of additions) {
    if (rules.isProtected(domain)) throw new CurationError(`our own addition ${domain} is protected`);
    all.set(domain, (all.get(domain) ?? 0) | LINEAGE_BIT.H);
  }
  const freeHosts = takeOut(all, (domain) => rules.isFreeHost(domain));
  const protectedDropped = takeOut(all, (domain) => rules.isProtected(domain));
  const covered = [...all.keys()].filter((domain) => isCovered(domain, all));
  for (const domain of covered) all.delete(domain);
  refuseCanaries(all, canaries);
  return {
    disposable: new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1))),
    freeHosts,
    protectedDropped,
    coveredByParent: covered.length,
  };
}

/** Takes names out; gives them sorted. */
function takeOut(all: Map<string, number>, isOut: (domain: string) => boolean): string[] {
  const out = [...all.keys()].filter(isOut);
  for (const domain of out) all.delete(domain);
  return out.sort();
}

/** True when a listed parent is at least as certain: then the entry adds nothing at any `--min-confidence`. */
function isCovered(domain: string, all: ReadonlyMap<string, number>): boolean {
  const rank = confidenceRank(all.get(domain) as number);
  return (
    findParent(domain, (parent) => {
      const bits = all.get(parent);
      return bits !== undefined && confidenceRank(bits) >= rank;
    }) !== undefined
  );
}

/** A canary must also be out of reach of the walk to the parents. */
function refuseCanaries(all: ReadonlyMap<string, number>, canaries: Iterable<string>): void {
  for (const canary of canaries) {
    const entry = all.has(canary) ? canary : findParent(canary, (parent) => all.has(parent));
    if (entry !== undefined) throw new CurationError(`the canary ${canary} would be disposable by ${entry}`);
  }
}
