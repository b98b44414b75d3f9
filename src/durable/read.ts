// Reads one of our files without a lock: it is only ever replaced as a whole.

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
import { AddrsiftError } from "../base/errors.ts";
import { durableFailure, refuseSpecial, tightenFile } from "./folder.ts";

/** Tells one content of a file from the next. */
export interface FileState {
  readonly inode: number;
  readonly modifiedMs: number;
  readonly bytes: number;
}

/** A file's bytes and the state that belongs to them. */
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
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? undefined : stateFrom(stat);
  } catch (error) {
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
    // The caller that opens it gets the error.
    return false;
  }
}

export function sameState(one: FileState | undefined, other: FileState | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.inode === other.inode && one.modifiedMs === other.modifiedMs && one.bytes === other.bytes;
}

/** The state that tells a content from the next. */
export function stateFrom({ ino, mtimeMs, size }: Stats): FileState {
  return { inode: ino, modifiedMs: mtimeMs, bytes: size };
}
