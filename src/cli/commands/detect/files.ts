// `detect` on files or standard input, with progress and a clean end on a signal.

import { type AddrsiftError, usage } from "../../../base/errors.ts";
import { shownNumber } from "../../../base/shown.ts";
import type { Inquiries } from "../../../bulk/live/inquiries.ts";
import { OutputClosed } from "../../../bulk/ports.ts";
import type { Watch } from "../../../bulk/reader.ts";
import type { RowOutput } from "../../../bulk/row-layout.ts";
import { shownColumn } from "../../../bulk/rows/csv-header.ts";
import { type OpenedRows, openCountsBy } from "../../../bulk/run/open-rows.ts";
import { openRun, type RunSetup } from "../../../bulk/run/open-run.ts";
import { readHere } from "../../../bulk/run/take-rows.ts";
import { hasNoAddress, Summary, type SummaryReport } from "../../../bulk/summary.ts";
import { Classifier } from "../../../detection/classifier.ts";
import { cachingResolver, openInquiries } from "../../open/dns.ts";
import { BULK_CACHE_ENTRIES, classifierSetup, knownInUse } from "../../open/known.ts";
import type { Runtime } from "../../runtime.ts";
import { Progress } from "../../terminal/progress.ts";
import { warn } from "../../terminal/say.ts";
import { Interruption } from "../../terminal/signals.ts";
import type { TableScreen } from "../../terminal/text-table.ts";
import { detectStatus } from "./addresses.ts";
import { openEnd } from "./end.ts";
import { openDuplicates, openNotify } from "./extras.ts";
import { formatOf, linesOf, rowOutput } from "./formats.ts";
import { screenRows } from "./human-table.ts";
import { type Inputs, openInputs } from "./inputs.ts";
import type { FailingRows } from "./odd-rows.ts";
import type { DetectSettings } from "./settings.ts";

/** Domains that the kernel keeps: 8 MB. Fewer than half of the places are then taken by the domains of most lists. */
const KERNEL_ENTRIES = 131_072;

/** Runs `detect` on its inputs or standard input, and notifies a channel at the end; gives the exit status. */
export async function detectFiles(settings: DetectSettings, runtime: Runtime): Promise<number> {
  const { rows, global, inputs: names, summaryFile, report } = settings;
  const { stdin, stdout, stderr, now } = runtime;
  const atKeyboard = (names.length === 0 || names.includes("-")) && stdin.isTerminal;
  if (atKeyboard && names.length === 0) throw noAddress();
  const isWatched = !global.quiet && stderr.isTerminal;
  const notify = await openNotify(settings, runtime);
  const output = await filesOutput(settings, runtime);
  const known = knownInUse(global, runtime, "whole");
  const setup = classifierSetup(rows.policy, known, BULK_CACHE_ENTRIES);
  let progress: Progress | undefined;
  const tell = (line: string): void => {
    progress?.clear();
    if (!global.quiet) warn(runtime, line);
  };
  // A gate says what it did not look at.
  const tellPassed = rows.failOn === 0 ? tell : (line: string): void => warn(runtime, line);
  const written = { file: stdout.file, names: [summaryFile, report?.file] };
  const tools = { stdin, written, zlib: () => runtime.load("node:zlib"), tell, tellPassed, env: runtime.env };
  const inputs = await openInputs(names, settings.scan !== undefined, tools);
  const printsSummary = isWatched || settings.summary;
  const end = await openEnd({ printsSummary, summaryFile, report, inputs: names, setup, notify, stderr, now });
  const summary = new Summary(end.withNames);
  const inquiries =
    settings.dns.mode === "on" ? openInquiries(settings.dns, runtime, setup, cachingResolver) : undefined;
  // A line that is overwritten would mix with rows that are shown or typed on the same screen.
  if (isWatched && !stdout.isTerminal && !atKeyboard) progress = new Progress(stderr, inputs, summary, inquiries);
  const giveUp = (): void => {
    inputs.close();
    inquiries?.stop();
  };
  const interruption = new Interruption(runtime.signals, giveUp);
  const watch = (): boolean => {
    progress?.show();
    return interruption.signal !== undefined;
  };
  const count = counting(summary, known.lists.meta.dataVersion);
  const work = { setup, rows, output, summary, sink: stdout.sink, report: end.report, inquiries, watch };
  const failing = await takeRows(settings, inputs, work, isWatched, tell)
    .catch(async (error: unknown) => {
      // The reader of the output has closed it.
      if (error instanceof OutputClosed) return undefined;
      if (summary.rows > 0) await end.fail(count());
      throw error;
    })
    .finally(() => {
      progress?.clear();
      giveUp();
    });
  const counts = count();
  if (settings.scan === undefined && !settings.part && hasNoAddress(counts)) {
    tell(`none of the ${shownNumber(counts.rows)} rows has an address: is this the right file or column?`);
  }
  const status = interruption.status ?? detectStatus(summary, rows.failOn);
  const line = global.quiet ? undefined : failing?.text(rows.failOn, summary.rows);
  return end.finish(counts, status, { interrupted: interruption.signal !== undefined, failing: line });
}

interface Work extends Omit<RunSetup, "opened" | "duplicates" | "by"> {
  readonly inquiries: Inquiries | undefined;
  /** True ends the run. */
  readonly watch: Watch;
}

/** Takes the rows of all inputs; gives those that --fail-on looks for. */
async function takeRows(
  settings: DetectSettings,
  inputs: Inputs,
  { inquiries, watch, ...run }: Work,
  isWatched: boolean,
  tell: (line: string) => void,
): Promise<FailingRows> {
  const { rows } = settings;
  const { format } = run.output;
  const first = await inputs.openFirst(settings);
  if (isWatched && settings.csv?.column === undefined) tellColumn(first, tell);
  tellLostColumns(settings, format, tell);
  const by = rows.by === undefined ? undefined : openCountsBy(rows.by, first, run.setup, inquiries !== undefined);
  const pipeline = openRun({ ...run, duplicates: openDuplicates(settings), by, opened: first });
  const live = inquiries && { inquiries, classifier: new Classifier(run.setup) };
  const readAll = (input: OpenedRows): Promise<void> =>
    readHere(input, { pipeline, format, rows, kernelEntries: KERNEL_ENTRIES, live, watch });
  return inputs.take(first, { pipeline, format, part: settings.part, report: run.report, readAll, watch });
}

/** The form of the output. Inputs are looked at only where they may become a table. */
function filesOutput(settings: DetectSettings, screen: TableScreen): Promise<RowOutput> {
  const { format, inputs, rows, global } = settings;
  const { stdout } = screen;
  const mayBeTable = format === "table" || (format === "auto" && stdout.isTerminal);
  const lines = mayBeTable ? linesOf(inputs) : 0;
  const chosen = formatOf(settings, stdout.isTerminal, () => lines !== undefined && lines <= screenRows(stdout));
  return rowOutput(chosen, rows, screen, { colour: !global["no-color"], waits: lines !== undefined });
}

/** Gives the counts so far, with the time since now. */
function counting(summary: Summary, dataVersion: string): () => SummaryReport {
  const started = performance.now();
  return () => summary.report(Math.round(performance.now() - started), dataVersion);
}

/** Says that a table of another kind than the input has the address and the fields only. */
function tellLostColumns({ csv, jsonl }: DetectSettings, format: string, tell: (line: string) => void): void {
  const kind = csv?.kind ?? (jsonl && "ndjson");
  if (kind === undefined || kind === format || !["csv", "tsv"].includes(format)) return;
  tell(`--format ${format} leaves the other ${jsonl ? "keys" : "columns"} out: --format ${kind} keeps them`);
}

/** Says which column was taken for the address, because the user named none. */
function tellColumn({ layout, names }: OpenedRows, tell: (line: string) => void): void {
  if (names === undefined || !("column" in layout)) return;
  const { column } = layout;
  tell(`the address is in column ${column + 1}, ${shownColumn(names[column])}`);
}

/** Waiting for addresses typed at a terminal would look like a hang. */
function noAddress(): AddrsiftError {
  return usage("there is no address: give one, or --input FILE, or pipe them in");
}
