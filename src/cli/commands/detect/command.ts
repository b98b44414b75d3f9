// `addrsift detect` in full: arguments, a file or standard input, every format, summary and evidence.

import { OutputClosed } from "../../../bulk/ports.ts";
import { Summary } from "../../../bulk/summary.ts";
import { createExplain } from "../../../detection/explain.ts";
import { AddrsiftError } from "../../../errors.ts";
import { classifierSetup, type Host, liveInquiries } from "../../open/compose.ts";
import { listsInUse } from "../../open/lists.ts";
import { Arguments } from "../../options/arguments.ts";
import { isTerminal, writeNow } from "../../terminal/streams.ts";
import { formatOf, rendererOf } from "./format-choice.ts";
import { openNotify } from "./notify-hook.ts";
import { createPipeline, detectArguments, detectStatus, IMMEDIATE_OUTPUT } from "./run.ts";
import { checkOptions } from "./settings.ts";
import { detectBulk } from "./stream.ts";
import { openSummaryFile } from "./summary-file.ts";
import { summaryText } from "./summary-text.ts";

/** Runs `detect`; gives the exit status. */
export async function detect(given: Arguments, host: Host): Promise<number> {
  const args = withStandardInput(given);
  checkOptions(args);
  const notify = openNotify(args, host);
  if (args.positionals.length === 0) return detectBulk(args, host, notify);
  const lists = listsInUse(args, host, "whole");
  const setup = classifierSetup(host, args, lists, 0);
  const writeSummary = openSummaryFile(args);
  const summary = new Summary(args.flag("summary") || writeSummary !== undefined);
  const format = formatOf(args, isTerminal(1, host.load) ? "table" : "ndjson");
  const pipeline = createPipeline(args, {
    setup,
    renderer: await rendererOf(format, args, host),
    sink: IMMEDIATE_OUTPUT,
    summary,
    explain: args.flag("explain") || format === "table" ? createExplain(setup) : undefined,
  });
  const started = performance.now();
  try {
    await detectArguments(args.positionals, pipeline, liveInquiries(args, host, setup, "arguments"));
  } catch (error) {
    // Whoever read the output has seen enough.
    if (!(error instanceof OutputClosed)) throw error;
  }
  const report = summary.report(Math.round(performance.now() - started), lists.meta.dataVersion);
  if (args.flag("summary")) writeNow(2, summaryText(report));
  const status = detectStatus(args, summary);
  writeSummary?.(report, status);
  await notify?.(report, status);
  return status;
}

/** `-` in place of addresses is standard input, as other tools have it. Throws AddrsiftError USAGE when it stands among addresses. */
function withStandardInput(args: Arguments): Arguments {
  const { spec, positionals, raw } = args;
  if (!positionals.includes("-")) return args;
  if (positionals.length > 1 || args.text("input") !== undefined) {
    throw new AddrsiftError("USAGE", "- is standard input: give it without addresses and without --input");
  }
  return new Arguments(spec, [], { ...raw, input: "-" });
}
