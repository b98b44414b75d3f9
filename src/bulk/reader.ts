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
    this.makeRoom();
    const count = await this.source.read(this.bytes, this.end);
    this.end += count;
    this.ended = count === 0;
  }

  /**
   * Reads until the first unread line has arrived, or more bytes than `most`; returns the index of its line feed, or of
   * the end of what has arrived.
   */
  async lineEnd(most: number): Promise<number> {
    for (let searched = 0; ; ) {
      const lf = findByte(this.bytes, LF, this.start + searched, this.end);
      searched = lf - this.start;
      if (lf < this.end || this.ended || searched > most) return lf;
      await this.fill();
    }
  }

  /** Returns what is unread, or else reads straight into `target`. */
  async read(target: Uint8Array, at: number): Promise<number> {
    if (this.start === this.end) return this.ended ? 0 : this.source.read(target, at);
    const count = Math.min(this.end - this.start, target.length - at);
    target.set(this.unread.subarray(0, count), at);
    this.start += count;
    return count;
  }

  close(): void {
    this.source.close();
  }

  private makeRoom(): void {
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
export type Watch = () => boolean;

/** Takes all rows of the input, until `watch` says stop, and writes their output. */
export async function readRows(input: InputBuffer, scanner: Scanner, pipeline: Pipeline, watch: Watch): Promise<void> {
  for (;;) {
    do {
      input.start = scanner.take(input.bytes, input.start, input.end, input.ended, pipeline);
      if (!pipeline.full) break;
      await pipeline.flush();
    } while (input.start < input.end && !watch());
    pipeline.pause();
    await pipeline.settle();
    if (watch() || input.ended) return;
    await input.fill();
    // Asked again, because a cancelled stream looks like one that ended, and half a row must not count as a row.
    if (watch()) return;
  }
}
