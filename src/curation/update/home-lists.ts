// Files of updates in a home: the lists in use (lists.bin), and in lists/ the stored versions, the sources' snapshots
// by digest, each version's community removals, and the state. Each file is replaced atomically, so a process may die
// at any point. A version contains the digests of its sources, so a rollback also selects the previous snapshots.

import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { AddrsiftError, isAddrsiftError } from "../../base/errors.ts";
import { isObject } from "../../base/result.ts";
import { fileAccess, fileState, readFileIfExists, writeDurably } from "../../durable/files.ts";
import { ensureFolder, fileError } from "../../durable/folder.ts";
import { withLock } from "../../durable/lock.ts";
import type { ListsMeta } from "../../lists/meta.ts";
import type { CompiledLists } from "../../lists/table.ts";
import { openLists } from "../../lists/table-file.ts";
import { type CommunityRemovals, parseRemovals } from "../community-removals.ts";
import { digestText, formatSnapshot, latestNamesOf, parseSnapshot, type Snapshot } from "../snapshot.ts";
import { CurationError, removalsFileName, type SourceKey, snapshotFileName, UPDATABLE_KEYS } from "../sources.ts";

export interface UpdateState {
  /** ISO time at which an update last fetched or read each source, by its key. */
  readonly sourcesCheckedAt?: Readonly<Record<string, string>>;
  /** Versions that were rolled back, and the digests of their snapshots and texts: updates skip them. */
  readonly rolledBack?: readonly string[] | undefined;
  /** Sources whose latest text was rolled back: updates skip them until they change. */
  readonly heldBack?: readonly string[] | undefined;
  /** Why each source was skipped, until it is available again; with the key "", why the last update failed. */
  readonly failures?: Failures;
  /** ISO time of the last failure. */
  readonly failedAt?: string | undefined;
  /** Why the file can't be used. Never stored. */
  readonly problem?: string;
}

type Failures = Readonly<Record<string, string>>;

interface StoredVersion {
  readonly version: string;
  readonly file: string;
}

// The lists in use and the two versions before.
const MAX_STORED_VERSIONS = 3;
const VERSION_FILE_PATTERN = /^(\d{6})-([\w-]{1,64})\.bin$/;
// Versions, removals and snapshots, and their unfinished copies.
const PRUNED_FILE_PATTERN =
  /^(?:\d{6}-[\w-]{1,64}\.bin|removals-[\w-]{1,64}\.txt|[A-Za-z]+-[0-9a-f]{16}\.txt)(?:\.new)?$/;
/** With the set-group-ID bit, by which new files get the group of their folder. */
const OWNER_AND_GROUP_BITS = 0o2770;
// Don't wait for a running update: afterwards there would be nothing to do.
const LOCK_WAIT_MS = 500;
const MAX_ROLLED_BACK = 100;

export class HomeLists {
  readonly file: string;
  private readonly folder: string;

  constructor(private readonly home: string) {
    this.file = join(home, "lists.bin");
    this.folder = join(home, "lists");
  }

  /** Runs `change` under the lock. Throws AddrsiftError OPERATION if another process holds it. */
  async withLock<T>(change: () => Promise<T>): Promise<T> {
    ensureFolder(this.home);
    ensureFolder(this.folder, statSync(this.home).mode & OWNER_AND_GROUP_BITS);
    return withLock(join(this.home, "lists.lock"), change, LOCK_WAIT_MS).catch((error: unknown) => {
      if (!isAddrsiftError(error) || error.code !== "UNAVAILABLE") throw error;
      throw new AddrsiftError("OPERATION", "another process updates these lists: try again when it has ended", error);
    });
  }

  /** Returns a source's snapshot by digest; undefined if it is missing or damaged. */
  readSnapshot(key: SourceKey, digest: string): Snapshot | undefined {
    const snapshot = this.read(snapshotFileName(key, digest), (text) => parseSnapshot(text, key));
    return snapshot?.key === key && snapshot.digest === digest ? snapshot : undefined;
  }

  readRemovals(version: string): CommunityRemovals {
    return this.read(removalsFileName(version), (text) => parseRemovals(text, "")) ?? new Map();
  }

  /** Returns the state; only `problem` if its file can't be used. An empty state would allow rolled-back lists. */
  readState(): UpdateState {
    const path = join(this.folder, "state.json");
    try {
      const bytes = readFileIfExists(path);
      const state: unknown = bytes === undefined ? {} : JSON.parse(bytes.toString());
      if (isState(state)) return state;
    } catch (error) {
      if (isAddrsiftError(error)) return { problem: error.message };
    }
    const remedy = "remove it, and the next update also takes lists that were rolled back";
    return { problem: `${path} is damaged: ${remedy}` };
  }

  async saveState(state: UpdateState): Promise<void> {
    await this.write("state.json", `${JSON.stringify(state)}\n`);
  }

  async saveSnapshots(snapshots: readonly Snapshot[]): Promise<void> {
    for (const snapshot of snapshots)
      await this.write(snapshotFileName(snapshot.key, snapshot.digest), formatSnapshot(snapshot));
  }

  /** Installs a version and stores it for rollbacks. `current` is the version in use. */
  async install(
    { version, table, removals }: { readonly version: string; readonly table: Uint8Array; readonly removals: string },
    current: string,
  ): Promise<void> {
    // Also store lists that someone copied there, for a rollback.
    if (this.storedVersions().at(-1)?.version !== current && openIfIntact(this.file) !== undefined) {
      await this.storeVersion(readFileIfExists(this.file) as Uint8Array, current);
    }
    await this.write(removalsFileName(version), removals);
    await this.storeVersion(table, version);
    // Last, so that the lists in use stay if the disk is full.
    await replaceFile(this.file, table);
    const kept = this.storedVersions().slice(-MAX_STORED_VERSIONS);
    this.prune(kept.map(({ file }) => file));
  }

  /** Deletes the files of an update that failed, so that they don't fill the disk. */
  discard(version: string): void {
    const others = this.storedVersions().filter((stored) => stored.version !== version);
    this.prune([...others.map(({ file }) => file), this.file]);
  }

  /**
   * If lists.bin is damaged or lost, restores the newest intact version, or else the built-in lists, and returns true.
   */
  async repair(): Promise<boolean> {
    const versions = this.storedVersions();
    const hasLists = versions.length > 0 || readFileIfExists(this.file) !== undefined;
    if (!hasLists || openIfIntact(this.file) !== undefined) return false;
    await this.restore(findNewestIntact(versions));
    return true;
  }

  /**
   * Restores the version before `current`, or the built-in lists if there is none, and deletes `current`. Returns the
   * files of damaged versions, which it skips. Throws AddrsiftError OPERATION.
   */
  async rollBack(current: ListsMeta, builtIn: () => ListsMeta): Promise<readonly string[]> {
    const { rolledBack = [], heldBack = [], problem, ...state } = this.readState();
    if (problem !== undefined) throw new AddrsiftError("OPERATION", problem);
    const candidates = this.versionsBefore(current.dataVersion);
    const target = findNewestIntact(candidates);
    const kept = target === undefined ? builtIn() : openLists(target.file, "in-memory").meta;
    const allRolledBack = new Set([...rolledBack, current.dataVersion]);
    const allHeldBack = new Set<string>(heldBack);
    for (const key of UPDATABLE_KEYS) {
      const digest = digestOf(key, current);
      if (digest === undefined || digest === digestOf(key, kept)) continue;
      const snapshot = this.readSnapshot(key, digest);
      allRolledBack.add(digest);
      if (snapshot !== undefined) allRolledBack.add(digestText(latestNamesOf(snapshot)));
      allHeldBack.add(key);
    }
    // Save the state first: if the process dies here, the lists can be rolled back again.
    const marks = { rolledBack: [...allRolledBack].slice(-MAX_ROLLED_BACK), heldBack: [...allHeldBack] };
    await this.saveState({ ...state, ...marks });
    await this.restore(target);
    const files = candidates.map(({ file }) => file);
    this.prune(files.splice(0, target === undefined ? 0 : candidates.indexOf(target) + 1));
    return files;
  }

  private async restore(stored: StoredVersion | undefined): Promise<void> {
    if (stored !== undefined) return replaceFile(this.file, readFileIfExists(stored.file) as Uint8Array);
    this.prune([]);
    rmSync(this.file, { force: true });
  }

  /** Opens the version before `current`; undefined if it was that of the built-in lists. */
  openPrevious(current: string): CompiledLists | undefined {
    const previous = findNewestIntact(this.versionsBefore(current));
    return previous && openLists(previous.file, "in-memory");
  }

  private versionsBefore(current: string): StoredVersion[] {
    const versions = this.storedVersions();
    const currentIndex = versions.findIndex(({ version }) => version === current);
    // A killed update may have stored its version, but not installed it.
    return currentIndex < 0 ? versions : versions.slice(0, currentIndex);
  }

  private storedVersions(): StoredVersion[] {
    return this.listFiles()
      .map((name) => ({ version: VERSION_FILE_PATTERN.exec(name)?.[2], file: join(this.folder, name) }))
      .filter((stored): stored is StoredVersion => stored.version !== undefined);
  }

  private async storeVersion(table: Uint8Array, version: string): Promise<void> {
    const versions = this.storedVersions();
    for (const stored of versions) if (stored.version === version) rmSync(stored.file, { force: true });
    const lastNumber = Number(basename(versions.at(-1)?.file ?? "0").slice(0, 6));
    await this.write(`${String(lastNumber + 1).padStart(6, "0")}-${version}.bin`, table);
  }

  /** Deletes files that belong to none of the lists in `tables`, and leftovers of a killed update. */
  private prune(tables: readonly string[]): void {
    const usedPaths = new Set(tables);
    for (const { dataVersion, sources } of tables.flatMap((file) => openIfIntact(file)?.meta ?? [])) {
      usedPaths.add(join(this.folder, removalsFileName(dataVersion)));
      for (const { key, digest } of sources)
        if (digest !== undefined) usedPaths.add(join(this.folder, snapshotFileName(key, digest)));
    }
    for (const name of this.listFiles()) {
      const path = join(this.folder, name);
      if (PRUNED_FILE_PATTERN.test(name) && !usedPaths.has(path)) rmSync(path, { force: true, recursive: true });
    }
  }

  private async write(name: string, content: string | Uint8Array): Promise<void> {
    await replaceFile(join(this.folder, name), content);
  }

  private read<T>(name: string, parse: (text: string) => T): T | undefined {
    const bytes = readFileIfExists(join(this.folder, name));
    try {
      return bytes === undefined ? undefined : parse(bytes.toString());
    } catch (error) {
      if (error instanceof CurationError) return undefined;
      throw error;
    }
  }

  private listFiles(): string[] {
    try {
      return readdirSync(this.folder).sort();
    } catch (error) {
      throw fileError("read", this.folder, error);
    }
  }
}

/** Returns the earliest of the sources' last checks, as an ISO time; undefined if one was never available. */
export function oldestCheck({ sourcesCheckedAt = {} }: UpdateState, keys: readonly string[]): string | undefined {
  const times = keys.map((key) => sourcesCheckedAt[key] ?? "").sort();
  return times[0] === "" ? undefined : times[0];
}

/** Returns the facts about updates as `lists status --json` prints them. */
export function summarizeUpdates(state: UpdateState) {
  const failure = describeFailures(state.failures);
  return {
    checked_at: oldestCheck(state, UPDATABLE_KEYS),
    failure,
    failed_at: failure && state.failedAt,
    rolled_back: rolledBackVersions(state),
    held_back: state.heldBack ?? [],
  };
}

export function rolledBackVersions({ rolledBack = [] }: UpdateState): string[] {
  return rolledBack.filter((item) => !item.startsWith("sha256:"));
}

/** Formats failures such as `D, F: the server answered with status 500`; undefined if there are none. */
export function describeFailures(failures: Failures = {}): string | undefined {
  const lines = Array.from(groupByReason(failures), ([reason, keys]) =>
    keys[0] === "" ? reason : `${keys.join(", ")}: ${reason}`,
  );
  return lines.length === 0 ? undefined : lines.join("; ");
}

export function groupByReason(failures: Failures): Map<string, string[]> {
  const keys = new Map<string, string[]>();
  for (const [key, reason] of Object.entries(failures)) keys.set(reason, [...(keys.get(reason) ?? []), key]);
  return keys;
}

async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  await writeDurably(path, content, fileState(path), undefined, fileAccess(path));
}

function isState(value: unknown): value is UpdateState {
  if (!isObject(value)) return false;
  const { rolledBack = [], heldBack = [], sourcesCheckedAt = {}, failures = {}, ...texts } = value;
  if (!Array.isArray(rolledBack) || !Array.isArray(heldBack)) return false;
  if (!isObject(sourcesCheckedAt) || !isObject(failures)) return false;
  const items = [texts, rolledBack, heldBack, sourcesCheckedAt, failures].flatMap((part) => Object.values(part));
  return items.every((item) => typeof item === "string");
}

function digestOf(key: SourceKey, { sources }: ListsMeta): string | undefined {
  return sources.find((source) => source.key === key)?.digest;
}

function findNewestIntact(versions: readonly StoredVersion[]): StoredVersion | undefined {
  return versions.findLast(({ file }) => openIfIntact(file) !== undefined);
}

function openIfIntact(path: string): CompiledLists | undefined {
  try {
    return openLists(path, "in-memory");
  } catch {
    return undefined;
  }
}
