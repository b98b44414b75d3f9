// Merges the sources into one list of disposable domains: drops protected names, and decides which entries count.

import { CONFIRMED_RANK, confidenceRank, entryFlags, packEntry, rankOf, SOURCE_BIT } from "../lists/confidence.ts";
import { ancestorsOf, closestAncestor, closestName } from "./names.ts";
import { type Days, listDays, type Snapshot } from "./snapshot.ts";
import { CurationError, type DisposableKey, MIN_CHILDREN_TO_LIST_PARENT } from "./sources.ts";

export interface NameRules {
  /** Reports whether the top-level label is in the root zone and not reserved. */
  isInRootZone(domain: string): boolean;
  /** Reports whether the domain hosts free subdomains: a public suffix of either section, or one in our own list. */
  isFreeHost(domain: string): boolean;
  /** Reports whether the domain, or an ancestor that protects its subdomains, must never be disposable. */
  isProtected(domain: string): boolean;
  /** Reports whether the community list removed the domain, so that lists without proof don't count. */
  isRemovedByCommunity(domain: string): boolean;
}

export interface SourceNames extends Pick<Snapshot, "names" | "history"> {
  readonly key: DisposableKey;
}

export interface MergeResult {
  /** Packed entries by domain. */
  readonly disposable: ReadonlyMap<string, number>;
  /** Dropped entries that host free subdomains: each subdomain belongs to someone else. */
  readonly freeHosts: readonly string[];
}

// Measured in November 2026: of 1,000 entries that T and E listed since this day, Castle's customers saw 50 to 756 in a
// summer; of 1,000 older ones, 0.03 to 1.5. The older ones also have 14 of 15 reported mistakes. data/README.md has the
// table.
const UNPROVEN_COUNT_SINCE = "2025-01-01";
// D, the community list, copied most names older than this day from gists and forks without proof: Castle's customers
// saw 7 to 42 of 1,000 of them, and 344 of 1,000 later ones. data/README.md has the table.
const PROVEN_COUNT_SINCE = "2020-01-01";
// On this day E imported 318 names at once, including Polish companies and a shared host's server; Castle's customers
// saw 8. See data/README.md.
const BULK_IMPORT_DAY_OF_E = "2026-06-24";
// A daily list has the most abused names of the day and drops half of them within three days, though they are still
// disposable. Share of the names missing from the last k daily editions that return within 30 days: 93 % (k = 0), 57 (1
// to 3), 41 (4 to 7), 28 (8 to 14), 16 (15 to 30), 7 (31 to 60), 2 (61 to 90). A name is confirmed while more than half
// return. Counts editions, not calendar days, so that an update after a pause loses no entries.
const DAILY_CONFIRMED_EDITIONS = 3;
const DAILY_COUNTED_EDITIONS = 90;

/** A source's entry for a name. */
interface SourceEntry {
  readonly sourceBit: number;
  /** 0 if the entry does not count. */
  readonly rank: number;
  /** First day; for an entry older than the recorded history, the first day of the history. */
  readonly since: string | undefined;
  /** Whether `since` is the entry's own first day. */
  readonly isDated: boolean;
  readonly last?: string | undefined;
}

interface MergedEntry {
  sourceBits: number;
  countedBits: number;
  isConfirmed: boolean;
  isDated: boolean;
  since?: string;
  last?: string;
}

/** Merges the sources and our own `additions`. Throws CurationError if a canary would become disposable. */
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
    addEntry(entries, domain, { sourceBit: SOURCE_BIT.H, rank: CONFIRMED_RANK, since: undefined, isDated: false });
  }
  const packedEntries = new Map<string, number>();
  for (const [domain, { sourceBits, countedBits, isConfirmed, since, isDated, last }] of entries) {
    const rank = isConfirmed ? CONFIRMED_RANK : rankOf(countedBits);
    packedEntries.set(domain, packEntry(sourceBits, rank, isDated ? since : undefined, last));
  }
  const freeHosts = removeMatching(packedEntries, (domain) => rules.isFreeHost(domain));
  removeMatching(packedEntries, (domain) => rules.isProtected(domain));
  removeMatching(packedEntries, (domain) => isCovered(domain, packedEntries));
  checkCanaries(packedEntries, canaries);
  return { disposable: new Map([...packedEntries].sort(([a], [b]) => (a < b ? -1 : 1))), freeHosts };
}

function addSource(source: SourceNames, rules: NameRules, entries: Map<string, MergedEntry>): void {
  const { key, names, history } = source;
  const sourceBit = SOURCE_BIT[key];
  const rankFor = createRanker(source, rules);
  const parents = new Map<string, SourceEntry[]>();
  for (const [domain, days] of names) {
    if (!rules.isInRootZone(domain)) continue;
    const [since = history, last] = days;
    const entry = { sourceBit, rank: rankFor(domain, days), since, isDated: days.length > 0, last };
    addEntry(entries, domain, entry);
    if (key !== "C" || entry.rank === 0 || rules.isFreeHost(domain) || rules.isProtected(domain)) continue;
    const parent = registrableDomain(domain, rules);
    if (parent !== undefined) parents.set(parent, [...(parents.get(parent) ?? []), entry]);
  }
  for (const [parent, children] of parents) {
    if (children.length < MIN_CHILDREN_TO_LIST_PARENT || rules.isProtected(parent)) continue;
    // The rank of the last child needed to list the parent.
    children.sort((one, other) => other.rank - one.rank);
    const { rank } = children[MIN_CHILDREN_TO_LIST_PARENT - 1] as SourceEntry;
    for (const child of children) addEntry(entries, parent, { ...child, rank });
  }
}

/** Creates a ranking of a source's entries: in a list without proof by first day, in a daily list by last day. */
function createRanker({ key, names }: SourceNames, rules: NameRules): (domain: string, days: Days) => number {
  if (key === "F") return () => CONFIRMED_RANK;
  if (key === "D") return (_, [since = PROVEN_COUNT_SINCE]) => (since >= PROVEN_COUNT_SINCE ? CONFIRMED_RANK : 0);
  const isRecent = (day = ""): boolean => day >= UNPROVEN_COUNT_SINCE && !(key === "E" && day === BULK_IMPORT_DAY_OF_E);
  if (key !== "C") return (domain, [since]) => (isRecent(since) && !rules.isRemovedByCommunity(domain) ? 1 : 0);
  const days = listDays(names);
  const [confirmedFrom = "", countedFrom = ""] = [DAILY_CONFIRMED_EDITIONS, DAILY_COUNTED_EDITIONS].map((missed) =>
    days.at(-1 - missed),
  );
  return (_, [, last = ""]) => (last >= confirmedFrom ? CONFIRMED_RANK : last >= countedFrom ? 1 : 0);
}

/** Returns the highest ancestor with the same owner; undefined if that is the domain itself. */
function registrableDomain(domain: string, rules: NameRules): string | undefined {
  const freeHost = closestAncestor(domain, (parent) => rules.isFreeHost(parent)) ?? "";
  return ancestorsOf(domain).findLast((parent) => parent.length > freeHost.length);
}

function addEntry(entries: Map<string, MergedEntry>, domain: string, entry: SourceEntry): void {
  const { sourceBit, rank, since, isDated, last } = entry;
  const merged = entries.get(domain) ?? { sourceBits: 0, countedBits: 0, isConfirmed: false, isDated: false };
  entries.set(domain, merged);
  merged.sourceBits |= sourceBit;
  if (rank > 0) merged.countedBits |= sourceBit;
  merged.isConfirmed ||= rank === CONFIRMED_RANK;
  if (since !== undefined && (merged.since === undefined || since <= merged.since)) {
    merged.isDated = isDated && (since !== merged.since || merged.isDated);
    merged.since = since;
  }
  if (last !== undefined && (merged.last === undefined || last > merged.last)) merged.last = last;
}

/** Removes matching domains and returns them sorted. */
function removeMatching(packedEntries: Map<string, number>, matches: (domain: string) => boolean): string[] {
  const removed = [...packedEntries.keys()].filter(matches);
  for (const domain of removed) packedEntries.delete(domain);
  return removed.sort();
}

/** Reports whether a listed ancestor has at least the same confidence, which makes the entry redundant. */
function isCovered(domain: string, packedEntries: ReadonlyMap<string, number>): boolean {
  const rank = confidenceRank(entryFlags(packedEntries.get(domain) as number));
  return (
    closestAncestor(domain, (parent) => {
      const entry = packedEntries.get(parent);
      return entry !== undefined && confidenceRank(entryFlags(entry)) >= rank;
    }) !== undefined
  );
}

function checkCanaries(packedEntries: ReadonlyMap<string, number>, canaries: Iterable<string>): void {
  for (const canary of canaries) {
    const entry = closestName(canary, (name) => packedEntries.has(name));
    if (entry !== undefined) throw new CurationError(`the canary ${canary} would be disposable by ${entry}`);
  }
}
