// Collects the output of a run and writes it in large chunks.

import { ByteWriter } from "../base/bytes/byte-writer.ts";
import type { ByteSink } from "./streams.ts";

/** Default number of bytes to collect before a write. */
const WRITE_BYTES = 1024 * 1024;
// Enough for a short stream: frequent allocation of large buffers would cost garbage collections.
const INITIAL_BYTES = 8 * 1024;

/** Double buffering: one writer is filled while the bytes of the other are written. */
export class OutputBuffer {
  /** Collects output until the next `flush`, which replaces it. */
  writer: ByteWriter;
  private spareWriter: ByteWriter | undefined;
  private pendingWrite: Promise<void> = Promise.resolve();

  constructor(
    private readonly sink: ByteSink,
    private readonly writeBytes: number = WRITE_BYTES,
  ) {
    this.writer = this.createWriter();
  }

  get isFull(): boolean {
    return this.writer.length >= this.writeBytes;
  }

  /** Starts to write the collected output, after the previous write. A failed write is thrown by the next call. */
  async flush(): Promise<void> {
    await this.pendingWrite;
    const { writer } = this;
    if (writer.length === 0) return;
    this.pendingWrite = this.sink.write(writer.buffer.subarray(0, writer.length));
    // The next `flush` throws the error. Until then it must not count as an unhandled rejection.
    this.pendingWrite.catch(() => {});
    this.writer = this.spareWriter ?? this.createWriter();
    this.spareWriter = writer;
    this.writer.clear();
  }

  /** Writes the collected output. Resolves when all writes are complete. */
  async drain(): Promise<void> {
    await this.flush();
    await this.pendingWrite;
  }

  private createWriter(): ByteWriter {
    // A quarter larger than `writeBytes`, because the last row may exceed it.
    return new ByteWriter(INITIAL_BYTES, 1.25 * this.writeBytes);
  }
}
