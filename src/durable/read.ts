// Reads one of our files without a lock: it is replaced as a whole or grows at its end, so what was read stays as it is.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { AddrsiftError } from "../base/errors.ts";
import { durableFailure, refuseSpecial, tightenFile } from "./folder.ts";
import { type FileState, stateFrom } from "./write.ts";

/** A file's octets and the state that belongs to them. */
export interface FileContent {
  readonly octets: Uint8Array;
  readonly state: FileState;
}

/**
 * Reads a file from octet `from` to `to` or its end, and removes other users' rights; undefined when there is none. Throws
 * AddrsiftError OPERATION.
 */
export function readDurable(path: string, from = 0, to: number = Number.POSITIVE_INFINITY): FileContent | undefined {
  return readOpened(path, (descriptor, stat) => {
    tightenFile(descriptor, stat, path);
    return { octets: readPart(descriptor, from, Math.min(stat.size, to)), state: stateFrom(stat) };
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
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? undefined : stateFrom(stat);
  } catch (error) {
    throw durableFailure("read", path, error);
  }
}

/** Where a file really is: itself, or what it leads to as a symbolic link. Throws AddrsiftError OPERATION for a link to nothing. */
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
    // The caller that opens it gets the error.
    return false;
  }
}

export function sameState(one: FileState | undefined, other: FileState | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.inode === other.inode && one.modifiedMs === other.modifiedMs && one.octets === other.octets;
}

/** A file that another process makes longer meanwhile is read to the length that it had. */
function readPart(descriptor: number, from: number, to: number): Uint8Array {
  const octets = Buffer.allocUnsafe(Math.max(to - from, 0));
  let length = 0;
  while (length < octets.length) {
    const count = readSync(descriptor, octets, length, octets.length - length, from + length);
    if (count === 0) break;
    length += count;
  }
  return octets.subarray(0, length);
}
