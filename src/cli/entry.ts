// The command's first code: it answers a plain `detect ADDRESS` and `--version`, and loads little. The main file does everything else. Only
// this file uses `process`.

import { createRenderer, DATA_FORMATS, type DataFormat } from "../bulk/render/render.ts";
import { detectAddresses } from "./commands/detect/addresses.ts";
import { readDetectSettings } from "./commands/detect/settings.ts";
import { versionLine } from "./open/known.ts";
import { type Arguments, quickArguments } from "./options/arguments.ts";
import { DETECT } from "./options/detect.ts";
import type { OptionSpec } from "./options/types.ts";
import type { Runtime } from "./runtime.ts";
import { StandardInput } from "./terminal/input.ts";
import { DescriptorOutput } from "./terminal/output.ts";

/** Values that `bin` passes in: the package's folder, and CommonJS `require`. */
interface Host {
  readonly root: string;
  readonly load: (name: string) => unknown;
}

/** Runs the command line of this process and sets the exit status. */
export async function main(argv: readonly string[], { root, load }: Host): Promise<void> {
  process.exitCode = await answer(argv, processRuntime(root, load));
}

/** Runs a command line; gives the exit status. Nothing is thrown. */
export async function answer(argv: readonly string[], runtime: Runtime): Promise<number> {
  try {
    return await (quickAnswer(argv, runtime) ?? (await import("./run.ts")).run(argv, runtime));
  } catch (error) {
    return (await import("./run.ts")).reportFailure(error, runtime);
  }
}

/** Answers a plain call; undefined when `run` must do it. */
function quickAnswer(argv: readonly string[], runtime: Runtime): Promise<number> | number | undefined {
  if (argv.length === 1 && argv[0] === "--version") {
    runtime.stdout.write(`${versionLine(undefined, runtime)}\n`);
    return 0;
  }
  const args = quickArguments(argv, () => runtime.load("node:util"), runtime.env);
  const format = args === undefined ? undefined : quickFormat(args, runtime);
  if (args === undefined || format === undefined) return undefined;
  const settings = readDetectSettings(args);
  const { duplicates, spreadsheetSafe } = settings.rows;
  if (duplicates) return undefined;
  const output = {
    format,
    createRenderer: () => createRenderer(format, { spreadsheetSafe }),
    createExplain: undefined,
  };
  return detectAddresses(settings, runtime, output, undefined, undefined);
}

function quickFormat(args: Arguments<typeof DETECT>, { stdout }: Runtime): DataFormat | undefined {
  const { positionals, options, given } = args;
  // A hyphen means standard input.
  if (positionals.length === 0 || positionals.includes("-")) return undefined;
  if (DETECT.options.some((option: OptionSpec) => option.inMain === true && given.has(option.name))) return undefined;
  if (options.json) return "ndjson";
  if (options.format === "auto") return stdout.maybeTerminal ? undefined : "ndjson";
  return DATA_FORMATS.find((known) => known === options.format);
}

/** The runtime over this process. `load` is CommonJS `require`, resolved from the package's `bin/`. */
function processRuntime(root: string, load: (name: string) => unknown): Runtime {
  const tty = (): typeof import("node:tty") => load("node:tty") as typeof import("node:tty");
  return {
    root,
    nodeVersion: process.versions.node,
    env: process.env,
    stdin: new StandardInput(() => process.stdin, tty),
    stdout: new DescriptorOutput(1, () => process.stdout, tty),
    stderr: new DescriptorOutput(2, () => process.stderr, tty),
    signals: process,
    load: load as Runtime["load"],
    now: Date.now,
  };
}
