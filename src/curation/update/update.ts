// Updates the lists of a home: takes the sources, merges them with the hand-kept lists of the package, compiles, and
// puts the result in force. The merge and the guards are those of the data build.

import { join } from "node:path";
import type { ListsMeta } from "../../lists/meta.ts";
import type { CompiledLists } from "../../lists/table.ts";
import type { OutboundClient } from "../../outbound/client.ts";
import { nextRemovals, removalsText } from "../community-removals.ts";
import { compileTable } from "../compile.ts";
import {
  intakeRules,
  mergeSources,
  nameRules,
  readIngredients,
  type Snapshots,
  tableInput,
  withSnapshots,
} from "../ingredients.ts";
import { takeIn } from "../intake.ts";
import { isPublicSuffix } from "../names.ts";
import { digestOf, joinedDays, nextSnapshot, type Snapshot } from "../snapshot.ts";
import { CurationError, SOURCES, type SourceKey, UPDATED_KEYS } from "../sources.ts";
import { type Change, changesOf } from "./changes.ts";
import { fetchSource, readSourceFile, type SourceText } from "./fetch.ts";
import type { HomeLists } from "./home-lists.ts";

/** A folder with KEY.txt files, or URLs by key. */
export type Origin = { readonly folder: string } | { readonly urls: ReadonlyMap<SourceKey, string> };

export interface UpdateRequest {
  readonly origin: Origin;
  readonly timeoutMs: number;
  /** Writes nothing. */
  readonly dryRun: boolean;
  /** Takes also lists that a person rolled back. */
  readonly again: boolean;
}

interface UpdateParts {
  readonly root: string;
  readonly home: HomeLists;
  /** Opens the lists in force; called while no other process changes them. */
  readonly inForce: () => CompiledLists;
  readonly client: (url: string) => OutboundClient;
  readonly now: () => number;
  /** Receives each step, to show it. */
  readonly progress: (step: string) => void;
}

export interface SourceReport {
  readonly key: SourceKey;
  readonly result: "new" | "unchanged" | "rolled_back" | "left_out";
  readonly reason?: string;
  /** New names that are left out: protected domains and public suffixes. */
  readonly stayOut?: readonly string[];
}

export interface UpdateReport {
  /** `refused`: no source was available, or what they say can't be lists; the lists in force stay. */
  readonly result: "updated" | "unchanged" | "rolled_back" | "refused";
  readonly reason?: string;
  readonly before: string;
  readonly after: string;
  readonly sources: readonly SourceReport[];
  readonly changes: readonly Change[];
}

/** Updates the lists of a home. Throws AddrsiftError OPERATION when it can't be written, or another process does. */
export async function updateLists(request: UpdateRequest, parts: UpdateParts): Promise<UpdateReport> {
  return request.dryRun ? update(request, parts) : parts.home.locked(() => update(request, parts));
}

async function update(request: UpdateRequest, parts: UpdateParts): Promise<UpdateReport> {
  const { home, progress } = parts;
  const inForce = parts.inForce();
  const before = inForce.meta.dataVersion;
  const state = request.again ? { ...home.state(), rolledBack: undefined } : home.state();
  const base = baseOf(inForce.meta, parts);
  const { kept } = base;
  const { reports, fresh } = await takeAll(request, base, state.rolledBack ?? [], parts);
  const refused = (reason: string): UpdateReport => {
    return { result: "refused", reason, before, after: before, sources: reports, changes: [] };
  };
  if (reports.length === 0)
    return refused(
      `the folder has none of ${UPDATED_KEYS.map((key) => `${key}.txt`).join(", ")}: fetch them from the addresses in addrsift-lists(1)`,
    );
  if (reports.every(({ result }) => result === "left_out"))
    return refused(
      `no source could be taken${"urls" in request.origin ? ": --from DIR takes them from a folder" : ""}`,
    );
  // A list of one day does not replace the days that are lost.
  const lost = base.lost.filter((key) => SOURCES[key].daily === true || fresh.every((one) => one.key !== key));
  if (lost.length > 0) {
    const isDaily = lost.some((key) => SOURCES[key].daily === true);
    const remedy = isDaily ? "run addrsift lists rollback" : "update all sources at once";
    return refused(`the snapshot of ${lost.join(", ")} that they were made from is gone: ${remedy}`);
  }
  progress("merging and compiling");
  try {
    const snapshots = { ...kept.snapshots, ...Object.fromEntries(fresh.map((one) => [one.key, one])) } as Snapshots;
    const removals = nextRemovals(kept.communityRemovals, kept.snapshots.D, { snapshots, lists: kept.lists });
    const ingredients = withSnapshots(kept, snapshots, removals);
    const { disposable } = mergeSources(ingredients);
    const input = tableInput(ingredients, disposable);
    const after = input.dataVersion;
    const wasRolledBack = state.rolledBack?.includes(after) === true;
    const changes = wasRolledBack ? [] : changesOf(inForce, disposable);
    const done = { before, after: wasRolledBack ? before : after, sources: reports, changes };
    const tookBack = wasRolledBack || reports.some((one) => one.result === "rolled_back");
    const result = done.after !== before ? "updated" : tookBack ? "rolled_back" : "unchanged";
    if (request.dryRun) return { result, ...done };
    const table = result === "updated" ? compileTable(input) : undefined;
    await home.saveSnapshots([...base.joined, ...fresh]);
    if (table !== undefined)
      await home.install({ version: after, table, removals: removalsText(removals, snapshots.D) }, before);
    const complete = reports.every((one) => one.result !== "left_out");
    await home.saveState({ ...state, ...(complete ? { checkedAt: new Date(parts.now()).toISOString() } : {}) });
    return { result, ...done };
  } catch (error) {
    if (error instanceof CurationError) return refused(error.message);
    throw error;
  }
}

/** The state with which an update merges new sources, and by which it measures them. */
function baseOf({ dataVersion, sources }: ListsMeta, { root, home }: UpdateParts) {
  const own = readIngredients(root);
  const snapshots: Record<SourceKey, Snapshot> = { ...own.snapshots };
  const lost: SourceKey[] = [];
  const joined: Snapshot[] = [];
  for (const key of UPDATED_KEYS) {
    const released = own.snapshots[key];
    const used = sources.find((source) => source.key === key);
    const isDaily = SOURCES[key].daily === true;
    const isNewer = isDaily || (used?.taken !== undefined && used.taken >= released.taken);
    const digest = (isNewer ? used?.digest : undefined) ?? released.digest;
    // It may be the package's, with validators.
    const kept = home.snapshot(key, digest);
    if (kept === undefined && digest !== released.digest) lost.push(key);
    if (kept === undefined || (!isDaily && kept.taken < released.taken)) continue;
    snapshots[key] = isDaily ? withDaysOf(kept, released) : kept;
    if (snapshots[key].digest !== digest) joined.push(snapshots[key]);
  }
  const removals = new Map([...home.removals(dataVersion), ...own.communityRemovals]);
  return {
    /** The ingredients of the lists in force, or the package's where they are newer. */
    kept: withSnapshots(own, snapshots, removals),
    released: own.snapshots,
    joined,
    /** Sources whose snapshot is in neither place: the package's is older than what the lists in force say. */
    lost,
  };
}

/** The home's snapshot of a daily list with the days that a package brought since. */
function withDaysOf(kept: Snapshot, released: Snapshot): Snapshot {
  const names = joinedDays(kept.names, released.names);
  const { version, taken } = released.taken > kept.taken ? released : kept;
  return { ...kept, version, taken, names, digest: digestOf(names) };
}

/** One source after the other, so that only one text is in memory. */
async function takeAll(
  request: UpdateRequest,
  { kept, released }: ReturnType<typeof baseOf>,
  rolledBack: readonly string[],
  parts: UpdateParts,
) {
  const reports: SourceReport[] = [];
  const fresh: Snapshot[] = [];
  const rules = nameRules(kept);
  const today = new Date(parts.now()).toISOString().slice(0, 10);
  const keys = "urls" in request.origin ? [...request.origin.urls.keys()] : UPDATED_KEYS;
  for (const [index, key] of keys.entries()) {
    parts.progress(`source ${index + 1} of ${keys.length}: ${SOURCES[key].name}`);
    const before = kept.snapshots[key];
    try {
      const fetched = await fetchOrRead(key, request, before, parts);
      if (fetched === undefined) {
        if ("urls" in request.origin) reports.push({ key, result: "unchanged" });
        continue;
      }
      const names = takeIn(key, fetched.text, intakeRules(key, kept, released));
      const snapshot = next(before, names, fetched, today);
      const isNew = snapshot.digest !== before.digest;
      if (isNew && rolledBack.includes(snapshot.digest)) {
        reports.push({ key, result: "rolled_back" });
        continue;
      }
      const isLeftOut = (name: string): boolean =>
        !before.names.has(name) && (isPublicSuffix(name) || rules.isProtected(name));
      const stayOut = isNew && key !== "rootZone" ? names.filter(isLeftOut) : [];
      reports.push({ key, result: isNew ? "new" : "unchanged", stayOut });
      fresh.push(snapshot);
    } catch (error) {
      if (!(error instanceof CurationError)) throw error;
      reports.push({ key, result: "left_out", reason: error.message });
    }
  }
  return { reports, fresh };
}

/** Undefined when it has not changed, or the folder does not have it. */
async function fetchOrRead(
  key: SourceKey,
  { origin, timeoutMs }: UpdateRequest,
  before: Snapshot,
  { client }: UpdateParts,
): Promise<SourceText | undefined> {
  if ("folder" in origin) return readSourceFile(join(origin.folder, `${key}.txt`));
  const url = origin.urls.get(key) as string;
  return fetchSource(client(url), { url, known: before.validators, timeoutMs });
}

/** The next snapshot of a source. Equal content keeps its version and day. */
function next(before: Snapshot, names: readonly string[], { origin, validators }: SourceText, today: string): Snapshot {
  // Never earlier, because then the package's would count as newer.
  const day = today > before.taken ? today : before.taken;
  const snapshot = nextSnapshot(before, names, { origin, version: day, taken: day, validators });
  return snapshot.digest === before.digest ? { ...before, validators: validators ?? before.validators } : snapshot;
}
