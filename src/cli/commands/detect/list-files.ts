// The files that --scan reads where names of folders are among its arguments. Folders are walked: in a git work tree
// git lists the files that it tracks or would add, elsewhere all are read. Other repositories, and links on the way,
// are not entered but counted.

import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { usageError } from "../../../base/errors.ts";
import type { Irregularities, PassedOver } from "../../../bulk/rows/irregularities.ts";
import { inputError } from "../../terminal/read-value.ts";

export interface ListingTools {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True for a file that this run writes, which is not read in a walk. */
  readonly isWritten: (stat: fs.Stats) => boolean;
  readonly tell: (line: string) => void;
}

// A list of this many bytes names millions of files.
const LIST_BYTES = 2 ** 30;
/** A repository's own settings must run nothing: no program that watches files, and no fetch of objects that lack. */
const LIST_FILES = ["-c", "core.fsmonitor=false", "ls-files", "-co", "--exclude-standard", "-z"];

/**
 * The names of files, with those of folders replaced by the files in them; what is not read is added to `passed`. A
 * missing name stays, so that reading it fails. Throws AddrsiftError for a folder that can't be read, and for `-` where
 * it is a file too.
 */
export function listFiles(names: readonly string[], passed: Irregularities, tools: ListingTools): string[] {
  return names.flatMap((name) => {
    const stat = statOf(name);
    if (name === "-" && stat !== undefined)
      throw usageError("- is standard input, and a file here too: write ./- for the file");
    const isLink = stat?.isSymbolicLink() === true && statOf(name, fs.statSync)?.isDirectory() === true;
    if (!isLink && stat?.isDirectory() !== true) return [name];
    if (!isLink && !isOtherRepository(name)) return filesIn(name, passed, tools);
    passed.add(isLink ? "folder_link" : "submodule");
    return [];
  });
}

function filesIn(folder: string, passed: Irregularities, tools: ListingTools): string[] {
  try {
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.X_OK);
  } catch (error) {
    throw inputError(folder, error);
  }
  const listed = listedByGit(folder, tools);
  if (listed === undefined && holdsGit(resolve(folder))) tools.tell(`git can't list ${folder}: reading all its files`);
  const found: string[] = [];
  const take = (name: string): void => {
    const joined = join(folder, name);
    const path = joined === "-" ? "./-" : joined;
    const what = unreadOf(path, tools);
    if (what === undefined) found.push(path);
    else if (what !== "written") passed.add(what);
  };
  // A folder that git ignores is read when it is named.
  if (listed !== undefined && listed.length > 0) for (const name of listed) take(name);
  else for (const name of walk(folder, "", passed)) take(name);
  return found;
}

/** The names of files in a folder as git has them; undefined when git can't tell. */
function listedByGit(folder: string, { env }: ListingTools): string[] | undefined {
  // Variables of a hook are about the repository that the hook runs in.
  const own = Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || name.startsWith("GIT_CONFIG_"));
  const options = { env: { ...Object.fromEntries(own), GIT_NO_LAZY_FETCH: "1" }, maxBuffer: LIST_BYTES };
  const { status, stdout } = spawnSync("git", ["-C", folder, ...LIST_FILES], options);
  if (status !== 0) return undefined;
  // A file in conflict is listed three times; a folder with its own repository ends in a slash.
  return [...new Set(stdout.toString().split("\0"))]
    .filter((name) => name !== "")
    .map((name) => name.replace(/\/$/, ""));
}

/** The names of all files below a folder, in order, but not those that git keeps for itself. */
function* walk(folder: string, below: string, passed: Irregularities): Generator<string> {
  let entries: fs.Dirent[];
  try {
    entries = fs.readdirSync(join(folder, below), { withFileTypes: true });
  } catch {
    passed.add("unreadable");
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    if (!entry.isDirectory()) yield name;
    else if (entry.name === ".git") passed.add("git_folder");
    else yield* walk(folder, name, passed);
  }
}

/** Why a file that was found in a folder is not read; undefined where it is. */
function unreadOf(path: string, { isWritten }: ListingTools): PassedOver | "written" | undefined {
  const stat = statOf(path);
  if (stat === undefined) return path.includes("\u{fffd}") ? "undecodable" : "absent";
  if (stat.isSymbolicLink()) return "link";
  if (stat.isDirectory()) return "submodule";
  if (!stat.isFile()) return "special";
  if (isWritten(stat)) return "written";
  try {
    fs.accessSync(path, fs.constants.R_OK);
    return undefined;
  } catch {
    return "unreadable";
  }
}

/** True for a repository inside of another one's work tree, unless the command runs inside of it. */
function isOtherRepository(folder: string): boolean {
  const path = fs.realpathSync(folder);
  const isHere = `${process.cwd()}${sep}`.startsWith(`${path}${sep}`);
  return !isHere && fs.existsSync(join(path, ".git")) && path !== dirname(path) && holdsGit(dirname(path));
}

function holdsGit(folder: string): boolean {
  return fs.existsSync(join(folder, ".git")) || (folder !== dirname(folder) && holdsGit(dirname(folder)));
}

function statOf(path: string, stat: (path: string) => fs.Stats = fs.lstatSync): fs.Stats | undefined {
  try {
    return stat(path);
  } catch {
    return undefined;
  }
}
