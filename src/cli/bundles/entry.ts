// The command's first code: a plain `detect ADDRESS` is answered from here, with little to load; everything else is `main`'s.

import { isOutputClosed } from "../../bulk/ports.ts";
import { createRenderer, DATA_FORMATS, type DataFormat } from "../../bulk/render.ts";
import { Summary } from "../../bulk/summary.ts";
import { isAddrsiftError } from "../../errors.ts";
import {
  createPipeline,
  detectArguments,
  detectStatus,
  IMMEDIATE_OUTPUT,
  questionsOf,
} from "../commands/detect/run.ts";
import { checkOptions } from "../commands/detect/settings.ts";
import { classifierSetup, type Host, liveInquiries } from "../open/compose.ts";
import { listsInUse } from "../open/lists.ts";
import type { Arguments } from "../options/arguments.ts";
import { quickArguments } from "../options/parse-plain.ts";
import { maybeTerminal } from "../terminal/streams.ts";
import type * as MainModule from "./main.ts";

// More addresses are worth reading the lists as a whole.
const QUICK_ADDRESSES = 50;

/** Runs the command line; sets the exit status. True when it was answered from here. */
export async function main(argv: readonly string[], host: Host): Promise<boolean> {
  const rest = (): typeof MainModule => host.load("../dist/main.cjs") as typeof MainModule;
  try {
    const answer = quickAnswer(argv, host);
    if (answer !== undefined) {
      process.exitCode = await answer();
      return true;
    }
  } catch (error) {
    process.exitCode = rest().reportFailure(error);
    return false;
  }
  await rest().main(argv, host);
  return false;
}

/** What answers a plain call, once; undefined when it is for `main`. Nothing is asked or written before the answer begins. */
function quickAnswer(argv: readonly string[], host: Host): (() => Promise<number>) | undefined {
  const args = quickArguments(argv, host.load);
  const format = args === undefined ? undefined : quickFormat(args);
  if (args === undefined || format === undefined) return undefined;
  try {
    return prepareAnswer(args, format, host);
  } catch (error) {
    // `main` reads the lists as a whole, so that others may serve in their place.
    if (isAddrsiftError(error) && error.code === "DATA") return undefined;
    throw error;
  }
}

function prepareAnswer(args: Arguments, format: DataFormat, host: Host): () => Promise<number> {
  checkOptions(args);
  const summary = new Summary(false);
  const setup = classifierSetup(host, args, listsInUse(args, host, "pieces"), 0);
  const inquiries = liveInquiries(args, host, setup, "arguments");
  const renderer = createRenderer(format, args.flag("spreadsheet-safe"));
  const pipeline = createPipeline(args, { setup, renderer, summary, sink: IMMEDIATE_OUTPUT, explain: undefined });
  const questions = questionsOf(args.positionals, pipeline);
  return async () => {
    try {
      await detectArguments(args.positionals, pipeline, inquiries, questions);
    } catch (error) {
      if (!isOutputClosed(error)) throw error;
    }
    return detectStatus(args, summary);
  };
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
