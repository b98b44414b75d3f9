// Which lists serve: those that an update left in the home, when they are there and whole, else the built-in ones. The one place that
// decides, for every command and the daemon.

import { statSync } from "node:fs";
import { failureRemedy } from "../../durable/failure.ts";
import { isAddrsiftError } from "../../errors.ts";
import type { CompiledLists } from "../../lists/table.ts";
import { openLists } from "../../lists/table-file.ts";
import type { GlobalOptions } from "../options/shared.ts";
import type { Runtime } from "../runtime.ts";
import { warn } from "../terminal/say.ts";
import { findHome, type Home } from "./home.ts";

/** Why the lists in the home are not in use. */
export interface ListsWarning {
  readonly problem: string;
  readonly remedy: string;
}

/** Lists, and where they come from. */
export interface ListsInUse {
  readonly lists: CompiledLists;
  readonly origin: "home" | "built-in";
  /** Set when there may be lists in the home, and they can't be used. */
  readonly warning?: ListsWarning;
}

// Where the system says one of these, there is no such file.
const ABSENT: readonly unknown[] = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

/** Opens the lists to serve: `pieces` for a few look-ups, `whole` (checked at once) for many. Throws when there are none at all. */
export function openListsInUse(home: Home | undefined, root: string, use: "pieces" | "whole"): ListsInUse {
  if (home === undefined || fileMark(listsFile(home)) === undefined) return builtIn(root, use);
  try {
    return { lists: openLists(listsFile(home), use), origin: "home" };
  } catch (error) {
    if (!isAddrsiftError(error)) throw error;
    return builtIn(root, use, warningOf(home, error.cause as NodeJS.ErrnoException | undefined));
  }
}

/** What keeps the lists of the home from being used; undefined when there is no sign that it has any. */
function warningOf(home: Home, failure: NodeJS.ErrnoException | undefined): ListsWarning | undefined {
  const path = listsFile(home);
  const code = failure?.code;
  if (code === undefined)
    return { problem: `the lists in ${path} can't be used`, remedy: "remove the file, or update the lists" };
  // A home that was named was meant to be there.
  if (ABSENT.includes(code) && !(home.named && code !== "ENOENT")) return undefined;
  return { problem: `can't read ${path}`, remedy: failureRemedy(failure) };
}

/** A warning as one line, with what is in use instead. */
export function warningText({ problem, remedy }: ListsWarning, instead = "the built-in lists are used"): string {
  return `${problem}, so ${instead}: ${remedy}`;
}

/** The lists for a command; when those of the home can't be used, a line on standard error says so. */
export function listsInUse(options: GlobalOptions, runtime: Runtime, use: "pieces" | "whole"): CompiledLists {
  const { lists, warning } = openListsInUse(findHome(options, runtime), runtime.root, use);
  if (warning !== undefined && !options.quiet) warn(runtime, warningText(warning));
  return lists;
}

/** The lists for a command that may not need them: opened with the first question. */
export function lazyLists(options: GlobalOptions, runtime: Runtime): () => CompiledLists {
  let lists: CompiledLists | undefined;
  return () => {
    lists ??= listsInUse(options, runtime, "whole");
    return lists;
  };
}

/** The lists that came with the package. */
function builtIn(root: string, use: "pieces" | "whole", warning?: ListsWarning): ListsInUse {
  const lists = openLists(`${root}/dist/lists.bin`, use);
  return { lists, origin: "built-in", ...(warning === undefined ? {} : { warning }) };
}

/** What changes when the lists in the home do; undefined when there are none. */
export function listsMark(home: Home | undefined): string | undefined {
  return home === undefined ? undefined : fileMark(listsFile(home));
}

/** The file in the home that holds updated lists. */
function listsFile({ folder }: Home): string {
  return `${folder}/lists.bin`;
}

/** What changes whenever another file takes a path's place, or the same is written again; undefined when there is none. */
function fileMark(path: string): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stat === undefined ? undefined : `${stat.dev}:${stat.ino}:${stat.mtimeNs}:${stat.size}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}
