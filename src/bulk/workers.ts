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

/**
 * Takes all rows of the input like `readRows`, on the workers. What does not end in sight (a very long row, the last one
 * without its line break) is taken here, after everything before it was written.
 */
export async function readRowsOnWorkers(
  input: InputBuffer,
  scanner: Scanner,
  pipeline: Pipeline,
  workers: readonly PieceWorker[],
  watch: Watch,
): Promise<void> {
  const waiting: Promise<PieceResult>[] = [];
  const settleFirst = async (): Promise<void> => {
    await pipeline.adopt(await (waiting.shift() as Promise<PieceResult>));
  };
  const settleAll = async (): Promise<void> => {
    while (waiting.length > 0) await settleFirst();
  };
  /** Reads on, and meanwhile writes what workers have done: our reader waits for no further input. Gives the failure to read. */
  const fill = async (): Promise<unknown> => {
    // A row that does not end here is looked at anew: only when there is twice as much of it, so that time stays linear.
    let reading = true;
    const ended = (failure?: unknown): unknown => {
      reading = false;
      return failure;
    };
    const filled = input.fill(Math.min(2 * (input.end - input.start), scanner.rowMax)).then(() => ended(), ended);
    while (reading && waiting.length > 0) {
      await Promise.race([filled, waiting[0]?.catch(() => {})]);
      if (reading) await settleFirst();
    }
    return filled;
  };
  let turn = 0;
  for (;;) {
    const end = scanner.boundary(input.octets, input.start, input.end);
    if (end > input.start) {
      const worker = workers[turn++ % workers.length] as PieceWorker;
      const piece = worker.run(input.octets.subarray(input.start, end));
      // A failure is seen when its turn comes; until then it must not count as unhandled.
      piece.catch(() => {});
      waiting.push(piece);
      input.start = end;
    } else {
      await settleAll();
      await takeRows(input, scanner, pipeline);
    }
    while (waiting.length >= PIECES_EACH * workers.length) await settleFirst();
    if (watch() || (input.ended && input.start === input.end)) break;
    if (input.ended) continue;
    // Idle workers get what there is; busy ones get larger pieces, which are cheaper to send.
    do {
      const failure = await fill();
      if (failure === undefined) continue;
      // What was read before is not lost.
      await settleAll();
      await takeRows(input, scanner, pipeline);
      throw failure;
    } while (!input.ended && waiting.length >= workers.length && input.end - input.start < PIECE_OCTETS && !watch());
    if (watch()) break;
  }
  await settleAll();
}

/** Octets in a piece: enough to make sending it cheap, few enough to keep all threads busy to the end. */
const PIECE_OCTETS = 512 * 1024;
