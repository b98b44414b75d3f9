// Passes a stream of bytes to a scanner, chunk by chunk, in constant memory.

import { LF } from "../base/bytes/ascii.ts";
import { findByte } from "../base/bytes/bytes.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Scanner } from "./rows/row.ts";
import type { ByteSource } from "./streams.ts";

export const READ_BYTES: number = 256 * 1024;

/** Buffers input: the bytes from `start` to `end` are unread. */
export class InputBuffer implements ByteSource {
  bytes: Uint8Array;
  start = 0;
  end = 0;
  ended = false;

  /** `readBytes`: bytes per read. `memory`: the initial buffer, which the caller must not use until the input ends. */
  constructor(
    private readonly source: ByteSource,
    private readonly readBytes: number = READ_BYTES,
    memory: Uint8Array = new Uint8Array(2 * readBytes),
  ) {
    this.bytes = memory;
  }

  get unread(): Uint8Array {
    return this.bytes.subarray(this.start, this.end);
  }

  /**
   * Reads once and appends to the unread bytes; sets `ended` at the end of input. It never waits for a second read: a
   * program that has written one row may wait for its answer before it writes the next.
   */
  async fill(): Promise<void> {
    this.ensureCapacity();
    const count = await this.source.read(this.bytes, this.end);
    this.end += count;
    this.ended = count === 0;
  }

  /** Reads until the next line is complete or longer than `maxBytes`. Returns the index of its line feed, or `end`. */
  async findLineEnd(maxBytes: number): Promise<number> {
    for (let searched = 0; ; ) {
      const lf = findByte(this.bytes, LF, this.start + searched, this.end);
      searched = lf - this.start;
      if (lf < this.end || this.ended || searched > maxBytes) return lf;
      await this.fill();
    }
  }

  /** Copies unread bytes, or reads directly into `target` if there are none. */
  async read(target: Uint8Array, offset: number): Promise<number> {
    if (this.start === this.end) return this.ended ? 0 : this.source.read(target, offset);
    const count = Math.min(this.end - this.start, target.length - offset);
    target.set(this.unread.subarray(0, count), offset);
    this.start += count;
    return count;
  }

  close(): void {
    this.source.close();
  }

  private ensureCapacity(): void {
    if (this.start > 0) this.bytes.copyWithin(0, this.start, this.end);
    this.end -= this.start;
    this.start = 0;
    if (this.bytes.length - this.end >= this.readBytes) return;
    // Double the size, so that a long row is not copied at every read.
    const larger = new Uint8Array(2 * this.bytes.length);
    larger.set(this.unread);
    this.bytes = larger;
  }
}

/** Called after each read and write; returns true to stop. */
export type ShouldStop = () => boolean;

/** Processes the rows of the input and writes their output, until the end of input or until `shouldStop` returns true. */
export async function processRows(
  input: InputBuffer,
  scanner: Scanner,
  pipeline: Pipeline,
  shouldStop: ShouldStop,
): Promise<void> {
  for (;;) {
    do {
      input.start = scanner.scan(input.bytes, input.start, input.end, input.ended, pipeline);
      if (!pipeline.isFull) break;
      await pipeline.flush();
    } while (input.start < input.end && !shouldStop());
    pipeline.flushRenderer();
    await pipeline.drain();
    if (shouldStop() || input.ended) return;
    await input.fill();
    // Check again: cancellation looks like the end of input, and half a row must not count as a row.
    if (shouldStop()) return;
  }
}
