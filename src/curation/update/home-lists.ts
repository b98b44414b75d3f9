// What updates leave in a home: the lists in force (lists.bin), and under lists/ the versions before, the sources' snapshots, what the
// community list took off, and when updates ran. Every file is replaced as a whole, so a process may die at any point.

import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../durable/folder.ts";
import { withLock } from "../../durable/lock.ts";
import { fileState } from "../../durable/read.ts";
import { writeDurably } from "../../durable/write.ts";
import { AddrsiftError, isAddrsiftError } from "../../errors.ts";
import { openLists } from "../../lists/table-file.ts";
import { type CommunityRemovals, parseRemovals, removalsText } from "../community-removals.ts";
import { parseSnapshot, type Snapshot, snapshotText } from "../snapshot.ts";
import { CurationError, SOURCE_KEYS, type SourceKey } from "../sources.ts";

/** When an update ran last, and what a person took back. */
export interface UpdateState {
  /** ISO time of the last update that reached all its sources. */
  readonly checkedAt?: string;
  /** Digests of the sources that a person rolled back: updates do not take them again by themselves. */
  readonly rolledBack?: readonly string[] | undefined;
  /** Why the last update failed; the channels know it. */
  readonly failure?: string | undefined;
}

/** A version of the lists that the home keeps. */
export interface KeptVersion {
  readonly version: string;
  readonly file: string;
}

// The lists in force and the two before.
const VERSIONS_KEPT = 3;
const KEPT_FILE = /^(\d{6})-([\w-]{1,64})\.bin$/;
// An update takes longer, and the next one finds what this one left.
const LOCK_WAIT_MS = 500;
const ROLLED_BACK_KEPT = 100;
const NOT_FREE = "another process updates the lists of this home: try again when it has ended";

/** The lists of one home. */
export class HomeLists {
  readonly file: string;
  private readonly home: string;
  private readonly folder: string;

  constructor(home: string) {
    this.home = home;
    this.file = join(home, "lists.bin");
    this.folder = join(home, "lists");
  }

  /** Runs `change` while no other process changes the lists. Throws AddrsiftError OPERATION when one does. */
  async locked<T>(change: () => Promise<T>): Promise<T> {
    makeFolder(this.home, "lists");
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
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

  /** The snapshot of a source; undefined when there is none, or a damaged one. */
  snapshot(key: SourceKey): Snapshot | undefined {
    return this.read(`${key}.txt`, (text) => parseSnapshot(text, key));
  }

  /** What the community list took off between updates. */
  removals(): CommunityRemovals {
    return this.read("community-removals.txt", (text) => parseRemovals(text, "")) ?? new Map();
  }

  state(): UpdateState {
    return this.read("state.json", (text) => JSON.parse(text) as UpdateState) ?? {};
  }

  async saveState(state: UpdateState): Promise<void> {
    await this.write("state.json", `${JSON.stringify(state)}\n`);
  }

  /** Keeps the sources. What was taken off comes first: a process that dies after D would forget it. */
  async saveSources(snapshots: readonly Snapshot[], removals: CommunityRemovals, d: Snapshot): Promise<void> {
    await this.write("community-removals.txt", removalsText(removals, d));
    for (const key of SOURCE_KEYS) {
      const snapshot = snapshots.find((one) => one.key === key);
      if (snapshot !== undefined) await this.write(`${key}.txt`, snapshotText(snapshot));
    }
  }

  /** Puts lists in force and keeps them. `inForce` is the version there before, of this home or built in. */
  async install(table: Uint8Array, version: string, inForce: string): Promise<void> {
    const kept = this.kept();
    // Lists that someone put there by hand can be taken back to as well.
    if (kept.at(-1)?.version !== inForce && fileState(this.file) !== undefined) {
      const octets = readFileSync(this.file);
      if (isWhole(this.file)) await this.keep(octets, inForce);
    }
    await this.keep(table, version);
    await this.replace(table);
    for (const { file } of this.kept().slice(0, -VERSIONS_KEPT)) rmSync(file, { force: true });
  }

  /** The kept versions, oldest first. */
  kept(): KeptVersion[] {
    return this.names()
      .map((name) => ({ name, version: KEPT_FILE.exec(name)?.[2] }))
      .filter((found): found is { name: string; version: string } => found.version !== undefined)
      .map(({ name, version }) => ({ version, file: join(this.folder, name) }));
  }

  /**
   * Puts the version before `inForce` in force and forgets `inForce`; gives its name, undefined for the built-in lists. Throws
   * AddrsiftError OPERATION when nothing is in force, and DATA when the version before is damaged.
   */
  async rollBack(inForce: string): Promise<string | undefined> {
    const kept = this.kept();
    const before = kept.filter(({ version }) => version !== inForce).at(-1);
    if (before === undefined) rmSync(this.file, { force: true });
    else {
      openLists(before.file, "whole");
      await this.replace(readFileSync(before.file));
    }
    for (const { file } of kept.filter(({ version }) => version === inForce)) rmSync(file, { force: true });
    return before?.version;
  }

  /** Forgets the sources with these digests, which lists that were rolled back were made from, and what came of them. */
  async forgetSources(digests: readonly string[]): Promise<void> {
    for (const key of SOURCE_KEYS) {
      if (!digests.includes(this.snapshot(key)?.digest ?? "")) continue;
      rmSync(join(this.folder, `${key}.txt`), { force: true });
      if (key === "D") rmSync(join(this.folder, "community-removals.txt"), { force: true });
    }
    const { rolledBack = [], ...state } = this.state();
    await this.saveState({ ...state, rolledBack: [...new Set([...rolledBack, ...digests])].slice(-ROLLED_BACK_KEPT) });
  }

  private async keep(table: Uint8Array, version: string): Promise<void> {
    const kept = this.kept();
    for (const { file } of kept.filter((one) => one.version === version)) rmSync(file, { force: true });
    const last = Number(KEPT_FILE.exec(this.names().at(-1) ?? "")?.[1] ?? 0);
    await this.write(`${String(last + 1).padStart(6, "0")}-${version}.bin`, table);
  }

  private async replace(table: Uint8Array): Promise<void> {
    await writeDurably(this.file, [table], fileState(this.file));
  }

  private async write(name: string, content: string | Uint8Array): Promise<void> {
    const path = join(this.folder, name);
    await writeDurably(path, [content], fileState(path));
  }

  private read<T>(name: string, parse: (text: string) => T): T | undefined {
    try {
      return parse(readFileSync(join(this.folder, name), "utf8"));
    } catch (error) {
      if (error instanceof CurationError || error instanceof SyntaxError || isAbsent(error)) return undefined;
      throw new AddrsiftError("OPERATION", `can't read ${join(this.folder, name)}: check who owns it`, error);
    }
  }

  private names(): string[] {
    try {
      return readdirSync(this.folder)
        .filter((name) => KEPT_FILE.test(name))
        .sort();
    } catch (error) {
      if (isAbsent(error)) return [];
      throw new AddrsiftError("OPERATION", `can't read ${this.folder}: check who owns it`, error);
    }
  }
}

function isWhole(path: string): boolean {
  try {
    openLists(path, "whole");
    return true;
  } catch {
    return false;
  }
}

function isAbsent(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
}
