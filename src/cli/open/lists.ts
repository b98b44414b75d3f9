// Which lists serve: those that an update left in the home, when they are there and whole, else the built-in ones. The one place that
// decides, for every command and the daemon.

import { statSync } from "node:fs";
import { isAddrsiftError } from "../../errors.ts";
import type { CompiledLists } from "../../lists/table.ts";
import { openLists } from "../../lists/table-file.ts";
import type { Arguments } from "../options/arguments.ts";
import { shownText } from "../terminal/escape.ts";
import { writeNow } from "../terminal/streams.ts";
import type { Host } from "./compose.ts";
import { homeFolder } from "./home.ts";

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
    if (!isAddrsiftError(error)) throw error;
    const warning = `the lists in ${path} can't be used, so the built-in ones serve: remove the file, or update the lists`;
    return { lists: builtInLists(host, use), origin: "built-in", warning };
  }
}

/** The lists for a command; when those of the home can't be used, a line on standard error says so. */
export function listsInUse(args: Arguments, host: Host, use: "pieces" | "whole"): CompiledLists {
  const { lists, warning } = openListsInUse(host, homeFolder(args), use);
  if (warning !== undefined && !args.flag("quiet")) writeNow(2, `addrsift: ${shownText(warning)}\n`);
  return lists;
}

/** The lists for a command that may not need them: opened with the first question. */
export function lazyLists(args: Arguments, host: Host): () => CompiledLists {
  let lists: CompiledLists | undefined;
  return () => {
    lists ??= listsInUse(args, host, "pieces");
    return lists;
  };
}

/** The lists that came with the package. */
function builtInLists(host: Host, use: "pieces" | "whole"): CompiledLists {
  return openLists(`${host.root}/dist/lists.bin`, use);
}

/** What changes whenever another file takes a path's place, or the same is written anew; undefined when there is none. */
export function fileMark(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}:${stat.mtimeNs}:${stat.size}`;
}
