// Bulk work with live DNS: reads pieces of the input ahead and asks about their domains, while rows with an answer are
// classified and written in input order. Memory stays bounded.

import type { Pipeline } from "../pipeline.ts";
import type { Turns } from "../ports.ts";
import type { InputBuffer, Watch } from "../reader.ts";
import type { Scanner } from "../rows/scanner.ts";
import type { Inquiries } from "./inquiries.ts";
import type { PieceAnswers, QuestionCollector } from "./rows.ts";

/** Some rows of the input, and the answers that they wait for. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly last: boolean;
  readonly answers: PieceAnswers;
}

/** Bytes read ahead at most, besides the current piece: enough to keep all questions busy behind a slow one. */
const AHEAD_BYTES = 1024 * 1024;
/** Questions without an answer at most. */
const AHEAD_QUESTIONS = 2048;

/** Parts of a live run besides those of every run. */
export interface LiveSetup {
  readonly inquiries: Inquiries;
  readonly collector: QuestionCollector;
  /** Finds rows ahead of time; of the same kind as the scanner that takes them. */
  readonly ahead: Scanner;
  /** Turns shared with the collector. */
  readonly turns?: Turns | undefined;
}

/** Pieces that were read ahead and not taken yet. */
class Queue {
  /** No more pieces will be taken. */
  closed = false;
  private readonly pieces: Piece[] = [];
  private bytes = 0;
  private ended = false;
  private failure: unknown;
  private waiting: (() => void)[] = [];

  push(piece: Piece): void {
    this.pieces.push(piece);
    this.bytes += piece.bytes.length;
    this.wake();
  }

  /** The next piece; undefined at the end. When reading failed, throws that error after the last piece. */
  async shift(): Promise<Piece | undefined> {
    while (this.pieces.length === 0 && !this.ended) await this.change();
    const piece = this.pieces.shift();
    if (piece === undefined && this.failure !== undefined) throw this.failure;
    this.bytes -= piece?.bytes.length ?? 0;
    this.wake();
    return piece;
  }

  /** Resolves when more may be read ahead. */
  async room(inquiries: Inquiries): Promise<void> {
    const tooFar = (): boolean => this.bytes > AHEAD_BYTES || inquiries.openCount > AHEAD_QUESTIONS;
    while (!this.closed && this.pieces.length > 0 && tooFar()) await this.change();
  }

  end(failure?: unknown): void {
    this.ended = true;
    this.failure = failure;
    this.wake();
  }

  close(): void {
    this.closed = true;
    this.wake();
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  private change(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}

/** Takes all rows of the input like `readRows`, each after DNS has answered for its domain. */
export async function readRowsLive(
  input: InputBuffer,
  scanner: Scanner,
  pipeline: Pipeline,
  live: LiveSetup,
  watch: Watch,
): Promise<void> {
  const queue = new Queue();
  void readAhead(input, queue, live, watch).then(
    () => queue.end(),
    (error: unknown) => queue.end(error),
  );
  try {
    for (let piece = await queue.shift(); piece !== undefined; piece = await queue.shift()) {
      if (!(await takePiece(piece, scanner, pipeline, watch))) break;
    }
  } finally {
    pipeline.answers = undefined;
    queue.close();
  }
  await pipeline.settle();
}

/** Reads pieces and asks their questions, until the input ends, `watch` stops it or the queue is closed. */
async function readAhead(input: InputBuffer, queue: Queue, live: LiveSetup, watch: Watch): Promise<void> {
  for (;;) {
    const { next, full, unreadable } = takeAhead(input, live);
    if (live.turns?.over === true) await live.turns.next();
    const last = input.ended && next === input.end;
    if (next > input.start || last) {
      queue.push({ bytes: input.bytes.slice(input.start, next), last, answers: live.collector.yieldAnswers() });
    }
    input.start = next;
    if (last || unreadable) return;
    await queue.room(live.inquiries);
    if (queue.closed || watch()) return;
    if (full) continue;
    await input.fill();
    if (watch()) return;
  }
}

/** Where the rows to take end: before the input's end when they ask many questions. */
function takeAhead(
  input: InputBuffer,
  { ahead, collector }: LiveSetup,
): { readonly next: number; readonly full: boolean; readonly unreadable: boolean } {
  try {
    const next = ahead.take(input.bytes, input.start, input.end, input.ended, collector);
    return { next, full: collector.full, unreadable: false };
  } catch {
    // Taking these rows fails at the same place, and reports the fault after everything before it is written.
    return { next: input.end, full: false, unreadable: true };
  }
}

/** Takes the rows of a piece, each when its answer is there; false when `watch` stopped it. */
async function takePiece(piece: Piece, scanner: Scanner, pipeline: Pipeline, watch: Watch): Promise<boolean> {
  const { bytes, last, answers } = piece;
  pipeline.answers = answers;
  for (let from = 0; ; ) {
    from = scanner.take(bytes, from, bytes.length, last, pipeline);
    const { awaited } = answers;
    if (awaited === undefined && !pipeline.full) break;
    // Finished rows are written before we wait.
    await pipeline.flush();
    await awaited?.arrived;
    if (watch()) return false;
  }
  pipeline.pause();
  await pipeline.flush();
  return !watch();
}
