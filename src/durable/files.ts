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
import { durableFailure, hasRemedy, refuseSpecial, tightenFile } from "./folder.ts";

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
export function readDurable(path: string): FileContent | undefined {
  return readOpened(path, (descriptor, stat) => {
    tightenFile(descriptor, stat, path);
    return { bytes: readFileSync(descriptor), state: stateFrom(stat) };
  });
}

/** Reads a whole file, which may be another user's; undefined when there is none. Throws AddrsiftError OPERATION. */
export function readRegular(path: string): Buffer | undefined {
  return readOpened(path, (descriptor) => readFileSync(descriptor));
}

function readOpened<T>(path: string, read: (descriptor: number, stat: Stats) => T): T | undefined {
  let descriptor: number | undefined;
  try {
    // Opening a FIFO would wait for its other end. Windows has neither.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(descriptor);
    refuseSpecial("read", stat, path);
    return read(descriptor, stat);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw durableFailure("read", path, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The file's present state, or undefined when there is none; about 2 microseconds. Throws AddrsiftError OPERATION. */
export function fileState(path: string): FileState | undefined {
  try {
    // Without throwIfNoEntry, which hides ENOTDIR too from Node 22 on.
    return stateFrom(statSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw durableFailure("read", path, error);
  }
}

/** A file's place behind symbolic links. Throws AddrsiftError OPERATION for a link to nothing. */
export function realPlace(path: string): string {
  if (!isLink(path)) return path;
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw durableFailure("read", path, error);
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

export function sameState(one: FileState | undefined, other: FileState | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.inode === other.inode && one.modifiedMs === other.modifiedMs && one.bytes === other.bytes;
}

function stateFrom({ ino, mtimeMs, size }: Stats): FileState {
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
  after: FileState | undefined,
  previous?: string,
): Promise<FileState> {
  const fresh = `${path}.new`;
  let state: FileState;
  try {
    // A killed process may leave one. Its name is fixed, so that there is never more than one.
    await rm(fresh, { force: true });
    state = await writeWhole(fresh, content, after);
    if (previous !== undefined && after !== undefined) await keepAs(path, previous);
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {});
    throw durableFailure("write", path, error);
  }
  try {
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {});
    // The system refused it, or its answer was lost, as a network file system's may be.
    throw hasRemedy(error) ? durableFailure("write", path, error) : uncertain(path, error);
  }
  try {
    await syncFolder(dirname(path));
    return state;
  } catch (error) {
    throw uncertain(path, error);
  }
}

function uncertain(path: string, error: unknown): AddrsiftError {
  const message = `the change of ${path} may have been made (${(error as Error).message}): look before you repeat it`;
  return new AddrsiftError("UNCERTAIN", message, error);
}

async function writeWhole(
  path: string,
  content: string | Uint8Array,
  after: FileState | undefined,
): Promise<FileState> {
  const file = await open(path, "wx", 0o600);
  try {
    // The umask may have taken rights away.
    await file.chmod(0o600);
    // Continues after a short write, until all is written or the disk reports an error.
    await file.writeFile(content);
    const written = await file.stat();
    if (after !== undefined && written.mtimeMs <= after.modifiedMs) {
      // Two milliseconds, because seconds in a double are exact to a quarter of a microsecond.
      const seconds = (Math.floor(after.modifiedMs) + 2) / 1000;
      await file.utimes(seconds, seconds);
    }
    await file.sync();
    return stateFrom(await file.stat());
  } finally {
    await file.close();
  }
}

/** Adds a second name for the file at `path`; a file that had this name is replaced. */
export async function keepAs(path: string, name: string): Promise<void> {
  const fresh = `${name}.new`;
  await rm(fresh, { force: true });
  // Some file systems have no hard links.
  await link(path, fresh).catch(() => copyFile(path, fresh));
  await rename(fresh, name);
  // Renaming to another name of the same file does nothing.
  await rm(fresh, { force: true });
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
