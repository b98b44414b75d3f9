// Chooses the lists in use: those that an update left in the home if they are whole, else the built-in ones. Every command and
// the daemon choose here.

import { isAddrsiftError } from "../../base/errors.ts";
import { failureRemedy } from "../../durable/failure.ts";
import { fileMark } from "../../home/overrides.ts";
import { requireVersion } from "../../lists/meta.ts";
import type { CompiledLists } from "../../lists/table.ts";
import { openLists } from "../../lists/table-file.ts";
import type { DATA_VERSION, GlobalOptions } from "../options/shared.ts";
import type { OptionValues } from "../options/types.ts";
import type { Runtime } from "../runtime.ts";
import { warn } from "../terminal/say.ts";
import { findHome, type Home } from "./home.ts";

/** Why the lists in the home are not in use. */
export interface ListsWarning {
  readonly problem: string;
  readonly remedy: string;
}

/** Lists, and their origin. */
export interface ListsInUse {
  readonly lists: CompiledLists;
  readonly origin: "home" | "built-in";
  /** Set when the home seems to have lists that can't be used. */
  readonly warning?: ListsWarning;
}

const DAY_MS = 86_400_000;
const OLD_AFTER_DAYS = 30;

// With these codes the file does not exist.
const ABSENT: readonly unknown[] = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

/**
 * Opens the lists in use: `pieces` for a few look-ups, `whole` (checked at once) for many. Throws when no lists can be opened.
 */
export function openListsInUse(home: Home | undefined, root: string, use: "pieces" | "whole"): ListsInUse {
  if (home === undefined || fileMark(listsFile(home)) === undefined) return builtIn(root, use);
  try {
    return { lists: openLists(listsFile(home), use), origin: "home" };
  } catch (error) {
    if (!isAddrsiftError(error)) throw error;
    return builtIn(root, use, warningOf(home, error.cause as NodeJS.ErrnoException | undefined));
  }
}

/** Why the home's lists can't be used; undefined when the home seems to have none. */
function warningOf(home: Home, failure: NodeJS.ErrnoException | undefined): ListsWarning | undefined {
  const path = listsFile(home);
  const code = failure?.code;
  if (code === undefined)
    return { problem: `the lists in ${path} can't be used`, remedy: "remove the file, or update the lists" };
  // The user named this home, so it should exist.
  if (ABSENT.includes(code) && !(home.named && code !== "ENOENT")) return undefined;
  return { problem: `can't read ${path}`, remedy: failureRemedy(failure) };
}

/** A warning as one line that says which lists are used instead. */
export function warningText({ problem, remedy }: ListsWarning, instead = "the built-in lists are used"): string {
  return `${problem}, so ${instead}: ${remedy}`;
}

/** The options that choose lists. Only some commands have `--data-version`. */
export type ListsOptions = GlobalOptions & Partial<OptionValues<typeof DATA_VERSION>>;

/** The lists for a command. If those of the home can't be used, it warns on standard error. Throws AddrsiftError for lists of a wrong version. */
export function listsInUse(options: ListsOptions, runtime: Runtime, use: "pieces" | "whole"): CompiledLists {
  const { lists, warning } = openListsInUse(findHome(options, runtime), runtime.root, use);
  if (warning !== undefined && !options.quiet) warn(runtime, warningText(warning));
  requireVersion(lists.meta, options["data-version"]);
  if (runtime.stderr.isTerminal && !options.quiet) noteOfAge(lists, runtime);
  return lists;
}

/** Tells a person when nothing newer was taken for long. Services of throw-away addresses have new names each day. */
function noteOfAge(lists: CompiledLists, runtime: Runtime): void {
  const days = ageInDays(lists, runtime);
  if (days > OLD_AFTER_DAYS) warn(runtime, `the lists are ${days} days old: addrsift lists update fetches newer ones`);
}

/** The lists that came with the package. */
function builtIn(root: string, use: "pieces" | "whole", warning?: ListsWarning): ListsInUse {
  const lists = openLists(`${root}/dist/lists.bin`, use);
  return { lists, origin: "built-in", ...(warning === undefined ? {} : { warning }) };
}

/** Whole days since the lists were taken. */
export function ageInDays({ meta }: CompiledLists, { now }: Runtime): number {
  return Math.max(0, Math.floor((now() - Date.parse(meta.date)) / DAY_MS));
}

/** Changes when the home's lists change; undefined when it has none. */
export function listsMark(home: Home | undefined): string | undefined {
  return home === undefined ? undefined : fileMark(listsFile(home));
}

/** The file in the home that holds updated lists. */
function listsFile({ folder }: Home): string {
  return `${folder}/lists.bin`;
}
