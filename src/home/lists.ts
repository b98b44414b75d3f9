// The lists in use: those that an update left in a home if they are whole, else the built-in ones.

import { statSync } from "node:fs";
import { isAddrsiftError } from "../base/errors.ts";
import { defined } from "../base/result.ts";
import { failureRemedy } from "../durable/folder.ts";
import type { CompiledLists } from "../lists/table.ts";
import { openLists } from "../lists/table-file.ts";

/** A home, and whether the user named it. */
export interface Home {
  readonly folder: string;
  readonly named: boolean;
}

/** The reason why the lists in the home are not in use. */
export interface ListsWarning {
  readonly problem: string;
  readonly remedy: string;
}

export interface ListsInUse {
  readonly lists: CompiledLists;
  readonly origin: "home" | "built-in";
  /** Set when the home seems to have lists that can't be used. */
  readonly warning?: ListsWarning;
}

// With these codes the file does not exist.
const ABSENT: readonly unknown[] = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

/**
 * Opens the lists in use: `pieces` for a few look-ups, `whole` (checked at once) for many. `builtIn` opens those that
 * came with the package. Throws what it throws.
 */
export function chooseLists(home: Home | undefined, builtIn: () => CompiledLists, use: "pieces" | "whole"): ListsInUse {
  // Most homes have none, and an error takes longer to make.
  if (home === undefined || fileMark(listsFile(home)) === undefined) return { lists: builtIn(), origin: "built-in" };
  try {
    return { lists: openLists(listsFile(home), use), origin: "home" };
  } catch (error) {
    if (!isAddrsiftError(error)) throw error;
    const warning = warningOf(home, error.cause as NodeJS.ErrnoException | undefined);
    return { lists: builtIn(), origin: "built-in", ...defined({ warning }) };
  }
}

/** The reason why the home's lists can't be used; undefined when the home seems to have none. */
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

/** The file in the home that holds updated lists. */
export function listsFile({ folder }: Home): string {
  return `${folder}/lists.bin`;
}

/** Changes when the file at a path is replaced or written; undefined when there is none. */
export function fileMark(path: string): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stat === undefined ? undefined : `${stat.dev}:${stat.ino}:${stat.mtimeNs}:${stat.size}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}
