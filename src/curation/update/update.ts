// Updates the lists of a home: gets the sources, refuses what can't be honest, merges with the hand-kept lists of the package,
// compiles, and puts the result in force. The merge and the guards are those of the data build.

import { join } from "node:path";
import type { CompiledLists } from "../../lists/table.ts";
import type { OutboundClient } from "../../outbound/client.ts";
import { nextRemovals } from "../community-removals.ts";
import { compileTable } from "../compile.ts";
import {
  type Ingredients,
  intakeRules,
  mergeSources,
  readIngredients,
  type Snapshots,
  tableInput,
  withSnapshots,
} from "../ingredients.ts";
import { takeIn } from "../intake.ts";
import { isPublicSuffix } from "../names.ts";
import { nameRules } from "../protection.ts";
import { digestOf, type Snapshot, type Validators } from "../snapshot.ts";
import { CurationError, SOURCES, type SourceKey, UPDATED_KEYS } from "../sources.ts";
import { type Change, changesOf } from "./changes.ts";
import { type Fetched, fetchSource, readSourceFile } from "./fetch.ts";
import type { HomeLists } from "./home-lists.ts";

/** Where the sources come from: a folder with KEY.txt files, or URLs by key. */
export type Origin = { readonly folder: string } | { readonly urls: ReadonlyMap<SourceKey, string> };

/** What an update is told. */
export interface UpdateRequest {
  readonly origin: Origin;
  /** For each source. */
  readonly timeoutMs: number;
  /** Only finds out what would change; nothing is written. */
  readonly dryRun: boolean;
  /** Takes lists although a person rolled them back. */
  readonly again: boolean;
}

/** What an update needs from outside. */
export interface UpdateParts {
  /** The package's folder, which has data/. */
  readonly root: string;
  readonly home: HomeLists;
  /** The lists in force. */
  readonly inForce: CompiledLists;
  /** The client for a URL. */
  readonly client: (url: string) => OutboundClient;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told of each step, for a person who waits. */
  readonly progress: (step: string) => void;
}

/** What became of one source. */
export interface SourceReport {
  readonly key: SourceKey;
  readonly result: "new" | "unchanged" | "rolled_back" | "left_out";
  /** Why it was left out. */
  readonly reason?: string;
  /** Names that it has for the first time and that stay out: protected domains and public suffixes. */
  readonly stayOut?: readonly string[];
}

/** What became of an update. */
export interface UpdateReport {
  /** `refused`: what the sources say can't be lists, or none could be had; the lists in force stay. */
  readonly result: "updated" | "unchanged" | "rolled_back" | "refused";
  readonly reason?: string;
  readonly before: string;
  readonly after: string;
  readonly sources: readonly SourceReport[];
  readonly changes: readonly Change[];
}

/** Updates the lists of a home. Throws AddrsiftError OPERATION when the home can't be written or another process updates it. */
export async function updateLists(request: UpdateRequest, parts: UpdateParts): Promise<UpdateReport> {
  return request.dryRun ? update(request, parts) : parts.home.locked(() => update(request, parts));
}

async function update(request: UpdateRequest, parts: UpdateParts): Promise<UpdateReport> {
  const { home, inForce, progress } = parts;
  const before = inForce.meta.dataVersion;
  const kept = homeIngredients(parts);
  const { reports, fresh } = await takeAll(request, kept, parts);
  const refused = (reason: string): UpdateReport => {
    return { result: "refused", reason, before, after: before, sources: reports, changes: [] };
  };
  if (reports.length === 0)
    return refused(`the folder has none of ${UPDATED_KEYS.map((key) => `${key}.txt`).join(", ")}`);
  if (reports.every(({ result }) => result === "left_out")) return refused("no source could be taken");
  progress("merging and compiling");
  try {
    const snapshots = { ...kept.snapshots, ...Object.fromEntries(fresh.map((one) => [one.key, one])) } as Snapshots;
    const context = { snapshots, lists: kept.lists };
    const removals = nextRemovals(kept.communityRemovals, kept.snapshots.D, context);
    const ingredients = withSnapshots(kept, snapshots, removals);
    const { disposable } = mergeSources(ingredients);
    const input = tableInput(ingredients, disposable);
    const after = input.dataVersion;
    const done = { before, after, sources: reports, changes: changesOf(inForce, disposable) };
    const tookBack = reports.some((one) => one.result === "rolled_back");
    const result = after !== before ? "updated" : tookBack ? "rolled_back" : "unchanged";
    if (request.dryRun) return { result, ...done };
    const table = result === "updated" ? compileTable(input) : undefined;
    await home.saveSources(fresh, removals, snapshots.D);
    if (table !== undefined) await home.install(table, after, before);
    const complete = reports.every((one) => one.result !== "left_out");
    await home.saveState({
      ...home.state(),
      ...(complete ? { checkedAt: new Date(parts.now()).toISOString() } : {}),
      ...(request.again ? { rolledBack: undefined } : {}),
    });
    return { result, ...done };
  } catch (error) {
    if (error instanceof CurationError) return refused(error.message);
    throw error;
  }
}

/** The package's lists with the home's snapshots where they are newer. */
function homeIngredients({ root, home }: UpdateParts): Ingredients {
  const own = readIngredients(root);
  const newer = UPDATED_KEYS.map((key) => home.snapshot(key)).filter(
    (one) => one !== undefined && one.taken >= own.snapshots[one.key].taken,
  );
  const snapshots = { ...own.snapshots, ...Object.fromEntries(newer.map((one) => [one?.key, one])) } as Snapshots;
  return withSnapshots(own, snapshots, new Map([...home.removals(), ...own.communityRemovals]));
}

interface Taken {
  readonly reports: readonly SourceReport[];
  /** Snapshots that differ from those before, if only in what a server said. */
  readonly fresh: readonly Snapshot[];
}

/** One source after the other, so that only one text is in memory. */
async function takeAll(request: UpdateRequest, kept: Ingredients, parts: UpdateParts): Promise<Taken> {
  const reports: SourceReport[] = [];
  const fresh: Snapshot[] = [];
  const rules = nameRules(kept);
  const today = new Date(parts.now()).toISOString().slice(0, 10);
  const rolledBack = request.again ? [] : (parts.home.state().rolledBack ?? []);
  const keys = "urls" in request.origin ? [...request.origin.urls.keys()] : UPDATED_KEYS;
  for (const [index, key] of keys.entries()) {
    parts.progress(`source ${index + 1} of ${keys.length}: ${SOURCES[key].name}`);
    const before = kept.snapshots[key];
    const fetched = await get(key, request, before, parts);
    if (fetched === undefined) continue;
    if (fetched.status === "failed") reports.push({ key, result: "left_out", reason: fetched.reason });
    if (fetched.status === "unchanged") reports.push({ key, result: "unchanged" });
    if (fetched.status !== "text") continue;
    try {
      const names = takeIn(key, fetched.text, intakeRules(key, kept));
      const snapshot = next(before, names, originOf(key, request.origin), today, fetched.validators);
      if (rolledBack.includes(snapshot.digest)) {
        reports.push({ key, result: "rolled_back" });
        continue;
      }
      const stayOut = snapshot.digest === before.digest ? [] : staysOut(key, names, before.names, rules.isProtected);
      reports.push({ key, result: snapshot.digest === before.digest ? "unchanged" : "new", stayOut });
      fresh.push(snapshot);
    } catch (error) {
      if (!(error instanceof CurationError)) throw error;
      reports.push({ key, result: "left_out", reason: error.message });
    }
  }
  return { reports, fresh };
}

async function get(
  key: SourceKey,
  { origin, timeoutMs }: UpdateRequest,
  before: Snapshot,
  { client }: UpdateParts,
): Promise<Fetched | undefined> {
  if ("folder" in origin) return readSourceFile(join(origin.folder, `${key}.txt`));
  const url = origin.urls.get(key) as string;
  return fetchSource(client(url), { url, known: before.validators, timeoutMs });
}

/** Credentials and a query are not written down. */
function originOf(key: SourceKey, origin: Origin): string {
  if ("folder" in origin) return "a folder";
  const { origin: server, pathname } = new URL(origin.urls.get(key) as string);
  return server + pathname;
}

/** The same content stays what it was, with its version and day. */
function next(
  before: Snapshot,
  names: readonly string[],
  origin: string,
  today: string,
  validators: Validators | undefined,
): Snapshot {
  const digest = digestOf(names);
  if (digest === before.digest) return { ...before, validators: validators ?? before.validators };
  return { key: before.key, origin, version: today, taken: today, names, digest, validators };
}

function staysOut(
  key: SourceKey,
  names: readonly string[],
  before: readonly string[],
  isProtected: (domain: string) => boolean,
): string[] {
  if (key === "rootZone") return [];
  const known = new Set(before);
  return names.filter((name) => !known.has(name) && (isPublicSuffix(name) || isProtected(name)));
}
