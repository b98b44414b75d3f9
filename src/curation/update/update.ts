// Updates the lists of a home: reads the sources, merges them with the package's hand-maintained lists, compiles, and
// installs the result. Merge and checks are the same as in the data build.

import { join } from "node:path";
import { isAddrsiftError } from "../../base/errors.ts";
import type { ListsMeta } from "../../lists/meta.ts";
import { type CompiledLists, listsFromBytes } from "../../lists/table.ts";
import type { OutboundClient } from "../../outbound/client.ts";
import {
  createBuildInputs,
  createNameRules,
  createSourceRules,
  createTableInput,
  mergeSources,
  readBuildInputs,
  type Snapshots,
} from "../build-inputs.ts";
import { formatRemovals, updateRemovals } from "../community-removals.ts";
import { compileTable } from "../compile.ts";
import { isPublicSuffix } from "../names.ts";
import { type DatedNames, digestNames, digestText, mergeSeenDates, nextSnapshot, type Snapshot } from "../snapshot.ts";
import { validateSource } from "../source-validation.ts";
import { CurationError, SOURCES, type SourceKey, UPDATABLE_KEYS } from "../sources.ts";
import { type Change, diffDisposable } from "./changes.ts";
import { assertHasSource, fetchSource, readSourceFile, type SourceText, sourceFileName } from "./fetch.ts";
import { type HomeLists, rolledBackVersions, type UpdateState } from "./home-lists.ts";

/** A folder with a file KEY.txt per source, or a URL per source. */
export type UpdateOrigin = { readonly folder: string } | { readonly urls: ReadonlyMap<SourceKey, string> };

export interface UpdateRequest {
  readonly origin: UpdateOrigin;
  readonly timeoutMs: number;
  /** Writes nothing. */
  readonly dryRun: boolean;
  /** Also installs lists that were rolled back. */
  readonly installRolledBack: boolean;
}

interface UpdateDeps {
  readonly root: string;
  readonly home: HomeLists;
  /** Opens the lists in use. Called under the lock, except in a dry run. */
  readonly openCurrent: () => Promise<CompiledLists>;
  readonly client: (url: string) => OutboundClient;
  readonly now: () => number;
  readonly progress: (step: string) => void;
}

export interface SourceReport {
  readonly key: SourceKey;
  /** `missing`: the folder has no file for the source. */
  readonly result: "new" | "unchanged" | "rolled_back" | "skipped" | "missing";
  readonly reason?: string;
  readonly names: NamesDiff;
  /** New names that are ignored: protected domains and public suffixes. */
  readonly ignoredNames?: readonly string[];
  /** Lines that are not domain names. */
  readonly invalidLines?: readonly string[];
  /** The source has changed since its text was rolled back. */
  readonly wasHeldBack?: boolean;
  /** ISO date of a new file that is older than the previous list. */
  readonly olderFileDate?: string | undefined;
}

/** Compares a source's entries with the previous ones. All are kept if there is no text, or it isn't used. */
export interface NamesDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly keptCount: number;
}

export interface UpdateReport {
  /** `failed`: no source was available, or a check failed; the lists in use are kept. */
  readonly result: "updated" | "unchanged" | "rolled_back" | "failed";
  readonly reason?: string;
  readonly before: string;
  readonly after: string;
  readonly sources: readonly SourceReport[];
  readonly changes: readonly Change[];
}

/**
 * Updates the lists of a home. Throws AddrsiftError INPUT for a folder without sources, and OPERATION if files can't be
 * written or another update runs.
 */
export async function updateLists(request: UpdateRequest, deps: UpdateDeps): Promise<UpdateReport> {
  if ("folder" in request.origin) assertHasSource(request.origin.folder);
  return request.dryRun ? update(request, deps) : deps.home.withLock(() => update(request, deps));
}

/** Reports whether the source had a text that passed the checks, even if it was rolled back before. */
export function isAvailable({ result }: SourceReport): boolean {
  return result !== "skipped" && result !== "missing";
}

async function update(request: UpdateRequest, deps: UpdateDeps): Promise<UpdateReport> {
  const { home, progress } = deps;
  const current = await deps.openCurrent();
  const before = current.meta.dataVersion;
  const failed = { result: "failed", before, after: before, sources: [], changes: [] } as const;
  const state = home.readState();
  if (state.problem !== undefined) return { ...failed, reason: state.problem };
  const marks = request.installRolledBack ? {} : state;
  const base = openBase(current.meta, deps);
  const { baseInputs } = base;
  const { reports, newSnapshots, digests } = await readSources(request, base, marks, deps);
  const reject = (reason: string): UpdateReport => ({ ...failed, reason, sources: reports });
  if (!reports.some(isAvailable))
    return reject(
      `no source could be used${"urls" in request.origin ? "; without a network, --from DIR reads them from files" : ""}`,
    );
  const loss = describeLoss(base.lostKeys, newSnapshots);
  if (loss !== undefined) return reject(loss);
  progress("merging and compiling");
  let after = before;
  let isInstalled = false;
  try {
    const { lists, communityRemovals } = baseInputs;
    const changed = Object.fromEntries(newSnapshots.map((snapshot) => [snapshot.key, snapshot]));
    const snapshots = { ...baseInputs.snapshots, ...changed } as Snapshots;
    const removals = updateRemovals(communityRemovals, baseInputs.snapshots.D, { snapshots, lists });
    const inputs = createBuildInputs(baseInputs, snapshots, removals);
    const { disposable } = mergeSources(inputs);
    const input = createTableInput(inputs, disposable);
    after = input.dataVersion;
    const wasRolledBack = marks.rolledBack?.includes(after) === true;
    const table = wasRolledBack || after === before ? undefined : compileTable(input);
    const changes = table === undefined ? [] : diffDisposable(current, listsFromBytes("the new lists", table));
    const summary = { before, after: wasRolledBack ? before : after, sources: reports, changes };
    const hasRolledBack = wasRolledBack || reports.some((report) => report.result === "rolled_back");
    const result = summary.after !== before ? "updated" : hasRolledBack ? "rolled_back" : "unchanged";
    if (request.dryRun) return { result, ...summary };
    await home.saveSnapshots([...base.mergedSnapshots, ...newSnapshots]);
    if (table !== undefined) {
      await home.install({ version: after, table, removals: formatRemovals(removals, snapshots.D) }, before);
      isInstalled = true;
    }
    const checkedAt = new Date(deps.now()).toISOString();
    const report = { result, ...summary } as const;
    await home.saveState(nextState(state, report, digests, checkedAt));
    return report;
  } catch (error) {
    if (error instanceof CurationError) return reject(error.message);
    if (isInstalled || !isAddrsiftError(error) || error.code !== "FULL") throw error;
    if (after !== before) home.discard(after);
    return reject(error.message);
  }
}

/** Returns the state after an update. `digests` are those of the texts that it used. */
function nextState(
  state: UpdateState,
  { result, sources }: UpdateReport,
  digests: readonly string[],
  checkedAt: string,
): UpdateState {
  const available = sources.filter(isAvailable);
  const times = Object.fromEntries(available.map(({ key }) => [key, checkedAt]));
  const heldBack = (state.heldBack ?? []).filter((key) => !(key in times));
  for (const { key, result } of available) if (result === "rolled_back") heldBack.push(key);
  // New lists with the latest text of each source replace the versions that were rolled back.
  const obsolete = [...digests, ...(result === "updated" && heldBack.length === 0 ? rolledBackVersions(state) : [])];
  const rolledBack = (state.rolledBack ?? []).filter((item) => !obsolete.includes(item));
  return { ...state, sourcesCheckedAt: { ...state.sourcesCheckedAt, ...times }, rolledBack, heldBack };
}

/** Returns which lost snapshots the new ones don't replace, and how to fix that; undefined if there are none. */
function describeLoss(lostKeys: readonly SourceKey[], newSnapshots: readonly Snapshot[]): string | undefined {
  // One day of a daily list can't replace its lost history.
  const missing = lostKeys.filter(
    (lostKey) => SOURCES[lostKey].daily === true || newSnapshots.every(({ key }) => key !== lostKey),
  );
  if (missing.length === 0) return undefined;
  const remedy = "restore the folder lists, or run addrsift lists rollback";
  return `the snapshot of ${missing.join(", ")} from which the lists in use were made is missing: ${remedy}`;
}

/** Opens the snapshots that new sources are checked against and merged with. */
function openBase({ dataVersion, sources }: ListsMeta, { root, home }: UpdateDeps) {
  const packaged = readBuildInputs(root);
  const snapshots: Record<SourceKey, Snapshot> = { ...packaged.snapshots };
  const lostKeys: SourceKey[] = [];
  const mergedSnapshots: Snapshot[] = [];
  for (const key of UPDATABLE_KEYS) {
    const released = packaged.snapshots[key];
    const usedSource = sources.find((source) => source.key === key);
    const isDaily = SOURCES[key].daily === true;
    const isNewer = isDaily || (usedSource?.taken !== undefined && usedSource.taken >= released.date);
    const digest = (isNewer ? usedSource?.digest : undefined) ?? released.digest;
    // The home may also have the package's snapshot, with validators.
    const stored = home.readSnapshot(key, digest);
    if (stored === undefined && digest !== released.digest) lostKeys.push(key);
    if (stored === undefined || (!isDaily && stored.date < released.date)) continue;
    snapshots[key] = isDaily ? mergeReleasedDays(stored, released) : stored;
    if (snapshots[key].digest !== digest) mergedSnapshots.push(snapshots[key]);
  }
  const removals = new Map([...home.readRemovals(dataVersion), ...packaged.communityRemovals]);
  return {
    /** The inputs of the lists in use, or the package's if they are newer. */
    baseInputs: createBuildInputs(packaged, snapshots, removals),
    released: packaged.snapshots,
    mergedSnapshots,
    /** Sources whose snapshot is lost: the home lacks it, and the package has only an older one. */
    lostKeys,
  };
}

/** Adds the days of the package's snapshot to the home's snapshot of a daily list. */
function mergeReleasedDays(current: Snapshot, released: Snapshot): Snapshot {
  const names = mergeSeenDates(current.names, released.names);
  const { version, date } = released.date > current.date ? released : current;
  return { ...current, version, date, names, digest: digestNames(names) };
}

/** Reads the sources one by one, so that only one text is in memory. */
async function readSources(
  { origin, timeoutMs }: UpdateRequest,
  { baseInputs, released }: ReturnType<typeof openBase>,
  { rolledBack = [], heldBack = [] }: UpdateState,
  deps: UpdateDeps,
) {
  const reports: SourceReport[] = [];
  const newSnapshots: Snapshot[] = [];
  const digests: string[] = [];
  const rules = createNameRules(baseInputs);
  const today = new Date(deps.now()).toISOString().slice(0, 10);
  const requests =
    "urls" in origin
      ? [...origin.urls]
      : UPDATABLE_KEYS.map((key) => [key, join(origin.folder, sourceFileName(key))] as const);
  for (const [index, [key, location]] of requests.entries()) {
    deps.progress(`source ${index + 1} of ${requests.length}: ${SOURCES[key].name}`);
    const current = baseInputs.snapshots[key];
    const unused = { key, names: { added: [], removed: [], keptCount: current.names.size } };
    try {
      const fetched =
        "urls" in origin
          ? await fetchSource(deps.client(location), { url: location, validators: current.validators, timeoutMs })
          : readSourceFile(location);
      if (fetched === undefined) {
        reports.push({ ...unused, result: "urls" in origin ? "unchanged" : "missing" });
        continue;
      }
      const sourceRules = createSourceRules(key, baseInputs, released);
      const { names: textNames, invalidLines } = validateSource(key, fetched.text, sourceRules);
      const snapshot = createNext(current, released[key], textNames, fetched, today);
      const isNew = snapshot.digest !== current.digest;
      const textDigests = [snapshot.digest, digestText(textNames)];
      if (isNew && textDigests.some((digest) => rolledBack.includes(digest))) {
        reports.push({ ...unused, result: "rolled_back" });
        continue;
      }
      const names = diffNames(current.names, snapshot.names);
      const isIgnored = (name: string): boolean =>
        key !== "rootZone" && (isPublicSuffix(name) || rules.isProtected(name));
      const ignoredNames = names.added.filter(isIgnored);
      const wasHeldBack = isNew && heldBack.includes(key);
      const olderFileDate = isNew && (fetched.fileDate ?? today) < current.date ? fetched.fileDate : undefined;
      const result = isNew ? "new" : "unchanged";
      reports.push({ key, result, names, ignoredNames, invalidLines, wasHeldBack, olderFileDate });
      newSnapshots.push(snapshot);
      digests.push(...textDigests);
    } catch (error) {
      if (!(error instanceof CurationError)) throw error;
      reports.push({ ...unused, result: "skipped", reason: error.message });
    }
  }
  return { reports, newSnapshots, digests };
}

function diffNames(before: DatedNames, after: DatedNames): NamesDiff {
  const added = [...after.keys()].filter((name) => !before.has(name));
  const removed = [...before.keys()].filter((name) => !after.has(name));
  return { added, removed, keptCount: after.size - added.length };
}

/** Returns the next snapshot of a source. Equal content keeps version and day. */
function createNext(
  current: Snapshot,
  released: Snapshot,
  names: readonly string[],
  { origin, validators }: SourceText,
  today: string,
): Snapshot {
  // Never earlier than `current`, or the package's snapshot would count as newer.
  const day = today > current.date ? today : current.date;
  const snapshot = nextSnapshot(current, names, { origin, version: day, date: day, validators }, released);
  return snapshot.digest === current.digest ? { ...current, validators: validators ?? current.validators } : snapshot;
}
