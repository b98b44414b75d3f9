// The command's first code: a plain `detect ADDRESS` is answered from here, with little to load; everything else is `main`'s.

import { createRenderer, DATA_FORMATS, type DataFormat } from "../../bulk/render.ts";
import { Summary } from "../../bulk/summary.ts";
import { createPipeline, detectArguments, detectStatus, IMMEDIATE_OUTPUT } from "../commands/detect/run.ts";
import { checkOptions } from "../commands/detect/settings.ts";
import { classifierSetup, type Host, liveInquiries } from "../open/compose.ts";
import { listsInUse } from "../open/lists.ts";
import type { Arguments } from "../options/arguments.ts";
import { quickArguments } from "../options/parse-plain.ts";
import { maybeTerminal } from "../terminal/streams.ts";
import type { main as runMain } from "./main.ts";

// More addresses are worth reading the lists as a whole.
const QUICK_ADDRESSES = 50;

/** Runs the command line; sets the exit status. */
export async function main(argv: readonly string[], host: Host): Promise<void> {
  const args = quickArguments(argv, host.load);
  const format = args === undefined ? undefined : quickFormat(args);
  if (args !== undefined && format !== undefined) {
    try {
      process.exitCode = await detectQuickly(args, format, host);
      return;
    } catch {
      // Nothing was written yet but rows of a broken output: the same call fails in `main`, which says why.
    }
  }
  await (host.load("../dist/main.cjs") as { main: typeof runMain }).main(argv, host);
}

async function detectQuickly(args: Arguments, format: DataFormat, host: Host): Promise<number> {
  checkOptions(args);
  const summary = new Summary(false);
  const setup = classifierSetup(host, args, listsInUse(args, host, "pieces"), 0);
  const renderer = createRenderer(format, args.flag("spreadsheet-safe"));
  const pipeline = createPipeline(args, { setup, renderer, summary, sink: IMMEDIATE_OUTPUT, explain: undefined });
  await detectArguments(args.positionals, pipeline, liveInquiries(args, host, setup, "arguments"));
  return detectStatus(args, summary);
}

/** The data format of a call that is plain enough, or undefined. */
function quickFormat(args: Arguments): DataFormat | undefined {
  const count = args.positionals.length;
  if (count === 0 || count > QUICK_ADDRESSES) return undefined;
  // Standard input.
  if (args.positionals.includes("-")) return undefined;
  if (args.flag("explain") || args.flag("summary")) return undefined;
  if (args.text("summary-file") !== undefined || args.text("notify") !== undefined) return undefined;
  if (args.flag("json")) return "ndjson";
  const format = args.text("format") as DataFormat | "auto" | "table";
  if (format === "auto") return maybeTerminal(1) ? undefined : "ndjson";
  return DATA_FORMATS.find((known) => known === format);
}
