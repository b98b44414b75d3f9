// Our files, read without a lock and replaced as a whole, so that they survive a crash at any moment: the disk has the
// old or the new content, complete. The package write-file-atomic is not used: it treats a short write as success, so a
// full disk leaves a cut file under the good name (seen with 7.0.1 on a tmpfs).

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { copyFile, link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { AddrsiftError } from "../base/errors.ts";
import { assertNotSpecial, fileError, hasKnownRemedy, restrictPermissions } from "./folder.ts";

export interface FileState {
  readonly inode: number;
  readonly modifiedMs: number;
  readonly bytes: number;
}

export interface FileContent {
  readonly bytes: Uint8Array;
  readonly state: FileState;
}

/** Reads a file, and removes other users' rights; undefined when there is none. Throws AddrsiftError OPERATION. */
export function readPrivateFile(path: string): FileContent | undefined {
  return readWithDescriptor(path, (descriptor, stat) => {
    restrictPermissions(descriptor, stat, path);
    return { bytes: readFileSync(descriptor), state: toFileState(stat) };
  });
}

/** Reads a whole file, which may be another user's; undefined when there is none. Throws AddrsiftError OPERATION. */
export function readFileIfExists(path: string): Buffer | undefined {
  return readWithDescriptor(path, (descriptor) => readFileSync(descriptor));
}

function readWithDescriptor<T>(path: string, read: (descriptor: number, stat: Stats) => T): T | undefined {
  let descriptor: number | undefined;
  try {
    // Opening a FIFO would wait for its other end. Windows has neither.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(descriptor);
    assertNotSpecial("read", stat, path);
    return read(descriptor, stat);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fileError("read", path, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The file's present state, or undefined when there is none; about 2 microseconds. Throws AddrsiftError OPERATION. */
export function fileState(path: string): FileState | undefined {
  try {
    // Without throwIfNoEntry, which hides ENOTDIR too from Node 22 on.
    return toFileState(statSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fileError("read", path, error);
  }
}

/** A file's place behind symbolic links. Throws AddrsiftError OPERATION for a link to nothing. */
export function resolveSymlinks(path: string): string {
  if (!isLink(path)) return path;
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileError("read", path, error);
    throw new AddrsiftError(
      "OPERATION",
      `${path} is a symbolic link that leads to nothing: put the file back where it leads, or remove the link`,
    );
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return false;
  }
}

export function isSameState(one: FileState | undefined, other: FileState | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.inode === other.inode && one.modifiedMs === other.modifiedMs && one.bytes === other.bytes;
}

function toFileState({ ino, mtimeMs, size }: Stats): FileState {
  return { inode: ino, modifiedMs: mtimeMs, bytes: size };
}

/**
 * Writes `content` to `path` with mode 0600 and returns its state. The old content is kept at `previous`, if given.
 * `after` is the old state; the new modification time is later, so that no two contents have the same state. The
 * caller holds the file's lock. Throws AddrsiftError OPERATION with the file unchanged, and UNCERTAIN when it may
 * have been changed.
 */
export async function writeDurably(
  path: string,
  content: string | Uint8Array,
  before: FileState | undefined,
  backupPath?: string,
): Promise<FileState> {
  const temporary = `${path}.new`;
  let state: FileState;
  try {
    // A killed process may leave one. Its name is fixed, so that there is never more than one.
    await rm(temporary, { force: true });
    state = await writeTemporary(temporary, content, before);
    if (backupPath !== undefined && before !== undefined) await linkOrCopy(path, backupPath);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw fileError("write", path, error);
  }
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    // The system refused it, or its answer was lost, as a network file system's may be.
    throw hasKnownRemedy(error) ? fileError("write", path, error) : uncertainError(path, error);
  }
  try {
    await syncFolder(dirname(path));
    return state;
  } catch (error) {
    throw uncertainError(path, error);
  }
}

function uncertainError(path: string, error: unknown): AddrsiftError {
  const message = `the change of ${path} may have been made (${(error as Error).message}): look before you repeat it`;
  return new AddrsiftError("UNCERTAIN", message, error);
}

async function writeTemporary(
  path: string,
  content: string | Uint8Array,
  before: FileState | undefined,
): Promise<FileState> {
  const file = await open(path, "wx", 0o600);
  try {
    // The umask may have taken rights away.
    await file.chmod(0o600);
    // Continues after a short write, until all is written or the disk reports an error.
    await file.writeFile(content);
    const written = await file.stat();
    if (before !== undefined && written.mtimeMs <= before.modifiedMs) {
      // Two milliseconds, because seconds in a double are exact to a quarter of a microsecond.
      const seconds = (Math.floor(before.modifiedMs) + 2) / 1000;
      await file.utimes(seconds, seconds);
    }
    await file.sync();
    return toFileState(await file.stat());
  } finally {
    await file.close();
  }
}

/** Adds a second name for the file at `path`; a file that had this name is replaced. */
export async function linkOrCopy(path: string, newPath: string): Promise<void> {
  const temporary = `${newPath}.new`;
  await rm(temporary, { force: true });
  // Some file systems have no hard links.
  await link(path, temporary).catch(() => copyFile(path, temporary));
  await rename(temporary, newPath);
  // Renaming to another name of the same file does nothing.
  await rm(temporary, { force: true });
}

async function syncFolder(path: string): Promise<void> {
  // Windows can't do that, and does it by itself.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
