// Turns the operating system's error about a file into a line that says how to fix it.

import type { Stats } from "node:fs";
import { AddrsiftError, isAddrsiftError } from "../base/errors.ts";

const NOT_REGULAR = "it is not a regular file, move it away";

const REMEDY: Readonly<Record<string, string>> = {
  EACCES: "permission denied, run as its owner or give another --home",
  EPERM: "permission denied, run as its owner or give another --home",
  ENOSPC: "the disk is full, make room",
  EDQUOT: "the disk quota is used up, make room",
  EROFS: "the file system is read-only, give another --home",
  ENOTDIR: "a part of its path is not a folder, give another --home",
  EISDIR: "it is a folder, move it away",
  ENXIO: NOT_REGULAR,
  ELOOP: "its symbolic links form a loop, fix them",
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

/** The system's reason, and how to fix it. */
export function failureRemedy(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return REMEDY[code] ?? message;
}

/** Throws AddrsiftError OPERATION for a FIFO, a device or a socket. The system itself refuses folders. */
export function refuseSpecial(deed: string, stat: Stats, path: string): void {
  if (stat.isFile() || stat.isDirectory()) return;
  throw new AddrsiftError("OPERATION", `can't ${deed} ${path}: ${NOT_REGULAR}`);
}
