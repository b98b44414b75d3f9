// Opens the overrides that a home keeps, for the commands that change them.

import type { ParserContext } from "../../address/mailbox.ts";
import { createParserContext } from "../../detection/parser-context.ts";
import type { CompiledLists } from "../../lists/table.ts";
import { KeptOverrides } from "../../overrides/kept.ts";
import type { GlobalOptions } from "../options/shared.ts";
import type { Runtime } from "../runtime.ts";
import { warn } from "../terminal/say.ts";
import { packagesOf } from "./classifier.ts";
import { homeFolder } from "./home.ts";
import { listsInUse } from "./lists.ts";

/** The overrides of the home. A change continues from the previous copy of damaged records. */
export function openKeptOverrides(options: GlobalOptions, runtime: Runtime): KeptOverrides {
  return new KeptOverrides({
    folder: homeFolder(options, runtime),
    warn: (line) => warn(runtime, line),
    adopts: "look at addrsift lists overrides",
  });
}

/** The lists in use, and what the parser needs of them. */
export function openEntryReader(
  options: GlobalOptions,
  runtime: Runtime,
): { readonly lists: CompiledLists; readonly surroundings: ParserContext } {
  const lists = listsInUse(options, runtime, "whole");
  return { lists, surroundings: createParserContext(lists, packagesOf(runtime)) };
}
