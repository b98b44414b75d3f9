// Parses a command line, runs the command, and turns an error into one line and an exit status.

import { isAddrsiftError } from "../base/errors.ts";
import { escapeInvisible } from "../base/format-text.ts";
import { isOutputClosed } from "../bulk/streams.ts";
import type { ArgumentsOf, CommandName } from "./options/commands.ts";
import { HelpPrinted, parseCommandLine, VersionRequested } from "./options/parse.ts";
import type { Arguments } from "./options/table.ts";
import type { Runtime } from "./runtime.ts";

/** Runs a command. Resolves to the exit status, or to undefined for 0. */
type Handler<Args> = (args: Args, runtime: Runtime) => Promise<number> | Promise<void>;

const HELP_WIDTH = 80;

/** The handler of each command, whose file is loaded when it is called. */
const HANDLERS: { readonly [Name in CommandName]: () => Promise<Handler<ArgumentsOf<Name>>> } = {
  detect: async () => (await import("./commands/detect/command.ts")).detect,
  "lists export": async () => (await import("./commands/lists/export.ts")).listsExport,
  "lists lookup": async () => (await import("./commands/lists/lookup.ts")).listsLookup,
  "lists status": async () => (await import("./commands/lists/lookup.ts")).listsStatus,
  "lists update": async () => (await import("./commands/lists/update.ts")).listsUpdate,
  "lists diff": async () => (await import("./commands/lists/update.ts")).listsDiff,
  "lists rollback": async () => (await import("./commands/lists/update.ts")).listsRollback,
  "lists allow": async () => (await import("./commands/lists/overrides.ts")).setOverrides,
  "lists deny": async () => (await import("./commands/lists/overrides.ts")).setOverrides,
  "lists overrides": async () => (await import("./commands/lists/overrides.ts")).listsOverrides,
  "channels create": async () => (await import("./commands/channels.ts")).channelsCreate,
  "channels list": async () => (await import("./commands/channels.ts")).channelsList,
  "channels get": async () => (await import("./commands/channels.ts")).channelsGet,
  "channels update": async () => (await import("./commands/channels.ts")).channelsUpdate,
  "channels delete": async () => (await import("./commands/channels.ts")).channelsDelete,
  "channels test": async () => (await import("./commands/channels.ts")).channelsTest,
  "channels verify": async () => (await import("./commands/channels.ts")).channelsVerify,
  "channels deliveries": async () => (await import("./commands/channels.ts")).channelsDeliveries,
  "channels replay": async () => (await import("./commands/channels.ts")).channelsReplay,
  "keys create": async () => (await import("./commands/keys.ts")).keysCreate,
  "keys list": async () => (await import("./commands/keys.ts")).keysList,
  "keys revoke": async () => (await import("./commands/keys.ts")).keysRevoke,
  serve: async () => (await import("./commands/serve/daemon.ts")).serve,
  "engines show": async () => (await import("./commands/engines.ts")).enginesShow,
  completion: async () => (await import("./commands/completion.ts")).completion,
};

/** Runs a command line and returns the exit status. Never throws. */
export async function parseAndRun(argv: readonly string[], runtime: Runtime): Promise<number> {
  try {
    const { stdout, env } = runtime;
    const width = Math.min(HELP_WIDTH, stdout.columns ?? HELP_WIDTH);
    const args = parseCommandLine(argv, { width, write: (text) => stdout.write(text) }, env);
    // Safe casts: `CommandName` and `ArgumentsOf` derive from the table that the arguments were parsed with.
    const load = HANDLERS[args.command as CommandName] as unknown as () => Promise<Handler<Arguments>>;
    return (await (await load())(args, runtime)) ?? 0;
  } catch (error) {
    if (!(error instanceof VersionRequested)) return reportFailure(error, runtime);
    const { formatVersion } = await import("./composition/lists.ts");
    runtime.stdout.write(`${formatVersion(error.home, runtime)}\n`);
    return 0;
  }
}

export function reportFailure(error: unknown, { stderr }: Runtime): number {
  if (error instanceof HelpPrinted || isOutputClosed(error)) return 0;
  try {
    stderr.write(`addrsift: ${errorText(error)}\n`);
  } catch {
    // Standard error is closed, so only the exit status can report it.
  }
  return 2;
}

function errorText(error: unknown): string {
  if (isAddrsiftError(error)) return escapeInvisible(error.message);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `unexpected failure, please report it: ${escapeInvisible(text)}`;
}
