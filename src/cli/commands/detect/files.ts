// `detect` on files or standard input, with progress and a clean end on a signal.

import { usageError } from "../../../base/errors.ts";
import { formatNumber } from "../../../base/format-text.ts";
import type { ShouldStop } from "../../../bulk/reader.ts";
import { type RowOutput, sameFormatAsInput } from "../../../bulk/render/formats.ts";
import { shownColumn } from "../../../bulk/rows/csv-header.ts";
import { createCountsBy } from "../../../bulk/run/columns.ts";
import type { PendingLookups } from "../../../bulk/run/dns-lookahead.ts";
import { type OpenedRows, outputPreamble } from "../../../bulk/run/open-rows.ts";
import { openRun, type RunSetup } from "../../../bulk/run/open-run.ts";
import type { ColumnKind } from "../../../bulk/run/options.ts";
import { processInput } from "../../../bulk/run/process-rows.ts";
import { OutputClosedError } from "../../../bulk/streams.ts";
import { hasNoAddress } from "../../../bulk/summary.ts";
import { Classifier } from "../../../detection/classifier.ts";
import { openLookups, withNameServers } from "../../composition/dns.ts";
import { BULK_CACHE_ENTRIES, classifierSetup, knownInUse } from "../../composition/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { warn } from "../../terminal/output.ts";
import { Progress } from "../../terminal/progress.ts";
import { Interruption } from "../../terminal/signals.ts";
import { type Inputs, openInputs, shownInput } from "./inputs.ts";
import { FailingRows, openExtras } from "./run-outputs.ts";
import type { DetectSettings } from "./settings.ts";

/** Runs `detect` on its inputs or standard input, and notifies a channel at the end. Returns the exit status. */
export async function detectFiles(settings: DetectSettings, runtime: Runtime): Promise<number> {
  const { rows, global, inputs: names, dns } = settings;
  const { stdin, stdout, stderr, env } = runtime;
  const atKeyboard = (names.length === 0 || names.includes("-")) && stdin.isTerminal;
  if (atKeyboard && names.length === 0) {
    // Waiting for addresses typed at a terminal would look like a hang.
    throw usageError("no addresses given: pass an address, use --input FILE, or pipe them in");
  }
  const showsProgress = !global.quiet && stderr.isTerminal;
  const { output, end, duplicates } = await openExtras(settings, runtime, showsProgress || settings.summary);
  const setup = classifierSetup(rows.policy, knownInUse(global, runtime, "whole"), BULK_CACHE_ENTRIES);
  let progress: Progress | undefined;
  const inputs = await openInputs(settings, runtime, (line) => {
    progress?.clear();
    if (!global.quiet) warn(runtime, line);
  });
  const { summary } = end;
  const lookups = dns.mode === "on" ? openLookups(withNameServers(dns, env), setup) : undefined;
  // A line that is overwritten would mix with rows that are shown or typed on the same screen.
  if (showsProgress && !stdout.isTerminal && !atKeyboard) progress = new Progress(stderr, inputs, summary, lookups);
  const giveUp = (): void => {
    inputs.close();
    lookups?.stop();
  };
  const interruption = new Interruption(runtime.signals, giveUp);
  const shouldStop = (): boolean => {
    progress?.update();
    return interruption.status !== undefined;
  };
  const run = { setup, rows, output, summary, sink: stdout.sink, report: end.report, duplicates };
  const failing = await takeRows(settings, inputs, { ...run, lookups, shouldStop, showsProgress })
    .catch(async (error: unknown) => {
      if (error instanceof OutputClosedError) return undefined;
      await end.fail(setup);
      throw error;
    })
    .finally(() => {
      progress?.clear();
      giveUp();
    });
  if (settings.scan === undefined && !settings.part && hasNoAddress(end.count(setup))) {
    inputs.tell(`none of the ${formatNumber(summary.rows)} rows has an address: is this the right file or column?`);
  }
  return end.finish(setup, failing, interruption.status);
}

interface FileRun extends Omit<RunSetup, "opened" | "by"> {
  readonly lookups: PendingLookups | undefined;
  /** True ends the run. */
  readonly shouldStop: ShouldStop;
  /** A person sees which column has the addresses. */
  readonly showsProgress: boolean;
}

/** Takes the rows of all inputs, and returns those that --fail-on looks for. */
async function takeRows(
  settings: DetectSettings,
  inputs: Inputs,
  { lookups, shouldStop, showsProgress, ...run }: FileRun,
): Promise<FailingRows> {
  const { rows, csv, jsonl, part } = settings;
  const { format } = run.output;
  const first = await inputs.open(inputs.names[0]);
  if (showsProgress && csv?.column === undefined) tellColumn(first, inputs.tell);
  tellLostColumns(csv?.kind ?? (jsonl && "jsonl"), run.output, inputs.tell);
  const by = rows.by === undefined ? undefined : createCountsBy(rows.by, first, run.setup, lookups !== undefined);
  if (run.duplicates !== undefined) await inputs.compareKnown(run.duplicates, run.setup, shouldStop);
  const pipeline = openRun({ ...run, by, opened: first });
  const dnsRun = lookups && { lookups, classifier: new Classifier(run.setup) };
  const options = { pipeline, format, scope: rows.scope, dns: dnsRun, shouldStop };
  const failing = new FailingRows();
  pipeline.passThrough(outputPreamble(first, format), false);
  // The outputs of parts are joined, so a part has no header.
  if (!part) pipeline.begin();
  try {
    for (const [index, name] of inputs.names.entries()) {
      const input = index === 0 ? first : await inputs.open(name);
      run.report?.beginInput(shownInput(name));
      await inputs.about(name, () => processInput(name, input, options));
      const { byKind } = pipeline.irregularities;
      failing.add(inputs.named(name), byKind.get("failing"), input.names !== undefined);
      inputs.note(name, byKind, input.isBinary === true);
      if (shouldStop()) break;
    }
    inputs.tellPassed();
  } catch (error) {
    // The rows before an unreadable one are written.
    if (!(error instanceof OutputClosedError)) await pipeline.drain();
    throw error;
  }
  await pipeline.end();
  return failing;
}

/** A table of another kind than the input has the address and the fields only. */
function tellLostColumns(kind: ColumnKind | undefined, { name, format }: RowOutput, tell: Inputs["tell"]): void {
  if (kind === undefined || !format.hasColumns || format.echoes?.includes(kind)) return;
  const others = kind === "jsonl" ? "keys" : "columns";
  tell(`--format ${name} drops the other ${others}: --format ${sameFormatAsInput(kind)} keeps them`);
}

function tellColumn({ layout, names }: OpenedRows, tell: Inputs["tell"]): void {
  if (names === undefined || !("column" in layout)) return;
  const { column } = layout;
  tell(`the address is in column ${column + 1}, ${shownColumn(names[column])}`);
}
