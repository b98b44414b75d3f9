// The option table through commander: help, usage errors and every command that is not a plain `detect`.

import type { Command, Option } from "commander";
import { AddrsiftError } from "../../errors.ts";
import { type Arguments, checkArguments, keepsAll, type RawOptions } from "./arguments.ts";
import { COMMANDS, GROUPS } from "./commands.ts";
import { GLOBAL_OPTIONS } from "./shared.ts";
import type { CommandSpec, OptionSpec } from "./types.ts";

/** What is used of the package commander. */
export interface Commander {
  readonly Command: typeof Command;
  readonly Option: typeof Option;
}

/** Help or version text was printed; there is nothing to do. */
export class Printed extends Error {
  override readonly name = "Printed";
}

/** Reads the arguments with commander. Throws AddrsiftError USAGE, or Printed when help or the version was asked for. */
export function programArguments(
  argv: readonly string[],
  commander: Commander,
  version: string,
  write: (text: string) => void,
): Arguments {
  let found: Arguments | undefined;
  const program = buildProgram(commander, version, write, (spec, positionals, raw) => {
    found = checkArguments(spec, positionals, raw);
  });
  try {
    if (argv[0] === "help") showHelp(program, argv.slice(1));
    else program.parse([...argv], { from: "user" });
  } catch (error) {
    throw translate(error, argv);
  }
  if (found === undefined) throw new Printed();
  return found;
}

/** Prints the help of the command that the words name, or of all. Commander's own takes one word, and knows no misspelling. */
function showHelp(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words.filter((name) => !name.startsWith("-"))) {
    if (command.commands.length === 0) break;
    const found = command.commands.find((known) => known.name() === word);
    // What is no command gets the error and the suggestion of that word as a command.
    if (found === undefined) command.parse([word], { from: "user" });
    else command = found;
  }
  command.help();
}

type Action = (spec: CommandSpec, positionals: readonly string[], raw: RawOptions) => void;

function buildProgram(commander: Commander, version: string, write: (text: string) => void, action: Action): Command {
  const program = new commander.Command("addrsift")
    .description("Classify e-mail addresses: syntax, canonical form, role, freemail, privacy relay, disposable.")
    .version(version, "-V, --version")
    .addHelpText("after", '\nRun "addrsift help COMMAND" for the options of a command.');
  // Errors are thrown, not printed: there is one place that prints them. Subcommands inherit this.
  program
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: write })
    .showSuggestionAfterError(true);
  for (const option of GLOBAL_OPTIONS) program.addOption(toOption(commander, option));
  for (const spec of COMMANDS) {
    const words = spec.name.split(" ");
    const parent = words.length === 1 ? program : groupOf(program, words[0] as string);
    const command = parent.command(words.at(-1) as string).description(spec.summary);
    if (spec.argument !== undefined) command.argument(spec.argument.toLowerCase());
    for (const option of spec.options) command.addOption(toOption(commander, option));
    command.addHelpText("after", helpExamples(spec));
    command.action(() => action(spec, command.args, rawOptions(command, spec)));
  }
  return program;
}

function groupOf(program: Command, name: string): Command {
  const known = program.commands.find((command) => command.name() === name);
  if (known !== undefined) return known;
  const group = program.command(name).description(GROUPS[name] as string);
  return group;
}

function toOption(commander: Commander, spec: OptionSpec): Option {
  const short = spec.short === undefined ? "" : `-${spec.short}, `;
  const value = spec.value === undefined ? "" : ` <${spec.value}>`;
  const choices = spec.choices === undefined ? "" : ` (${spec.choices.join(", ")})`;
  const fallback = spec.default === undefined || spec.default === "" ? "" : ` (default: ${spec.default})`;
  const option = new commander.Option(`${short}--${spec.name}${value}`, `${spec.help}${choices}${fallback}`);
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

function helpExamples(spec: CommandSpec): string {
  const lines = spec.examples.map(([line, what]) => `  $ ${line}\n      ${what}`);
  return `\nExamples:\n${lines.join("\n")}`;
}

function translate(error: unknown, argv: readonly string[]): unknown {
  const { code, message } = error as { code?: string; message?: string };
  if (typeof code !== "string" || !code.startsWith("commander.")) return error;
  if (code === "commander.helpDisplayed" || code === "commander.version") return new Printed();
  // Commander ends alike after "help COMMAND" and where a command is missing; only the first was asked for.
  if (code === "commander.help" && argv.includes("help")) return new Printed();
  if (code === "commander.help") {
    return new AddrsiftError("USAGE", `a command is missing: run "${helpOf(argv)}" for the list`);
  }
  const first = argv.find((word) => !word.startsWith("-"));
  if (code === "commander.unknownCommand" && first?.includes("@")) {
    return new AddrsiftError("USAGE", `"${first}" is no command: run "addrsift detect ${first}"`);
  }
  const text = (message ?? "")
    .replace(/^error: /, "")
    .replace(/\s*\n\s*/g, " ")
    .replace(/\.$/, "");
  return new AddrsiftError("USAGE", `${text}: run "${helpOf(argv)}" for what there is`);
}

/** The line that shows the help nearest to what was meant: the command's, its group's, or that of all. */
function helpOf(argv: readonly string[]): string {
  const words = argv.filter((word) => !word.startsWith("-"));
  const at = words.findIndex((word) => COMMANDS.some(({ name }) => name === word || name.startsWith(`${word} `)));
  if (at < 0) return "addrsift --help";
  const whole = words.slice(at, at + 2).join(" ");
  const known = COMMANDS.some(({ name }) => name === whole) ? whole : words[at];
  return `addrsift ${known} --help`;
}
