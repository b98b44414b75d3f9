// Merges the upstream lists into one list of disposable domains: normalises names, drops names that no list may hold, counts
// entries by source. Pure; everything unexpected is a CurationError.

import { confidenceRank, LINEAGE_BIT, type Lineage } from "../lists/confidence.ts";
import { CurationError, type DisposableSource } from "./sources.ts";

/** What the merge asks about a name. */
export interface NameRules {
  /** The name in lower-case A-labels; undefined when it is not a host name with a top-level domain of the root zone. */
  normalize(name: string): string | undefined;
  /** True for a host of free subdomains: a public suffix, private section included, or one that our own list names. */
  isFreeHost(domain: string): boolean;
  /** True when the name itself, or a parent that guards its subdomains too, must never be called disposable. */
  isProtected(domain: string): boolean;
}

/** Names of one source. */
export interface SourceNames {
  readonly source: DisposableSource;
  readonly names: readonly string[];
}

/** The result of a merge. */
export interface Merged {
  /** Lineage bits by domain. */
  readonly disposable: ReadonlyMap<string, number>;
  /** Entries that are hosts of free subdomains: each subdomain is someone else's. */
  readonly freeHosts: readonly string[];
  readonly protectedDropped: readonly string[];
  /** How many were below a listed parent of the same confidence or better. */
  readonly coveredByParent: number;
  /** Valid entries by lineage. */
  readonly counts: Readonly<Record<Lineage, number>>;
}

/** Merges the sources and our own `additions` by the rules. A name of `canaries` in any source is an error. */
export function mergeDisposable(
  sources: readonly SourceNames[],
  additions: Iterable<string>,
  rules: NameRules,
  canaries: ReadonlySet<string>,
): Merged {
  const all = new Map<string, number>();
  const counts: Record<Lineage, number> = { D: 0, F: 0, T: 0, E: 0, H: 0 };
  for (const { source, names } of sources) {
    const valid = normalizeAll(source, names, rules, canaries);
    counts[source.lineage] = valid.size;
    for (const domain of valid) all.set(domain, (all.get(domain) ?? 0) | LINEAGE_BIT[source.lineage]);
  }
  for (const domain of additions) {
    if (rules.isProtected(domain)) throw new CurationError(`our own addition ${domain} is protected`);
    all.set(domain, (all.get(domain) ?? 0) | LINEAGE_BIT.H);
    counts.H += 1;
  }
  const freeHosts = [...all.keys()].filter((domain) => rules.isFreeHost(domain));
  for (const host of freeHosts) all.delete(host);
  const protectedDropped = [...all.keys()].filter((domain) => rules.isProtected(domain));
  for (const domain of protectedDropped) all.delete(domain);
  const covered = [...all.keys()].filter((domain) => isCovered(domain, all));
  for (const domain of covered) all.delete(domain);
  return {
    disposable: new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1))),
    freeHosts: freeHosts.sort(),
    protectedDropped: protectedDropped.sort(),
    coveredByParent: covered.length,
    counts,
  };
}

function normalizeAll(
  source: DisposableSource,
  names: readonly string[],
  rules: NameRules,
  canaries: ReadonlySet<string>,
): Set<string> {
  const valid = new Set<string>();
  const rejected: string[] = [];
  for (const name of names) {
    const domain = rules.normalize(name);
    if (domain === undefined) rejected.push(name);
    else if (canaries.has(domain)) throw new CurationError(`${source.packageName} lists ${domain}, which is a canary`);
    else valid.add(domain);
  }
  if (rejected.length > source.maximumRejected) {
    const examples = rejected.slice(0, 3).map((name) => JSON.stringify(name.slice(0, 60)));
    throw new CurationError(
      `${source.packageName} has ${rejected.length} unusable names (limit ${source.maximumRejected}), such as ${examples.join(", ")}`,
    );
  }
  if (valid.size < source.minimumEntries) {
    throw new CurationError(`${source.packageName} has ${valid.size} valid names (at least ${source.minimumEntries})`);
  }
  return valid;
}

/** True when a listed parent is at least as certain: then the entry adds nothing at any `--min-confidence`. */
function isCovered(domain: string, all: ReadonlyMap<string, number>): boolean {
  const rank = confidenceRank(all.get(domain) as number);
  for (let dot = domain.indexOf("."); dot >= 0; dot = domain.indexOf(".", dot + 1)) {
    const parent = all.get(domain.slice(dot + 1));
    if (parent !== undefined && confidenceRank(parent) >= rank) return true;
  }
  return false;
}
