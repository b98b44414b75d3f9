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

/** The bytes of `pieces`, which are of any length, and then those that are left in the source that they are made of. */
export class PieceSource implements ByteSource {
  private rest: Uint8Array = new Uint8Array(0);
  private isOpen = true;
  private hasPieces = true;

  /** A piece is used up before the next one is asked for. */
  constructor(
    private readonly pieces: AsyncIterator<Uint8Array>,
    private readonly source: ByteSource,
  ) {}

  async read(target: Uint8Array, at: number): Promise<number> {
    try {
      while (this.isOpen && this.hasPieces && this.rest.length === 0) {
        const { done, value } = await this.pieces.next();
        if (done === true) this.hasPieces = false;
        else this.rest = value;
      }
      if (this.isOpen && this.rest.length === 0) return await this.source.read(target, at);
    } catch (error) {
      if (this.isOpen) throw error;
    }
    if (!this.isOpen) return 0;
    const count = Math.min(this.rest.length, target.length - at);
    target.set(this.rest.subarray(0, count), at);
    this.rest = this.rest.subarray(count);
    return count;
  }

  close(): void {
    this.isOpen = false;
    this.source.close();
  }
}

/** A source that is at its end, whose `close` does this. */
export function endedSource(close: () => void): ByteSource {
  return { read: async () => 0, close };
}

/** The same source; `note` gets the number of bytes of each read. */
export function countedSource(source: ByteSource, note: (count: number) => void): ByteSource {
  return {
    read: async (target, at) => {
      const count = await source.read(target, at);
      note(count);
      return count;
    },
    close: () => source.close(),
  };
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
