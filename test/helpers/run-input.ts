// Input and result of a run of the command, in the test's process or in a separate one.

/** An unused port of loopback. With it, tests send no DNS query to the network and have the same result everywhere. */
export const NO_NAME_SERVER = "127.0.0.1:9";

/** A parent folder of homes that does not exist and that not even root can create. */
export const NO_DATA_HOME = "/proc/nonexistent";

/** The result of a run. */
export interface RunResult {
  /** Exit status. If a signal ended the process, 128 plus its number, as in a shell. */
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** Everything but the arguments of a run. */
export interface RunInput {
  /** Each element of an array is read separately. Default: empty. */
  readonly stdin?: string | Uint8Array | readonly Uint8Array[];
  /** Variables that are undefined are not set. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The package's folder. Default: this project. */
  readonly root?: string;
  /** Width of the terminal on standard output. If undefined, standard output is a pipe. */
  readonly columns?: number;
  /** The clock, in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}
