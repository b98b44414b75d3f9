// The one exception of the project: broken surroundings, said in one line. Expected outcomes are values instead.

/** What kind of failure it is; every kind exits with 2. STORE: kept records that a person must look at first. */
export type ErrorCode = "USAGE" | "INPUT" | "OUTPUT" | "DATA" | "STORE" | "OPERATION";

/** An unreadable file, a bad option, broken data. `message` says what is wrong and how to mend it, in one line. */
export class AddrsiftError extends Error {
  override readonly name = "AddrsiftError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** True for an AddrsiftError of any of the build's files: each has the class for itself. */
export function isAddrsiftError(error: unknown): error is AddrsiftError {
  return error instanceof Error && error.name === "AddrsiftError";
}
