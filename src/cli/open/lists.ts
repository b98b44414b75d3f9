// The lists in use for commands: those of the home, else the built-in ones, with warnings for a person.

import type { DATA_VERSION } from "../../bulk/run/option-table.ts";
import { chooseLists, type Home, type ListsInUse, warningText } from "../../home/lists.ts";
import { requireVersion } from "../../lists/meta.ts";
import type { CompiledLists } from "../../lists/table.ts";
import { openLists } from "../../lists/table-file.ts";
import type { GlobalOptions } from "../options/shared.ts";
import type { OptionValues } from "../options/types.ts";
import type { Runtime } from "../runtime.ts";
import { warn } from "../terminal/say.ts";
import { findHome } from "./home.ts";

const DAY_MS = 86_400_000;
// After a week lists know a tenth less of a day's most abused domains than those of the day before (test/bench/replay.mjs).
const OLD_AFTER_DAYS = 7;

/**
 * Opens the lists in use: `pieces` for a few look-ups, `whole` (checked at once) for many. Throws when no lists can be opened.
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

/** The lists for a command. If those of the home can't be used, it warns on standard error. Throws AddrsiftError for lists of a wrong version. */
export function listsInUse(options: ListsOptions, runtime: Runtime, use: "pieces" | "whole"): CompiledLists {
  const { lists, warning } = openListsInUse(findHome(options, runtime), runtime.root, use);
  if (warning !== undefined && !options.quiet) warn(runtime, warningText(warning));
  requireVersion(lists, options["data-version"]);
  if (runtime.stderr.isTerminal && !options.quiet) noteOfAge(lists, runtime);
  return lists;
}

/** Tells a person when nothing newer was taken for long. Services of throw-away addresses have new names each day. */
function noteOfAge(lists: CompiledLists, runtime: Runtime): void {
  const days = ageInDays(lists, runtime);
  if (days > OLD_AFTER_DAYS) warn(runtime, `the lists are ${days} days old: addrsift lists update fetches newer ones`);
}

/** Whole days since the lists were taken. */
export function ageInDays({ meta }: CompiledLists, { now }: Runtime): number {
  return Math.max(0, Math.floor((now() - Date.parse(meta.date)) / DAY_MS));
}
