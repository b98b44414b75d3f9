// The files that --scan reads for the folders among its arguments. In a git work tree, git lists the tracked and
// untracked files; elsewhere all files are read. Nested repositories and symbolic links are skipped and counted.

import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { usageError } from "../../../base/errors.ts";
import type { AllowList } from "../../../bulk/rows/allow-list.ts";
import type { RowWarnings, SkippedItem } from "../../../bulk/rows/row-warnings.ts";
import { fileIdentity } from "../../terminal/output.ts";
import { inputError } from "../../terminal/read-value.ts";

export interface ListingContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Identities of files that a scan of their folder skips: the outputs, and the file of --allow-file. */
  readonly outputs: readonly string[];
  readonly allowFile: string | undefined;
  readonly notice: (line: string) => void;
  /** Its paths are relative to the folder `allowedFrom`. */
  readonly allowList: AllowList;
  readonly allowedFrom: string;
}

// Enough for millions of names.
const MAX_LISTING_BYTES = 2 ** 30;
// A repository's settings must not run programs (fsmonitor).
const GIT_LS_FILES = ["-c", "core.fsmonitor=false", "ls-files", "-co", "--exclude-standard", "-z"];

/**
 * Replaces folders by the files in them, and names each file once. Skipped files are added to `skipped`. A missing name
 * is kept, and fails when it is opened. Throws AddrsiftError for an unreadable folder, and for `-` if a file has that name.
 */
export function listFiles(names: readonly string[], skipped: RowWarnings, context: ListingContext): string[] {
  const paths = names.flatMap((name) => {
    const stat = statOf(name);
    if (name === "-" && stat !== undefined)
      throw usageError("- is standard input, and a file here too: write ./- for the file");
    const target = statOf(name, fs.statSync);
    const isLink = stat?.isSymbolicLink() === true && target?.isDirectory() === true;
    const isAllowed = isAllowedPath(name, context) || (target?.isFile() && fileIdentity(target) === context.allowFile);
    if (!isAllowed && !isLink && stat?.isDirectory() !== true) return [name];
    if (!isAllowed && !isLink && !isNestedRepository(name)) return listFolder(name, skipped, context);
    skipped.add(isAllowed ? "allowed_path" : isLink ? "folder_link" : "submodule", undefined, 1, [name]);
    return [];
  });
  // Arguments may overlap, such as a folder and a file in it.
  return [...new Map(paths.map((path) => [resolve(path), path])).values()];
}

function listFolder(folder: string, skipped: RowWarnings, context: ListingContext): string[] {
  try {
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.X_OK);
  } catch (error) {
    throw inputError(folder, error);
  }
  const pathsFromGit = listWithGit(folder, context);
  if (pathsFromGit === undefined && findRepository(resolve(folder)) !== undefined)
    context.notice(`git can't list ${folder}: reading all its files`);
  const paths: string[] = [];
  // If git ignores the folder itself, read all of it: the user has named it.
  const names = pathsFromGit?.length ? pathsFromGit : walkFolder(folder, "", skipped);
  for (const name of names) {
    const joined = join(folder, name);
    const path = joined === "-" ? "./-" : joined;
    const reason = findSkipReason(path, context);
    if (reason === undefined) paths.push(path);
    else if (reason !== "own") skipped.add(reason, undefined, 1, [path]);
  }
  return paths;
}

/** Returns the files of a folder that git lists; undefined if git fails. */
function listWithGit(folder: string, { env }: ListingContext): string[] | undefined {
  // In a hook, GIT_ variables point to the hook's repository.
  const variables = Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || name.startsWith("GIT_CONFIG_"));
  const options = { env: { ...Object.fromEntries(variables), GIT_NO_LAZY_FETCH: "1" }, maxBuffer: MAX_LISTING_BYTES };
  const { status, stdout } = spawnSync("git", ["-C", folder, ...GIT_LS_FILES], options);
  if (status !== 0) return undefined;
  // A file in conflict is listed three times; a nested repository ends in a slash.
  return Array.from(new Set(stdout.toString().match(/[^\0]+/g)), (name) => name.replace(/\/$/, ""));
}

/** Yields the names of all files below a folder, in order, without those in .git folders. */
function* walkFolder(folder: string, subfolder: string, skipped: RowWarnings): Generator<string> {
  let entries: fs.Dirent[];
  try {
    entries = fs.readdirSync(join(folder, subfolder), { withFileTypes: true });
  } catch {
    skipped.add("unreadable", undefined, 1, [join(folder, subfolder)]);
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = subfolder === "" ? entry.name : `${subfolder}/${entry.name}`;
    if (!entry.isDirectory()) yield name;
    else if (entry.name === ".git") skipped.add("git_folder");
    else yield* walkFolder(folder, name, skipped);
  }
}

/** Returns why a file found in a folder is skipped; undefined if it is read. */
function findSkipReason(path: string, context: ListingContext): SkippedItem | "own" | undefined {
  if (isAllowedPath(path, context)) return "allowed_path";
  const stat = statOf(path);
  if (stat === undefined) return path.includes("\u{fffd}") ? "undecodable" : "absent";
  if (stat.isSymbolicLink()) return "link";
  if (stat.isDirectory()) return "submodule";
  if (!stat.isFile()) return "special";
  if ([context.allowFile, ...context.outputs].includes(fileIdentity(stat))) return "own";
  try {
    fs.accessSync(path, fs.constants.R_OK);
    return undefined;
  } catch {
    return "unreadable";
  }
}

/** Reports whether a folder is a repository inside another one. False for the repository of the working directory. */
function isNestedRepository(folder: string): boolean {
  const path = fs.realpathSync(folder);
  const isHere = `${process.cwd()}${sep}`.startsWith(`${path}${sep}`);
  return (
    !isHere && findRepository(path) === path && findRepository(dirname(path)) !== undefined && path !== dirname(path)
  );
}

/** Returns the top of the repository that contains a folder, given as an absolute path; undefined if there is none. */
export function findRepository(folder: string): string | undefined {
  if (fs.existsSync(join(folder, ".git"))) return folder;
  return folder === dirname(folder) ? undefined : findRepository(dirname(folder));
}

/** Returns a file's path from the top of the working directory's repository; its name if it is not in a repository. */
export function pathInRepository(name: string): string {
  const top = findRepository(process.cwd());
  const path = top === undefined || name === "-" ? name : relative(top, resolve(name));
  return path.startsWith(`..${sep}`) ? name : path;
}

function isAllowedPath(path: string, { allowList, allowedFrom }: ListingContext): boolean {
  return allowList.hasPath(relative(allowedFrom, resolve(path)));
}

function statOf(path: string, stat: (path: string) => fs.Stats = fs.lstatSync): fs.Stats | undefined {
  try {
    return stat(path);
  } catch {
    return undefined;
  }
}
