// A folder that only this user can enter: created with mode 0700, or changed to it when it is ours and holds nothing else. Its
// files are 0600.

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
  type Stats,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { AddrsiftError } from "../base/errors.ts";
import { durableFailure } from "./failure.ts";

const OTHERS = 0o077;
// A small file that is written as a whole (see `file-writer.ts`) needs as much.
const ROOM_OCTETS = 65_536;

/**
 * Makes sure that `folder` exists with mode 0700. A folder that others may enter is changed when it is empty or contains `file`.
 * Otherwise it is refused, because it may be a home folder or /tmp. Throws AddrsiftError OPERATION.
 */
export function makeFolder(folder: string, file: string): void {
  try {
    makeMissing(resolve(folder));
    if (!isOpen(checkFolder(folder))) return;
    const names = readdirSync(folder);
    if (names.length > 0 && !names.some((name) => name === file || name.startsWith(`${file}.`))) {
      throw new AddrsiftError(
        "OPERATION",
        `${folder} is open to other users and has other files in it: give a folder of its own, or chmod 700 it`,
      );
    }
    chmodSync(folder, 0o700);
  } catch (error) {
    throw durableFailure("use", folder, error);
  }
}

/** Why no file in a folder can be changed: it is read-only, or its disk is full. Undefined when they can. */
export function changeFault(folder: string): AddrsiftError | undefined {
  try {
    accessSync(folder, constants.W_OK);
    const { bsize, bavail, bfree } = statfsSync(folder);
    // The disk has blocks that only root may use.
    const blocks = process.getuid?.() === 0 ? bfree : bavail;
    return blocks * bsize < ROOM_OCTETS ? durableFailure("write", folder, { code: "ENOSPC" }) : undefined;
  } catch (error) {
    return durableFailure("write", folder, error);
  }
}

/**
 * Creates a folder and those above it, with durable names. Node's own recursive mkdir never ends where the system allows no
 * folder, as below /proc.
 */
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

/** Makes the names in a folder durable, as far as we may. */
function syncNames(folder: string): void {
  if (process.platform === "win32") return;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, "r");
    fsyncSync(descriptor);
  } catch {
    // A user who may create names in a folder may be unable to read it. The system writes them by itself after a while.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The folder's state. Throws AddrsiftError OPERATION when it is another user's. */
function checkFolder(folder: string): Stats {
  const stat = statSync(folder);
  checkOwner(stat, folder);
  return stat;
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
  throw new AddrsiftError(
    "OPERATION",
    `${path} belongs to the user ${stat.uid}, but addrsift runs as ${own}: run as that user (sudo -u '#${stat.uid}' addrsift ...), or give another --home, such as a new folder in it`,
  );
}
