// `addrsift detect` on a stream of rows, on this thread or several, with progress, summary and a clean end on a signal.

import { AddrsiftError } from "../../../base/errors.ts";
import { DomainTally } from "../../../bulk/domain-tally.ts";
import type { Inquiries } from "../../../bulk/live/inquiries.ts";
import type { Pipeline } from "../../../bulk/pipeline.ts";
import { OutputClosed } from "../../../bulk/ports.ts";
import type { ReportCounts } from "../../../bulk/report-counts.ts";
import { shownColumn } from "../../../bulk/rows/csv-header.ts";
import { fieldChoice } from "../../../bulk/run/field-choice.ts";
import type { RowSettings } from "../../../bulk/run/settings.ts";
import { readHere, type Taking } from "../../../bulk/run/take-rows.ts";
import { Summary, type SummaryReport } from "../../../bulk/summary.ts";
import { readRowsOnWorkers } from "../../../bulk/workers.ts";
import { Classifier, type ClassifierSetup } from "../../../detection/classifier.ts";
import { createExplain } from "../../../detection/explain.ts";
import { BULK_CACHE_ENTRIES, classifierSetup } from "../../open/classifier.ts";
import { cachingResolver, openInquiries } from "../../open/dns.ts";
import { type KnownInUse, knownInUse } from "../../open/overrides.ts";
import type { Runtime } from "../../runtime.ts";
import { shownText } from "../../terminal/escape.ts";
import { Interruption } from "../../terminal/signals.ts";
import type { FailingRows } from "./failing-rows.ts";
import { isInSequence, showsEvidence } from "./format-choice.ts";
import type { Input } from "./input.ts";
import { Inputs } from "./inputs.ts";
import { openSummaryFile, type WriteSummary } from "./late-file.ts";
import type { Notify } from "./notify.ts";
import { Progress } from "./progress.ts";
import { type OpenReport, openReport } from "./report-hook.ts";
import { createPipeline, detectStatus } from "./run.ts";
import type { DetectSettings } from "./settings.ts";
import { summaryText } from "./summary-text.ts";
import { openNext, takeInputs } from "./take-inputs.ts";
import { startWorkers, threadsFor } from "./threads.ts";

// The exit status that `run` gives to an exception.
const FAILED = 2;

/** Runs `detect` on its inputs or standard input, and notifies a channel at the end; gives the exit status. */
export async function detectStream(
  settings: DetectSettings,
  runtime: Runtime,
  notify: Notify | undefined,
): Promise<number> {
  refuseTerminal(settings, runtime);
  const { rows, dns } = settings;
  const known = knownInUse(settings.global, runtime);
  const inputs = new Inputs(settings.inputs, runtime, [settings.summaryFile, settings.report?.file]);
  const aloud = isInteractive(settings, runtime) || settings.summary;
  const summary = new Summary(aloud || settings.summaryFile !== undefined || settings.report !== undefined);
  let inquiries: Inquiries | undefined;
  let failing: FailingRows | undefined;
  const giveUp = (): void => {
    inputs.close();
    inquiries?.stop();
  };
  const interruption = new Interruption(runtime.signals, giveUp);
  const progress = openProgress(settings, runtime, inputs, summary);
  const started = performance.now();
  let counting: Pipeline | undefined;
  const reportNow = (): SummaryReport => {
    counting?.nameDomains();
    return summary.report(Math.round(performance.now() - started), known.lists.meta.dataVersion);
  };
  const writeSummary = openSummaryFile(settings.summaryFile);
  const setup = classifierSetup(rows.policy, runtime, known, BULK_CACHE_ENTRIES);
  const report = await openReport(settings, setup, runtime);
  try {
    const first = await openNext(inputs, 0, settings, runtime, { first: undefined, fields: fieldChoice(rows, setup) });
    if (isInteractive(settings, runtime)) runtime.stderr.write(columnText(first, settings));
    const pipeline = openPipeline(first, rows, { setup, summary, report: report?.counts }, runtime);
    counting = pipeline;
    const watch = (): boolean => {
      progress?.show(inputs.octetsRead);
      return interruption.signal !== undefined;
    };
    if (dns.mode === "on") inquiries = openInquiries(dns, runtime, setup, cachingResolver);
    const live = inquiries && { inquiries, classifier: new Classifier(setup) };
    const reader = openReader(first, { pipeline, live, watch, known }, settings, runtime);
    const taking = { settings, runtime, inputs, first, pipeline, report: report?.counts, progress, watch };
    failing = await takeInputs({ ...taking, readAll: reader.readAll })
      .then(reader.count)
      .finally(reader.stop);
  } catch (error) {
    // The reader of the output has closed it.
    if (!(error instanceof OutputClosed)) {
      if (summary.rows > 0) await notify?.(reportNow(), FAILED);
      throw error;
    }
  } finally {
    progress?.clear();
    giveUp();
  }
  const status = interruption.status ?? detectStatus(settings, summary);
  const ends = { aloud, failing, interrupted: interruption.signal !== undefined, writeSummary, report, notify };
  return endRun(reportNow(), status, ends, settings, runtime);
}

/** What is told and written when a run ends. */
interface Ends {
  readonly aloud: boolean;
  readonly failing: FailingRows | undefined;
  readonly interrupted: boolean;
  readonly writeSummary: WriteSummary | undefined;
  readonly report: OpenReport | undefined;
  readonly notify: Notify | undefined;
}

/** Gives the exit status. */
async function endRun(
  counts: SummaryReport,
  status: number,
  { aloud, failing, interrupted, writeSummary, report, notify }: Ends,
  { global, rows }: DetectSettings,
  { stderr }: Runtime,
): Promise<number> {
  if (aloud) stderr.write(summaryText(counts, interrupted));
  if (!global.quiet) stderr.write(failing?.text(rows.failOn, counts.rows) ?? "");
  writeSummary?.(counts, status);
  report?.write(counts, interrupted);
  return (await notify?.(counts, status)) ?? status;
}

/** A person looks on. */
function isInteractive({ global }: DetectSettings, { stderr }: Runtime): boolean {
  return !global.quiet && stderr.isTerminal;
}

function openProgress(
  settings: DetectSettings,
  runtime: Runtime,
  inputs: Inputs,
  summary: Summary,
): Progress | undefined {
  if (!isInteractive(settings, runtime) || sharesScreen(settings, runtime)) return undefined;
  return new Progress(runtime, inputs.octets, summary);
}

function openPipeline(
  { renderer, format }: Input,
  rows: RowSettings,
  parts: { readonly setup: ClassifierSetup; readonly summary: Summary; readonly report: ReportCounts | undefined },
  { stdout }: Runtime,
): Pipeline {
  const { setup, summary, report } = parts;
  const explain = rows.explain || showsEvidence(format) ? createExplain(setup) : undefined;
  const tally = summary.withNames
    ? (classifier: Classifier): DomainTally => new DomainTally(classifier, summary, report?.domains)
    : undefined;
  return createPipeline(rows, { ...parts, renderer, sink: stdout.sink, explain, tally });
}

/** Says which column was taken for the address, if the user named none. */
function columnText({ csv: beginning }: Input, { csv }: DetectSettings): string {
  if (beginning?.names === undefined || csv?.column !== undefined) return "";
  const { layout, names } = beginning;
  return `addrsift: the address is in column ${layout.column + 1}, ${shownText(shownColumn(names[layout.column]))}\n`;
}

/** Waiting for addresses typed at a terminal would look like a hang. */
function refuseTerminal({ inputs }: DetectSettings, { stdin }: Runtime): void {
  if (inputs.length === 0 && stdin.isTerminal) {
    throw new AddrsiftError("USAGE", "there is no address: give one, or --input FILE, or pipe them in");
  }
}

/** True when rows are shown or typed on the same screen, where a progress line would mix with them. */
function sharesScreen({ inputs }: DetectSettings, { stdin, stdout }: Runtime): boolean {
  return stdout.isTerminal || ((inputs.length === 0 || inputs.includes("-")) && stdin.isTerminal);
}

/** What takes rows. */
interface Reader {
  readonly readAll: (input: Input) => Promise<void>;
  /** Brings together what was counted; passes its argument on. */
  readonly count: (failing: FailingRows) => Promise<FailingRows>;
  readonly stop: () => void;
}

/** What takes the rows of inputs like the first one: this thread, or several. */
function openReader(
  first: Input,
  run: Taking & { readonly known: KnownInUse },
  settings: DetectSettings,
  runtime: Runtime,
): Reader {
  const threads = threadsFor(settings, runtime);
  if (threads === 1 || run.live !== undefined || isInSequence(first.format, settings.rows)) {
    return { readAll: (input) => readHere(input, run), count: async (failing) => failing, stop: () => {} };
  }
  const workers = startWorkers(threads, first, settings, runtime, {
    names: run.pipeline.countsNames,
    known: run.known,
  });
  return {
    readAll: ({ buffer, scanner }) => readRowsOnWorkers(buffer, scanner, run.pipeline, workers, run.watch),
    count: async (failing) => {
      for (const worker of workers) await run.pipeline.adopt(await worker.names());
      return failing;
    },
    stop: () => {
      for (const worker of workers) worker.stop();
    },
  };
}
