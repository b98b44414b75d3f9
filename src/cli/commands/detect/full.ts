// `detect` with all it can do: every format, summary and evidence, on addresses; and on files or standard input with progress and
// a clean end on a signal.

import { AddrsiftError, usage } from "../../../base/errors.ts";
import { counted, shownNumber } from "../../../base/shown.ts";
import { Duplicates, KEY_WORDS, MAILBOX_OCTETS } from "../../../bulk/duplicates.ts";
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
import type { Notify } from "../../open/tell.ts";
import type { Runtime } from "../../runtime.ts";
import type { Output } from "../../terminal/output.ts";
import { warn } from "../../terminal/say.ts";
import { Interruption } from "../../terminal/signals.ts";
import { detectAddresses, detectStatus } from "./addresses.ts";
import { openEnd } from "./end.ts";
import { formatOf, linesOf, rowOutput } from "./formats.ts";
import { screenRows } from "./human-table.ts";
import { type Inputs, openInputs } from "./inputs.ts";
import type { FailingRows } from "./odd-rows.ts";
import { type DetectSettings, MEMORY_MAX } from "./settings.ts";

/** Domains that the kernel keeps: 8 MB. Fewer than half of the places are then taken by the domains of most lists. */
const KERNEL_ENTRIES = 131_072;

export async function detectFully(settings: DetectSettings, runtime: Runtime): Promise<number> {
  const { addresses, global, notify: channel, notifyRequired, allowPrivate, rows } = settings;
  const { stdout, stderr, now } = runtime;
  let notify: Notify | undefined;
  if (channel !== undefined) {
    const { openCompletion } = await import("../../open/tell.ts");
    notify = await openCompletion(channel, notifyRequired, { ...global, "allow-private": allowPrivate }, runtime);
  }
  // Inputs are looked at only where they may become a table.
  const mayBeTable = settings.format === "table" || (settings.format === "auto" && stdout.isTerminal);
  const lines = mayBeTable && addresses.length === 0 ? linesOf(settings.inputs) : 0;
  const format = formatOf(settings, stdout.isTerminal, () => lines !== undefined && lines <= screenRows(stdout));
  const output = await rowOutput(format, rows, runtime, { colour: !global["no-color"], waits: lines !== undefined });
  if (addresses.length === 0) return detectInputs(settings, runtime, output, notify);
  const end = await openEnd({ ...settings, aloud: settings.summary, notify, stderr, now });
  return detectAddresses(settings, runtime, output, end, openDuplicates(settings));
}

/** Runs `detect` on its inputs or standard input, and notifies a channel at the end; gives the exit status. */
async function detectInputs(
  settings: DetectSettings,
  runtime: Runtime,
  output: RowOutput,
  notify: Notify | undefined,
): Promise<number> {
  const { rows, global, inputs: names, summaryFile, report } = settings;
  const { stdin, stdout, stderr } = runtime;
  const atKeyboard = (names.length === 0 || names.includes("-")) && stdin.isTerminal;
  if (atKeyboard && names.length === 0) throw noAddress();
  const isWatched = !global.quiet && stderr.isTerminal;
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
  const aloud = isWatched || settings.summary;
  const end = await openEnd({ aloud, summaryFile, report, inputs: names, setup, notify, stderr, now: runtime.now });
  const summary = new Summary(end.withNames);
  const inquiries =
    settings.dns.mode === "on" ? openInquiries(settings.dns, runtime, setup, cachingResolver) : undefined;
  // A line that is overwritten would mix with rows that are shown or typed on the same screen.
  const hasProgress = isWatched && !stdout.isTerminal && !atKeyboard;
  if (hasProgress) progress = new Progress(stderr, inputs, summary, inquiries);
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
  let failing: FailingRows | undefined;
  try {
    const first = await inputs.openFirst(settings);
    if (isWatched && settings.csv?.column === undefined) tellColumn(first, tell);
    tellLostColumns(settings, output.format, tell);
    const duplicates = openDuplicates(settings);
    const by = rows.by === undefined ? undefined : openCountsBy(rows.by, first);
    const run = { setup, rows, output, summary, sink: stdout.sink, report: end.report, duplicates, by };
    failing = await takeRows(inputs, first, { ...run, part: settings.part, inquiries, watch });
  } catch (error) {
    // The reader of the output has closed it.
    if (!(error instanceof OutputClosed)) {
      if (summary.rows > 0) await end.fail(count());
      throw error;
    }
  } finally {
    progress?.clear();
    giveUp();
  }
  const counts = count();
  if (settings.scan === undefined && !settings.part && hasNoAddress(counts)) {
    tell(`none of the ${shownNumber(counts.rows)} rows has an address: is this the right file or column?`);
  }
  const status = interruption.status ?? detectStatus(summary, rows.failOn);
  const line = global.quiet ? undefined : failing?.text(rows.failOn, summary.rows);
  return end.finish(counts, status, { interrupted: interruption.signal !== undefined, failing: line });
}

interface Work extends Omit<RunSetup, "opened"> {
  readonly part: boolean;
  readonly inquiries: Inquiries | undefined;
  /** True ends the run. */
  readonly watch: Watch;
}

/** Takes the rows of all inputs; gives those that --fail-on looks for. */
function takeRows(inputs: Inputs, first: OpenedRows, work: Work): Promise<FailingRows> {
  const { part, inquiries, watch, ...run } = work;
  const { format } = run.output;
  const pipeline = openRun({ ...run, opened: first });
  const live = inquiries && { inquiries, classifier: new Classifier(run.setup) };
  const readAll = (input: OpenedRows): Promise<void> =>
    readHere(input, { pipeline, format, rows: run.rows, kernelEntries: KERNEL_ENTRIES, live, watch });
  return inputs.take(first, { pipeline, format, part, report: run.report, readAll, watch });
}

/** Compares rows in the megabytes of --memory, where that is asked for. */
function openDuplicates({ rows, memory: megabytes }: DetectSettings): Duplicates | undefined {
  if (!rows.duplicates) return undefined;
  const key = crypto.getRandomValues(new Int32Array(KEY_WORDS));
  return new Duplicates(key, Math.floor((1e6 * megabytes) / MAILBOX_OCTETS), (rows) => {
    const more = megabytes < MEMORY_MAX ? `give more with --memory ${Math.min(2 * megabytes, MEMORY_MAX)}, or ` : "";
    const message = `the mailboxes of the first ${shownNumber(rows)} rows fill ${shownNumber(megabytes)} MB: ${more}leave duplicate and duplicate_of out`;
    return new AddrsiftError("OPERATION", message);
  });
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

const EVERY_MS = 250;
const CLEAR_LINE = "\r\x1b[K";

/** The progress line: rows, rows a second, share and time left where the size is known. With DNS, rows wait after they were read. */
class Progress {
  private readonly started = performance.now();
  private last = this.started;
  private shown = false;

  constructor(
    private readonly stderr: Pick<Output, "write">,
    private readonly inputs: Pick<Inputs, "octets" | "octetsRead">,
    private readonly summary: Pick<Summary, "rows">,
    private readonly inquiries: Pick<Inquiries, "rowsAhead"> | undefined,
  ) {}

  /** Shows the line when it is time for an update. */
  show(): void {
    const { octets: bytes = 0, octetsRead: bytesRead } = this.inputs;
    const now = performance.now();
    if (now - this.last < EVERY_MS) return;
    this.last = now;
    this.shown = true;
    const seconds = (now - this.started) / 1000;
    const { rows } = this.summary;
    const read = bytes === 0 ? undefined : Math.min(1, bytesRead / bytes);
    const ahead = Math.max(rows, this.inquiries?.rowsAhead ?? 0);
    const whole = this.inquiries && read && `${read < 1 ? "about " : ""}${shownNumber(Math.round(ahead / read))}`;
    const parts = [whole === undefined ? counted(rows, "row", "rows") : `${shownNumber(rows)} of ${whole} rows`];
    parts.push(counted(Math.round(rows / seconds), "row/s", "rows/s"));
    if (read === undefined) parts.push(`${megabytes(bytesRead)} MB`);
    else {
      const share = read * (ahead === 0 ? 0 : rows / ahead);
      const percent = `${Math.floor(100 * share)} %`;
      parts.push(whole === undefined ? `${megabytes(bytesRead)} of ${megabytes(bytes)} MB (${percent})` : percent);
      if (share > 0) parts.push(`${Math.ceil((seconds / share) * (1 - share))} s left`);
    }
    this.stderr.write(`${CLEAR_LINE}addrsift: ${parts.join(", ")}`);
  }

  /** Erases the line; called before any other output to standard error. */
  clear(): void {
    if (this.shown) this.stderr.write(CLEAR_LINE);
    this.shown = false;
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
