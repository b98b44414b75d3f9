// The only exception of the project. Expected outcomes are values.

/**
 * The kind of failure; every kind exits with 2. STORE: a person must look at the stored records first. AWAY: the
 * records can't be reached for now. READONLY and FULL: they can be read, but not changed for now. UNCERTAIN: the change
 * may have been made.
 */
export type ErrorCode =
  | "USAGE"
  | "INPUT"
  | "OUTPUT"
  | "DATA"
  | "STORE"
  | "AWAY"
  | "READONLY"
  | "FULL"
  | "UNCERTAIN"
  | "OPERATION";

/** An unreadable file, a wrong option, broken data. `message` says what is wrong and how to fix it, in one line. */
export class AddrsiftError extends Error {
  /** Written out, because the build shortens names. */
  static override readonly name: string = "AddrsiftError";
  override readonly name = "AddrsiftError";

  constructor(
    readonly code: ErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** True for an AddrsiftError of any file of the build: each file has its own copy of the class. */
export function isAddrsiftError(error: unknown): error is AddrsiftError {
  return error instanceof Error && error.name === "AddrsiftError";
}

export function usageError(message: string): AddrsiftError {
  return new AddrsiftError("USAGE", message);
}

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: "permission denied, check its mode",
  EBADF: "it is closed, open it",
  EDQUOT: "the disk quota is used up, make room",
  EISDIR: "it is a directory, give a file",
  ELOOP: "its symbolic links form a loop, fix them",
  ENOENT: "there is no such file or folder, check its name",
  ENOSPC: "the disk is full, make room",
  EPERM: "permission denied, check its mode",
  EROFS: "the file system is read-only, choose another",
};

/** The reason for which the system refused a file, and the way out; `others` has better texts by error code. */
export function describeSystemError(error: unknown, overrides: Readonly<Record<string, string>> = {}): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return overrides[code] ?? REMEDIES[code] ?? message;
}

/** What to do with a spreadsheet. */
export const SAVE_AS_CSV = "save it as CSV, for example with libreoffice --headless --convert-to csv FILE";
