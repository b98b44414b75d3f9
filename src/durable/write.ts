// Replaces a file so that it survives a crash at any moment: the disk has the old or the new content, complete. The package
// write-file-atomic is not used: it treats a short write as success, so a full disk leaves a cut file under the good name (seen
// with 7.0.1 on a tmpfs).

import { copyFile, type FileHandle, link, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { AddrsiftError } from "../errors.ts";
import { durableFailure } from "./failure.ts";

/** Tells one content of a file from the next. */
export interface FileState {
  readonly inode: number;
  readonly modifiedMs: number;
  readonly octets: number;
}

/**
 * Writes `content` to `path` with mode 0600; gives its state. The old content is kept at `previous`, if given. `after` is the old
 * state; the new modification time is later, so that no two contents have the same state. The caller holds the file's lock.
 * Throws AddrsiftError OPERATION; unless the disk itself failed, the file is then unchanged.
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
    // A killed process may leave one. Its name is fixed, so that there is never more than one.
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

/** The new file would replace the link, and users of the file behind the link would see no more changes. */
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
    // Continues after a short write, until all is written or the disk reports an error.
    await file.writeFile(content);
    const written = await file.stat();
    if (after !== undefined && written.mtimeMs <= after.modifiedMs) {
      // Two milliseconds, because seconds in a double are exact to a quarter of a microsecond.
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

/** Gives the file at `path` a second name; a file that had this name is replaced. */
export async function keepAs(path: string, name: string): Promise<void> {
  const fresh = `${name}.new`;
  await rm(fresh, { force: true });
  // Some file systems have no hard links.
  await link(path, fresh).catch(() => copyFile(path, fresh));
  await rename(fresh, name);
  // Renaming to another name of the same file does nothing.
  await rm(fresh, { force: true });
}

/** Makes the names in a folder durable. Windows can't do that, and does it by itself. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
