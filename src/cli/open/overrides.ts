// The overrides in use: those of the home. Every command takes them from here.

import type { ParserContext } from "../../address/mailbox.ts";
import { createParserContext } from "../../detection/parser-context.ts";
import { HomeOverrides, readOverrides } from "../../home/overrides.ts";
import type { CompiledLists } from "../../lists/table.ts";
import type { GlobalOptions } from "../options/shared.ts";
import type { Runtime } from "../runtime.ts";
import type { Known } from "./classifier.ts";
import { findHome } from "./home.ts";
import { type ListsOptions, listsInUse } from "./lists.ts";

/** All that is known of domains and addresses beforehand. */
export interface KnownInUse extends Known {
  readonly overrides: HomeOverrides;
}

/** The lists and the overrides: `pieces` for a few addresses, `whole` for many. */
export function knownInUse(options: ListsOptions, runtime: Runtime, use: "pieces" | "whole"): KnownInUse {
  // Before the lists, whose warnings would come twice where these can't be used.
  const overrides = overridesInUse(options, runtime, use);
  return { overrides, lists: listsInUse(options, runtime, use) };
}

/** The same for a command that may not need them: read when first asked for. */
export function lazyKnown(options: GlobalOptions, runtime: Runtime): () => Known {
  let known: Known | undefined;
  return () => {
    known ??= { overrides: overridesInUse(options, runtime, "pieces"), lists: listsInUse(options, runtime, "whole") };
    return known;
  };
}

/** The overrides for a command: `pieces` for a few look-ups, `whole` for many. Throws AddrsiftError when they can't be used. */
export function overridesInUse(options: GlobalOptions, runtime: Runtime, use: "pieces" | "whole"): HomeOverrides {
  const home = findHome(options, runtime);
  return home === undefined
    ? new HomeOverrides({ path: "", text: "\n", nowMs: 0 }, use)
    : readOverrides(home.folder, runtime.now(), use);
}

/** The lists in use, and what the parser needs of them. */
export function openEntryReader(
  options: GlobalOptions,
  runtime: Runtime,
): { readonly lists: CompiledLists; readonly surroundings: ParserContext } {
  const lists = listsInUse(options, runtime, "whole");
  return { lists, surroundings: createParserContext(lists) };
}
