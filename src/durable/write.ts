// Replaces a file so that it survives a crash at any moment: the disk has the old or the new content, complete. The
// package write-file-atomic is not used: it treats a short write as success, so a full disk leaves a cut file under
// the good name (seen with 7.0.1 on a tmpfs).

import { copyFile, link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { AddrsiftError } from "../base/errors.ts";
import { durableFailure, hasRemedy } from "./folder.ts";
import { type FileState, stateFrom } from "./read.ts";

/**
 * Writes `content` to `path` with mode 0600; gives its state. The old content is kept at `previous`, if given.
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
