// `addrsift detect`: arguments, a file or standard input, through one pipeline. A one-off is a pipeline of few rows.

import { encodeUtf8 } from "../address/octets.ts";
import { classBits, type RowClass } from "../bulk/classes.ts";
import { LineReader } from "../bulk/lines.ts";
import { Pipeline } from "../bulk/pipeline.ts";
import { type ByteSink, OutputClosed } from "../bulk/ports.ts";
import { createRenderer, DATA_FORMATS, type DataFormat, type Renderer } from "../bulk/render.ts";
import { Row } from "../bulk/row.ts";
import { Summary } from "../bulk/summary.ts";
import { AddrsiftError } from "../errors.ts";
import type { Arguments } from "./arguments.ts";
import { builtInLists, createClassifier, type Host } from "./compose.ts";
import { DescriptorSink, openSource, writeNow } from "./streams.ts";
import { TableRenderer } from "./table.ts";
import { summaryText, writeSummaryFile } from "./summary-text.ts";

/** Small output is written at once: the fewest steps to a one-off's answer. */
const IMMEDIATE: ByteSink = { write: async (octets) => writeNow(1, octets) };

/** Runs `detect`; gives the exit status. */
export async function detect(args: Arguments, host: Host): Promise<number> {
  checkOptions(args);
  const given = args.positionals;
  const bulk = given.length === 0;
  const lists = builtInLists(host, bulk || given.length > 100 ? "whole" : "pieces");
  const classifier = createClassifier(host, args, lists, bulk);
  const wantsSummary = args.flag("summary") || args.text("summary-file") !== undefined;
  const interactive = bulk && !args.flag("quiet") && isTerminal(host, 2);
  const summary = new Summary(wantsSummary || interactive);
  const format = formatOf(args, host);
  const renderer = await createFormat(format, args, host);
  const pipeline = new Pipeline({
    classifier,
    renderer,
    summary,
    sink: bulk ? new DescriptorSink(1, "standard output") : IMMEDIATE,
    select: classBits(args.list("select") as RowClass[]),
    reject: classBits(args.list("reject") as RowClass[]),
    explain: args.flag("explain") || format === "table",
  });
  const started = performance.now();
  try {
    if (bulk) await detectLines(args, host, pipeline, format === "plain");
    else await detectArguments(given, pipeline);
    await pipeline.end();
  } catch (error) {
    // Whoever read the output has seen enough.
    if (!(error instanceof OutputClosed)) throw error;
  }
  const report = (): ReturnType<Summary["report"]> =>
    summary.report(Math.round(performance.now() - started), lists.meta.dataVersion);
  if (args.flag("summary") || interactive) writeNow(2, summaryText(report()));
  const file = args.text("summary-file");
  if (file !== undefined) writeSummaryFile(file, report());
  return (summary.seen & classBits(args.list("fail-on") as RowClass[])) === 0 ? 0 : 1;
}

async function detectArguments(addresses: readonly string[], pipeline: Pipeline): Promise<void> {
  const row = new Row();
  for (const address of addresses) {
    row.octets = encodeUtf8(address);
    row.start = 0;
    row.end = row.octets.length;
    row.lineStart = 0;
    row.lineEnd = row.end;
    pipeline.row(row);
    if (pipeline.full) await pipeline.flush();
  }
}

async function detectLines(args: Arguments, host: Host, pipeline: Pipeline, showsLines: boolean): Promise<void> {
  const path = args.text("input");
  if (path === undefined && isTerminal(host, 0)) {
    throw new AddrsiftError("USAGE", "there is no address: give one, or --input FILE, or pipe them in");
  }
  const { source } = openSource(path ?? "-", host.load);
  await new LineReader(pipeline, showsLines).run(source, () => false);
}

function checkOptions(args: Arguments): void {
  const wrong = (message: string): never => {
    throw new AddrsiftError("USAGE", message);
  };
  if (args.text("input") !== undefined && args.positionals.length > 0) {
    wrong("addresses are given both as arguments and with --input: choose one");
  }
  if (args.text("dns") === "on" && !args.flag("offline")) {
    wrong("live DNS is not part of this version: use --dns auto or --dns off");
  }
  const format = args.text("format");
  if (args.flag("json") && format !== "auto" && format !== "ndjson") wrong(`--json and --format ${format} exclude each other`);
  if (args.flag("explain") && ["csv", "tsv", "plain"].includes(format ?? "")) {
    wrong(`--explain has no place in ${format}: use --format ndjson, json or table`);
  }
}

function formatOf(args: Arguments, host: Host): DataFormat | "table" {
  if (args.flag("json")) return "ndjson";
  const format = args.text("format") as DataFormat | "table" | "auto";
  if (format !== "auto") return format;
  return args.positionals.length > 0 && isTerminal(host, 1) ? "table" : "ndjson";
}

async function createFormat(format: DataFormat | "table", args: Arguments, host: Host): Promise<Renderer> {
  if (DATA_FORMATS.includes(format as DataFormat)) {
    return createRenderer(format as DataFormat, args.flag("spreadsheet-safe"));
  }
  return TableRenderer.create(host, !args.flag("no-color"), args.flag("explain"));
}

function isTerminal(host: Host, descriptor: number): boolean {
  return (host.load("node:tty") as typeof import("node:tty")).isatty(descriptor);
}
