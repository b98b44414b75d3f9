// `addrsift detect` in full: arguments, a file or standard input, every format, summary and evidence.

import { LineReader } from "../bulk/lines.ts";
import type { Pipeline } from "../bulk/pipeline.ts";
import { OutputClosed } from "../bulk/ports.ts";
import { createRenderer, type DataFormat, type Renderer } from "../bulk/render.ts";
import { Summary } from "../bulk/summary.ts";
import { createExplain } from "../detection/explain.ts";
import { AddrsiftError } from "../errors.ts";
import type { Arguments } from "./arguments.ts";
import { BULK_CACHE_ENTRIES, builtInLists, classifierSetup, type Host } from "./compose.ts";
import { checkOptions, createPipeline, detectArguments, detectStatus, IMMEDIATE_OUTPUT } from "./detect-run.ts";
import { DescriptorSink, maybeTerminal, openSource, writeNow } from "./streams.ts";
import { summaryText, writeSummaryFile } from "./summary-text.ts";
import { TableRenderer } from "./table.ts";

/** Runs `detect`; gives the exit status. */
export async function detect(args: Arguments, host: Host): Promise<number> {
  checkOptions(args);
  const bulk = args.positionals.length === 0;
  const lists = builtInLists(host, "whole");
  const setup = classifierSetup(host, args, lists, bulk ? BULK_CACHE_ENTRIES : 0);
  const shown = args.flag("summary") || (bulk && !args.flag("quiet") && isTerminal(host, 2));
  const file = args.text("summary-file");
  const summary = new Summary(shown || file !== undefined);
  const format = formatOf(args, host);
  const pipeline = createPipeline(args, {
    setup,
    renderer: await createFormat(format, args, host),
    sink: bulk ? new DescriptorSink(1, "standard output") : IMMEDIATE_OUTPUT,
    summary,
    explain: args.flag("explain") || format === "table" ? createExplain(setup) : undefined,
  });
  const started = performance.now();
  try {
    if (bulk) await detectLines(args, host, pipeline, format === "plain");
    else await detectArguments(args.positionals, pipeline);
  } catch (error) {
    // Whoever read the output has seen enough.
    if (!(error instanceof OutputClosed)) throw error;
  }
  if (shown || file !== undefined) {
    const report = summary.report(Math.round(performance.now() - started), lists.meta.dataVersion);
    if (shown) writeNow(2, summaryText(report));
    if (file !== undefined) writeSummaryFile(file, report);
  }
  return detectStatus(args, summary);
}

async function detectLines(args: Arguments, host: Host, pipeline: Pipeline, showsLines: boolean): Promise<void> {
  const path = args.text("input");
  if (path === undefined && isTerminal(host, 0)) {
    throw new AddrsiftError("USAGE", "there is no address: give one, or --input FILE, or pipe them in");
  }
  const { source } = openSource(path ?? "-", host.load);
  await new LineReader(pipeline, showsLines).run(source, () => false);
  await pipeline.end();
}

function formatOf(args: Arguments, host: Host): DataFormat | "table" {
  if (args.flag("json")) return "ndjson";
  const format = args.text("format") as DataFormat | "table" | "auto";
  if (format !== "auto") return format;
  return args.positionals.length > 0 && isTerminal(host, 1) ? "table" : "ndjson";
}

async function createFormat(format: DataFormat | "table", args: Arguments, host: Host): Promise<Renderer> {
  if (format !== "table") return createRenderer(format, args.flag("spreadsheet-safe"));
  return TableRenderer.create(host, !args.flag("no-color"), args.flag("explain"));
}

function isTerminal(host: Host, descriptor: number): boolean {
  return maybeTerminal(descriptor) && (host.load("node:tty") as typeof import("node:tty")).isatty(descriptor);
}
