// `detect` on files or standard input, with progress and a clean end on a signal.

import { usage } from "../../../base/errors.ts";
import { shownNumber } from "../../../base/shown.ts";
import type { Duplicates } from "../../../bulk/duplicates.ts";
import { COMMAND_LINE, inWordsOf, type Message } from "../../../bulk/face.ts";
import { type ByteSource, OutputClosed } from "../../../bulk/ports.ts";
import type { Watch } from "../../../bulk/reader.ts";
import type { RowOutput } from "../../../bulk/row-layout.ts";
import { shownColumn } from "../../../bulk/rows/csv-header.ts";
import { GunzipSource } from "../../../bulk/run/gunzip.ts";
import type { Inquiries } from "../../../bulk/run/inquiries.ts";
import { keyReader, noKey, takeKnown } from "../../../bulk/run/known-rows.ts";
import { type OpenedRows, openCountsBy, openFurtherRows, openingOf, openRows } from "../../../bulk/run/open-rows.ts";
import { openRun, type RunSetup } from "../../../bulk/run/open-run.ts";
import { readHere } from "../../../bulk/run/take-rows.ts";
import { hasNoAddress, Summary, type SummaryReport } from "../../../bulk/summary.ts";
import { Classifier, type ClassifierSetup } from "../../../detection/classifier.ts";
import type { DnsOptions, DnsResolver } from "../../../dns/resolver.ts";
import { openInquiries, withNameServers } from "../../open/dns.ts";
import { BULK_CACHE_ENTRIES, classifierSetup, knownInUse } from "../../open/known.ts";
import type { Runtime } from "../../runtime.ts";
import { openFile } from "../../terminal/input.ts";
import { warn } from "../../terminal/output.ts";
import { Interruption, Progress } from "../../terminal/progress.ts";
import type { TableScreen } from "../../terminal/text-table.ts";
import { openDuplicates, openEnd, openNotify } from "./extras.ts";
import { detectStatus, FailingRows } from "./failing-rows.ts";
import { formatOf, linesOf, rowOutput } from "./formats.ts";
import { screenRows } from "./human-table.ts";
import { type Inputs, type InputsTools, openInputs, shownInput } from "./inputs.ts";
import type { DetectSettings } from "./settings.ts";

/** Domains that the kernel keeps: 8 MB. Fewer than half of the places are then taken by the domains of most lists. */
const KERNEL_ENTRIES = 131_072;

type Tell = (line: string) => void;

/** Runs `detect` on its inputs or standard input, and notifies a channel at the end. Returns the exit status. */
export async function detectFiles(settings: DetectSettings, runtime: Runtime): Promise<number> {
  const { rows, global, inputs: names, summaryFile, report, dns } = settings;
  const { stdin, stdout, stderr, env } = runtime;
  const atKeyboard = (names.length === 0 || names.includes("-")) && stdin.isTerminal;
  if (atKeyboard && names.length === 0) {
    // Waiting for addresses typed at a terminal would look like a hang.
    throw usage("there is no address: give one, or --input FILE, or pipe them in");
  }
  const isWatched = !global.quiet && stderr.isTerminal;
  const notify = await openNotify(settings.notify, global, runtime);
  const output = await filesOutput(settings, runtime);
  const setup = classifierSetup(rows.policy, knownInUse(global, runtime, "whole"), BULK_CACHE_ENTRIES);
  let progress: Progress | undefined;
  const tell = (line: string): void => {
    progress?.clear();
    if (!global.quiet) warn(runtime, line);
  };
  const inputs = await openInputs(names, settings.scan !== undefined, {
    stdin,
    written: { file: stdout.file, names: [summaryFile, report?.file] },
    zlib: () => runtime.load("node:zlib"),
    tell,
    // A gate says what it did not look at.
    tellPassed: rows.failOn === 0 ? tell : (line) => warn(runtime, line),
    env,
  });
  const printsSummary = isWatched || settings.summary;
  const end = await openEnd({ printsSummary, summaryFile, report, inputs: names, setup, notify }, runtime);
  const summary = new Summary(end.withNames);
  const inquiries = dns.mode === "on" ? openInquiries(withNameServers(dns, env), setup, cachingResolver) : undefined;
  // A line that is overwritten would mix with rows that are shown or typed on the same screen.
  if (isWatched && !stdout.isTerminal && !atKeyboard) progress = new Progress(stderr, inputs, summary, inquiries);
  const giveUp = (): void => {
    inputs.close();
    inquiries?.stop();
  };
  const interruption = new Interruption(runtime.signals, giveUp);
  const watch = (): boolean => {
    progress?.show();
    return interruption.status !== undefined;
  };
  const count = counting(summary, setup);
  const work = { setup, rows, output, summary, sink: stdout.sink, report: end.report, inquiries, watch };
  const failing = await takeRows(settings, inputs, work, isWatched, { zlib: () => runtime.load("node:zlib"), tell })
    .catch(async (error: unknown) => {
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
  const line = global.quiet ? undefined : failing?.text(rows.failOn, summary.rows);
  const status = interruption.status ?? detectStatus(summary, rows.failOn);
  return end.finish(counts, status, interruption.status !== undefined, line);
}

interface Work extends Omit<RunSetup, "opened" | "duplicates" | "by"> {
  readonly inquiries: Inquiries | undefined;
  /** True ends the run. */
  readonly watch: Watch;
}

/** Takes the rows of all inputs, and returns those that --fail-on looks for. */
async function takeRows(
  settings: DetectSettings,
  inputs: Inputs,
  { inquiries, watch, ...run }: Work,
  isWatched: boolean,
  known: KnownTools,
): Promise<FailingRows> {
  const { tell } = known;
  const { rows, csv, jsonl, part, memoryMb } = settings;
  const { format } = run.output;
  const first = await inputs.open(inputs.names[0], (source, tools) => openRows(source, settings, tools));
  if (isWatched && csv?.column === undefined) tellColumn(first, tell);
  tellLostColumns(csv?.kind ?? (jsonl && "ndjson"), format, tell);
  const by = rows.by === undefined ? undefined : openCountsBy(rows.by, first, run.setup, inquiries !== undefined);
  const duplicates = openDuplicates(rows.duplicates, memoryMb);
  if (duplicates !== undefined) await compareKnown(settings, duplicates, first, run.setup, { watch, ...known });
  const pipeline = openRun({ ...run, duplicates, by, opened: first });
  const live = inquiries && { inquiries, classifier: new Classifier(run.setup) };
  const rowRun = { pipeline, format, rows, kernelEntries: KERNEL_ENTRIES, live, watch };
  const failing = new FailingRows();
  pipeline.passThrough(openingOf(first, format), false);
  // The outputs of parts are joined, so a part has no header.
  if (!part) pipeline.begin();
  try {
    for (const [index, name] of inputs.names.entries()) {
      const input =
        index === 0 ? first : await inputs.open(name, (source, tools) => openFurtherRows(source, first, part, tools));
      pipeline.beginInput(name, input);
      run.report?.beginInput(shownInput(name));
      // Writes the header before more input is awaited.
      await pipeline.settle();
      await inputs.about(name, () => readHere(input, rowRun));
      const { byKind } = pipeline.irregularities;
      failing.add(inputs.named(name), byKind.get("failing"), input.headerRows);
      inputs.note(name, byKind, input.isBinary === true);
      if (watch()) break;
    }
    inputs.tellPassed();
  } catch (error) {
    // The rows before an unreadable one are written.
    if (!(error instanceof OutputClosed)) await pipeline.settle();
    throw error;
  }
  await pipeline.end();
  return failing;
}

type KnownTools = Pick<InputsTools, "zlib" | "tell">;

/** Takes the rows of --known, and then names rows by --key where the input has it. */
async function compareKnown(
  { known, key, rows }: DetectSettings,
  duplicates: Duplicates,
  first: OpenedRows,
  setup: ClassifierSetup,
  { watch, zlib, tell }: KnownTools & { readonly watch: Watch },
): Promise<void> {
  if (known !== undefined) {
    const { source } = openFile(known);
    const gunzip = (packed: ByteSource): ByteSource => new GunzipSource(packed, known, zlib());
    const tools = {
      watch,
      gunzip,
      tell: (note: Message | string) => tell(`${known}: ${inWordsOf(COMMAND_LINE, note)}`),
    };
    await takeKnown({ name: known, source, key }, duplicates, setup, rows, tools).finally(() => source.close());
  }
  duplicates.keyOf = key === undefined ? undefined : keyReader(key, first);
  if (key !== undefined && known === undefined && duplicates.keyOf === undefined) throw noKey(key, "the input", first);
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

async function cachingResolver(options: DnsOptions): Promise<DnsResolver> {
  return (await import("../../../dns/create.ts")).createDnsResolver(options);
}

function counting(summary: Summary, { lists }: ClassifierSetup): () => SummaryReport {
  const started = performance.now();
  return () => summary.report(Math.round(performance.now() - started), lists.meta.dataVersion);
}

/** A table of another kind than the input has the address and the fields only. */
function tellLostColumns(kind: "csv" | "tsv" | "ndjson" | undefined, format: string, tell: Tell): void {
  if (kind === undefined || kind === format || !["csv", "tsv"].includes(format)) return;
  tell(
    `--format ${format} leaves the other ${kind === "ndjson" ? "keys" : "columns"} out: --format ${kind} keeps them`,
  );
}

function tellColumn({ layout, names }: OpenedRows, tell: Tell): void {
  if (names === undefined || !("column" in layout)) return;
  const { column } = layout;
  tell(`the address is in column ${column + 1}, ${shownColumn(names[column])}`);
}
