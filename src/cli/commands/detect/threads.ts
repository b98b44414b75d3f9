// Worker threads for bulk work, both sides: starting them with their settings, and the code that runs inside.

import type { MessagePort, Worker } from "node:worker_threads";
import { AddrsiftError } from "../../../base/errors.ts";
import { DomainTally } from "../../../bulk/domain-tally.ts";
import type { PieceResult } from "../../../bulk/pipeline.ts";
import type { DataFormat } from "../../../bulk/render/render.ts";
import { ReportCounts } from "../../../bulk/report-counts.ts";
import { createRowRenderer, createScanner, type RowLayout } from "../../../bulk/row-layout.ts";
import { fieldChoice, renderOptions } from "../../../bulk/run/field-choice.ts";
import type { RowSettings } from "../../../bulk/run/settings.ts";
import { Summary } from "../../../bulk/summary.ts";
import { PIECES_EACH, type PieceWorker } from "../../../bulk/workers.ts";
import { createExplain } from "../../../detection/explain.ts";
import { HomeOverrides, type OverridesText } from "../../../home/overrides.ts";
import { listsFromOctets } from "../../../lists/table-file.ts";
import { BULK_CACHE_ENTRIES, classifierSetup } from "../../open/classifier.ts";
import type { KnownInUse } from "../../open/overrides.ts";
import type { Runtime } from "../../runtime.ts";
import type { Input } from "./input.ts";
import { createPipeline } from "./run.ts";
import type { DetectSettings } from "./settings.ts";

/** What a worker gets at its start. */
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

/** How many threads --jobs asks for. */
export function threadsFor({ jobs }: Pick<DetectSettings, "jobs">, runtime: Pick<Runtime, "load">): number {
  return jobs === "auto" ? runtime.load("node:os").availableParallelism() : jobs;
}

/** Starts `count` workers for the rows of `input`. */
export function startWorkers(
  count: number,
  input: Input,
  settings: DetectSettings,
  runtime: Runtime,
  { names, known }: { readonly names: boolean; readonly known: KnownInUse },
): StoppableWorker[] {
  const threads = runtime.load("node:worker_threads");
  const task: WorkerTask = {
    root: runtime.root,
    table: known.lists.octets,
    rows: settings.rows,
    format: input.format as DataFormat,
    layout: input.layout,
    names,
    report: settings.report && { addresses: settings.report.addresses },
    overrides: known.overrides.source,
  };
  const program = `require(${JSON.stringify(`${runtime.root}/dist/main.cjs`)}).startWorker()`;
  return Array.from({ length: count }, () => {
    const worker = new threads.Worker(program, { eval: true, workerData: task });
    return portWorker(worker);
  });
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
 * Octets for the other thread, in shared memory that is used again. Transferring a buffer instead would detach it, after which V8
 * checks each access to any array: a tenth of the thread's time. A new buffer for each piece would cost its page faults.
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

/** What runs inside a worker: pieces of whole rows in, their output and counts back. */
export function serveWorker(port: MessagePort, task: WorkerTask, load: Runtime["load"]): void {
  const { layout, format, rows } = task;
  const known = {
    lists: listsFromOctets("the lists", task.table),
    overrides: new HomeOverrides(task.overrides, "whole"),
  };
  const setup = classifierSetup(rows.policy, { load }, known, BULK_CACHE_ENTRIES);
  const scanner = createScanner(layout, format);
  const summary = new Summary(task.names);
  const report = task.report && new ReportCounts(task.report.addresses);
  const pipeline = createPipeline(rows, {
    setup,
    renderer: createRowRenderer(layout, format, renderOptions(rows, fieldChoice(rows, setup))),
    // The output of the whole piece is collected and handed over, not written.
    sink: undefined,
    summary,
    report,
    tally: task.names ? (classifier) => new DomainTally(classifier, summary, report?.domains) : undefined,
    explain: rows.explain ? createExplain(setup) : undefined,
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
