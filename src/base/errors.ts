// The project's only exception class. Expected outcomes are values.

/**
 * Kind of failure; all exit with 2. STORE: the stored records need manual repair. UNAVAILABLE: the store can't be
 * reached for now. READONLY, FULL: the store can be read but not changed for now. UNCERTAIN: the change may have been
 * made.
 */
export type ErrorCode =
  | "USAGE"
  | "INPUT"
  | "OUTPUT"
  | "DATA"
  | "STORE"
  | "UNAVAILABLE"
  | "READONLY"
  | "FULL"
  | "UNCERTAIN"
  | "OPERATION";

/** An error whose message is one line: `what is wrong: how to fix it`. */
export class AddrsiftError extends Error {
  // Set explicitly, because the build shortens class names. Next.js compiles a static field to an assignment, which throws.
  static {
    Object.defineProperty(AddrsiftError, "name", { value: "AddrsiftError" });
  }
  override readonly name = "AddrsiftError";
  /** In the library: USAGE for a wrong argument, DATA for damaged lists or overrides, OPERATION for unreadable ones. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/**
 * Reports whether `error` is an AddrsiftError, by its name. Each file of dist/ is a bundle with its own copy of the class,
 * so `instanceof` is false for an error from another file.
 */
export function isAddrsiftError(error: unknown): error is AddrsiftError {
  return error instanceof Error && error.name === "AddrsiftError";
}

/** Returns the message of an AddrsiftError. Rethrows other errors. */
export function errorMessage(error: unknown): string {
  if (isAddrsiftError(error)) return error.message;
  throw error;
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

/** Returns a system error's cause and fix; `overrides` has more specific texts by error code. */
export function describeSystemError(error: unknown, overrides: Readonly<Record<string, string>> = {}): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return overrides[code] ?? REMEDIES[code] ?? message;
}

export const SAVE_AS_CSV = "save it as CSV, for example with libreoffice --headless --convert-to csv FILE";
