// All rows of an opened input through a pipeline, with live DNS or without.

import type { Classifier } from "../../detection/classifier.ts";
import { KernelScanner } from "../kernel/scanner.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Turns } from "../ports.ts";
import { type InputBuffer, readRows, type Watch } from "../reader.ts";
import { createScanner } from "../rows/layout.ts";
import type { Scanner } from "../rows/row.ts";
import { type Inquiries, type PieceAnswers, QuestionCollector } from "./inquiries.ts";
import type { OpenedRows } from "./open-rows.ts";
import type { RowSettings } from "./options.ts";

export interface RowRun {
  readonly pipeline: Pipeline;
  readonly format: string;
  readonly rows: RowSettings;
  /** Domains that the kernel keeps, a power of two. */
  readonly kernelEntries: number;
  /** DNS, and what reports about which domains it is asked; undefined: it is not asked. */
  readonly live: { readonly inquiries: Inquiries; readonly classifier: Classifier } | undefined;
  readonly watch: Watch;
  /** For reading ahead of DNS's answers; the pipeline has its own. */
  readonly turns?: Turns | undefined;
}

export function readHere({ buffer, layout }: OpenedRows, run: RowRun): Promise<void> {
  const { pipeline, format, live, watch } = run;
  const scanner = createScanner(layout, format);
  if (live === undefined) {
    const fast = new KernelScanner(scanner, pipeline, { layout, ...run });
    return readRows(buffer, fast, pipeline, watch).finally(() => fast.count());
  }
  const collector = new QuestionCollector(live.classifier, live.inquiries, run.turns);
  const ahead = createScanner(layout, format);
  return readRowsLive(buffer, scanner, pipeline, { collector, ahead }, watch);
}

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
  readonly collector: QuestionCollector;
  /** Finds rows ahead of time; of the same kind as the scanner that takes them. */
  readonly ahead: Scanner;
}

/** Pieces that were read ahead and not taken yet. */
class Queue {
  /** No more pieces will be taken. */
  closed = false;
  private readonly pieces: Piece[] = [];
  private bytes = 0;
  private ended = false;
  private failure: unknown;
  // Never both wait: the taker waits for a piece, the reader only while there is one.
  private wake: () => void = () => {};

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

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
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
  const { inquiries, turns } = live.collector;
  for (;;) {
    const { next, full, unreadable } = takeAhead(input, live);
    if (turns?.over === true) await turns.next();
    const last = input.ended && next === input.end;
    if (next > input.start || last) {
      queue.push({ bytes: input.bytes.slice(input.start, next), last, answers: live.collector.yieldAnswers() });
    }
    input.start = next;
    if (last || unreadable) return;
    await queue.room(inquiries);
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
