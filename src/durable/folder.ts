// A folder for us alone: made with mode 0700, or tightened when it is ours and holds nothing else. Files in it are 0600.

import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { AddrsiftError } from "../errors.ts";
import { durableFailure } from "./failure.ts";

const OTHERS = 0o077;

/**
 * Makes sure that `folder` is there with mode 0700. A folder that others may enter is tightened when it is empty or has `file`
 * in it, else refused: it may be somebody's home, or /tmp. Throws AddrsiftError OPERATION.
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

/**
 * Makes a folder and those above it, with durable names. Node's own recursion never ends where the system has no place for a folder,
 * as below /proc.
 */
function makeMissing(folder: string): void {
  const above = dirname(folder);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // What stands there is looked at by the caller.
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || existsSync(above)) throw error;
    makeMissing(above);
    mkdirSync(folder, { mode: 0o700 });
  }
  syncNames(above);
}

/** Makes the names in a folder durable, as far as that is ours to do. */
function syncNames(folder: string): void {
  if (process.platform === "win32") return;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, "r");
    fsyncSync(descriptor);
  } catch {
    // Who may make names in a folder need not be allowed to read it; the system writes them by itself in a while.
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

/** Takes rights on an open file of ours away from others. Throws AddrsiftError OPERATION when the file is another user's. */
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
  // A file that root wrote into a service's folder would lock the service out.
  throw new AddrsiftError(
    "OPERATION",
    `${path} belongs to the user ${stat.uid}, but addrsift runs as ${own}: run as that user (sudo -u '#${stat.uid}' addrsift ...), or give another --home, such as a new folder in it`,
  );
}
