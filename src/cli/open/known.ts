// All that is known beforehand: the home, its lists or the built-in ones, and its overrides, for commands, with
// warnings for a person; and classifiers over them.

import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { syntaxOptions } from "../../address/options.ts";
import { AddrsiftError, usage } from "../../base/errors.ts";
import { counted } from "../../base/shown.ts";
import type { DATA_VERSION, MIN_CONFIDENCE, OptionValues, SYNTAX_OPTIONS } from "../../bulk/run/option-table.ts";
import type { Policy } from "../../bulk/run/settings.ts";
import type { ClassifierSetup } from "../../detection/classifier.ts";
import { createParserContext } from "../../detection/parser-context.ts";
import { chooseLists, type Home, type ListsInUse, warningText } from "../../home/lists.ts";
import { HomeOverrides, readOverrides } from "../../home/overrides.ts";
import { requireVersion } from "../../lists/meta.ts";
import type { OverrideIndex } from "../../lists/overrides.ts";
import type { CompiledLists } from "../../lists/table.ts";
import { openLists } from "../../lists/table-file.ts";
import type { GlobalOptions } from "../options/shared.ts";
import type { Host, Runtime } from "../runtime.ts";
import { warn } from "../terminal/say.ts";

type HomeOption = Pick<GlobalOptions, "home">;
type Environment = Pick<Runtime, "env">;

/** The home's absolute path. Throws AddrsiftError USAGE for an empty --home, and OPERATION when there is none. */
export function homeFolder(options: HomeOption, runtime: Environment): string {
  return requireHome(options, runtime).folder;
}

/** The home of a command that needs one. Throws as `homeFolder` does. */
export function requireHome(options: HomeOption, runtime: Environment): Home {
  const home = findHome(options, runtime);
  if (home !== undefined) return home;
  throw new AddrsiftError(
    "OPERATION",
    "this user has no home folder: give --home DIR, or set ADDRSIFT_HOME or HOME to a folder",
  );
}

/**
 * The home: --home, else $ADDRSIFT_HOME, else $XDG_DATA_HOME/addrsift, else ~/.local/share/addrsift. Undefined for a
 * user without a home folder: HOME is not set and the system does not know the user. Throws AddrsiftError USAGE for an
 * empty --home.
 */
export function findHome({ home: given }: HomeOption, { env }: Environment): Home | undefined {
  if (given === "") throw usage("--home is empty: give a folder");
  if (given !== undefined) return { folder: resolve(given), named: true };
  const { ADDRSIFT_HOME, XDG_DATA_HOME } = env;
  if (ADDRSIFT_HOME !== undefined && ADDRSIFT_HOME !== "") return { folder: resolve(ADDRSIFT_HOME), named: true };
  // The XDG Base Directory Specification says to ignore a relative one.
  if (XDG_DATA_HOME !== undefined && isAbsolute(XDG_DATA_HOME))
    return { folder: join(XDG_DATA_HOME, "addrsift"), named: false };
  const user = userFolder();
  return user === undefined ? undefined : { folder: join(user, ".local/share/addrsift"), named: false };
}

function userFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

const DAY_MS = 86_400_000;
// After a week lists know a tenth less of a day's most abused domains than those of the day before
// (test/bench/replay.mjs).
const OLD_AFTER_DAYS = 7;

/**
 * Opens the lists in use: `pieces` for a few look-ups, `whole` (checked at once) for many. Throws when no lists can be
 * opened.
 */
export function openListsInUse(home: Home | undefined, root: string, use: "pieces" | "whole"): ListsInUse {
  return chooseLists(home, () => builtInLists(root, use), use);
}

/** The lists that came with the package. */
export function builtInLists(root: string, use: "pieces" | "whole"): CompiledLists {
  return openLists(`${root}/dist/lists.bin`, use);
}

/** The options that choose lists. Only some commands have `--data-version`. */
export type ListsOptions = GlobalOptions & Partial<OptionValues<typeof DATA_VERSION>>;

/**
 * The lists for a command. If those of the home can't be used, it warns on standard error. Throws AddrsiftError for
 * lists of a wrong version.
 */
export function listsInUse(options: ListsOptions, runtime: Host, use: "pieces" | "whole"): CompiledLists {
  const { lists, warning } = openListsInUse(findHome(options, runtime), runtime.root, use);
  if (warning !== undefined && !options.quiet) warn(runtime, warningText(warning));
  requireVersion(lists, options["data-version"]);
  if (runtime.stderr.isTerminal && !options.quiet) noteOfAge(lists, runtime);
  return lists;
}

/** Tells a person when nothing newer was taken for long. Services of throw-away addresses have new names each day. */
function noteOfAge(lists: CompiledLists, runtime: Host): void {
  const days = ageInDays(lists, runtime);
  if (days > OLD_AFTER_DAYS) warn(runtime, `the lists are ${days} days old: addrsift lists update fetches newer ones`);
}

export function ageInDays({ meta }: CompiledLists, { now }: Host): number {
  return Math.max(0, Math.floor((now() - Date.parse(meta.date)) / DAY_MS));
}

/** All that is known of domains and addresses beforehand. */
export interface KnownInUse extends Known {
  readonly overrides: HomeOverrides;
}

/** The lists and the overrides: `pieces` for a few addresses, `whole` for many. */
export function knownInUse(options: ListsOptions, runtime: Host, use: "pieces" | "whole"): KnownInUse {
  // Before the lists, whose warnings would come twice where these can't be used.
  const overrides = overridesInUse(options, runtime, use);
  return { overrides, lists: listsInUse(options, runtime, use) };
}

/** The same for a command that may not need them: read when first asked for. */
export function lazyKnown(options: GlobalOptions, runtime: Host): () => Known {
  let known: Known | undefined;
  return () => {
    known ??= { overrides: overridesInUse(options, runtime, "pieces"), lists: listsInUse(options, runtime, "whole") };
    return known;
  };
}

/**
 * The overrides for a command: `pieces` for a few look-ups, `whole` for many. Throws AddrsiftError when they can't be
 * used.
 */
export function overridesInUse(options: GlobalOptions, runtime: Host, use: "pieces" | "whole"): HomeOverrides {
  const home = findHome(options, runtime);
  return home === undefined
    ? new HomeOverrides({ path: "", text: "\n", nowMs: 0 }, use)
    : readOverrides(home.folder, runtime.now(), use);
}

export function openEntryReader(options: GlobalOptions, runtime: Host) {
  const lists = listsInUse(options, runtime, "whole");
  return { lists, parserContext: createParserContext(lists) };
}

/** How many domains bulk work remembers; 65,536 are enough for millions of rows. */
export const BULK_CACHE_ENTRIES = 65_536;

export function policyOf(options: OptionValues<(typeof SYNTAX_OPTIONS)[number] | typeof MIN_CONFIDENCE>): Policy {
  return { syntax: syntaxOptions((name) => options[name]), minConfidence: options["min-confidence"] };
}

export interface Known {
  readonly lists: CompiledLists;
  readonly overrides: OverrideIndex;
}

/** A classifier's setup over what is known, which remembers `cacheEntries` domains. */
export function classifierSetup(policy: Policy, { lists, overrides }: Known, cacheEntries: number): ClassifierSetup {
  return { lists, overrides, parserContext: createParserContext(lists), ...policy, cacheEntries };
}

/**
 * `addrsift 1.0.0, lists 2026-11-20-… (2 days old), Node 20.20.2`, with the lists in use; without them where they can't
 * be read.
 */
export function versionLine(home: string | undefined, runtime: Runtime): string {
  const { version } = runtime.load("../package.json");
  return [`addrsift ${version}`, ...listsVersion(home, runtime), `Node ${runtime.nodeVersion}`].join(", ");
}

function listsVersion(home: string | undefined, runtime: Runtime): string[] {
  try {
    const { lists } = openListsInUse(findHome({ home }, runtime), runtime.root, "pieces");
    return [`lists ${lists.meta.dataVersion} (${counted(ageInDays(lists, runtime), "day", "days")} old)`];
  } catch {
    // The version must be told even where nothing else works.
    return [];
  }
}
