// Where octets come from and go to, as ports. The adapters stand at the edge.

/** A stream of octets to pull from. */
export interface ByteSource {
  /** Reads into `target` from index `at` on; gives the number of octets, 0 at the end. Throws AddrsiftError when it can't be read. */
  read(target: Uint8Array, at: number): Promise<number>;
  /** Gives up the stream, also while a read is under way. */
  close(): void;
}

/** A stream of octets to push to. */
export interface ByteSink {
  /** Writes everything; resolves when `octets` may be used again. Throws OutputClosed when the reader is gone. */
  write(octets: Uint8Array): Promise<void>;
}

/** The reader of the output closed it or died: no failure of ours. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/** True for an OutputClosed of any of the build's files: each has the class for itself. */
export function isOutputClosed(error: unknown): error is OutputClosed {
  return error instanceof Error && error.name === "OutputClosed";
}
