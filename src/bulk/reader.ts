// Passes a stream of bytes to a scanner, piece by piece, in constant memory. A row that does not end in a piece waits
// for the next piece.

import { LF } from "../base/bytes/ascii.ts";
import { findByte } from "../base/bytes/bytes.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Scanner } from "./rows/row.ts";
import type { ByteSource } from "./streams.ts";

/** Bytes asked for at once, if nothing else is said. */
export const READ_BYTES: number = 256 * 1024;

/** The input so far: bytes `start` to `end` of `bytes` are unread. */
export class InputBuffer implements ByteSource {
  bytes: Uint8Array;
  start = 0;
  end = 0;
  ended = false;

  /**
   * Asks for so many bytes at once. They go to `memory`, which no one else uses meanwhile, as long as it is large
   * enough.
   */
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
   * Reads once, after the unread bytes; `ended` is set at the end of the input. It never waits for a second read: the
   * first may have completed a row, whose writer may be waiting for the answer.
   */
  async fill(): Promise<void> {
    this.ensureCapacity();
    const count = await this.source.read(this.bytes, this.end);
    this.end += count;
    this.ended = count === 0;
  }

  /**
   * Reads until the first unread line has arrived, or more bytes than `most`; returns the index of its line feed, or of
   * the end of what has arrived.
   */
  async findLineEnd(maxBytes: number): Promise<number> {
    for (let searched = 0; ; ) {
      const lf = findByte(this.bytes, LF, this.start + searched, this.end);
      searched = lf - this.start;
      if (lf < this.end || this.ended || searched > maxBytes) return lf;
      await this.fill();
    }
  }

  /** Returns what is unread, or else reads straight into `target`. */
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
    // Doubled, so that a long row is copied a few times only, not with every read.
    const larger = new Uint8Array(2 * this.bytes.length);
    larger.set(this.unread);
    this.bytes = larger;
  }
}

/** Asked after each piece of the input, and of the output: true ends the work. */
export type ShouldStop = () => boolean;

/** Takes all rows of the input, until `watch` says stop, and writes their output. */
export async function processRows(
  input: InputBuffer,
  scanner: Scanner,
  pipeline: Pipeline,
  shouldStop: ShouldStop,
): Promise<void> {
  for (;;) {
    do {
      input.start = scanner.take(input.bytes, input.start, input.end, input.ended, pipeline);
      if (!pipeline.full) break;
      await pipeline.flush();
    } while (input.start < input.end && !shouldStop());
    pipeline.flushRenderer();
    await pipeline.drain();
    if (shouldStop() || input.ended) return;
    await input.fill();
    // Asked again, because a cancelled stream looks like one that ended, and half a row must not count as a row.
    if (shouldStop()) return;
  }
}
