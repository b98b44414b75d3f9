// Merges the sources into one list of disposable domains: drops names that no list may have, and decides which sources
// count for each.

import { byteOf, confidenceRank, LINEAGE_BIT, PROVEN_RANK, packEntry, rankOf } from "../lists/confidence.ts";
import { findParent, nearest } from "./names.ts";
import { type Days, daysTaken, type Snapshot } from "./snapshot.ts";
import { CurationError, type DisposableKey, NAMES_OF_A_PARENT } from "./sources.ts";

export interface NameRules {
  /** True when the name's top-level label is one of the root zone that is not reserved. */
  isInRootZone(domain: string): boolean;
  /** True for a host of free subdomains: a public suffix, private section included, or one that our own list names. */
  isFreeHost(domain: string): boolean;
  /** True when the name itself, or a parent that guards its subdomains too, must never be called disposable. */
  isProtected(domain: string): boolean;
  /** True for a name that the community list took off: then lists without proof do not count. */
  isTakenOff(domain: string): boolean;
}

export interface SourceNames extends Pick<Snapshot, "names" | "history"> {
  readonly key: DisposableKey;
}

export interface MergeResult {
  /** Packed entries by domain. */
  readonly disposable: ReadonlyMap<string, number>;
  /** Entries that are left out as hosts of free subdomains: each subdomain is someone else's. */
  readonly freeHosts: readonly string[];
  readonly protectedDropped: readonly string[];
  /** The number of entries below a listed parent of the same confidence or better. */
  readonly coveredByParent: number;
}

// Measured in November 2026: of 1,000 entries that T and E had before, Castle saw 0.03 to 1.5 in a summer, and they
// have 14 of 15 reported mistakes; of their later ones it saw 50 to 756. data/README.md has the table.
const COUNTS_SINCE = "2025-01-01";
// On this day E took over 318 names at once, Polish firms and the server of a shared host among them; Castle saw 8. See
// data/README.md.
const BULK_OF_E = "2026-06-24";
// A daily list drops half of its names within three days, because they are no longer among the most abused, not because
// they are good. Of those that it had last k of its days ago, it has so many again within 30 days: 93 % (k = 0), 57 (1
// to 3), 41 (4 to 7), 28 (8 to 14), 16 (15 to 30), 7 (31 to 60), 2 (61 to 90). It is sure of a name while more than
// half come back. Days on which the list was taken, never of the clock: an update after a pause must not lose what
// counts.
const DAILY_PROVES_FOR_DAYS = 3;
const DAILY_COUNTS_FOR_DAYS = 90;

/** A source's entry for a name. */
interface Vote {
  readonly lineage: number;
  /** 0 when it does not count. */
  readonly rank: number;
  /** Empty when the source has had it for longer than is known. */
  readonly since: string | undefined;
  readonly last?: string | undefined;
}

interface MergedEntry {
  lineages: number;
  counted: number;
  proven: boolean;
  since: string | undefined;
  last: string | undefined;
}

/** Merges the sources and our own `additions`. Throws CurationError when a canary would become disposable. */
export function mergeDisposable(
  sources: readonly SourceNames[],
  additions: Iterable<string>,
  rules: NameRules,
  canaries: Iterable<string>,
): MergeResult {
  const entries = new Map<string, MergedEntry>();
  for (const source of sources) addSource(source, rules, entries);
  for (const domain of additions) {
    if (rules.isProtected(domain)) throw new CurationError(`our own addition ${domain} is protected`);
    addVote(entries, domain, { lineage: LINEAGE_BIT.H, rank: PROVEN_RANK, since: undefined });
  }
  const all = new Map<string, number>();
  for (const [domain, { lineages, counted, proven, since, last }] of entries) {
    all.set(domain, packEntry(lineages, proven ? PROVEN_RANK : rankOf(counted), since || undefined, last));
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

function addSource(source: SourceNames, rules: NameRules, entries: Map<string, MergedEntry>): void {
  const { key, names, history } = source;
  const lineage = LINEAGE_BIT[key];
  const rankFor = ranksOf(source, rules);
  const parents = new Map<string, Vote[]>();
  for (const [domain, days] of names) {
    if (!rules.isInRootZone(domain)) continue;
    const [since = history === undefined ? undefined : "", last] = days;
    const vote = { lineage, rank: rankFor(domain, days), since, last };
    addVote(entries, domain, vote);
    if (key !== "C" || vote.rank === 0 || rules.isFreeHost(domain) || rules.isProtected(domain)) continue;
    const parent = holderAbove(domain, rules);
    if (parent !== undefined) parents.set(parent, [...(parents.get(parent) ?? []), vote]);
  }
  for (const [parent, votes] of parents) {
    if (votes.length < NAMES_OF_A_PARENT || rules.isProtected(parent)) continue;
    // As sure as enough of its names are.
    const { rank } = votes.sort((one, other) => other.rank - one.rank)[NAMES_OF_A_PARENT - 1] as Vote;
    for (const vote of votes) addVote(entries, parent, { ...vote, rank });
  }
}

/** The rank of a source's entries: by their age in lists without proof, by their last day in a daily one. */
function ranksOf({ key, names }: SourceNames, rules: NameRules): (domain: string, days: Days) => number {
  if (key === "D" || key === "F") return () => PROVEN_RANK;
  const isRecent = (day = ""): boolean => day >= COUNTS_SINCE && !(key === "E" && day === BULK_OF_E);
  if (key !== "C") return (domain, [since]) => (isRecent(since) && !rules.isTakenOff(domain) ? 1 : 0);
  const taken = daysTaken(names);
  const [proves = "", counts = ""] = [DAILY_PROVES_FOR_DAYS, DAILY_COUNTS_FOR_DAYS].map((age) => taken.at(-1 - age));
  return (_, [, last = ""]) => (last >= proves ? PROVEN_RANK : last >= counts ? 1 : 0);
}

/** The highest domain above a name that one holder has; undefined when that is the name itself. */
function holderAbove(domain: string, rules: NameRules): string | undefined {
  let holder: string | undefined;
  findParent(domain, (parent) => {
    if (rules.isFreeHost(parent)) return true;
    holder = parent;
    return false;
  });
  return holder;
}

function addVote(entries: Map<string, MergedEntry>, domain: string, { lineage, rank, since, last }: Vote): void {
  const known = entries.get(domain) ?? { lineages: 0, counted: 0, proven: false, since: undefined, last: undefined };
  entries.set(domain, known);
  known.lineages |= lineage;
  if (rank > 0) known.counted |= lineage;
  known.proven ||= rank === PROVEN_RANK;
  if (since !== undefined && (known.since === undefined || since < known.since)) known.since = since;
  if (last !== undefined && (known.last === undefined || last > known.last)) known.last = last;
}

/** Removes names; returns them sorted. */
function takeOut(all: Map<string, number>, isOut: (domain: string) => boolean): string[] {
  const out = [...all.keys()].filter(isOut);
  for (const domain of out) all.delete(domain);
  return out.sort();
}

/** True when a listed parent is at least as certain: then the entry adds nothing at any `--min-confidence`. */
function isCovered(domain: string, all: ReadonlyMap<string, number>): boolean {
  const rank = confidenceRank(byteOf(all.get(domain) as number));
  return (
    findParent(domain, (parent) => {
      const entry = all.get(parent);
      return entry !== undefined && confidenceRank(byteOf(entry)) >= rank;
    }) !== undefined
  );
}

function refuseCanaries(all: ReadonlyMap<string, number>, canaries: Iterable<string>): void {
  for (const canary of canaries) {
    const entry = nearest(canary, (name) => all.has(name));
    if (entry !== undefined) throw new CurationError(`the canary ${canary} would be disposable by ${entry}`);
  }
}
