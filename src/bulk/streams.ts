// Interfaces for byte input and output. The command line and the daemon implement them.

export interface ByteSource {
  /**
   * Reads into `target`, from index `offset`. Returns the number of bytes read, 0 at the end of input. Throws
   * AddrsiftError if reading fails.
   */
  read(target: Uint8Array, offset: number): Promise<number>;
  /** Ends the stream. A pending read returns. */
  close(): void;
}

/** Yields `chunks`, then the rest of `source`. Chunks may have any length. */
export class ChunkSource implements ByteSource {
  private rest: Uint8Array = new Uint8Array(0);
  private isOpen = true;
  private hasMoreChunks = true;

  /** The bytes of a chunk are copied before the next chunk is requested, so `chunks` may reuse its memory. */
  constructor(
    private readonly chunks: AsyncIterator<Uint8Array>,
    private readonly source: ByteSource,
  ) {}

  async read(target: Uint8Array, offset: number): Promise<number> {
    try {
      while (this.isOpen && this.hasMoreChunks && this.rest.length === 0) {
        const { done, value } = await this.chunks.next();
        if (done === true) this.hasMoreChunks = false;
        else this.rest = value;
      }
      if (this.isOpen && this.rest.length === 0) return await this.source.read(target, offset);
    } catch (error) {
      if (this.isOpen) throw error;
    }
    if (!this.isOpen) return 0;
    const count = Math.min(this.rest.length, target.length - offset);
    target.set(this.rest.subarray(0, count), offset);
    this.rest = this.rest.subarray(count);
    return count;
  }

  close(): void {
    this.isOpen = false;
    this.source.close();
  }
}

export function emptySource(close: () => void): ByteSource {
  return { read: async () => 0, close };
}

/** Wraps a source; `onRead` is called with the number of bytes of each read. */
export function meteredSource(source: ByteSource, onRead: (count: number) => void): ByteSource {
  return {
    read: async (target, offset) => {
      const count = await source.read(target, offset);
      onRead(count);
      return count;
    },
    close: () => source.close(),
  };
}

export interface ByteSink {
  /** Writes all bytes. Resolves when `bytes` may be reused. Throws OutputClosedError if the reader is gone. */
  write(bytes: Uint8Array): Promise<void>;
}

/** Divides long work into time slices, so that it does not block the event loop. */
export interface TimeSlice {
  /** True from the end of the time slice until `yieldToEventLoop`. */
  readonly expired: boolean;
  yieldToEventLoop(): Promise<void>;
}

/** Thrown when the reader of the output closed it or exited (EPIPE). Commands then end without a message. */
export class OutputClosedError extends Error {
  override readonly name = "OutputClosedError";
}

/** Compares the name, because each file of the build has its own copy of the class. */
export function isOutputClosed(error: unknown): error is OutputClosedError {
  return error instanceof Error && error.name === "OutputClosedError";
}
