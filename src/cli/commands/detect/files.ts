// `detect` for files and standard input, with progress. A signal ends the run after the rows read so far.

import { isAddrsiftError, usageError } from "../../../base/errors.ts";
import { formatNumber } from "../../../base/format-text.ts";
import type { ShouldStop } from "../../../bulk/reader.ts";
import { sameFormatAsInput } from "../../../bulk/render/format-facts.ts";
import type { RowOutput } from "../../../bulk/render/formats.ts";
import { createCountsBy } from "../../../bulk/run/columns.ts";
import type { PendingLookups } from "../../../bulk/run/dns-lookahead.ts";
import { type OpenedRows, outputPreamble } from "../../../bulk/run/open-rows.ts";
import { openRun, type RunSetup } from "../../../bulk/run/open-run.ts";
import type { ColumnKind } from "../../../bulk/run/options.ts";
import { processInput } from "../../../bulk/run/process-rows.ts";
import { isOutputClosed } from "../../../bulk/streams.ts";
import { hasNoAddress } from "../../../bulk/summary.ts";
import { Classifier } from "../../../detection/classifier.ts";
import { overrideEntryFault } from "../../../home/override-entry.ts";
import { openLookups, withEnvironmentServers } from "../../composition/dns.ts";
import { BULK_CACHE_ENTRIES } from "../../composition/lists.ts";
import { openListsAndOverrides } from "../../composition/overrides.ts";
import type { Runtime } from "../../runtime.ts";
import { warn } from "../../terminal/output.ts";
import { Progress } from "../../terminal/progress.ts";
import { END_STATUSES, onFirstSignal } from "../../terminal/signals.ts";
import { displayInputName, type Inputs, openInputs } from "./inputs.ts";
import { redactPaths } from "./lint.ts";
import { openRunOutputs } from "./run-outputs.ts";
import type { DetectSettings } from "./settings.ts";

const NO_ADDRESSES =
  "no addresses given: pass an address, name a file (--input FILE, --csv FILE, --scan FOLDER), or pipe them in";

/** Processes all inputs and returns the exit status. */
export async function detectFiles(settings: DetectSettings, runtime: Runtime): Promise<number> {
  const { rows, global, inputs: names, dns } = settings;
  const { stdin, stdout, stderr, env } = runtime;
  const readsTerminal = (names.length === 0 || names.includes("-")) && stdin.isTerminal;
  if (readsTerminal && names.length === 0) {
    // Waiting for typed addresses would look like a hang.
    throw usageError(NO_ADDRESSES);
  }
  if (names.length === 0 && settings.scan === undefined && stdin.isNull && !global.quiet) warn(runtime, NO_ADDRESSES);
  const showsProgress = !global.quiet && stderr.isTerminal;
  const printsSummary = showsProgress || settings.summary;
  const showsCounts = printsSummary || (settings.summaryFile ?? settings.report ?? settings.notify) !== undefined;
  if (rows.by !== undefined && !showsCounts && !global.quiet)
    warn(runtime, "the counts of --by are not shown: add --summary, --summary-file FILE or --report FILE");
  const { output, reporting, duplicates } = await openRunOutputs(settings, runtime, printsSummary);
  const listsAndOverrides = openListsAndOverrides(global, runtime, "in-memory");
  settings.scan?.allowList.rejectDomains((domain) => overrideEntryFault(domain, listsAndOverrides.lists));
  const setup = { ...listsAndOverrides, ...rows.policy, cacheEntries: BULK_CACHE_ENTRIES };
  let progress: Progress | undefined;
  const { summary } = reporting;
  const notice = (line: string, isRequired = false): void => {
    progress?.clear();
    if (isRequired || !global.quiet) warn(runtime, settings.isRedacted ? redactPaths(line) : line);
  };
  const inputs = await openInputs(settings, runtime, notice, summary.warnings);
  const lookups = dns.mode === "on" ? openLookups(withEnvironmentServers(dns, env), setup) : undefined;
  // The progress line would mix with rows printed or typed on the same screen.
  if (showsProgress && !stdout.isTerminal && !readsTerminal) progress = new Progress(stderr, inputs, summary, lookups);
  const cancel = (): void => {
    inputs.close();
    lookups?.stop();
  };
  let interruptStatus: number | undefined;
  onFirstSignal(runtime.signals, END_STATUSES, (_, status) => {
    interruptStatus = status;
    cancel();
  });
  const shouldStop = (): boolean => {
    progress?.update();
    return interruptStatus !== undefined;
  };
  const run = { setup, rows, output, summary, sink: stdout.sink, report: reporting.report, duplicates };
  const opened = await processInputs(settings, inputs, { ...run, lookups, shouldStop })
    .catch((error: unknown) => {
      // After a signal, the input ends anywhere, such as before its header.
      const isCutOff = interruptStatus !== undefined && isAddrsiftError(error) && error.code === "INPUT";
      if (isCutOff || isOutputClosed(error)) return undefined;
      throw error;
    })
    .finally(() => {
      progress?.clear();
      cancel();
    });
  if (settings.scan === undefined && !settings.part && hasNoAddress(reporting.summarize(setup))) {
    inputs.notice(`none of the ${formatNumber(summary.rows)} rows has an address: is this the right file or column?`);
  }
  return reporting.finish(setup, opened, interruptStatus);
}

interface FileRun extends Omit<RunSetup, "opened" | "by"> {
  readonly lookups: PendingLookups | undefined;
  /** Returns true to end the run. */
  readonly shouldStop: ShouldStop;
}

/** Processes the rows of all inputs. Returns the first input. */
async function processInputs(
  settings: DetectSettings,
  inputs: Inputs,
  { lookups, shouldStop, ...run }: FileRun,
): Promise<OpenedRows> {
  const { rows, csv, jsonl, part } = settings;
  const { format } = run.output;
  const first = await inputs.open(inputs.names[0]);
  warnAboutDroppedColumns(csv?.kind ?? (jsonl && "jsonl"), run.output, inputs.notice);
  const by = rows.by === undefined ? undefined : createCountsBy(rows.by, first, run.setup, lookups !== undefined);
  if (run.duplicates !== undefined) await inputs.addKnownRows(run.duplicates, run.setup, shouldStop);
  const pipeline = openRun({ ...run, by, opened: first });
  const dnsRun = lookups && { lookups, classifier: new Classifier(run.setup) };
  const options = { pipeline, format, scope: rows.scope, dns: dnsRun, shouldStop };
  const { warnings } = pipeline;
  pipeline.passThrough(outputPreamble(first, format), false);
  // The outputs of parts are concatenated, so a part has no header.
  if (!part) pipeline.begin();
  try {
    for (const [index, name] of inputs.names.entries()) {
      const input = index === 0 ? first : await inputs.open(name);
      if (inputs.names.length > 1) run.report?.beginInput(displayInputName(name));
      await inputs.withInputName(name, () => processInput(name, input, options));
      inputs.reportWarnings(warnings, input.isBinary?.());
      if (shouldStop()) break;
    }
    inputs.reportSkipped();
  } catch (error) {
    // The warnings about the rows come before the error.
    if (!isOutputClosed(error)) inputs.reportWarnings(warnings);
    throw error;
  }
  await pipeline.end();
  return first;
}

/** Warns if the output has only the address and the fields, because its kind of table is not that of the input. */
function warnAboutDroppedColumns(
  kind: ColumnKind | undefined,
  { name, format }: RowOutput,
  notice: Inputs["notice"],
): void {
  if (kind === undefined || !format.hasColumns || format.echoes?.includes(kind)) return;
  const others = kind === "jsonl" ? "keys" : "columns";
  notice(`--format ${name} drops the other ${others}: --format ${sameFormatAsInput(kind)} keeps them`);
}
