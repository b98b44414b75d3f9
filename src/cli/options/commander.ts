// The option table through commander: help, usage errors and every command that is not a plain `detect`.

import type { Command, Option } from "commander";
import { type Arguments, checkArguments, type Environment, keepsAll, type RawOptions } from "./arguments.ts";
import { COMMANDS } from "./commands.ts";
import { helpText } from "./help.ts";
import { GLOBAL_OPTIONS, VERSION } from "./shared.ts";
import type { CommandSpec, OptionSpec } from "./types.ts";
import { usageError } from "./usage-error.ts";

interface Commander {
  readonly Command: typeof Command;
  readonly Option: typeof Option;
}

/** Help or version text was printed; there is nothing to do. */
export class Printed extends Error {
  override readonly name = "Printed";
}

export interface Printer {
  readonly width: number;
  write(text: string): void;
  /** The line of --version, for the home that was given. */
  version(home: string | undefined): string;
}

/** Reads the arguments with commander. Throws AddrsiftError USAGE, or Printed when help or the version was asked for. */
export function programArguments(
  argv: readonly string[],
  commander: Commander,
  printer: Printer,
  environment?: Environment,
): Arguments {
  let found: Arguments | undefined;
  const program = buildProgram(commander, printer, (spec, positionals, raw) => {
    found = checkArguments(spec, positionals, raw, environment);
  });
  if (argv[0] === "help") showHelp(program, argv.slice(1));
  else program.parse([...argv], { from: "user" });
  if (found === undefined) throw new Printed();
  return found;
}

/** Prints the help of the command that the words name, or of all. Commander's own takes one word, and knows no misspelling. */
function showHelp(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words.filter((name) => !name.startsWith("-"))) {
    if (command.commands.length === 0) break;
    const found = command.commands.find((known) => known.name() === word);
    // A word that is not a command gets the error and the suggestion of that word as a command.
    if (found === undefined) command.parse([word], { from: "user" });
    else command = found;
  }
  command.help();
}

type Action = (spec: CommandSpec, positionals: readonly string[], raw: RawOptions) => void;

function buildProgram(commander: Commander, printer: Printer, action: Action): Command {
  const program = endsByThrowing(new commander.Command("addrsift"), []);
  // Without a command, commander writes help to standard error. Errors are thrown, and printed in one place.
  program.configureOutput({ writeOut: printer.write, writeErr: printer.write, outputError: () => {} });
  program.configureHelp({ formatHelp: (command) => helpText(wordsOf(command), printer.width) });
  program.showSuggestionAfterError(false);
  for (const option of [...GLOBAL_OPTIONS, VERSION]) program.addOption(toOption(commander, option));
  program.on(`option:${VERSION.name}`, () => {
    printer.write(`${printer.version(program.opts()["home"])}\n`);
    throw new Printed();
  });
  for (const spec of COMMANDS) {
    const words = spec.name.split(" ");
    const parent = words.length === 1 ? program : groupOf(program, words[0] as string);
    const command = endsByThrowing(parent.command(words.at(-1) as string), words);
    for (const argument of spec.argument?.toLowerCase().split(" ") ?? []) command.argument(argument);
    for (const option of spec.options) command.addOption(toOption(commander, option));
    command.action(() => action(spec, command.args, rawOptions(command, spec)));
  }
  return program;
}

function groupOf(program: Command, name: string): Command {
  const known = program.commands.find((command) => command.name() === name);
  return known ?? endsByThrowing(program.command(name), [name]);
}

/** Has commander throw where it would end the process. */
function endsByThrowing(command: Command, words: readonly string[]): Command {
  return command.exitOverride(({ code, message }) => {
    if (code === "commander.helpDisplayed" || code === "commander.help") throw new Printed();
    throw usageError(words, code, message);
  });
}

function wordsOf(command: Command): string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

function toOption(commander: Commander, spec: OptionSpec): Option {
  const short = spec.short === undefined ? "" : `-${spec.short}, `;
  const value = spec.value === undefined ? "" : ` <${spec.value}>`;
  const option = new commander.Option(`${short}--${spec.name}${value}`);
  if (keepsAll(spec)) option.argParser((text: string, all: string[] = []) => [...all, text]);
  return option;
}

/** Commander's values under the names of the table; it turns `--no-x` into `x: false` and dashes into camel case. */
function rawOptions(command: Command, spec: CommandSpec): RawOptions {
  const values = command.optsWithGlobals() as Record<string, boolean | string | string[]>;
  const camel = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    [...spec.options, ...GLOBAL_OPTIONS].map(({ name }) => {
      if (name.startsWith("no-")) return [name, values[camel(name.slice(3))] === false];
      return [name, values[camel(name)]];
    }),
  );
}
