// Errors about files as lines that say how to fix them; and a folder that only this user can enter: created with mode
// 0700, or changed to it when it is ours and holds nothing else. Its files are 0600.

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AddrsiftError, isAddrsiftError, remedyOf } from "../base/errors.ts";

const OTHERS = 0o077;
// A small file that is written as a whole needs as much.
const ROOM_BYTES = 65_536;

/**
 * Makes sure that `folder` exists with mode 0700. A folder that others may enter is changed when it is empty or
 * contains `file`. Otherwise it is refused, because it may be a home folder or /tmp. Throws AddrsiftError OPERATION.
 */
export function makeFolder(folder: string, file: string): void {
  try {
    makeMissing(resolve(folder));
    const stat = statSync(folder);
    checkOwner(stat, folder);
    if (!isOpen(stat)) return;
    const names = readdirSync(folder);
    if (names.length > 0 && !names.some((name) => name === file || name.startsWith(`${file}.`))) {
      throw new AddrsiftError(
        "OPERATION",
        `${folder} is open to other users and has other files in it: give a new folder, or chmod 700 it`,
      );
    }
    chmodSync(folder, 0o700);
  } catch (error) {
    throw durableFailure("use", folder, error);
  }
}

export function changeFault(folder: string): AddrsiftError | undefined {
  try {
    accessSync(folder, constants.W_OK);
    const { bsize, bavail, bfree } = statfsSync(folder);
    // The disk has blocks that only root may use.
    const blocks = process.getuid?.() === 0 ? bfree : bavail;
    return blocks * bsize < ROOM_BYTES ? durableFailure("write", folder, { code: "ENOSPC" }) : undefined;
  } catch (error) {
    return durableFailure("write", folder, error);
  }
}

/** Why a small file can't be written durably in a folder, which is tried; undefined when it can. */
export function writeFault(folder: string): AddrsiftError | undefined {
  const [fresh, path] = [join(folder, ".try.new"), join(folder, ".try")];
  try {
    writeFileSync(fresh, "x", { mode: 0o600, flush: true });
    renameSync(fresh, path);
    syncFolder(folder);
    rmSync(path);
    return undefined;
  } catch (error) {
    return durableFailure("write", folder, error);
  }
}

/** Creates a folder and those above it, with durable names. Node's own recursive mkdir never ends below /proc. */
function makeMissing(folder: string): void {
  const above = dirname(folder);
  try {
    mkdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The caller checks what is there.
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || existsSync(above)) throw error;
    makeMissing(above);
    mkdirSync(folder);
  }
  // The umask may have taken rights away.
  chmodSync(folder, 0o700);
  syncNames(above);
}

function syncNames(folder: string): void {
  try {
    syncFolder(folder);
  } catch {
    // A user who may create names in a folder may be unable to read it. The system writes them by itself after a while.
  }
}

function syncFolder(folder: string): void {
  // Windows can't do that, and does it by itself.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Removes other users' rights on our open file. Throws AddrsiftError OPERATION when the file is another user's. */
export function tightenFile(descriptor: number, stat: Stats, path: string): void {
  checkOwner(stat, path);
  if (isOpen(stat)) fchmodSync(descriptor, 0o600);
}

function isOpen(stat: Stats): boolean {
  return process.platform !== "win32" && (stat.mode & OTHERS) !== 0;
}

function checkOwner(stat: Stats, path: string): void {
  const own = process.getuid?.();
  if (own === undefined || stat.uid === own) return;
  // A file that root writes into a service's folder would lock out the service.
  const what = `${path} belongs to the user ${stat.uid}, but addrsift runs as ${own}`;
  const other = "give another --home, such as a new folder in it";
  const remedy = `run as that user (sudo -u '#${stat.uid}' addrsift ...), or ${other}`;
  throw new AddrsiftError("OPERATION", `${what}: ${remedy}`);
}

const NOT_REGULAR = "it is not a regular file, move it away";

const REMEDY: Readonly<Record<string, string>> = {
  EACCES: "permission denied, run as its owner or give another --home",
  EPERM: "permission denied, run as its owner or give another --home",
  EROFS: "the file system is read-only, give another --home",
  ENOTDIR: "a part of its path is not a folder, give another --home",
  EISDIR: "it is a folder, move it away",
  ENXIO: NOT_REGULAR,
  ENAMETOOLONG: "its name is too long, give another --home",
};

/** The error of a failed `deed` ("read", "write") on a path. An error that already is such a line stays unchanged. */
export function durableFailure(deed: string, path: string, error: unknown): AddrsiftError {
  if (isAddrsiftError(error)) return error;
  const { code = "" } = error as NodeJS.ErrnoException;
  const kind = FULL.has(code) ? "FULL" : READONLY.has(code) && deed !== "read" ? "READONLY" : "OPERATION";
  return new AddrsiftError(kind, `can't ${deed} ${path}: ${failureRemedy(error)}`, error);
}

const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);
const READONLY: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM"]);

export function failureRemedy(error: unknown): string {
  return remedyOf(error, REMEDY);
}

export function hasRemedy(error: unknown): boolean {
  return failureRemedy(error) !== (error as Error).message;
}

/** Throws AddrsiftError OPERATION for a FIFO, a device or a socket. The system itself refuses folders. */
export function refuseSpecial(deed: string, stat: Stats, path: string): void {
  if (stat.isFile() || stat.isDirectory()) return;
  throw new AddrsiftError("OPERATION", `can't ${deed} ${path}: ${NOT_REGULAR}`);
}
