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

const OTHERS_MODE_BITS = 0o077;
// A small file that is written as a whole needs as much.
const MIN_FREE_BYTES = 65_536;

/**
 * Makes sure that `folder` exists with mode 0700. A folder that others may enter is changed when it is empty or
 * contains `file`. Otherwise it is refused, because it may be a home folder or /tmp. Throws AddrsiftError OPERATION.
 */
export function ensurePrivateFolder(folder: string, file: string): void {
  try {
    createMissingFolders(resolve(folder));
    const stat = statSync(folder);
    assertOwner(stat, folder);
    if (!isAccessibleToOthers(stat)) return;
    const names = readdirSync(folder);
    if (names.length > 0 && !names.some((name) => name === file || name.startsWith(`${file}.`))) {
      throw new AddrsiftError(
        "OPERATION",
        `${folder} is open to other users and has other files in it: give a new folder, or chmod 700 it`,
      );
    }
    chmodSync(folder, 0o700);
  } catch (error) {
    throw fileError("use", folder, error);
  }
}

export function checkWritable(folder: string): AddrsiftError | undefined {
  try {
    accessSync(folder, constants.W_OK);
    const { bsize, bavail, bfree } = statfsSync(folder);
    // The disk has blocks that only root may use.
    const blocks = process.getuid?.() === 0 ? bfree : bavail;
    return blocks * bsize < MIN_FREE_BYTES ? fileError("write", folder, { code: "ENOSPC" }) : undefined;
  } catch (error) {
    return fileError("write", folder, error);
  }
}

/** Why a small file can't be written durably in a folder, which is tried; undefined when it can. */
export function probeWrite(folder: string): AddrsiftError | undefined {
  const [temporary, path] = [join(folder, ".try.new"), join(folder, ".try")];
  try {
    writeFileSync(temporary, "x", { mode: 0o600, flush: true });
    renameSync(temporary, path);
    syncFolder(folder);
    rmSync(path);
    return undefined;
  } catch (error) {
    return fileError("write", folder, error);
  }
}

/** Creates a folder and those above it, with durable names. Node's own recursive mkdir never ends below /proc. */
function createMissingFolders(folder: string): void {
  const parent = dirname(folder);
  try {
    mkdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The caller checks what is there.
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || existsSync(parent)) throw error;
    createMissingFolders(parent);
    mkdirSync(folder);
  }
  // The umask may have taken rights away.
  chmodSync(folder, 0o700);
  trySyncFolder(parent);
}

function trySyncFolder(folder: string): void {
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
export function restrictPermissions(descriptor: number, stat: Stats, path: string): void {
  assertOwner(stat, path);
  if (isAccessibleToOthers(stat)) fchmodSync(descriptor, 0o600);
}

function isAccessibleToOthers(stat: Stats): boolean {
  return process.platform !== "win32" && (stat.mode & OTHERS_MODE_BITS) !== 0;
}

function assertOwner(stat: Stats, path: string): void {
  const currentUid = process.getuid?.();
  if (currentUid === undefined || stat.uid === currentUid) return;
  // A file that root writes into a service's folder would lock out the service.
  const problem = `${path} belongs to the user ${stat.uid}, but addrsift runs as ${currentUid}`;
  const alternative = "give another --home, such as a new folder in it";
  const remedy = `run as that user (sudo -u '#${stat.uid}' addrsift ...), or ${alternative}`;
  throw new AddrsiftError("OPERATION", `${problem}: ${remedy}`);
}

const NOT_REGULAR = "it is not a regular file, move it away";

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: "permission denied, run as its owner or give another --home",
  EPERM: "permission denied, run as its owner or give another --home",
  EROFS: "the file system is read-only, give another --home",
  ENOTDIR: "a part of its path is not a folder, give another --home",
  EISDIR: "it is a folder, move it away",
  ENXIO: NOT_REGULAR,
  ENAMETOOLONG: "its name is too long, give another --home",
};

/** The error of a failed `deed` ("read", "write") on a path. An error that already is such a line stays unchanged. */
export function fileError(action: string, path: string, error: unknown): AddrsiftError {
  if (isAddrsiftError(error)) return error;
  const { code = "" } = error as NodeJS.ErrnoException;
  const kind = DISK_FULL_CODES.has(code)
    ? "FULL"
    : READ_ONLY_CODES.has(code) && action !== "read"
      ? "READONLY"
      : "OPERATION";
  return new AddrsiftError(kind, `can't ${action} ${path}: ${fileErrorRemedy(error)}`, error);
}

const DISK_FULL_CODES: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);
const READ_ONLY_CODES: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM"]);

export function fileErrorRemedy(error: unknown): string {
  return remedyOf(error, REMEDIES);
}

export function hasKnownRemedy(error: unknown): boolean {
  return fileErrorRemedy(error) !== (error as Error).message;
}

/** Throws AddrsiftError OPERATION for a FIFO, a device or a socket. The system itself refuses folders. */
export function assertNotSpecial(action: string, stat: Stats, path: string): void {
  if (stat.isFile() || stat.isDirectory()) return;
  throw new AddrsiftError("OPERATION", `can't ${action} ${path}: ${NOT_REGULAR}`);
}
