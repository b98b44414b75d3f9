// The one reader of command lines: commander over the option table. It gives checked arguments, or prints help or the
// version. A `detect` with only addresses has nothing to read, and does without.

import type { Option } from "commander";
import { type Arguments, checkArguments, type Environment, keepsAll, type RawOptions } from "./arguments.ts";
import { COMMANDS } from "./commands.ts";
import { helpText } from "./help.ts";
import { GLOBAL_OPTIONS, VERSION } from "./shared.ts";
import type { CommandSpec, OptionSpec } from "./types.ts";
import { unknownCommand, unknownOption, wrongArguments } from "./usage-error.ts";

type Commander = typeof import("commander");
type Program = import("commander").Command;

/** Help or version text was printed; there is nothing to do. */
export class Printed extends Error {
  override readonly name = "Printed";
}

/** The version was asked for, with the lists of this home. */
export class VersionAsked extends Error {
  constructor(readonly home: string | undefined) {
    super();
  }
}

export interface Printer {
  readonly width: number;
  write(text: string): void;
}

/** Reads a command line. Throws AddrsiftError USAGE, Printed after help, or VersionAsked. */
export function readArguments(argv: readonly string[], printer: Printer, environment?: Environment): Arguments {
  let found: Arguments | undefined;
  const program = buildProgram(specsFor(argv), printer, (spec, positionals, raw) => {
    found = checkArguments(spec, positionals, raw, environment);
  });
  if (argv[0] === "help") showHelp(program, argv.slice(1));
  else program.parse([...argv], { from: "user" });
  if (found === undefined) throw new Printed();
  return found;
}

/**
 * The definitions that a line may mean: those of its first word, or all. Making commander's form of all takes longer
 * than reading.
 */
function specsFor([first = ""]: readonly string[]): readonly CommandSpec[] {
  const named = COMMANDS.filter(({ name }) => name.split(" ", 1)[0] === first);
  return named.length === 0 ? COMMANDS : named;
}

/**
 * Prints the help of the command that the words name, or of all. Commander's own takes one word, and knows no
 * misspelling.
 */
function showHelp(program: Program, words: readonly string[]): void {
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

function buildProgram(specs: readonly CommandSpec[], printer: Printer, action: Action): Program {
  const commander = require("commander") as Commander;
  const program = new (commandClass(commander))("addrsift").exitOverride(endByThrowing);
  // Without a command, commander writes help to standard error. Errors are thrown, and printed in one place.
  program.configureOutput({ writeOut: printer.write, writeErr: printer.write, outputError: () => {} });
  program.configureHelp({ formatHelp: (command) => helpText(wordsOf(command), printer.width) });
  for (const option of [...GLOBAL_OPTIONS, VERSION]) program.addOption(toOption(commander, option));
  program.on(`option:${VERSION.name}`, () => {
    throw new VersionAsked(program.opts()["home"]);
  });
  for (const spec of specs) {
    const words = spec.name.split(" ");
    const parent = words.length === 1 ? program : groupOf(program, words[0] as string);
    const command = parent.command(words.at(-1) as string);
    if (spec.options.some(({ brief }) => brief !== undefined)) addShortHelp(command, printer);
    for (const argument of spec.argument?.toLowerCase().split(" ") ?? []) command.argument(argument);
    for (const option of spec.options) command.addOption(toOption(commander, option));
    command.action(() => action(spec, command.args, rawOptions(command, spec)));
  }
  return program;
}

/**
 * A command of commander's that hands what is wrong on as values. It takes its parent's `exitOverride` and output over.
 */
function commandClass({ Command }: Commander): new (name?: string) => Program {
  return class Reading extends Command {
    override createCommand(name?: string): Reading {
      return new Reading(name);
    }

    unknownCommand(): never {
      throw unknownCommand(wordsOf(this), this.args[0] as string);
    }

    unknownOption(flag: string): never {
      throw unknownOption(wordsOf(this), flag);
    }

    missingArgument(name: string): never {
      throw wrongArguments(wordsOf(this), `missing required argument '${name}'`);
    }

    optionMissingArgument({ flags }: Option): never {
      throw wrongArguments(wordsOf(this), `option '${flags}' argument missing`);
    }

    _excessArguments(given: readonly string[]): never {
      const { length } = this.registeredArguments;
      const expected = `${length} ${length === 1 ? "argument" : "arguments"}`;
      const what = `too many arguments for '${this.name()}', expected ${expected} but got ${given.length}`;
      throw wrongArguments(wordsOf(this), what);
    }
  };
}

/** Has -h print less than --help. */
function addShortHelp(command: Program, { width, write }: Printer): void {
  command.helpOption("--help").option("-h");
  command.on("option:h", () => {
    write(helpText(wordsOf(command), width, true));
    throw new Printed();
  });
}

function groupOf(program: Program, name: string): Program {
  return program.commands.find((command) => command.name() === name) ?? program.command(name);
}

/** Throws where commander would end the process: help was printed. */
function endByThrowing(): never {
  throw new Printed();
}

function wordsOf(command: Program): string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

function toOption({ Option }: Commander, spec: OptionSpec): Option {
  const short = spec.short === undefined ? "" : `-${spec.short}, `;
  const value = spec.value === undefined ? "" : ` <${spec.value}>`;
  const option = new Option(`${short}--${spec.name}${value}`);
  if (keepsAll(spec)) option.argParser((text: string, all: string[] = []) => [...all, text]);
  return option;
}

/** Commander's values under the names of the table; it turns `--no-x` into `x: false` and dashes into camel case. */
function rawOptions(command: Program, spec: CommandSpec): RawOptions {
  const values = command.optsWithGlobals() as Record<string, boolean | string | string[]>;
  const camel = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    [...spec.options, ...GLOBAL_OPTIONS].map(({ name }) => {
      if (name.startsWith("no-")) return [name, values[camel(name.slice(3))] === false];
      return [name, values[camel(name)]];
    }),
  );
}
