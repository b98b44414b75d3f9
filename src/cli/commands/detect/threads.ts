// Worker threads for bulk work, both sides: starting them with their settings, and the code that runs inside.

import type { MessagePort, Worker } from "node:worker_threads";
import { AddrsiftError } from "../../../base/errors.ts";
import type { PieceResult } from "../../../bulk/pipeline.ts";
import { DATA_FORMATS, type DataFormat } from "../../../bulk/render/render.ts";
import { ReportCounts } from "../../../bulk/report-counts.ts";
import { createScanner, dataOutput, type RowLayout } from "../../../bulk/row-layout.ts";
import { openRun } from "../../../bulk/run/open-run.ts";
import type { RowSettings } from "../../../bulk/run/settings.ts";
import { Summary } from "../../../bulk/summary.ts";
import { PIECES_EACH, type PieceWorker } from "../../../bulk/workers.ts";
import { HomeOverrides, type OverridesText } from "../../../home/overrides.ts";
import { listsFromOctets } from "../../../lists/table.ts";
import { BULK_CACHE_ENTRIES, classifierSetup, type KnownInUse } from "../../open/known.ts";
import type { Runtime } from "../../runtime.ts";

/** The task that a worker gets at its start. */
interface WorkerTask {
  readonly root: string;
  /** The whole table: lists that are replaced during the run change nothing. */
  readonly table: Uint8Array;
  readonly rows: RowSettings;
  readonly format: DataFormat;
  readonly layout: RowLayout;
  readonly names: boolean;
  /** Rows are counted for a report, with addresses or without. */
  readonly report: { readonly addresses: boolean } | undefined;
  readonly overrides: OverridesText;
}

/** A piece, or the question for what was counted by name. */
type WorkerMessage = Uint8Array | "names";

/** A worker that can be ended. */
export interface StoppableWorker extends PieceWorker {
  /** Gives what was counted by name over all pieces. */
  names(): Promise<PieceResult>;
  stop(): void;
}

/** A task as it is known where workers are started. */
interface Work extends Pick<WorkerTask, "rows" | "layout" | "names" | "report"> {
  readonly known: KnownInUse;
  readonly format: string;
}

/** Starts as many workers as --jobs asks for; none where one thread must do the work. */
export function startWorkers(
  jobs: number | "auto",
  { known, rows, format, layout, names, report }: Work,
  { root, load }: Pick<Runtime, "root" | "load">,
): StoppableWorker[] {
  const count = jobs === "auto" ? load("node:os").availableParallelism() : jobs;
  const shared = DATA_FORMATS.find((known) => known === format && known !== "json");
  // Row numbers, duplicates and the commas of an array depend on the rows before.
  const isInSequence = rows.fields?.includes("row") === true || rows.duplicates || rows.by !== undefined;
  if (count === 1 || shared === undefined || isInSequence) return [];
  const threads = load("node:worker_threads");
  const task: WorkerTask = {
    root,
    table: known.lists.octets,
    rows,
    format: shared,
    layout,
    names,
    report: report && { addresses: report.addresses },
    overrides: known.overrides.source,
  };
  const program = `require(${JSON.stringify(`${root}/dist/main.cjs`)}).startWorker()`;
  return Array.from({ length: count }, () => portWorker(new threads.Worker(program, { eval: true, workerData: task })));
}

/** A worker answers its pieces in order. */
function portWorker(worker: Worker): StoppableWorker {
  let failure: AddrsiftError | undefined;
  const open: { resolve: (result: PieceResult) => void; reject: (error: unknown) => void }[] = [];
  const fail = (error: unknown): void => {
    failure ??= new AddrsiftError("OPERATION", `a worker thread failed: ${String(error)}`, error);
    for (const { reject } of open.splice(0)) reject(failure);
  };
  worker.on("message", (result: PieceResult) => open.shift()?.resolve(result));
  worker.on("error", fail);
  worker.on("exit", (code) => fail(`it ended with ${code}`));
  const pieces = new SharedCopies();
  const ask = (message: WorkerMessage): Promise<PieceResult> =>
    new Promise((resolve, reject) => {
      if (failure !== undefined) {
        reject(failure);
        return;
      }
      open.push({ resolve, reject });
      worker.postMessage(message);
    });
  return {
    run: (octets) => ask(pieces.copy(octets)),
    names: () => ask("names"),
    stop: () => {
      open.length = 0;
      void worker.terminate();
    },
  };
}

/**
 * Copies of octets for the other thread, in shared memory that later copies use again. A buffer that is transferred is detached, and V8
 * then checks each access to any array: a tenth of the thread's time. A new buffer for each piece would cost its page faults.
 */
class SharedCopies {
  // One for each piece in progress: a piece has been read before its memory is overwritten.
  private readonly memory: Uint8Array[] = Array.from({ length: PIECES_EACH }, () => new Uint8Array(0));

  /** A copy, valid until PIECES_EACH more were made. */
  copy(octets: Uint8Array): Uint8Array {
    let target = this.memory.shift() as Uint8Array;
    // A quarter larger, because the next piece may be longer.
    if (target.length < octets.length) target = new Uint8Array(new SharedArrayBuffer(1.25 * octets.length));
    this.memory.push(target);
    target.set(octets);
    return target.subarray(0, octets.length);
  }
}

/** The code inside a worker: it takes pieces of whole rows, and gives back their output and counts. */
export function serveWorker(port: MessagePort, task: WorkerTask): void {
  const { layout, format, rows } = task;
  const known = {
    lists: listsFromOctets("the lists", task.table),
    overrides: new HomeOverrides(task.overrides, "whole"),
  };
  const setup = classifierSetup(rows.policy, known, BULK_CACHE_ENTRIES);
  const scanner = createScanner(layout, format);
  const summary = new Summary(task.names);
  const pipeline = openRun({
    setup,
    rows,
    output: dataOutput(format, rows),
    opened: { layout },
    summary,
    // The output of the whole piece is collected and handed over, not written.
    sink: undefined,
    report: task.report && new ReportCounts(task.report.addresses),
  });
  const outputs = new SharedCopies();
  port.on("message", (message: WorkerMessage) => {
    if (message === "names") {
      port.postMessage(pipeline.yieldNames());
      return;
    }
    scanner.take(message, 0, message.length, true, pipeline);
    const result = pipeline.yieldPiece();
    port.postMessage({ ...result, output: outputs.copy(result.output) });
  });
}
