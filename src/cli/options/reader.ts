// The one reader of command lines: commander over the option table. It returns checked arguments, or prints help; its
// errors say the fault and the way out. A `detect` with only addresses does without it.

import type { Option } from "commander";
import { AddrsiftError } from "../../base/errors.ts";
import { choiceOf, nearNames } from "../../base/near-names.ts";
import { COMMANDS, commandsIn, commandWords, findCommand } from "./commands.ts";
import { DETECT } from "./detect.ts";
import { flagsOf, helpText } from "./help.ts";
import {
  type Arguments,
  BUILT_IN_OPTIONS,
  type CommandSpec,
  checkArguments,
  type Environment,
  EVERYWHERE,
  GLOBAL_OPTIONS,
  keepsAll,
  type OptionSpec,
  type RawOptions,
} from "./table.ts";

type Commander = typeof import("commander");
type Program = import("commander").Command;

export class Printed extends Error {}

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
  if (argv[0] === "help") {
    printer.write(helpText(commandIn(argv.slice(1)), printer.width));
    throw new Printed();
  }
  let found: Arguments | undefined;
  const program = buildProgram(argv, printer, (spec, positionals, raw) => {
    found = checkArguments(spec, positionals, raw, environment);
  });
  program.parse([...argv], { from: "user" });
  if (found === undefined) throw new Printed();
  return found;
}

/** The definitions that a line may mean: those of its first word, or all. Making commander's form of all takes time. */
function specsFor([first = ""]: readonly string[]): readonly CommandSpec[] {
  const named = COMMANDS.filter(({ name }) => name.split(" ", 1)[0] === first);
  return named.length === 0 ? COMMANDS : named;
}

/** The words of the command or group that the words after `help` name. Throws AddrsiftError USAGE. */
function commandIn(words: readonly string[]): string[] {
  const command: string[] = [];
  for (const word of words.filter((name) => !name.startsWith("-"))) {
    if (findCommand(command) !== undefined) break;
    const longer = [...command, word].join(" ");
    if (!COMMANDS.some(({ name }) => `${name} `.startsWith(`${longer} `))) throw unknownCommand(command, word);
    command.push(word);
  }
  return command;
}

type Action = (spec: CommandSpec, positionals: readonly string[], raw: RawOptions) => void;

function buildProgram(argv: readonly string[], printer: Printer, action: Action): Program {
  const commander = require("commander") as Commander;
  const program = new (commandClass(commander))("addrsift").exitOverride(() => {
    throw new Printed();
  });
  // Without a command, commander writes help to standard error. Errors are thrown, and printed in one place.
  program.configureOutput({ writeOut: printer.write, writeErr: printer.write, outputError: () => {} });
  program.configureHelp({ formatHelp: (command) => helpText(wordsOf(command), printer.width) });
  const version = BUILT_IN_OPTIONS.filter(({ name }) => name === "version");
  // Commander's form of an option takes time, so only those are made that the line may name.
  const named = (options: readonly OptionSpec[]): readonly OptionSpec[] =>
    options.filter(({ name, short }) => short !== undefined || argv.some((text) => text.startsWith(`--${name}`)));
  for (const option of named([...GLOBAL_OPTIONS, ...version])) program.addOption(toOption(commander, option));
  program.on("option:version", () => {
    throw new VersionAsked(program.opts()["home"]);
  });
  for (const spec of specsFor(argv)) {
    const words = spec.name.split(" ");
    const parent = words.length === 1 ? program : groupOf(program, words[0] as string);
    const command = parent.command(words.at(-1) as string);
    if (spec.options.some(({ brief }) => brief !== undefined)) addShortHelp(command, printer);
    for (const argument of spec.argument?.toLowerCase().split(" ") ?? []) command.argument(argument);
    for (const option of named(spec.options)) command.addOption(toOption(commander, option));
    command.action(() => action(spec, command.args, command.optsWithGlobals()));
  }
  return program;
}

/** A command whose errors are ours, from commander's values. It takes its parent's `exitOverride` and output over. */
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

function wordsOf(command: Program): string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

/** Values have the names of the table; `--no-x` is a switch like others. */
function toOption({ Option }: Commander, spec: OptionSpec): Option {
  const option = new Option(flagsOf(spec));
  option.attributeName = () => spec.name;
  option.negate = false;
  if (keepsAll(spec)) option.argParser((text: string, all: string[] = []) => [...all, text]);
  return option;
}

/** Options and commands of other programs, with ours. */
const WISHES: Readonly<Record<string, string>> = {
  "-j": "--json",
  "-q": "--quiet",
  "-v": "--version",
  "--file": "--input",
  "--online": "--dns",
  check: "detect",
  classify: "detect",
  daemon: "serve",
  validate: "detect",
  version: "--version",
};

const OUTPUT_FILES: readonly string[] = ["-o", "--out", "--outfile", "--output", "--output-file"];

/** Words that users try in order to take an override back. */
const UNDO_WORDS: readonly string[] = ["delete", "remove", "rm", "unallow", "undeny", "undo"];
const UNDO = "did you mean lists overrides --remove?";

function wrongArguments(words: readonly string[], what: string): AddrsiftError {
  const isUndo = words.join(" ") === "lists overrides";
  return usage(what, isUndo ? UNDO : helpOf(words));
}

function unknownCommand(words: readonly string[], name: string): AddrsiftError {
  const unknown = `unknown command '${name}'`;
  if (name.includes("@")) return usage(unknown, `for an address run "addrsift detect ${name}"`);
  const [group] = words;
  if (group === "lists" && UNDO_WORDS.includes(name)) return usage(unknown, UNDO);
  if (group === undefined) return usage(unknown, meant(programCommands(name), words));
  const below = commandsIn(group).map((spec) => spec.name.slice(group.length + 1));
  return usage(unknown, meant(nearNames(name, below), words));
}

function programCommands(name: string): string[] {
  const wish = WISHES[name];
  if (wish !== undefined) return [wish];
  const within = COMMANDS.map((spec) => spec.name).filter((known) => known.endsWith(` ${name}`));
  return [...within, ...nearNames(name, commandWords())];
}

function unknownOption(words: readonly string[], flag: string): AddrsiftError {
  const unknown = `unknown option '${flag}'`;
  const [typed = ""] = flag.split("=", 1);
  const spec = findCommand(words);
  const known = [...(spec?.options ?? []), ...EVERYWHERE].map(({ name }) => name);
  const name = (WISHES[typed] ?? typed).replace(/^--/, "");
  if (known.includes(name)) {
    return typed === flag
      ? usage(unknown, `did you mean --${name}?`)
      : usage(`${typed} takes no value`, `write ${typed} only`);
  }
  if (OUTPUT_FILES.includes(typed)) return usage(unknown, "write with > FILE");
  const command: CommandSpec | undefined = words.length === 0 ? DETECT : spec;
  if (command?.argument !== undefined && /@|^-[^-].*\./s.test(typed)) {
    // A text that a shell may read in its own way is not shown as something to type.
    const shown = /^[\w@.+-]+$/.test(flag) ? flag : "ARGUMENT";
    return usage(unknown, `put -- before it: addrsift ${command.name} -- ${shown}`);
  }
  const below = spec === undefined ? COMMANDS.filter((each) => each.name.startsWith([...words, ""].join(" "))) : [];
  const owner = below.find(({ options }) => options.some((option) => option.name === name));
  if (owner !== undefined) {
    return usage(unknown, `it follows its command, as in addrsift ${owner.name} --${name}`);
  }
  const near = typed.startsWith("--") ? nearNames(name, known).map((one) => `--${one}`) : [];
  return usage(unknown, meant(near, words));
}

/** The names that a misspelled one may mean, or the help where there are none. */
function meant(names: readonly string[], words: readonly string[]): string {
  return names.length === 0 ? helpOf(words) : `did you mean ${choiceOf(names)}?`;
}

function helpOf(words: readonly string[]): string {
  return `run "${["addrsift", ...words, "--help"].join(" ")}"`;
}

function usage(what: string, wayOut: string): AddrsiftError {
  return new AddrsiftError("USAGE", `${what}: ${wayOut}`);
}
