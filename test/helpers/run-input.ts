// What a run of the command gets and what it comes to, in the test's process or in one of its own.

/** A port of loopback where nobody answers: tests send no question to anybody, and get the same answer everywhere. */
export const NO_NAME_SERVER = "127.0.0.1:9";

/** A place for homes that is not there and that nobody can make, root neither. */
export const NO_DATA_HOME = "/proc/nonexistent";

/** What a run came to. */
export interface RunResult {
  /** Exit status; of a process, the shell's 128 + n for a signal. */
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** What a run gets besides its arguments. */
export interface RunInput {
  /** A list is read piece by piece. Default: nothing. */
  readonly stdin?: string | Uint8Array | readonly Uint8Array[];
  /** What is undefined is not set. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The package's folder, where it is not the project's. */
  readonly root?: string;
  /** Columns of the terminal that standard output is; without them it is a pipe. */
  readonly columns?: number;
}
