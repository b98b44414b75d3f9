// Replacing a file so that it survives a crash at any moment: the old content or the new one is there, whole, and on the disk. The
// package write-file-atomic is not used: it writes once and takes a short count for success, so that a disk which fills up gets a cut
// file under the good name (seen with 7.0.1 on a tmpfs).

import { copyFile, type FileHandle, link, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { AddrsiftError } from "../errors.ts";
import { durableFailure } from "./failure.ts";

/** What tells one content of a file from the next. */
export interface FileState {
  readonly inode: number;
  readonly modifiedMs: number;
  readonly octets: number;
}

/**
 * Writes `content` to `path` with mode 0600 and gives its state. What was there is kept at `previous`, when given. `after` is the
 * state before; the new time of change is later, so that no two contents have the same state. The caller holds the file's lock.
 * Throws AddrsiftError OPERATION; unless the disk itself failed, the file is then what it was.
 */
export async function writeDurably(
  path: string,
  content: string,
  after: FileState | undefined,
  previous?: string,
): Promise<FileState> {
  const fresh = `${path}.new`;
  try {
    await refuseLink(path);
    // One that a killed process left. Its name is fixed, so that there is never more than one.
    await rm(fresh, { force: true });
    const state = await writeWhole(fresh, content, after);
    if (previous !== undefined && after !== undefined) await keepAs(path, previous);
    await rename(fresh, path);
    await syncFolder(dirname(path));
    return state;
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {});
    throw durableFailure("write", path, error);
  }
}

/** The new file would take the link's place, and whoever uses the file that it leads to would see no change any more. */
async function refuseLink(path: string): Promise<void> {
  const stat = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (stat?.isSymbolicLink() !== true) return;
  throw new AddrsiftError(
    "OPERATION",
    `${path} is a symbolic link, and addrsift does not write through one: give the folder of the file itself as --home, or move the file here`,
  );
}

async function writeWhole(path: string, content: string, after: FileState | undefined): Promise<FileState> {
  const file = await open(path, "wx", 0o600);
  try {
    // Goes on after a short write, until all is written or the disk says why not.
    await file.writeFile(content);
    const written = await file.stat();
    if (after !== undefined && written.mtimeMs <= after.modifiedMs) {
      // Two milliseconds, for seconds in a double are good to a quarter of a microsecond.
      const seconds = (Math.floor(after.modifiedMs) + 2) / 1000;
      await file.utimes(seconds, seconds);
    }
    await file.sync();
    return await stateOf(file);
  } finally {
    await file.close();
  }
}

async function stateOf(file: FileHandle): Promise<FileState> {
  const { ino, mtimeMs, size } = await file.stat();
  return { inode: ino, modifiedMs: mtimeMs, octets: size };
}

/** Gives the file at `path` a second name, in the place of whatever had it. */
export async function keepAs(path: string, name: string): Promise<void> {
  const fresh = `${name}.new`;
  await rm(fresh, { force: true });
  // Some file systems have no second names.
  await link(path, fresh).catch(() => copyFile(path, fresh));
  await rename(fresh, name);
  // Renaming onto another name of the same file does nothing.
  await rm(fresh, { force: true });
}

/** Makes the names in a folder durable. Windows has no such thing, and keeps names by itself. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
