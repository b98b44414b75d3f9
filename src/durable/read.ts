// Reads one of our files without a lock: it is always replaced as a whole, so an opened file stays complete.

import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from "node:fs";
import { durableFailure, refuseSpecial } from "./failure.ts";
import { tightenFile } from "./folder.ts";
import type { FileState } from "./write.ts";

/** A file's octets and the state that belongs to them. */
export interface FileContent {
  readonly octets: Uint8Array;
  readonly state: FileState;
}

/** Reads a file and removes other users' rights; undefined when there is none. Throws AddrsiftError OPERATION. */
export function readDurable(path: string): FileContent | undefined {
  let descriptor: number | undefined;
  try {
    // Opening a FIFO would wait for its other end. Windows has neither.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(descriptor);
    refuseSpecial("read", stat, path);
    tightenFile(descriptor, stat, path);
    return { octets: readFileSync(descriptor), state: stateFrom(stat) };
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

/** True for the same content. */
export function sameState(one: FileState | undefined, other: FileState | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.inode === other.inode && one.modifiedMs === other.modifiedMs && one.octets === other.octets;
}

function stateFrom({ ino, mtimeMs, size }: Stats): FileState {
  return { inode: ino, modifiedMs: mtimeMs, octets: size };
}
