// Opens the lists in use: a home's updated lists if they are intact, or else the built-in ones. `FollowedHome` reloads
// lists and overrides after changes when its owner calls refresh(): the daemon by a timer, the library in its calls.

import { statSync } from "node:fs";
import { isAddrsiftError } from "../base/errors.ts";
import { omitUndefined } from "../base/result.ts";
import { fileErrorRemedy } from "../durable/folder.ts";
import type { CompiledLists } from "../lists/table.ts";
import { type LoadMode, openLists } from "../lists/table-file.ts";
import { type HomeOverrides, OVERRIDES_FILE, readOverrides } from "./overrides.ts";

export interface Home {
  readonly folder: string;
  readonly named: boolean;
}

export interface ListsWarning {
  readonly problem: string;
  readonly remedy: string;
}

export interface ListsInUse {
  readonly lists: CompiledLists;
  readonly origin: "home" | "built-in";
  readonly warning?: ListsWarning;
}

const ABSENT: readonly unknown[] = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

/**
 * Opens the lists in use: `pieces` reads on demand, for a few lookups; `whole` loads and verifies. `builtIn` opens the
 * package's lists and may throw.
 */
export function chooseLists(home: Home | undefined, builtIn: () => CompiledLists, use: LoadMode): ListsInUse {
  // Most homes have no lists, and this is faster than an exception.
  if (home === undefined || fileMark(listsFile(home)) === undefined) return { lists: builtIn(), origin: "built-in" };
  try {
    return { lists: openLists(listsFile(home), use), origin: "home" };
  } catch (error) {
    if (!isAddrsiftError(error)) throw error;
    const warning = warningOf(home, error.cause as NodeJS.ErrnoException | undefined);
    return { lists: builtIn(), origin: "built-in", ...omitUndefined({ warning }) };
  }
}

/** Returns why the home's lists can't be used; undefined if there seem to be none. */
function warningOf(home: Home, failure: NodeJS.ErrnoException | undefined): ListsWarning | undefined {
  const path = listsFile(home);
  const code = failure?.code;
  if (code === undefined)
    return { problem: `the lists in ${path} can't be used`, remedy: "remove the file, or update the lists" };
  // The user named this home, so it should exist.
  if (ABSENT.includes(code) && !(home.named && code !== "ENOENT")) return undefined;
  return { problem: `can't read ${path}`, remedy: fileErrorRemedy(failure) };
}

export function warningText({ problem, remedy }: ListsWarning, instead = "the built-in lists are used"): string {
  return `${problem}, so ${instead}: ${remedy}`;
}

function listsFile({ folder }: Home): string {
  return `${folder}/lists.bin`;
}

/** Returns a value that changes when the file is replaced or written; undefined if there is no file. */
function fileMark(path: string): string | undefined {
  try {
    // Not with throwIfNoEntry, which also hides ENOTDIR since Node 22.
    const stat = statSync(path, { bigint: true });
    return `${stat.dev}:${stat.ino}:${stat.mtimeNs}:${stat.size}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? undefined : code;
  }
}

const IN_USE_BEFORE = "the previous lists stay in use";

export interface FollowPorts {
  /** Opens the package's lists. Throws AddrsiftError if they can't be read. */
  readonly builtIn: () => CompiledLists;
  readonly now: () => number;
  readonly warn: (line: string) => void;
  /** Returns false to keep the previous lists. Default: accepts all. */
  readonly accepts?: (lists: CompiledLists) => boolean;
}

export class FollowedHome {
  lists: CompiledLists;
  overrides: HomeOverrides;
  /** The overrides file can't be used, so the previous overrides are in force. */
  overridesDamaged = false;
  private listsMark: string | undefined;
  private overridesMark: string | undefined;
  private nextExpiryMs: number;

  constructor(
    private readonly home: Home,
    private readonly ports: FollowPorts,
  ) {
    this.overridesMark = fileMark(this.overridesFile);
    this.overrides = readOverrides(home.folder, ports.now(), "in-memory");
    this.nextExpiryMs = nextExpiry(this.overrides);
    this.listsMark = fileMark(listsFile(home));
    const { lists, warning } = chooseLists(home, ports.builtIn, "in-memory");
    if (warning !== undefined) ports.warn(warningText(warning));
    this.lists = lists;
  }

  /** Reloads changed files and drops expired overrides. Returns which of the two are new. */
  refresh(): { readonly lists: boolean; readonly overrides: boolean } {
    return { lists: this.refreshLists(), overrides: this.refreshOverrides() };
  }

  private refreshLists(): boolean {
    const mark = fileMark(listsFile(this.home));
    if (mark === this.listsMark) return false;
    this.listsMark = mark;
    const { builtIn, warn, accepts } = this.ports;
    try {
      const { lists, warning } = chooseLists(this.home, builtIn, "in-memory");
      // If the file is damaged, keep the lists in use, which are newer than the built-in ones.
      if (warning !== undefined) warn(warningText(warning, IN_USE_BEFORE));
      else if (accepts?.(lists) !== false) {
        this.lists = lists;
        return true;
      }
    } catch (error) {
      warn(`can't read any lists, so ${IN_USE_BEFORE}: ${(error as Error).message}`);
    }
    return false;
  }

  private refreshOverrides(): boolean {
    const mark = fileMark(this.overridesFile);
    const changed = mark !== this.overridesMark;
    const nowMs = this.ports.now();
    if (!changed && nowMs < this.nextExpiryMs) return false;
    this.overridesMark = mark;
    const read = changed ? this.readOverridesAgain(nowMs) : this.overrides.at(nowMs);
    if (read === undefined) return false;
    this.overrides = read;
    this.nextExpiryMs = nextExpiry(read);
    return true;
  }

  private readOverridesAgain(nowMs: number): HomeOverrides | undefined {
    try {
      const read = readOverrides(this.home.folder, nowMs, "in-memory");
      this.overridesDamaged = false;
      return read;
    } catch (error) {
      this.overridesDamaged = true;
      this.ports.warn(`the overrides read before stay in force: ${(error as Error).message}`);
      return undefined;
    }
  }

  private get overridesFile(): string {
    return `${this.home.folder}/${OVERRIDES_FILE}`;
  }
}

function nextExpiry(overrides: HomeOverrides): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const { expires_at } of overrides.inForce())
    if (expires_at !== undefined) nextMs = Math.min(nextMs, Date.parse(expires_at));
  return nextMs;
}
