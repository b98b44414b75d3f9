// A home's lists and overrides in a process that lives long: read again when their files change. No timer is started:
// the daemon refreshes by one of its own, the library at its calls.

import type { CompiledLists } from "../lists/table.ts";
import { chooseLists, fileMark, type Home, listsFile, warningText } from "./lists.ts";
import { type HomeOverrides, OVERRIDES_FILE, readOverrides } from "./overrides.ts";

const IN_USE_BEFORE = "the previous lists stay in use";

export interface FollowPorts {
  /** Opens the lists that came with the package. Throws AddrsiftError when they can't be read. */
  readonly builtIn: () => CompiledLists;
  readonly now: () => number;
  /** Receives a line about lists or overrides that can't be used. */
  readonly warn: (line: string) => void;
  /** False for lists that must not take the place of those in use. All may, without it. */
  readonly accepts?: (lists: CompiledLists) => boolean;
}

/** A home, kept current by `refresh`. */
export class FollowedHome {
  lists: CompiledLists;
  overrides: HomeOverrides;
  /** True while the file of overrides can't be used, and those read before stay in force. */
  overridesDamaged = false;
  private listsMark: string | undefined;
  private overridesMark: string | undefined;
  private nextExpiryMs: number;

  /** Throws AddrsiftError when no lists can be read, or the overrides can't be used. */
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

/** When the next override expires, in milliseconds since 1970; infinite when none does. */
function nextExpiry(overrides: HomeOverrides): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const { expires_at } of overrides.inForce())
    if (expires_at !== undefined) nextMs = Math.min(nextMs, Date.parse(expires_at));
  return nextMs;
}
