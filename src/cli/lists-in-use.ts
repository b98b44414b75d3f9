// Which lists serve: those that an update left in the home, when they are there and whole, else the built-in ones. The one place that
// decides, for every command and the daemon.

import { statSync } from "node:fs";
import { AddrsiftError } from "../errors.ts";
import type { CompiledLists } from "../lists/table.ts";
import { openLists } from "../lists/table-file.ts";
import { builtInLists, type Host } from "./compose.ts";

/** The file in the home that updated lists stand in. */
export const HOME_LISTS = "lists.bin";

/** Lists, and where they come from. */
export interface ListsInUse {
  readonly lists: CompiledLists;
  readonly origin: "home" | "built-in";
  /** Why the lists in the home do not serve, though there is a file of that name. */
  readonly warning?: string;
}

/** Opens the lists to serve: `pieces` for a few look-ups, `whole` (checked at once) for many. Throws when there are none at all. */
export function openListsInUse(host: Host, home: string, use: "pieces" | "whole"): ListsInUse {
  const path = `${home}/${HOME_LISTS}`;
  if (fileMark(path) === undefined) return { lists: builtInLists(host, use), origin: "built-in" };
  try {
    return { lists: openLists(path, use), origin: "home" };
  } catch (error) {
    if (!(error instanceof AddrsiftError)) throw error;
    const warning = `the lists in ${path} are damaged or foreign, and the built-in ones serve: run "addrsift lists update"`;
    return { lists: builtInLists(host, use), origin: "built-in", warning };
  }
}

/** What changes whenever another file takes a path's place, or the same is written anew; undefined when there is none. */
export function fileMark(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}:${stat.mtimeNs}:${stat.size}`;
}
