// Bulk work on several threads: pieces of whole rows go out; their output comes back and is written in input order. Threads
// themselves are behind a port.

import type { PieceResult, Pipeline } from "./pipeline.ts";
import { type InputBuffer, takeRows, type Watch } from "./reader.ts";
import type { Scanner } from "./rows/scanner.ts";

/** A thread that takes pieces of whole rows, one after another. */
export interface PieceWorker {
  /**
   * Classifies the rows in `octets`, which the caller may use again when this returns. The output is valid until PIECES_EACH more
   * pieces were given.
   */
  run(octets: Uint8Array): Promise<PieceResult>;
}

/** Pieces at each worker: one being classified, one waiting, so that no worker idles while the main thread reads or writes. */
export const PIECES_EACH = 2;

/** Octets in a piece: enough to make sending it cheap, few enough to keep all threads busy to the end. */
const PIECE_OCTETS = 512 * 1024;

/** Pieces at the workers, in input order. */
class Pieces {
  private readonly underWay: { readonly result: Promise<PieceResult>; done: boolean }[] = [];
  private turn = 0;

  constructor(
    private readonly workers: readonly PieceWorker[],
    private readonly pipeline: Pipeline,
  ) {}

  get count(): number {
    return this.underWay.length;
  }

  /** True when the available octets should be sent: idle workers get any number, busy ones larger pieces, which cost less. */
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
    // A failure is reported when the piece's turn comes; until then it must not count as unhandled.
    piece.result.then(done, done);
    this.underWay.push(piece);
  }

  /** Resolves when the first piece is done, or has failed. */
  first(): Promise<unknown> | undefined {
    return this.underWay[0]?.result.catch(() => {});
  }

  /** Writes the output of finished pieces. */
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

/** One read at a time, while the workers work. */
class Reading {
  /** The running read. */
  current: Promise<void> | undefined;
  failure: { readonly error: unknown } | undefined;

  constructor(private readonly input: InputBuffer) {}

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
 * Takes all rows of the input like `readRows`, on the workers. A row whose end is not there (a very long one, or the last one
 * without a line break) is classified here, after everything before it was written. Rows that have arrived never wait for a read:
 * they are sent as soon as a worker is idle.
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
      // Not during a read: a cancelled read looks like the end of the input, and half a row would become a row.
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
  // Rows that were already read are written.
  await takeRows(input, scanner, pipeline);
  throw reading.failure.error;
}
