// Parses command lines to checked arguments, by commander over the option tables. A plain `detect` does not load it.

import type { Option } from "commander";
import { closestNames, formatAlternatives } from "../../base/closest-names.ts";
import { AddrsiftError } from "../../base/errors.ts";
import { pluralize } from "../../base/format-text.ts";
import type { Environment, OptionTexts } from "../../bulk/run/read-options.ts";
import { COMMANDS, commandsInGroup, findCommand, optionsFor, topLevelCommands } from "./commands.ts";
import { DETECT } from "./detect.ts";
import { formatFlags, formatHelp } from "./help.ts";
import {
  type Arguments,
  BUILT_IN_OPTIONS,
  COMMON_OPTIONS,
  type CommandSpec,
  checkArguments,
  GLOBAL_OPTIONS,
  type OptionSpec,
} from "./table.ts";

type Commander = typeof import("commander");
type Program = import("commander").Command;

export class HelpPrinted extends Error {}

/** Thrown for --version. */
export class VersionRequested extends Error {
  constructor(readonly home: string | undefined) {
    super();
  }
}

export interface HelpOutput {
  readonly width: number;
  write(text: string): void;
}

/** Parses a command line. Throws AddrsiftError USAGE, HelpPrinted or VersionRequested. */
export function parseCommandLine(argv: readonly string[], output: HelpOutput, environment?: Environment): Arguments {
  const words = argv[0] === "help" ? [...argv.slice(1), "--help"] : [...argv];
  let parsed: Arguments | undefined;
  const program = buildProgram(words, output, (spec, positionals, texts) => {
    parsed = checkArguments(spec, positionals, texts, environment);
  });
  program.parse(words, { from: "user" });
  if (parsed === undefined) throw new HelpPrinted();
  return parsed;
}

/** Returns the commands that start with the first word, or all: creating commander's objects for all takes time. */
function findSpecs([first = ""]: readonly string[]): readonly CommandSpec[] {
  const matching = COMMANDS.filter(({ name }) => name.split(" ", 1)[0] === first);
  return matching.length === 0 ? COMMANDS : matching;
}

/** Returns the command or group that a request for help names, without arguments. Throws AddrsiftError USAGE. */
function findCommandWords(words: readonly string[]): string[] {
  const command: string[] = [];
  for (const word of words.filter((name) => !name.startsWith("-"))) {
    if (findCommand(command) !== undefined) break;
    const longer = [...command, word].join(" ");
    if (!COMMANDS.some(({ name }) => `${name} `.startsWith(`${longer} `))) throw unknownCommandError(command, word);
    command.push(word);
  }
  return command;
}

type Action = (spec: CommandSpec, positionals: readonly string[], texts: OptionTexts) => void;

function buildProgram(argv: readonly string[], output: HelpOutput, action: Action): Program {
  const commander = require("commander") as Commander;
  const program = new (commandClass(commander))("addrsift").exitOverride(() => {
    throw new HelpPrinted();
  });
  // Commander writes the help without a command to standard error. Errors are thrown, and printed in one place.
  program.configureOutput({ writeOut: output.write, writeErr: output.write, outputError: () => {} });
  program.configureHelp({
    formatHelp: (command) => formatHelp(findCommandWords([...wordsOf(command), ...command.args]), output.width),
  });
  const version = BUILT_IN_OPTIONS.filter(({ name }) => name === "version");
  // Creating commander's options takes time, so create only those that the line may contain.
  const selectMentioned = (options: readonly OptionSpec[]): readonly OptionSpec[] =>
    options.filter(({ name, short }) => short !== undefined || argv.some((text) => text.startsWith(`--${name}`)));
  const texts = new Map<string, string[]>();
  const addOptions = (command: Program, options: readonly OptionSpec[]): void => {
    for (const spec of selectMentioned(options)) {
      command.addOption(new commander.Option(formatFlags(spec)));
      command.on(`option:${spec.name}`, (text = "true") => {
        // Commander would accept --summary as the value. `--name=--summary` allows any value.
        const isFlag = [...options, ...COMMON_OPTIONS].some(({ name, short }) =>
          [`--${name}`, `-${short}`].includes(text),
        );
        if (isFlag && !argv.includes(`--${spec.name}=${text}`)) throw missingValueError(spec);
        texts.set(spec.name, [...(texts.get(spec.name) ?? []), text]);
      });
    }
  };
  addOptions(program, [...GLOBAL_OPTIONS, ...version]);
  const parseOptions = program.parseOptions.bind(program);
  program.parseOptions = (args) => {
    const result = parseOptions(args);
    // Not in a listener of the option, because --home may follow it.
    if (texts.has("version")) throw new VersionRequested(texts.get("home")?.at(-1));
    return result;
  };
  for (const spec of findSpecs(argv)) {
    const words = spec.name.split(" ");
    const [first] = words as [string];
    const group = program.commands.find((command) => command.name() === first);
    const parent = words.length === 1 ? program : (group ?? program.command(first));
    const command = parent.command(words.at(-1) as string);
    if (spec.options.some(({ brief }) => brief !== undefined)) addShortHelp(command, output);
    for (const argument of spec.argument?.toLowerCase().split(" ") ?? []) command.argument(argument);
    addOptions(command, spec.options);
    command.action(() => action(spec, command.args, texts));
  }
  return program;
}

/** Returns a subclass of commander's Command that throws our errors. Subcommands inherit exitOverride and output. */
function commandClass({ Command }: Commander): new (name?: string) => Program {
  return class ParserCommand extends Command {
    override createCommand(name?: string): ParserCommand {
      return new ParserCommand(name);
    }

    unknownCommand(): never {
      throw unknownCommandError(wordsOf(this), this.args[0] as string);
    }

    unknownOption(flag: string): never {
      throw unknownOptionError(wordsOf(this), flag);
    }

    missingArgument(name: string): never {
      throw usage(`${name.toUpperCase()} is missing`, helpHint(wordsOf(this)));
    }

    optionMissingArgument(option: Option): never {
      throw missingValueError(optionsFor(wordsOf(this)).find(({ name }) => name === option.name()) as OptionSpec);
    }

    _excessArguments(positionals: readonly string[]): never {
      const { length } = this.registeredArguments;
      const limit = length === 0 ? "no arguments" : pluralize(length, "argument", "arguments");
      const name = wordsOf(this).join(" ");
      const synonym = SYNONYMS[`${name} ARGUMENT`];
      const hint = suggestion(synonym === undefined ? [] : [synonym], wordsOf(this));
      throw usage(`${name} takes ${limit}, not ${positionals.length}`, hint);
    }
  };
}

function addShortHelp(command: Program, { width, write }: HelpOutput): void {
  command.helpOption("--help").option("-h");
  command.on("option:h", () => {
    write(formatHelp(wordsOf(command), width, true));
    throw new HelpPrinted();
  });
}

function wordsOf(command: Program): string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

/** Names from other programs, and ours. */
const SYNONYMS: Readonly<Record<string, string>> = {
  "-j": "--json",
  "-o": "> FILE",
  "-q": "--quiet",
  "-v": "--version",
  "--baseline": "--allow-file",
  "--dedupe": "--reject duplicate",
  "--exclude": "--allow-file",
  "--file": "--input",
  "--output": "> FILE",
  "channels edit": "channels update",
  "channels pause": "channels update --config enabled=false",
  "channels remove": "channels delete",
  "channels resend": "channels replay",
  "channels resume": "channels update --config enabled=true",
  "channels rotate": "channels update --unset secret",
  "channels show": "channels get",
  check: "detect",
  classify: "detect",
  daemon: "serve",
  "lists add": "lists allow or lists deny",
  "lists blacklist": "lists deny",
  "lists block": "lists deny",
  "lists blocklist": "lists deny",
  "lists delete": "lists overrides --remove",
  "lists overrides ARGUMENT": "lists allow, lists deny or lists overrides --remove",
  "lists remove": "lists overrides --remove",
  "lists whitelist": "lists allow",
  scan: "detect --scan",
  validate: "detect",
  version: "--version",
};

function missingValueError({ name, value }: OptionSpec): AddrsiftError {
  return usage(`--${name} needs a value`, `write --${name} ${value}`);
}

function unknownCommandError(words: readonly string[], name: string): AddrsiftError {
  const problem = `unknown command '${name}'`;
  if (name.includes("@")) return usage(problem, `for an address run "addrsift detect ${name}"`);
  return usage(problem, suggestion(suggestCommands(words, name), words));
}

function suggestCommands(words: readonly string[], name: string): string[] {
  const synonym = SYNONYMS[[...words, name].join(" ")];
  if (synonym !== undefined) return [synonym];
  const [group] = words;
  if (group !== undefined) {
    const commandNames = commandsInGroup(group).map((spec) => spec.name.slice(group.length + 1));
    return closestNames(name, commandNames);
  }
  const inGroups = COMMANDS.map((spec) => spec.name).filter((fullName) => fullName.endsWith(` ${name}`));
  return [...inGroups, ...closestNames(name, topLevelCommands())];
}

function unknownOptionError(words: readonly string[], flag: string): AddrsiftError {
  const problem = `unknown option '${flag}'`;
  const [flagName = ""] = flag.split("=", 1);
  const spec = findCommand(words);
  const optionNames = optionsFor(words).map(({ name }) => name);
  const synonym = SYNONYMS[flagName] ?? flagName;
  const [, name = ""] = /^--([^ ]+)/.exec(synonym) ?? [];
  if (synonym === flagName && optionNames.includes(name))
    return usage(`${flagName} takes no value`, `write ${flagName} only`);
  if (synonym.startsWith(">") || optionNames.includes(name)) return usage(problem, `did you mean ${synonym}?`);
  const command: CommandSpec | undefined = words.length === 0 ? DETECT : spec;
  if (command?.argument !== undefined && /@|^-[^-].*\./s.test(flagName)) {
    // Do not suggest typing text that a shell may interpret.
    const argument = /^[\w@.+-]+$/.test(flag) ? flag : "ARGUMENT";
    return usage(problem, `put -- before it: addrsift ${command.name} -- ${argument}`);
  }
  const subcommands =
    spec === undefined ? COMMANDS.filter((subcommand) => subcommand.name.startsWith([...words, ""].join(" "))) : [];
  const owner = subcommands.find(({ options }) => options.some((option) => option.name === name));
  if (owner !== undefined) {
    return usage(problem, `it follows its command, as in addrsift ${owner.name} --${name}`);
  }
  const closest = flagName.startsWith("--") ? closestNames(name, optionNames).map((option) => `--${option}`) : [];
  return usage(problem, suggestion(closest, words));
}

/** Formats a suggestion of these names; without names, of the help. */
function suggestion(names: readonly string[], words: readonly string[]): string {
  return names.length === 0 ? helpHint(words) : `did you mean ${formatAlternatives(names)}?`;
}

function helpHint(words: readonly string[]): string {
  return `run "${["addrsift", ...words, "--help"].join(" ")}"`;
}

function usage(problem: string, fix: string): AddrsiftError {
  return new AddrsiftError("USAGE", `${problem}: ${fix}`);
}
