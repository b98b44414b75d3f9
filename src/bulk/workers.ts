// Bulk work on several threads: pieces of whole rows go out, their output comes back and is written in the order of the input.
// Threads themselves are behind a port.

import type { PieceResult, Pipeline } from "./pipeline.ts";
import { type InputBuffer, takeRows, type Watch } from "./reader.ts";
import type { Scanner } from "./rows/scanner.ts";

/** A thread that takes pieces of whole rows, one after another. */
export interface PieceWorker {
  /**
   * Classifies the rows in `octets`, which are the caller's again when this returns. The output stands until PIECES_EACH more
   * pieces were given.
   */
  run(octets: Uint8Array): Promise<PieceResult>;
}

/** Pieces under way for each worker: one in work, one waiting, so that none idles while the main thread reads or writes. */
export const PIECES_EACH = 2;

/** Octets in a piece: enough to make sending it cheap, few enough to keep all threads busy to the end. */
const PIECE_OCTETS = 512 * 1024;

/** Pieces under way, in the order of the input. */
class Pieces {
  private readonly underWay: { readonly result: Promise<PieceResult>; done: boolean }[] = [];
  private readonly workers: readonly PieceWorker[];
  private readonly pipeline: Pipeline;
  private turn = 0;

  constructor(workers: readonly PieceWorker[], pipeline: Pipeline) {
    this.workers = workers;
    this.pipeline = pipeline;
  }

  get count(): number {
    return this.underWay.length;
  }

  /** True when a piece should be made of what there is: idle workers get anything, busy ones larger pieces, which cost less. */
  wants(octets: number, last: boolean): boolean {
    if (this.count < this.workers.length) return octets > 0;
    return (last || octets >= PIECE_OCTETS) && this.count < PIECES_EACH * this.workers.length;
  }

  give(octets: Uint8Array): void {
    const worker = this.workers[this.turn++ % this.workers.length] as PieceWorker;
    const piece = { result: worker.run(octets), done: false };
    const done = (): void => {
      piece.done = true;
    };
    // A failure is seen when its turn comes; until then it must not count as unhandled.
    piece.result.then(done, done);
    this.underWay.push(piece);
  }

  /** Resolves when the first piece is done, or has failed. */
  first(): Promise<unknown> | undefined {
    return this.underWay[0]?.result.catch(() => {});
  }

  /** Writes the output of the pieces that are done. */
  async settleDone(): Promise<void> {
    while (this.underWay[0]?.done === true) await this.settleFirst();
  }

  async settleAll(): Promise<void> {
    while (this.count > 0) await this.settleFirst();
  }

  private async settleFirst(): Promise<void> {
    const first = this.underWay.shift();
    if (first !== undefined) await this.pipeline.adopt(await first.result);
  }
}

/** One read at a time, under way while workers work. */
class Reading {
  /** The read under way. */
  current: Promise<void> | undefined;
  failure: { readonly error: unknown } | undefined;
  private readonly input: InputBuffer;

  constructor(input: InputBuffer) {
    this.input = input;
  }

  begin(): void {
    if (this.current !== undefined || this.input.ended || this.failure !== undefined) return;
    this.current = this.input.fill().then(
      () => {
        this.current = undefined;
      },
      (error: unknown) => {
        this.current = undefined;
        this.failure = { error };
      },
    );
  }
}

/**
 * Takes all rows of the input like `readRows`, on the workers. What does not end in sight (a very long row, the last one
 * without its line break) is taken here, after everything before it was written. Rows that have arrived never wait for a read:
 * they are given away as soon as a worker is idle.
 */
export async function readRowsOnWorkers(
  input: InputBuffer,
  scanner: Scanner,
  pipeline: Pipeline,
  workers: readonly PieceWorker[],
  watch: Watch,
): Promise<void> {
  const pieces = new Pieces(workers, pipeline);
  const reading = new Reading(input);
  while (!watch()) {
    if (pieces.wants(input.end - input.start, input.ended)) {
      const end = scanner.boundary(input.octets, input.start, input.end);
      if (end > input.start) {
        pieces.give(input.octets.subarray(input.start, end));
        input.start = end;
        continue;
      }
      // Not while a read is under way: one that is given up looks like the end of the input, which would make half a row a row.
      if (pieces.count === 0 && reading.current === undefined) await takeRows(input, scanner, pipeline);
    }
    if (reading.failure !== undefined) break;
    if (input.ended && input.start === input.end) break;
    if (pieces.count === 0 || input.end - input.start < PIECE_OCTETS) reading.begin();
    await Promise.race([reading.current, pieces.first()].filter((event) => event !== undefined));
    await pieces.settleDone();
  }
  await pieces.settleAll();
  if (reading.failure === undefined) return;
  // What was read before is not lost.
  await takeRows(input, scanner, pipeline);
  throw reading.failure.error;
}
