// Atomic durable file writes: after a crash at any moment, the disk has the complete old or the complete new content.
// Readers need no lock. write-file-atomic 7.0.1 is no alternative: it treats a short write as success, so a full disk
// leaves a truncated file under the final name.

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
import {
  assertNotSpecial,
  danglingLinkError,
  fileError,
  hasKnownRemedy,
  newFileMode,
  restrictPermissions,
} from "./folder.ts";

export interface FileState {
  readonly inode: number;
  readonly modifiedMs: number;
  readonly bytes: number;
}

/** Reads a file and revokes other users' access; undefined if it does not exist. Throws AddrsiftError OPERATION. */
export function readPrivateFile(path: string): { readonly bytes: Uint8Array; readonly state: FileState } | undefined {
  return readWithDescriptor(path, (descriptor, stat) => {
    restrictPermissions(descriptor, stat, path);
    return { bytes: readFileSync(descriptor), state: toFileState(stat) };
  });
}

/** Reads a file of any owner; undefined if it does not exist. Throws AddrsiftError OPERATION. */
export function readFileIfExists(path: string): Buffer | undefined {
  return readWithDescriptor(path, (descriptor) => readFileSync(descriptor));
}

function readWithDescriptor<T>(path: string, read: (descriptor: number, stat: Stats) => T): T | undefined {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK, opening a FIFO would wait for a writer. Windows has neither.
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

/** Returns the file's current state, or undefined if it does not exist. Takes 2 µs. Throws AddrsiftError OPERATION. */
export function fileState(path: string): FileState | undefined {
  try {
    // From Node 22 on, `throwIfNoEntry: false` would also hide ENOTDIR.
    return toFileState(statSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fileError("read", path, error);
  }
}

type FileAccess = Pick<Stats, "mode"> & Partial<Pick<Stats, "gid">>;

/** Returns the mode and group of the file at `path`, or those that it gets if it is new. For files without secrets. */
export function fileAccess(path: string): FileAccess {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? { mode: newFileMode(dirname(path)) } : { mode: stat.mode & 0o777, gid: stat.gid };
}

/** Returns the path that symbolic links lead to. Throws AddrsiftError OPERATION for a dangling link. */
export function resolveSymlinks(path: string): string {
  if (!isLink(path)) return path;
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileError("read", path, error);
    throw danglingLinkError(path);
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
 * Replaces the file at `path` and returns its state. Without `access`, only its owner can read it. The caller holds the
 * file's lock. `oldState` is the state of the old file; the new modification time is later, so each content has its own
 * state. If `backupPath` is given, the old file is kept there. Throws AddrsiftError OPERATION if the file is unchanged,
 * UNCERTAIN if it may have changed.
 */
export async function writeDurably(
  path: string,
  content: string | Uint8Array,
  oldState: FileState | undefined,
  backupPath?: string,
  access: FileAccess = { mode: 0o600 },
): Promise<FileState> {
  const temporary = `${path}.new`;
  let state: FileState;
  try {
    // A killed process may have left this file. The name is fixed, so there is at most one.
    await rm(temporary, { force: true });
    state = await writeTemporary(temporary, content, oldState, access);
    if (backupPath !== undefined && oldState !== undefined) await linkOrCopy(path, backupPath);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw fileError("write", path, error);
  }
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    // After a known error, the file was not renamed. After another one, it may have been: a network file system may
    // have lost the response.
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
  const message = `${path} may have been changed (${(error as Error).message}): check before retrying`;
  return new AddrsiftError("UNCERTAIN", message, error);
}

async function writeTemporary(
  path: string,
  content: string | Uint8Array,
  oldState: FileState | undefined,
  { mode, gid }: FileAccess,
): Promise<FileState> {
  const file = await open(path, "wx", 0o600);
  try {
    // Fails unless this user is root or belongs to the group.
    if (gid !== undefined) await file.chown(-1, gid).catch(() => {});
    // The umask may have removed permissions.
    await file.chmod(mode);
    // Unlike `write`, `writeFile` retries short writes until the disk reports an error.
    await file.writeFile(content);
    const newState = await file.stat();
    if (oldState !== undefined && newState.mtimeMs <= oldState.modifiedMs) {
      // Adds 2 ms, so that rounding the seconds to a double can't lose the difference.
      const seconds = (Math.floor(oldState.modifiedMs) + 2) / 1000;
      await file.utimes(seconds, seconds);
    }
    await file.sync();
    return toFileState(await file.stat());
  } finally {
    await file.close();
  }
}

/** Hard-links the file at `path` as `newPath`, replacing any file there; copies it if hard links are not supported. */
export async function linkOrCopy(path: string, newPath: string): Promise<void> {
  const temporary = `${newPath}.new`;
  await rm(temporary, { force: true });
  await link(path, temporary).catch(() => copyFile(path, temporary));
  await rename(temporary, newPath);
  // If both names already link to the same file, `rename` does nothing and leaves `temporary`.
  await rm(temporary, { force: true });
}

async function syncFolder(path: string): Promise<void> {
  // Windows can't sync folders and does not need to.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
