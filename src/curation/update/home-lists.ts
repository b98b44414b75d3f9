// Files that updates leave in a home: the lists in force (lists.bin), and under lists/ the versions before, the
// sources' snapshots by their digests, each version's community removals, and when updates ran. Every file is replaced
// as a whole, so a process may die at any point. A version names the digests of its sources, so its snapshots go and
// come back with it.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AddrsiftError, isAddrsiftError } from "../../base/errors.ts";
import { durableFailure, makeFolder } from "../../durable/folder.ts";
import { withLock } from "../../durable/lock.ts";
import { fileState, readRegular } from "../../durable/read.ts";
import { writeDurably } from "../../durable/write.ts";
import type { ListsMeta } from "../../lists/meta.ts";
import type { CompiledLists } from "../../lists/table.ts";
import { openLists } from "../../lists/table-file.ts";
import { type CommunityRemovals, parseRemovals } from "../community-removals.ts";
import { parseSnapshot, type Snapshot, snapshotText } from "../snapshot.ts";
import { CurationError, removalsName, type SourceKey, snapshotName } from "../sources.ts";

/** The time of the last update, and the lists that a person took back. */
export interface UpdateState {
  /** ISO time of the last update that reached all its sources. */
  readonly checkedAt?: string;
  /** Digests of sources, and versions, that a person rolled back: updates do not take them again by themselves. */
  readonly rolledBack?: readonly string[] | undefined;
  readonly failure?: string | undefined;
}

export interface NewVersion {
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
// An update takes longer, and the next one finds what this one left.
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

  /** Runs `change` while no other process changes the lists. Throws AddrsiftError OPERATION when one does. */
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

  /** The snapshot of a source with this digest; undefined when there is none, or a damaged one. */
  snapshot(key: SourceKey, digest: string): Snapshot | undefined {
    const found = this.read(snapshotName(key, digest), (text) => parseSnapshot(text, key));
    return found?.key === key && found.digest === digest ? found : undefined;
  }

  /** Domains that the community list took off, as a version of this home has them. */
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
    } catch {
      // The error below says so.
    }
    const why = "remove it, and the next update also takes lists that were rolled back";
    throw new AddrsiftError("OPERATION", `${path} is damaged: ${why}`);
  }

  async saveState(state: UpdateState): Promise<void> {
    await this.write("state.json", `${JSON.stringify(state)}\n`);
  }

  async saveSnapshots(snapshots: readonly Snapshot[]): Promise<void> {
    for (const one of snapshots) await this.write(snapshotName(one.key, one.digest), snapshotText(one));
  }

  /** Puts a version in force and keeps it. `inForce` is the version there before, of this home or built in. */
  async install({ version, table, removals }: NewVersion, inForce: string): Promise<void> {
    // Lists that someone put there by hand can be taken back to as well.
    if (this.kept().at(-1)?.version !== inForce && wholeLists(this.file) !== undefined) {
      await this.keep(readRegular(this.file) as Uint8Array, inForce);
    }
    await this.write(removalsName(version), removals);
    await this.keep(table, version);
    await this.replace(table);
    this.prune(this.kept().slice(-VERSIONS_KEPT));
  }

  /**
   * Puts the version before `inForce` in force, or the built-in lists where none is left, and forgets `inForce`; gives
   * the files of versions that are damaged and were passed over. Throws AddrsiftError OPERATION when a file can't be
   * read or written.
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
    else await this.replace(readRegular(target.file) as Uint8Array);
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

  /** Removes the files that belong to none of these versions. */
  private prune(versions: readonly KeptVersion[]): void {
    const used = new Set(versions.map(({ file }) => file));
    for (const { version, file } of versions) {
      used.add(join(this.folder, removalsName(version)));
      for (const { key, digest } of wholeLists(file)?.meta.sources ?? [])
        if (digest !== undefined) used.add(join(this.folder, snapshotName(key, digest)));
    }
    for (const name of this.names()) {
      const path = join(this.folder, name);
      const isOurs = [KEPT_FILE, REMOVALS_FILE, SNAPSHOT_FILE].some((pattern) => pattern.test(name));
      if (isOurs && !used.has(path)) rmSync(path, { force: true, recursive: true });
    }
  }

  private async replace(table: Uint8Array): Promise<void> {
    await writeDurably(this.file, table, fileState(this.file));
  }

  private async write(name: string, content: string | Uint8Array): Promise<void> {
    const path = join(this.folder, name);
    await writeDurably(path, content, fileState(path));
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

function isState(value: unknown): value is UpdateState {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { checkedAt, failure, rolledBack } = value as Readonly<Record<keyof UpdateState, unknown>>;
  const isText = (one: unknown): boolean => typeof one === "string";
  return (
    [checkedAt, failure].every((one) => one === undefined || isText(one)) &&
    (rolledBack === undefined || (Array.isArray(rolledBack) && rolledBack.every(isText)))
  );
}

function digestsOf({ sources }: ListsMeta): string[] {
  return sources.flatMap(({ digest }) => (digest === undefined ? [] : [digest]));
}

/** The lists in a file; undefined when they are damaged or absent. */
function wholeLists(path: string): CompiledLists | undefined {
  try {
    return openLists(path, "whole");
  } catch {
    return undefined;
  }
}
