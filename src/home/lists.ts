// The lists in use: those that an update left in a home if they are whole, else the built-in ones. A process that lives
// long follows them and the overrides; it starts no timer: the daemon refreshes by its own, the library at its calls.

import { statSync } from "node:fs";
import { isAddrsiftError } from "../base/errors.ts";
import { defined } from "../base/result.ts";
import { failureRemedy } from "../durable/folder.ts";
import type { CompiledLists } from "../lists/table.ts";
import { openLists } from "../lists/table-file.ts";
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
 * Opens the lists in use: `pieces` for a few look-ups, `whole` (checked at once) for many. `builtIn` opens those that
 * came with the package. Throws what it throws.
 */
export function chooseLists(home: Home | undefined, builtIn: () => CompiledLists, use: "pieces" | "whole"): ListsInUse {
  // Most homes have none, and an error takes longer to make.
  if (home === undefined || fileMark(listsFile(home)) === undefined) return { lists: builtIn(), origin: "built-in" };
  try {
    return { lists: openLists(listsFile(home), use), origin: "home" };
  } catch (error) {
    if (!isAddrsiftError(error)) throw error;
    const warning = warningOf(home, error.cause as NodeJS.ErrnoException | undefined);
    return { lists: builtIn(), origin: "built-in", ...defined({ warning }) };
  }
}

/** The reason why the home's lists can't be used; undefined when the home seems to have none. */
function warningOf(home: Home, failure: NodeJS.ErrnoException | undefined): ListsWarning | undefined {
  const path = listsFile(home);
  const code = failure?.code;
  if (code === undefined)
    return { problem: `the lists in ${path} can't be used`, remedy: "remove the file, or update the lists" };
  // The user named this home, so it should exist.
  if (ABSENT.includes(code) && !(home.named && code !== "ENOENT")) return undefined;
  return { problem: `can't read ${path}`, remedy: failureRemedy(failure) };
}

export function warningText({ problem, remedy }: ListsWarning, instead = "the built-in lists are used"): string {
  return `${problem}, so ${instead}: ${remedy}`;
}

function listsFile({ folder }: Home): string {
  return `${folder}/lists.bin`;
}

/** Changes when the file at a path is replaced or written; undefined when there is none. */
function fileMark(path: string): string | undefined {
  try {
    // Without throwIfNoEntry, which hides ENOTDIR too from Node 22 on.
    const stat = statSync(path, { bigint: true });
    return `${stat.dev}:${stat.ino}:${stat.mtimeNs}:${stat.size}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? undefined : code;
  }
}

const IN_USE_BEFORE = "the previous lists stay in use";

export interface FollowPorts {
  /** Opens the lists that came with the package. Throws AddrsiftError when they can't be read. */
  readonly builtIn: () => CompiledLists;
  readonly now: () => number;
  readonly warn: (line: string) => void;
  /** False for lists that must not take the place of those in use. All may, without it. */
  readonly accepts?: (lists: CompiledLists) => boolean;
}

export class FollowedHome {
  lists: CompiledLists;
  overrides: HomeOverrides;
  /** True while the file of overrides can't be used, and those read before stay in force. */
  overridesDamaged = false;
  private listsMark: string | undefined;
  private overridesMark: string | undefined;
  private nextExpiryMs: number;

  constructor(
    private readonly home: Home,
    private readonly ports: FollowPorts,
  ) {
    this.overridesMark = fileMark(this.overridesFile);
    this.overrides = readOverrides(home.folder, ports.now(), "whole");
    this.nextExpiryMs = nextExpiry(this.overrides);
    this.listsMark = fileMark(listsFile(home));
    const { lists, warning } = chooseLists(home, ports.builtIn, "whole");
    if (warning !== undefined) ports.warn(warningText(warning));
    this.lists = lists;
  }

  /** Reads again what changed, and lets go of overrides that expired; says which of the two are others now. */
  refresh(): { readonly lists: boolean; readonly overrides: boolean } {
    return { lists: this.refreshLists(), overrides: this.refreshOverrides() };
  }

  private refreshLists(): boolean {
    const mark = fileMark(listsFile(this.home));
    if (mark === this.listsMark) return false;
    this.listsMark = mark;
    const { builtIn, warn, accepts } = this.ports;
    try {
      const { lists, warning } = chooseLists(this.home, builtIn, "whole");
      // The lists in use are newer than the built-in ones, so they stay when the file is damaged.
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
      const read = readOverrides(this.home.folder, nowMs, "whole");
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
