// Opens the home, its lists or the built-in ones, and its overrides, and sets up classifiers over them.

import { isAbsolute, join, resolve, sep } from "node:path";
import { collectSyntaxOptions } from "../../address/options.ts";
import { AddrsiftError, usageError } from "../../base/errors.ts";
import { pluralize } from "../../base/format-text.ts";
import type { DATA_VERSION, MIN_CONFIDENCE, OptionValues, SYNTAX_OPTIONS } from "../../bulk/run/option-table.ts";
import type { Policy } from "../../bulk/run/options.ts";
import { describeServiceHome } from "../../durable/folder.ts";
import { chooseLists, formatWarning, type Home, type ListsInUse } from "../../home/lists.ts";
import { requireVersion } from "../../lists/meta.ts";
import type { CompiledLists } from "../../lists/table.ts";
import { type LoadMode, openLists } from "../../lists/table-file.ts";
import type { GlobalOptions } from "../options/table.ts";
import type { Host, Runtime } from "../runtime.ts";
import { warn } from "../terminal/output.ts";

type HomeOptions = Partial<Pick<GlobalOptions, "home" | "quiet">>;

/**
 * Returns the home. Warns root if its own home is used, but the service's may be meant. Throws AddrsiftError OPERATION
 * if there is none.
 */
export function requireHome(options: HomeOptions, runtime: Pick<Runtime, "env" | "stderr">): Home {
  const home = findHome(options, runtime);
  const warning = home === undefined || home.isExplicit ? undefined : describeServiceHome(home.folder);
  if (warning !== undefined && options.quiet !== true) warn(runtime, warning);
  if (home !== undefined) return home;
  throw new AddrsiftError("OPERATION", "this user has no home folder: use --home DIR, or set ADDRSIFT_HOME or HOME");
}

/** Returns the home; undefined if the user has no home folder. Throws AddrsiftError USAGE for an empty --home. */
export function findHome({ home: option }: HomeOptions, { env }: Pick<Runtime, "env">): Home | undefined {
  if (option === "") throw usageError("--home is empty: give a folder");
  const { ADDRSIFT_HOME, XDG_DATA_HOME, HOME } = env;
  const chosenFolder = option ?? ADDRSIFT_HOME ?? "";
  if (chosenFolder !== "") return { folder: resolve(chosenFolder), isExplicit: true };
  // The XDG Base Directory Specification ignores a relative path.
  if (XDG_DATA_HOME !== undefined && isAbsolute(XDG_DATA_HOME)) {
    return { folder: join(XDG_DATA_HOME, "addrsift"), isExplicit: false };
  }
  try {
    // Same as homedir() except on Windows; loading node:os takes 0.5 ms.
    const folder =
      HOME !== undefined && sep === "/" ? HOME : (require("node:os") as typeof import("node:os")).homedir();
    return { folder: join(folder, ".local/share/addrsift"), isExplicit: false };
  } catch {
    // HOME is not set, and the system has no entry for the user.
    return undefined;
  }
}

const DAY_MS = 86_400_000;
// A week-old list misses a tenth more of a day's most abused domains than a day-old one (test/bench/replay.mjs).
const STALE_AFTER_DAYS = 7;

export function openListsInUse(home: Home | undefined, root: string, mode: LoadMode): ListsInUse {
  return chooseLists(home, () => openBuiltInLists(root, mode), mode);
}

export function openBuiltInLists(root: string, mode: LoadMode): CompiledLists {
  return openLists(`${root}/dist/lists.bin`, mode);
}

/** Options that select lists. Not every command has `--data-version`. */
export type ListsOptions = Partial<GlobalOptions & OptionValues<typeof DATA_VERSION>>;

/** The lists for a command, with warnings on standard error. Throws AddrsiftError for lists of a wrong version. */
export function openListsWithWarnings(options: ListsOptions, runtime: Host, mode: LoadMode): CompiledLists {
  const { lists, warning } = openListsInUse(findHome(options, runtime), runtime.root, mode);
  if (warning !== undefined && !options.quiet) warn(runtime, formatWarning(warning));
  requireVersion(lists, options["data-version"]);
  if (runtime.stderr.isTerminal && !options.quiet) {
    // Disposable services add domains daily.
    const days = ageInDays(lists, runtime.now());
    if (days > STALE_AFTER_DAYS) warn(runtime, `the lists were built ${days} days ago: run addrsift lists update`);
  }
  return lists;
}

export function ageInDays({ meta }: CompiledLists, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - Date.parse(meta.date)) / DAY_MS));
}

/** Number of domains that a classifier of many rows caches. */
export const BULK_CACHE_ENTRIES = 65_536;

export function parsePolicy(options: OptionValues<(typeof SYNTAX_OPTIONS)[number] | typeof MIN_CONFIDENCE>): Policy {
  return { syntax: collectSyntaxOptions((name) => options[name]), minConfidence: options["min-confidence"] };
}

/** Returns `addrsift 1.0.0, lists … (built 2 days ago), Node 20.20.2`, without lists if they are unreadable. */
export function formatVersion(home: string | undefined, { env, root, now, load, nodeVersion }: Runtime): string {
  const parts = [`addrsift ${load("../package.json").version}`, `Node ${nodeVersion}`];
  try {
    const { lists } = openListsInUse(findHome({ home }, { env }), root, "on-demand");
    const age = pluralize(ageInDays(lists, now()), "day", "days");
    parts.splice(1, 0, `lists ${lists.meta.dataVersion} (built ${age} ago)`);
  } catch {
    // The version is printed even if nothing else works.
  }
  return parts.join(", ");
}
