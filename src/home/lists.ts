// Opens the lists in use: a home's updated lists if they are intact, or else the built-in ones. `ReloadingHome` reloads
// lists and overrides after changes when its owner calls refresh(): the daemon by a timer, the library in its calls.

import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { type AddrsiftError, isAddrsiftError } from "../base/errors.ts";
import { omitUndefined } from "../base/result.ts";
import { fileErrorRemedy, isAbsenceCode } from "../durable/folder.ts";
import type { CompiledLists } from "../lists/table.ts";
import { type LoadMode, openLists } from "../lists/table-file.ts";
import { HomeOverrides, OVERRIDES_FILE, readOverrides } from "./overrides.ts";

export interface Home {
  readonly folder: string;
  readonly isExplicit: boolean;
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

const ROLLBACK = "run addrsift lists rollback";

/** Opens the lists in use. `openBuiltIn` opens the package's lists, and may throw. */
export function chooseLists(home: Home | undefined, openBuiltIn: () => CompiledLists, mode: LoadMode): ListsInUse {
  // Most homes have no lists, and this is faster than an exception.
  if (home === undefined || fileFingerprint(listsFile(home)) === undefined)
    return { lists: openBuiltIn(), origin: "built-in", ...(home && explainLoss(home)) };
  try {
    return { lists: openLists(listsFile(home), mode), origin: "home" };
  } catch (error) {
    if (!isAddrsiftError(error)) throw error;
    const warning = explainFailure(home, error);
    return { lists: openBuiltIn(), origin: "built-in", ...omitUndefined({ warning }) };
  }
}

/** Returns why the home's lists can't be used; undefined if there seem to be none. */
function explainFailure(home: Home, { message, cause }: AddrsiftError): ListsWarning | undefined {
  const failure = cause as NodeJS.ErrnoException | undefined;
  const code = failure?.code;
  if (code === undefined) return { problem: message.slice(0, message.lastIndexOf(": ")), remedy: ROLLBACK };
  // A home that the user named should exist. ENOENT: lists.bin is a dangling link.
  if (isAbsenceCode(code) && !home.isExplicit && code !== "ENOENT") return undefined;
  return { problem: `can't read ${listsFile(home)}`, remedy: fileErrorRemedy(failure) };
}

/** Warns if there is no folder `folder`, which the user named by `option`. */
export function warnIfMissing(folder: string, option: string, warn: (message: string) => void): void {
  if (!existsSync(folder)) warn(`there is no folder ${folder}, so the home is empty: check ${option}`);
}

export function formatWarning({ problem, remedy }: ListsWarning, consequence = "the built-in lists are used"): string {
  return `${problem}, so ${consequence}: ${remedy}`;
}

function listsFile({ folder }: Home): string {
  return `${folder}/lists.bin`;
}

/** Returns a warning if the home has stored versions although lists.bin is missing. An unreadable folder has none. */
function explainLoss(home: Home): Pick<ListsInUse, "warning"> {
  const folder = `${home.folder}/lists`;
  try {
    // For most homes, this is faster than an exception.
    if (!existsSync(folder) || !readdirSync(folder).some((name) => name.endsWith(".bin"))) return {};
  } catch {
    return {};
  }
  return { warning: { problem: `${listsFile(home)} is missing`, remedy: ROLLBACK } };
}

/** Returns a value that changes with the file, its owner and its permissions; undefined if there is no file or link. */
function fileFingerprint(path: string): string | undefined {
  try {
    // From Node 22 on, `throwIfNoEntry: false` would also hide ENOTDIR.
    const stat = statSync(path, { bigint: true });
    return `${stat.dev}:${stat.ino}:${stat.ctimeNs}:${stat.size}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isAbsent = code === "ENOENT" && lstatSync(path, { throwIfNoEntry: false }) === undefined;
    return isAbsent ? undefined : code;
  }
}

const PREVIOUS_LISTS_USED = "the previous lists stay in use";

export interface ReloadingHomeDeps {
  /** Opens the package's lists. Throws AddrsiftError if they can't be read. */
  readonly openBuiltIn: () => CompiledLists;
  readonly now: () => number;
  readonly warn: (line: string) => void;
  /** Returns false to keep the previous lists. Default: accepts all. */
  readonly accepts?: (lists: CompiledLists) => boolean;
}

export class ReloadingHome {
  lists: CompiledLists;
  overrides: HomeOverrides;
  /** Whether each file can't be used, so that its previous content, or the built-in lists, are in force. */
  readonly damaged: Record<"lists.bin" | "overrides.tsv", boolean> = { "lists.bin": false, "overrides.tsv": false };
  private listsFingerprint: string | undefined;
  private overridesFingerprint: string | undefined;
  private nextExpiryMs: number;

  constructor(
    private readonly home: Home,
    private readonly deps: ReloadingHomeDeps,
  ) {
    this.overridesFingerprint = fileFingerprint(this.overridesFile);
    this.overrides = readOverrides(home.folder, deps.now());
    this.listsFingerprint = fileFingerprint(listsFile(home));
    const { lists, warning } = chooseLists(home, deps.openBuiltIn, "in-memory");
    if (warning !== undefined) deps.warn(formatWarning(warning));
    this.damaged["lists.bin"] = warning !== undefined;
    this.lists = lists;
    this.overrides.ignoreInvalidEntries(lists, deps.warn);
    this.nextExpiryMs = nextExpiry(this.overrides);
  }

  /** Reloads changed files and drops expired overrides. Returns which of them changed. */
  refresh(): { readonly lists: boolean; readonly overrides: boolean } {
    return { lists: this.refreshLists(), overrides: this.refreshOverrides() };
  }

  private refreshLists(): boolean {
    const fingerprint = fileFingerprint(listsFile(this.home));
    if (fingerprint === this.listsFingerprint) return false;
    this.listsFingerprint = fingerprint;
    const { openBuiltIn, warn, accepts } = this.deps;
    try {
      const { lists, warning } = chooseLists(this.home, openBuiltIn, "in-memory");
      this.damaged["lists.bin"] = warning !== undefined;
      // If the file is damaged, keep the lists in use, which are newer than the built-in ones.
      if (warning !== undefined) warn(formatWarning(warning, PREVIOUS_LISTS_USED));
      else if (accepts?.(lists) !== false) {
        this.lists = lists;
        return true;
      }
    } catch (error) {
      warn(`can't read any lists, so ${PREVIOUS_LISTS_USED}: ${(error as Error).message}`);
    }
    return false;
  }

  private refreshOverrides(): boolean {
    const fingerprint = fileFingerprint(this.overridesFile);
    const changed = fingerprint !== this.overridesFingerprint;
    const nowMs = this.deps.now();
    if (!changed && nowMs < this.nextExpiryMs) return false;
    this.overridesFingerprint = fingerprint;
    const overrides = changed ? this.readOverridesAgain(nowMs) : new HomeOverrides({ ...this.overrides.source, nowMs });
    if (overrides === undefined) return false;
    this.overrides = overrides;
    overrides.ignoreInvalidEntries(this.lists, changed ? this.deps.warn : () => undefined);
    this.nextExpiryMs = nextExpiry(overrides);
    return true;
  }

  private readOverridesAgain(nowMs: number): HomeOverrides | undefined {
    try {
      const overrides = readOverrides(this.home.folder, nowMs);
      this.damaged["overrides.tsv"] = false;
      return overrides;
    } catch (error) {
      this.damaged["overrides.tsv"] = true;
      this.deps.warn(`the overrides read before stay in force: ${(error as Error).message}`);
      return undefined;
    }
  }

  private get overridesFile(): string {
    return `${this.home.folder}/${OVERRIDES_FILE}`;
  }
}

function nextExpiry(overrides: HomeOverrides): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const { expires_at } of overrides.activeRecords())
    if (expires_at !== undefined) nextMs = Math.min(nextMs, Date.parse(expires_at));
  return nextMs;
}
