// `addrsift detect` on a stream: lines or CSV, on this thread or several, with progress, summary and a clean end on a signal.

import type { Inquiries } from "../../../bulk/live/inquiries.ts";
import { readRowsLive } from "../../../bulk/live/reader.ts";
import { QuestionCollector } from "../../../bulk/live/rows.ts";
import type { Pipeline } from "../../../bulk/pipeline.ts";
import { OutputClosed } from "../../../bulk/ports.ts";
import { readRows, type Watch } from "../../../bulk/reader.ts";
import { Summary, type SummaryReport } from "../../../bulk/summary.ts";
import { readRowsOnWorkers } from "../../../bulk/workers.ts";
import { Classifier, type ClassifierSetup } from "../../../detection/classifier.ts";
import { createExplain } from "../../../detection/explain.ts";
import { AddrsiftError } from "../../../errors.ts";
import { BULK_CACHE_ENTRIES, classifierSetup } from "../../open/classifier.ts";
import { openInquiries } from "../../open/dns.ts";
import { listsInUse } from "../../open/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { shownText } from "../../terminal/escape.ts";
import { openFile } from "../../terminal/input.ts";
import { Interruption } from "../../terminal/signals.ts";
import { type Input, openInput, scannerOf } from "./input.ts";
import type { Notify } from "./notify-hook.ts";
import { irregularText, Progress } from "./progress.ts";
import { createPipeline, detectStatus } from "./run.ts";
import type { DetectSettings } from "./settings.ts";
import { openSummaryFile, type WriteSummary } from "./summary-file.ts";
import { summaryText } from "./summary-text.ts";
import { type StoppableWorker, startWorkers } from "./threads.ts";

// The exit status that `run` gives to an exception.
const FAILED = 2;

/** Runs `detect` on --input or standard input, and notifies a channel at the end; gives the exit status. */
export async function detectStream(
  settings: DetectSettings,
  runtime: Runtime,
  notify: Notify | undefined,
): Promise<number> {
  refuseTerminal(settings, runtime);
  const { global, rows, dns, jobs } = settings;
  const { stderr } = runtime;
  const lists = listsInUse(global, runtime, "whole");
  const interactive = !global.quiet && stderr.isTerminal;
  const { source, bytes } = (settings.input ?? "-") === "-" ? runtime.stdin.open() : openFile(settings.input as string);
  const aloud = interactive || settings.summary;
  const summary = new Summary(aloud || settings.summaryFile !== undefined);
  let inquiries: Inquiries | undefined;
  let writeSummary: WriteSummary | undefined;
  const giveUp = (): void => {
    source.close();
    inquiries?.stop();
  };
  const interruption = new Interruption(runtime.signals, giveUp);
  const progress = interactive && !sharesScreen(settings, runtime) ? new Progress(runtime, bytes, summary) : undefined;
  const started = performance.now();
  const reportNow = (): SummaryReport =>
    summary.report(Math.round(performance.now() - started), lists.meta.dataVersion);
  try {
    writeSummary = openSummaryFile(settings.summaryFile);
    const input = await openInput(source, settings, runtime);
    if (interactive) stderr.write(columnText(input, settings));
    const setup = classifierSetup(rows.policy, runtime, lists, BULK_CACHE_ENTRIES);
    const pipeline = createPipeline(rows, {
      setup,
      renderer: input.renderer,
      sink: runtime.stdout.sink,
      summary,
      explain: rows.explain || input.format === "table" ? createExplain(setup) : undefined,
    });
    const watch = (): boolean => {
      progress?.show(input.buffer.total);
      return interruption.signal !== undefined;
    };
    if (dns.mode === "on") inquiries = openInquiries(dns, runtime, setup, "bulk");
    const alone = jobs === 1 || inquiries !== undefined || !ofSeparateRows(input);
    await run(input, pipeline, settings.part, () =>
      alone
        ? readHere(input, pipeline, setup, inquiries, watch)
        : readOnWorkers(input, pipeline, startWorkers(jobs, input, settings, runtime, summary.withNames), watch),
    ).finally(() => progress?.clear());
    if (!global.quiet) stderr.write(irregularText(pipeline.irregularities));
  } catch (error) {
    // The reader of the output has closed it.
    if (!(error instanceof OutputClosed)) {
      if (summary.rows > 0) await notify?.(reportNow(), FAILED);
      throw error;
    }
  } finally {
    giveUp();
  }
  const report = reportNow();
  if (aloud) stderr.write(summaryText(report, interruption.signal !== undefined));
  const status = interruption.status ?? detectStatus(settings, summary);
  writeSummary?.(report, status);
  await notify?.(report, status);
  return status;
}

/** Says which column was taken for the address, if the user named none. */
function columnText({ layout, columnName }: Input, { csv }: DetectSettings): string {
  if (layout === undefined || columnName === undefined || csv?.column !== undefined) return "";
  return `addrsift: the address is in column ${layout.column + 1}, ${shownText(JSON.stringify(columnName.trim()))}\n`;
}

/** Waiting for addresses typed at a terminal would look like a hang. */
function refuseTerminal({ input }: DetectSettings, { stdin }: Runtime): void {
  if (input === undefined && stdin.isTerminal) {
    throw new AddrsiftError("USAGE", "there is no address: give one, or --input FILE, or pipe them in");
  }
}

/** True when rows are shown or typed on the same screen, where a progress line would mix with them. */
function sharesScreen({ input = "-" }: DetectSettings, { stdin, stdout }: Runtime): boolean {
  return stdout.isTerminal || (input === "-" && stdin.isTerminal);
}

async function run(input: Input, pipeline: Pipeline, part: boolean, readAll: () => Promise<void>): Promise<void> {
  pipeline.passThrough(input.opening, false);
  // The outputs of parts are joined, so a part has no header of its own.
  if (!part) pipeline.begin();
  pipeline.rowNumber = input.headerRows;
  try {
    // Writes the header before more input is awaited.
    await pipeline.settle();
    await readAll();
  } catch (error) {
    // The rows before an unreadable one are written.
    if (!(error instanceof OutputClosed)) await pipeline.settle();
    throw error;
  }
  await pipeline.end();
}

/** False for an array and a table, whose rows depend on each other, and for evidence, which is expensive to hand over. */
function ofSeparateRows({ format }: Input): boolean {
  return format !== "json" && format !== "table";
}

/** Classifies all rows on this thread. With live DNS as well, because name servers are slower than any thread. */
function readHere(
  input: Input,
  pipeline: Pipeline,
  setup: ClassifierSetup,
  inquiries: Inquiries | undefined,
  watch: Watch,
): Promise<void> {
  const { buffer, scanner } = input;
  if (inquiries === undefined) return readRows(buffer, scanner, pipeline, watch);
  const collector = new QuestionCollector(new Classifier(setup), inquiries);
  return readRowsLive(buffer, scanner, pipeline, { inquiries, collector, ahead: scannerOf(input) }, watch);
}

async function readOnWorkers(
  input: Input,
  pipeline: Pipeline,
  workers: readonly StoppableWorker[],
  watch: Watch,
): Promise<void> {
  try {
    await readRowsOnWorkers(input.buffer, input.scanner, pipeline, workers, watch);
  } finally {
    for (const worker of workers) worker.stop();
  }
}
