// The lists and the overrides of a home, for the library: read again when they change, at the next call, at most once a second. No
// timer is started.

import { join } from "node:path";
import { isAddrsiftError } from "./base/errors.ts";
import { FollowedOverrides, fileMark, type HomeOverrides } from "./home/overrides.ts";
import type { CompiledLists } from "./lists/table.ts";
import { openLists } from "./lists/table-file.ts";

const LOOK_EVERY_MS = 1000;

/** Receives a line about lists or overrides that can't be used. */
export type OnWarning = (message: string) => void;

/** What a home has, kept current by `refresh`. */
export class FollowedHome {
  lists: CompiledLists;
  private readonly folder: string;
  private readonly builtIn: () => CompiledLists;
  private readonly warn: OnWarning;
  private listsMark: string | undefined;
  private readonly followed: FollowedOverrides;
  private lookedAtMs: number = performance.now();

  /**
   * `builtIn` gives the lists that serve where the home has none that can be used. Throws AddrsiftError when its overrides can't be used.
   */
  constructor(folder: string, builtIn: () => CompiledLists, warn: OnWarning) {
    this.folder = folder;
    this.builtIn = builtIn;
    this.warn = warn;
    this.followed = new FollowedOverrides(folder, Date.now, warn);
    this.listsMark = fileMark(this.listsPath);
    this.lists = this.readLists("the built-in lists are used") ?? builtIn();
  }

  get overrides(): HomeOverrides {
    return this.followed.current;
  }

  /** Looks for changes, if it has not for a second; true when there are any. */
  refresh(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.lookedAtMs < LOOK_EVERY_MS) return false;
    this.lookedAtMs = nowMs;
    const lists = this.refreshLists();
    return this.followed.refresh() || lists;
  }

  private get listsPath(): string {
    return join(this.folder, "lists.bin");
  }

  private refreshLists(): boolean {
    const now = fileMark(this.listsPath);
    if (now === this.listsMark) return false;
    this.listsMark = now;
    const lists = now === undefined ? this.builtIn() : this.readLists("the previous lists stay in use");
    if (lists !== undefined) this.lists = lists;
    return lists !== undefined;
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
}
