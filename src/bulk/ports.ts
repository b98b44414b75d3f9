// Ports for where bytes come from and go to. Their adapters are in the command line and the daemon.

export interface ByteSource {
  /**
   * Reads into `target` from index `at` on; returns the number of bytes, 0 at the end. Throws AddrsiftError when it
   * can't be read.
   */
  read(target: Uint8Array, at: number): Promise<number>;
  /** Ends the stream, also during a read. */
  close(): void;
}

/** A source whose bytes come in pieces of any length. */
export abstract class PieceSource implements ByteSource {
  /** Bytes that are there and not read yet. */
  protected rest: Uint8Array = new Uint8Array(0);
  protected ended = false;

  async read(target: Uint8Array, at: number): Promise<number> {
    while (this.rest.length === 0 && !this.ended) await this.next();
    const count = Math.min(this.rest.length, target.length - at);
    target.set(this.rest.subarray(0, count), at);
    this.rest = count < this.rest.length ? this.rest.subarray(count) : new Uint8Array(0);
    return count;
  }

  abstract close(): void;

  /** Makes `rest` the next bytes, of which there may still be none; or sets `ended`. */
  protected abstract next(): Promise<void>;
}

/** A source whose bytes are made from those of another, piece by piece. */
export abstract class ConvertedSource extends PieceSource {
  constructor(protected readonly source: ByteSource) {
    super();
  }

  close(): void {
    this.source.close();
  }
}

export interface ByteSink {
  /** Writes everything; resolves when `bytes` may be used again. Throws OutputClosed when the reader is gone. */
  write(bytes: Uint8Array): Promise<void>;
}

/** Divides long work, so that other work of the process gets its turn. */
export interface Turns {
  /** True when this turn is over; stays so until `next`. */
  readonly over: boolean;
  next(): Promise<void>;
}

/** The reader of the output closed it or died. This is not an error. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/** True for an OutputClosed of any file of the build: each file has its own copy of the class. */
export function isOutputClosed(error: unknown): error is OutputClosed {
  return error instanceof Error && error.name === "OutputClosed";
}
