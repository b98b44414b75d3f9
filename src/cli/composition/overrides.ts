// Opens the lists in use with the home's overrides. `lists.ts` opens the lists alone, without loading the classifier that
// checks overrides.

import { lazy } from "../../base/memoize.ts";
import { warnIfMissing } from "../../home/lists.ts";
import { HomeOverrides, readOverrides } from "../../home/overrides.ts";
import type { OverrideIndex } from "../../lists/overrides.ts";
import type { CompiledLists } from "../../lists/table.ts";
import type { LoadMode } from "../../lists/table-file.ts";
import type { GlobalOptions } from "../options/table.ts";
import type { Host } from "../runtime.ts";
import { warn } from "../terminal/output.ts";
import { findHome, type ListsOptions, openListsWithWarnings } from "./lists.ts";

export interface ListsAndOverrides {
  readonly lists: CompiledLists;
  readonly overrides: OverrideIndex;
}

export function openListsAndOverrides(options: ListsOptions, runtime: Host, mode: LoadMode) {
  const home = findHome(options, runtime);
  // Read overrides first: a caller that retries would otherwise repeat the warnings about lists.
  const overrides =
    home === undefined
      ? new HomeOverrides({ path: "", text: "\n", nowMs: 0 })
      : readOverrides(home.folder, runtime.now());
  const { home: namedHome, quiet } = options;
  if (namedHome !== undefined && !quiet) warnIfMissing(namedHome, "--home", (message) => warn(runtime, message));
  const lists = openListsWithWarnings(options, runtime, mode);
  overrides.ignoreInvalidEntries(lists, (message) => !quiet && warn(runtime, message));
  return { overrides, lists };
}

/** Like openListsAndOverrides, but opens them at the first call, without warnings. */
export function lazyListsAndOverrides(options: GlobalOptions, runtime: Host): () => ListsAndOverrides {
  return lazy(() => openListsAndOverrides({ ...options, quiet: true }, runtime, "in-memory"));
}
