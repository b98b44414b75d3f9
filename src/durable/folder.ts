// Private folders (mode 0700, with files of mode 0600), folders that a group may share, and file system errors as one
// line with a fix.

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
import { AddrsiftError, describeSystemError, isAddrsiftError } from "../base/errors.ts";

const SERVICE_HOME = "/var/lib/addrsift";
/** How to run a command on the home of `man/examples/addrsift.service`. */
export const SERVICE_COMMAND = "run addrsift-service in place of addrsift (UNDER SYSTEMD in addrsift-serve(1))";
const GROUP_AND_OTHER_BITS = 0o077;
const GROUP_WRITE_BIT = 0o020;
const OTHER_WRITE_BIT = 0o002;
// Reserve for growth of the file, and for its entry in the folder.
const SPARE_BYTES = 65_536;

/**
 * Creates `folder` with mode 0700, or restricts an existing one to that mode if it is empty or contains `file`.
 * Throws AddrsiftError OPERATION for any other folder that is open to others: it may be a home folder or /tmp.
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
        `${folder} is open to other users and has other files in it: use a new folder, or chmod 700 it`,
      );
    }
    chmodSync(folder, 0o700);
  } catch (error) {
    throw fileError("use", folder, error);
  }
}

/**
 * Creates `folder`. An existing one keeps its mode, so that a group can share it. Throws AddrsiftError READONLY if
 * another user owns the folder and does not share it.
 */
export function ensureFolder(folder: string, mode = 0o700): void {
  try {
    createMissingFolders(resolve(folder), mode);
    // With the slash, a file is an error.
    const stat = statSync(`${folder}/`);
    if (!isGroupWritable(stat) || (stat.mode & OTHER_WRITE_BIT) !== 0) assertOwner(stat, folder);
  } catch (error) {
    throw fileError("use", folder, error);
  }
}

/** Returns the mode of a new file in `folder`: private, or for its group too if that can write to the folder. */
export function newFileMode(folder: string): number {
  return isGroupWritable(statSync(folder)) ? 0o660 : 0o600;
}

function isGroupWritable(stat: Stats): boolean {
  return process.platform !== "win32" && (stat.mode & GROUP_WRITE_BIT) !== 0;
}

/**
 * Returns why `file` with `bytes` can't be written to `folder`, judging by permissions and free space, or undefined.
 * Creates a missing folder, because only that shows whether it can be created.
 */
export function checkWritable(folder: string, file: string, bytes: number): AddrsiftError | undefined {
  try {
    ensurePrivateFolder(folder, file);
    accessSync(folder, constants.W_OK);
    const { bsize, bavail, bfree } = statfsSync(folder);
    // Some blocks are reserved for root.
    const blocks = process.getuid?.() === 0 ? bfree : bavail;
    return blocks * bsize < bytes + SPARE_BYTES ? fileError("write", folder, { code: "ENOSPC" }) : undefined;
  } catch (error) {
    return fileError("write", folder, error);
  }
}

/** Writes a file of `bytes` to `folder` and removes it. Returns why that failed, or undefined. */
export function probeWrite(folder: string, bytes: number): AddrsiftError | undefined {
  const [temporary, path] = [join(folder, ".try.new"), join(folder, ".try")];
  try {
    writeFileSync(temporary, Buffer.alloc(bytes), { mode: 0o600, flush: true });
    renameSync(temporary, path);
    syncFolder(folder);
    rmSync(path);
    return undefined;
  } catch (error) {
    rmSync(temporary, { force: true });
    return fileError("write", folder, error);
  }
}

/** Creates a folder and its private parents durably. Node's recursive mkdir never returns for a path in /proc. */
function createMissingFolders(folder: string, mode = 0o700): void {
  const parent = dirname(folder);
  try {
    mkdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The caller checks what exists there.
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || existsSync(parent)) throw error;
    createMissingFolders(parent);
    mkdirSync(folder);
  }
  // The umask may have removed permissions.
  chmodSync(folder, mode);
  try {
    syncFolder(parent);
  } catch {
    // A folder can be writable but not readable. The system then writes the entry to disk later by itself.
  }
}

function syncFolder(folder: string): void {
  // Windows can't sync folders and does not need to.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Revokes other users' access to an open file. Throws AddrsiftError OPERATION if another user owns the file. */
export function restrictPermissions(descriptor: number, stat: Stats, path: string): void {
  assertOwner(stat, path);
  if (isAccessibleToOthers(stat)) fchmodSync(descriptor, 0o600);
}

function isAccessibleToOthers(stat: Stats): boolean {
  return process.platform !== "win32" && (stat.mode & GROUP_AND_OTHER_BITS) !== 0;
}

function assertOwner(stat: Stats, path: string): void {
  const currentUid = process.getuid?.();
  if (currentUid === undefined || stat.uid === currentUid) return;
  // A file that root creates in a service's folder would be unreadable for the service.
  const problem = `${path} belongs to the user ${stat.uid}, but addrsift runs as ${currentUid}`;
  const runAsOwner = isDynamicUser(stat.uid)
    ? SERVICE_COMMAND
    : `run as that user (sudo -u '#${stat.uid}' addrsift ...)`;
  const alternative =
    currentUid === 0 ? "use another home, such as a new folder in it" : `chown it to the user ${currentUid}`;
  throw new AddrsiftError("READONLY", `${problem}: ${runAsOwner}, or ${alternative}`);
}

/** Reports whether systemd allocates `uid` to units with DynamicUser=yes. Only the unit and root can enter its home. */
export function isDynamicUser(uid: number | undefined): boolean {
  return uid !== undefined && uid >= 61_184 && uid <= 65_519;
}

/** Returns a warning if root uses `folder`, its own home, on a machine with the home of the service. */
export function describeServiceHome(folder: string): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync(SERVICE_HOME)) return undefined;
  return `this uses the home ${folder}; for the daemon with the home ${SERVICE_HOME}, ${SERVICE_COMMAND}`;
}

const USER = `the user ${process.getuid?.() ?? "of this process"}`;
const DENIED = `permission denied for it or a folder above it, run as their owner, chown them to ${USER}, or use another home`;
const NOT_REGULAR = "it is not a regular file, move it away";

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: "the file system is read-only, use another home",
  ENOTDIR: "a part of its path is not a folder, use another home",
  EISDIR: "it is a folder, move it away",
  ENXIO: NOT_REGULAR,
  ENAMETOOLONG: "its name is too long, use another home",
};

/** Wraps the error of a failed `action` ("read", "write") on `path`. Returns an AddrsiftError unchanged. */
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

export function danglingLinkError(path: string): AddrsiftError {
  return new AddrsiftError("OPERATION", `${path} is a dangling symbolic link: restore its target, or remove the link`);
}

/** Reports whether an error code proves that there is no such file. ENOTDIR: a part of its path is a file. */
export function isAbsenceCode(code: unknown): boolean {
  return code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG";
}

const DISK_FULL_CODES: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);
const READ_ONLY_CODES: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM"]);

export function fileErrorRemedy(error: unknown): string {
  const { code, path = "" } = error as NodeJS.ErrnoException;
  // Other owners would keep the service itself out.
  if (
    code === "EACCES" &&
    (path === SERVICE_HOME || path.startsWith(`${SERVICE_HOME}/`)) &&
    !isDynamicUser(process.getuid?.())
  )
    return `permission denied, as root ${SERVICE_COMMAND}, or use another home`;
  return describeSystemError(error, REMEDIES);
}

export function hasKnownRemedy(error: unknown): boolean {
  return fileErrorRemedy(error) !== (error as Error).message;
}

/** Throws AddrsiftError OPERATION for a FIFO, device or socket. For a folder, the system call itself fails. */
export function assertNotSpecial(action: string, stat: Stats, path: string): void {
  if (stat.isFile() || stat.isDirectory()) return;
  throw new AddrsiftError("OPERATION", `can't ${action} ${path}: ${NOT_REGULAR}`);
}
