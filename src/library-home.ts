// The lists and the overrides of a home, for the library: read again when they change, at the next call, at most once a second. No
// timer is started.

import { statSync } from "node:fs";
import { join } from "node:path";
import { isAddrsiftError } from "./base/errors.ts";
import type { OverrideMap } from "./lists/overrides.ts";
import type { CompiledLists } from "./lists/table.ts";
import { openLists } from "./lists/table-file.ts";
import { readRecords } from "./overrides/from-records.ts";
import { readOverrides } from "./overrides/in-force.ts";
import { recordsState } from "./overrides/place.ts";

const LOOK_EVERY_MS = 1000;

/** Receives a line about lists or overrides that can't be used. */
export type OnWarning = (message: string) => void;

/** What a home has, kept current by `refresh`. */
export class FollowedHome {
  lists: CompiledLists;
  overrides: OverrideMap;
  private readonly folder: string;
  private readonly builtIn: () => CompiledLists;
  private readonly warn: OnWarning;
  private listsMark: string | undefined;
  private overridesMark: string | undefined;
  private nextExpiryMs: number;
  private lookedAtMs: number = performance.now();

  /** `builtIn` gives the lists that serve where the home has none that can be used. */
  constructor(folder: string, builtIn: () => CompiledLists, warn: OnWarning) {
    this.folder = folder;
    this.builtIn = builtIn;
    this.warn = warn;
    this.listsMark = mark(this.listsPath);
    this.overridesMark = overridesMark(folder);
    this.lists = this.readLists("the built-in lists are used") ?? builtIn();
    const { overrides, nextExpiryMs } = this.readOverrides("no overrides are in force");
    this.overrides = overrides;
    this.nextExpiryMs = nextExpiryMs;
  }

  /** Looks for changes, if it has not for a second; true when there are any. */
  refresh(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.lookedAtMs < LOOK_EVERY_MS) return false;
    this.lookedAtMs = nowMs;
    const lists = this.refreshLists();
    return this.refreshOverrides() || lists;
  }

  private get listsPath(): string {
    return join(this.folder, "lists.bin");
  }

  private refreshLists(): boolean {
    const now = mark(this.listsPath);
    if (now === this.listsMark) return false;
    this.listsMark = now;
    const lists = now === undefined ? this.builtIn() : this.readLists("the previous lists stay in use");
    if (lists !== undefined) this.lists = lists;
    return lists !== undefined;
  }

  private refreshOverrides(): boolean {
    const now = overridesMark(this.folder);
    if (now === this.overridesMark && Date.now() < this.nextExpiryMs) return false;
    this.overridesMark = now;
    const { overrides, nextExpiryMs, readable } = this.readOverrides("those read before stay in force");
    this.nextExpiryMs = nextExpiryMs;
    if (readable) this.overrides = overrides;
    return readable;
  }

  /** Undefined when the home has none, or none that can be used. */
  private readLists(instead: string): CompiledLists | undefined {
    if (this.listsMark === undefined) return undefined;
    try {
      return openLists(this.listsPath, "whole");
    } catch (error) {
      if (!isAddrsiftError(error)) throw error;
      this.warn(`the lists in ${this.listsPath} can't be used, so ${instead}: remove the file, or update the lists`);
      return undefined;
    }
  }

  private readOverrides(instead: string): ReturnType<typeof readOverrides> {
    const read = readOverrides(this.folder, Date.now(), readRecords, { instead });
    for (const line of read.warnings) this.warn(line);
    return read;
  }
}

/** Changes when the file at a path is replaced or written; undefined when there is none. */
function mark(path: string): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? undefined : `${stat.ino}:${stat.mtimeMs}:${stat.size}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOTDIR" ? undefined : code;
  }
}

/** Changes when the overrides of a home change; undefined when it has none. */
function overridesMark(folder: string): string | undefined {
  try {
    const state = recordsState(folder);
    return state === undefined ? undefined : `${state.modifiedMs}:${state.octets}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}
