// Runs a command line: reads the arguments, runs the command, and turns a failure into a line and an exit status, only here.

import { isAddrsiftError } from "../base/errors.ts";
import { isOutputClosed } from "../bulk/ports.ts";
import { detect } from "./commands/detect/command.ts";
import { enginesShow } from "./commands/engines/show.ts";
import { listsExport } from "./commands/lists/export.ts";
import { listsStatus } from "./commands/lists/status.ts";
import type { Arguments } from "./options/arguments.ts";
import type { CommandName } from "./options/commands.ts";
import { Printed, type Printer, programArguments } from "./options/parsers/commander.ts";
import { quickArguments } from "./options/parsers/plain.ts";
import type { CommandSpec } from "./options/types.ts";
import type { BundleName, Runtime } from "./runtime.ts";
import { shownText } from "./terminal/escape.ts";
import { versionLine } from "./version.ts";

/** A command: the compiler checks its arguments where it is declared, the table makes them fit. */
// biome-ignore lint/suspicious/noExplicitAny: each command has the type of its own option table.
type Run = (args: Arguments<any>, runtime: Runtime) => number | Promise<number>;

/** Columns of help, where the terminal is not narrower. */
const HELP_WIDTH = 80;

const HERE: Partial<Readonly<Record<CommandName, Run>>> = {
  detect,
  "engines show": enginesShow,
  "lists export": listsExport,
  "lists status": listsStatus,
};

const READS_SOURCES: readonly string[] = ["lists update", "lists diff", "lists rollback", "lists lookup"];

/** The file of the build that holds a command that most calls don't need. */
function bundleOf(name: string): BundleName {
  if (name === "serve" || name === "completion") return name;
  return READS_SOURCES.includes(name) ? "lists" : "records";
}

function commandOf(name: string, runtime: Runtime): Run {
  const { COMMANDS } = runtime.bundle(bundleOf(name)) as { COMMANDS: Readonly<Record<string, Run>> };
  return COMMANDS[name] as Run;
}

/** Runs the command line; gives the exit status. Never throws. */
export async function run(argv: readonly string[], runtime: Runtime): Promise<number> {
  try {
    const quick = quickArguments(argv, () => runtime.load("node:util"), runtime.env);
    const args = quick ?? readWithCommander(argv, runtime);
    const command = HERE[args.command as CommandName] ?? commandOf(args.command, runtime);
    return await command(args, runtime);
  } catch (error) {
    return reportFailure(error, runtime);
  }
}

function readWithCommander(argv: readonly string[], runtime: Runtime): Arguments<CommandSpec> {
  const printer: Printer = {
    width: Math.min(HELP_WIDTH, runtime.stdout.columns ?? HELP_WIDTH),
    write: (text) => runtime.stdout.write(text),
    version: (home) => versionLine(home, runtime),
  };
  return programArguments(argv, runtime.load("commander"), printer, runtime.env);
}

/** Prints a failure in one line; gives its exit status. */
export function reportFailure(error: unknown, { stderr }: Runtime): number {
  if (error instanceof Printed || isOutputClosed(error)) return 0;
  try {
    stderr.write(`addrsift: ${messageOf(error)}\n`);
  } catch {
    // Standard error is closed: only the status can tell.
  }
  return 2;
}

function messageOf(error: unknown): string {
  if (isAddrsiftError(error)) return shownText(error.message);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `unexpected failure, please report it: ${shownText(text)}`;
}
