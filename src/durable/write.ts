// Replaces a file so that it survives a crash at any moment: the disk has the old or the new content, complete. The package
// write-file-atomic is not used: it treats a short write as success, so a full disk leaves a cut file under the good name (seen
// with 7.0.1 on a tmpfs).

import { closeSync, constants, fdatasync, fstatSync, ftruncateSync, openSync, type Stats, write } from "node:fs";
import { copyFile, link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { durableFailure, refuseSpecial } from "./folder.ts";

/** Tells one content of a file from the next. */
export interface FileState {
  readonly inode: number;
  readonly modifiedMs: number;
  readonly octets: number;
}

/**
 * Writes `content`, all its pieces, to `path` with mode 0600; gives its state. The old content is kept at `previous`, if given. `after` is the old
 * state; the new modification time is later, so that no two contents have the same state. The caller holds the file's lock.
 * Throws AddrsiftError OPERATION; unless the disk itself failed, the file is then unchanged.
 */
export async function writeDurably(
  path: string,
  content: readonly (string | Uint8Array)[],
  after: FileState | undefined,
  previous?: string,
): Promise<FileState> {
  const fresh = `${path}.new`;
  try {
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

/**
 * Adds `text` to the end of a file that has `octets` octets, so that a crash leaves the old content or a part of the text behind it;
 * gives its state. The caller holds the file's lock. When this fails, the file is as before, unless the disk itself failed. Throws
 * AddrsiftError OPERATION.
 */
export async function appendDurably(path: string, text: string, octets: number): Promise<FileState> {
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_APPEND | (constants.O_NONBLOCK ?? 0));
    try {
      refuseSpecial("write", fstatSync(file), path);
      await writeAll(file, Buffer.from(text));
      await syncData(file);
      return stateFrom(fstatSync(file));
    } catch (error) {
      cutOff(file, octets);
      throw error;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw durableFailure("write", path, error);
  }
}

// Calls that wait for the disk. Other calls on a file take microseconds, less than a turn through Node's threads.
const writePart = promisify(write);
const syncData = promisify(fdatasync);

/** Continues after a short write, until all is written or the disk reports an error. */
async function writeAll(file: number, octets: Uint8Array): Promise<void> {
  for (let at = 0; at < octets.length; ) at += (await writePart(file, octets, at)).bytesWritten;
}

function cutOff(file: number, octets: number): void {
  try {
    ftruncateSync(file, octets);
  } catch {}
}

async function writeWhole(
  path: string,
  content: readonly (string | Uint8Array)[],
  after: FileState | undefined,
): Promise<FileState> {
  const file = await open(path, "wx", 0o600);
  try {
    // The umask may have taken rights away.
    await file.chmod(0o600);
    // Continues after a short write, until all is written or the disk reports an error.
    for (const piece of content) await file.writeFile(piece);
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

/** The state that tells a content from the next. */
export function stateFrom({ ino, mtimeMs, size }: Stats): FileState {
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
