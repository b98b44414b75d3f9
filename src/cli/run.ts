// Runs a command line: reads the arguments, runs the command, and turns a failure into a line and an exit status, only here.

import { isAddrsiftError } from "../base/errors.ts";
import { isOutputClosed } from "../bulk/ports.ts";
import { versionLine } from "./open/known.ts";
import { type Arguments, quickArguments } from "./options/arguments.ts";
import { Printed, type Printer, programArguments } from "./options/commander.ts";
import type { CommandName } from "./options/commands.ts";
import type { CommandSpec } from "./options/types.ts";
import type { Runtime } from "./runtime.ts";
import { shownText } from "./terminal/say.ts";

/** A command: the compiler checks its arguments where it is declared, the table makes them fit. */
// biome-ignore lint/suspicious/noExplicitAny: each command has the type of its own option table.
type Run = (args: Arguments<any>, runtime: Runtime) => number | Promise<number>;

const HELP_WIDTH = 80;

type Load = (runtime: Runtime) => Promise<Run>;
type Stored = typeof import("./commands/stored.ts").STORED_COMMANDS;

/** The commands but those of the stores. Each is loaded when it is called, because most of what they need takes time to load. */
const COMMANDS = {
  detect: async () => (await import("./commands/detect/command.ts")).detect,
  "lists export": async () => (await import("./commands/lists/export.ts")).listsExport,
  "lists lookup": async () => (await import("./commands/lists/lookup.ts")).listsLookup,
  "lists status": async () => (await import("./commands/lists/lookup.ts")).listsStatus,
  "lists allow": async () => (await import("./commands/lists/overrides.ts")).listsAllow,
  "lists deny": async () => (await import("./commands/lists/overrides.ts")).listsDeny,
  "lists overrides": async () => (await import("./commands/lists/overrides.ts")).listsOverrides,
  serve: async ({ bundle }: Runtime) => bundle("serve").serve,
  "engines show": async () => (await import("./commands/scripts.ts")).enginesShow,
  completion: async () => (await import("./commands/scripts.ts")).completion,
} satisfies Record<Exclude<CommandName, keyof Stored>, Load>;

/** Runs the command line; gives the exit status. Never throws. */
export async function run(argv: readonly string[], runtime: Runtime): Promise<number> {
  try {
    const quick = quickArguments(argv, () => runtime.load("node:util"), runtime.env);
    const args = quick ?? readWithCommander(argv, runtime);
    const name = args.command as CommandName;
    const load: Load = isOwn(name) ? COMMANDS[name] : runtime.bundle("stored").STORED_COMMANDS[name];
    return await (await load(runtime))(args, runtime);
  } catch (error) {
    return reportFailure(error, runtime);
  }
}

function isOwn(name: CommandName): name is keyof typeof COMMANDS {
  return name in COMMANDS;
}

function readWithCommander(argv: readonly string[], runtime: Runtime): Arguments<CommandSpec> {
  const printer: Printer = {
    width: Math.min(HELP_WIDTH, runtime.stdout.columns ?? HELP_WIDTH),
    write: (text) => runtime.stdout.write(text),
    version: (home) => versionLine(home, runtime),
  };
  return programArguments(argv, require("commander"), printer, runtime.env);
}

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
