// Input and result of a run of the command, in the test's process or in a separate one.

/** A port of loopback where no one answers: tests send no question to anyone, and get the same answer everywhere. */
export const NO_NAME_SERVER = "127.0.0.1:9";

/** A place for homes that is not there and that no one can make, not even root. */
export const NO_DATA_HOME = "/proc/nonexistent";

/** The result of a run. */
export interface RunResult {
  /** Exit status; of a process, the shell's 128 + n for a signal. */
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** The input of a run besides its arguments. */
export interface RunInput {
  /** A list is read piece by piece. Default: nothing. */
  readonly stdin?: string | Uint8Array | readonly Uint8Array[];
  /** A variable that is undefined is not set. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The package's folder, where it is not the project's. */
  readonly root?: string;
  /** Columns of the terminal that standard output is; without them it is a pipe. */
  readonly columns?: number;
}
