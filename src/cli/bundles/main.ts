// The command's entry: reads the arguments, runs the command, and is the one place where a failure becomes a line and a status.

import { isOutputClosed } from "../../bulk/ports.ts";
import { isAddrsiftError } from "../../errors.ts";
import { detect } from "../commands/detect/command.ts";
import { listsExport, listsLookup, listsStatus } from "../commands/lists/lists.ts";
import type { Host } from "../open/compose.ts";
import type { Arguments } from "../options/arguments.ts";
import type { Commander } from "../options/parse-commander.ts";
import { Printed, programArguments } from "../options/parse-commander.ts";
import { quickArguments } from "../options/parse-plain.ts";
import { shownText } from "../terminal/escape.ts";
import { writeNow } from "../terminal/streams.ts";
import type * as RecordCommands from "./records.ts";
import type * as ServeModule from "./serve.ts";

type Run = (args: Arguments, host: Host) => number | Promise<number>;

const RUN: Readonly<Record<string, Run>> = {
  detect,
  "lists export": listsExport,
  "lists lookup": listsLookup,
  "lists status": listsStatus,
  // A file of its own: no other command is to load what serves HTTP.
  serve: (args, host) => (host.load("../dist/serve.cjs") as typeof ServeModule).serve(args, host),
};

function recordCommand(name: string, host: Host): Run {
  const { RECORD_COMMANDS } = host.load("../dist/records.cjs") as typeof RecordCommands;
  return RECORD_COMMANDS[name] as Run;
}

/** Runs the command line; sets the exit status. */
export async function main(argv: readonly string[], host: Host): Promise<void> {
  try {
    const args =
      quickArguments(argv, host.load) ?? programArguments(argv, host.load("commander") as Commander, versionOf(host));
    const { name } = args.spec;
    process.exitCode = await (RUN[name] ?? recordCommand(name, host))(args, host);
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}

/** Says what failed in one line on standard error; gives the exit status. */
export function reportFailure(error: unknown): number {
  if (error instanceof Printed || isOutputClosed(error)) return 0;
  const message = messageOf(error);
  try {
    writeNow(2, `addrsift: ${message}\n`);
  } catch {
    // Standard error is closed: the status alone must do.
  }
  return 2;
}

function messageOf(error: unknown): string {
  if (isAddrsiftError(error)) return shownText(error.message);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `unexpected failure, please report it: ${shownText(text)}`;
}

function versionOf(host: Host): string {
  return (host.load("../package.json") as { version: string }).version;
}
