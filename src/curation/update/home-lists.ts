// Files of updates in a home: the lists in force (lists.bin), and under lists/ the versions before, the sources'
// snapshots by their digests, each version's community removals, and the state. Every file is replaced as a whole, so a
// process may die at any point. A version names the digests of its sources, so its snapshots go and come back with it.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AddrsiftError, isAddrsiftError } from "../../base/errors.ts";
import { isObject } from "../../base/result.ts";
import { fileState, readRegular, writeDurably } from "../../durable/files.ts";
import { durableFailure, makeFolder } from "../../durable/folder.ts";
import { withLock } from "../../durable/lock.ts";
import type { ListsMeta } from "../../lists/meta.ts";
import type { CompiledLists } from "../../lists/table.ts";
import { openLists } from "../../lists/table-file.ts";
import { type CommunityRemovals, parseRemovals } from "../community-removals.ts";
import { parseSnapshot, type Snapshot, snapshotText } from "../snapshot.ts";
import { CurationError, removalsName, type SourceKey, snapshotName } from "../sources.ts";

interface UpdateState {
  /** ISO time of the last update that reached all its sources. */
  readonly checkedAt?: string;
  /** Digests of sources, and versions, that a person rolled back: updates do not take them again. */
  readonly rolledBack?: readonly string[] | undefined;
  readonly failure?: string | undefined;
}

interface NewVersion {
  readonly version: string;
  readonly table: Uint8Array;
  readonly removals: string;
}

interface KeptVersion {
  readonly version: string;
  readonly file: string;
}

// The lists in force and the two before.
const VERSIONS_KEPT = 3;
const KEPT_FILE = /^(\d{6})-([\w-]{1,64})\.bin$/;
const REMOVALS_FILE = /^removals-([\w-]{1,64})\.txt$/;
const SNAPSHOT_FILE = /^[A-Za-z]+-[0-9a-f]{16}\.txt$/;
// An update takes longer: who waits for one would find nothing to do.
const LOCK_WAIT_MS = 500;
const ROLLED_BACK_KEPT = 100;
const NOT_FREE = "another process updates the lists of this home: try again when it has ended";

export class HomeLists {
  readonly file: string;
  private readonly folder: string;

  constructor(private readonly home: string) {
    this.file = join(home, "lists.bin");
    this.folder = join(home, "lists");
  }

  /** Runs `change`. Throws AddrsiftError OPERATION when another process changes the lists. */
  async locked<T>(change: () => Promise<T>): Promise<T> {
    makeFolder(this.home, "lists");
    makeFolder(this.folder, "state.json");
    let began = false;
    const begin = (): Promise<T> => {
      began = true;
      return change();
    };
    return withLock(join(this.home, "lists.lock"), begin, LOCK_WAIT_MS).catch((error: unknown) => {
      // Without a cause it was not the system that refused.
      if (began || !isAddrsiftError(error) || error.cause !== undefined) throw error;
      throw new AddrsiftError("OPERATION", NOT_FREE, error);
    });
  }

  /** The snapshot of a source with this digest; undefined when it is missing or damaged. */
  snapshot(key: SourceKey, digest: string): Snapshot | undefined {
    const found = this.read(snapshotName(key, digest), (text) => parseSnapshot(text, key));
    return found?.key === key && found.digest === digest ? found : undefined;
  }

  removals(version: string): CommunityRemovals {
    return this.read(removalsName(version), (text) => parseRemovals(text, "")) ?? new Map();
  }

  /** Throws AddrsiftError OPERATION for a damaged file: without it, rolled-back lists would be taken again. */
  state(): UpdateState {
    const path = join(this.folder, "state.json");
    const bytes = readRegular(path);
    if (bytes === undefined) return {};
    try {
      const state: unknown = JSON.parse(bytes.toString());
      if (isState(state)) return state;
    } catch {}
    const why = "remove it, and the next update also takes lists that were rolled back";
    throw new AddrsiftError("OPERATION", `${path} is damaged: ${why}`);
  }

  async saveState(state: UpdateState): Promise<void> {
    await this.write("state.json", `${JSON.stringify(state)}\n`);
  }

  async saveSnapshots(snapshots: readonly Snapshot[]): Promise<void> {
    for (const one of snapshots) await this.write(snapshotName(one.key, one.digest), snapshotText(one));
  }

  /** Puts a version in force and keeps it. `inForce` is the version before. */
  async install({ version, table, removals }: NewVersion, inForce: string): Promise<void> {
    // Lists that were put there by hand can be rolled back to as well.
    if (this.kept().at(-1)?.version !== inForce && wholeLists(this.file) !== undefined) {
      await this.keep(readRegular(this.file) as Uint8Array, inForce);
    }
    await this.write(removalsName(version), removals);
    await this.keep(table, version);
    await replaceFile(this.file, table);
    this.prune(this.kept().slice(-VERSIONS_KEPT));
  }

  /**
   * Puts the version before `inForce` in force, or the built-in lists where none is left, and forgets `inForce`.
   * Returns the files of damaged versions, which are skipped. Throws AddrsiftError OPERATION when a file can't be read
   * or written.
   */
  async rollBack(inForce: ListsMeta, builtIn: () => ListsMeta): Promise<readonly string[]> {
    const { rolledBack = [], ...state } = this.state();
    const before = this.kept().filter(({ version }) => version !== inForce.dataVersion);
    const damaged: string[] = [];
    let lists: CompiledLists | undefined;
    while (before.length > 0 && lists === undefined) {
      lists = wholeLists((before.at(-1) as KeptVersion).file);
      if (lists === undefined) damaged.push((before.pop() as KeptVersion).file);
    }
    const stay = digestsOf(lists?.meta ?? builtIn());
    const gone = digestsOf(inForce).filter((digest) => !stay.includes(digest));
    const forgotten = new Set([...rolledBack, ...gone, inForce.dataVersion]);
    // First, because a process that dies before the next line leaves lists that can be rolled back again.
    await this.saveState({ ...state, rolledBack: [...forgotten].slice(-ROLLED_BACK_KEPT) });
    const target = before.at(-1);
    if (target === undefined) rmSync(this.file, { force: true });
    else await replaceFile(this.file, readRegular(target.file) as Uint8Array);
    this.prune(before);
    return damaged;
  }

  private kept(): KeptVersion[] {
    return this.names()
      .map((name) => ({ version: KEPT_FILE.exec(name)?.[2], file: join(this.folder, name) }))
      .filter((found): found is KeptVersion => found.version !== undefined);
  }

  private async keep(table: Uint8Array, version: string): Promise<void> {
    const kept = this.kept();
    for (const { file } of kept.filter((one) => one.version === version)) rmSync(file, { force: true });
    const last = Number(KEPT_FILE.exec(this.names().findLast((name) => KEPT_FILE.test(name)) ?? "")?.[1] ?? 0);
    await this.write(`${String(last + 1).padStart(6, "0")}-${version}.bin`, table);
  }

  /** Removes the files that are of none of these versions, and what a killed update left. */
  private prune(versions: readonly KeptVersion[]): void {
    const used = new Set(versions.map(({ file }) => file));
    for (const { version, file } of versions) {
      used.add(join(this.folder, removalsName(version)));
      for (const { key, digest } of wholeLists(file)?.meta.sources ?? [])
        if (digest !== undefined) used.add(join(this.folder, snapshotName(key, digest)));
    }
    for (const name of this.names()) {
      const path = join(this.folder, name);
      const written = name.replace(/\.new$/, "");
      const isOurs = [KEPT_FILE, REMOVALS_FILE, SNAPSHOT_FILE].some((pattern) => pattern.test(written));
      if (isOurs && !used.has(path)) rmSync(path, { force: true, recursive: true });
    }
  }

  private async write(name: string, content: string | Uint8Array): Promise<void> {
    await replaceFile(join(this.folder, name), content);
  }

  private read<T>(name: string, parse: (text: string) => T): T | undefined {
    const bytes = readRegular(join(this.folder, name));
    try {
      return bytes === undefined ? undefined : parse(bytes.toString());
    } catch (error) {
      if (error instanceof CurationError) return undefined;
      throw error;
    }
  }

  private names(): string[] {
    try {
      return readdirSync(this.folder).sort();
    } catch (error) {
      throw durableFailure("read", this.folder, error);
    }
  }
}

async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  await writeDurably(path, content, fileState(path));
}

function isState(value: unknown): value is UpdateState {
  if (!isObject(value)) return false;
  const { checkedAt = "", failure = "", rolledBack = [] } = value as Readonly<Record<keyof UpdateState, unknown>>;
  return Array.isArray(rolledBack) && [checkedAt, failure, ...rolledBack].every((one) => typeof one === "string");
}

function digestsOf({ sources }: ListsMeta): string[] {
  return sources.flatMap(({ digest }) => (digest === undefined ? [] : [digest]));
}

/** Undefined when the file is damaged or missing. */
function wholeLists(path: string): CompiledLists | undefined {
  try {
    return openLists(path, "whole");
  } catch {
    return undefined;
  }
}
