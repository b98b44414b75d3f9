// Usage errors: the fault of a command line and the way out in one line, by near names, names that other programs use,
// or help.

import { AddrsiftError } from "../../base/errors.ts";
import { choiceOf, nearNames } from "../../base/near-names.ts";
import { COMMANDS, commandWords, findCommand } from "./commands.ts";
import { DETECT } from "./detect.ts";
import { BUILT_IN_OPTIONS, GLOBAL_OPTIONS } from "./shared.ts";
import type { CommandSpec, OptionSpec } from "./types.ts";

const EVERYWHERE: readonly OptionSpec[] = [...GLOBAL_OPTIONS, ...BUILT_IN_OPTIONS];

/** Names of our options in other programs. */
const OPTION_WISHES: Readonly<Record<string, readonly string[]>> = {
  "-j": ["json"],
  "-q": ["quiet"],
  "-v": ["version"],
  "--file": ["input"],
  "--online": ["dns"],
};

/** Other programs write to a file by these. */
const OUTPUT_FILES: readonly string[] = ["-o", "--out", "--outfile", "--output", "--output-file"];

/** Words that users try as a command. */
const COMMAND_WISHES: Readonly<Record<string, string>> = {
  check: "detect",
  classify: "detect",
  daemon: "serve",
  validate: "detect",
  version: "--version",
};

/** Words that users try in order to take an override back. */
const UNDO_WORDS: readonly string[] = ["delete", "remove", "rm", "unallow", "undeny", "undo"];
const UNDO = "did you mean lists overrides --remove?";

/** Missing or surplus arguments at the command that the words name. */
export function wrongArguments(words: readonly string[], what: string): AddrsiftError {
  const isUndo = words.join(" ") === "lists overrides";
  return usage(what, isUndo ? UNDO : helpOf(words));
}

export function unknownCommand(words: readonly string[], name: string): AddrsiftError {
  const unknown = `unknown command '${name}'`;
  if (name.includes("@")) return usage(unknown, `for an address run "addrsift detect ${name}"`);
  if (words[0] === "lists" && UNDO_WORDS.includes(name)) return usage(unknown, UNDO);
  const meant = words.length === 0 ? programCommands(name) : nearNames(name, commandsBelow(words));
  return usage(unknown, meant.length === 0 ? helpOf(words) : didYouMean(meant));
}

function programCommands(name: string): string[] {
  const wish = COMMAND_WISHES[name];
  if (wish !== undefined) return [wish];
  const within = COMMANDS.map((spec) => spec.name).filter((known) => known.endsWith(` ${name}`));
  return [...within, ...nearNames(name, commandWords())];
}

function commandsBelow(group: readonly string[]): string[] {
  const start = `${group.join(" ")} `;
  return COMMANDS.filter(({ name }) => name.startsWith(start)).map(({ name }) => name.slice(start.length));
}

export function unknownOption(words: readonly string[], flag: string): AddrsiftError {
  const unknown = `unknown option '${flag}'`;
  const [typed = ""] = flag.split("=", 1);
  const spec = findCommand(words);
  const known = [...(spec?.options ?? []), ...EVERYWHERE].map(({ name }) => name);
  const names = OPTION_WISHES[typed] ?? [typed.replace(/^--/, "")];
  const here = names.filter((name) => known.includes(name));
  if (typed !== flag && here.length > 0) return usage(`${typed} takes no value`, `write ${typed} only`);
  if (here.length > 0) return usage(unknown, didYouMean(here.map(dashed)));
  if (OUTPUT_FILES.includes(typed)) return usage(unknown, "write with > FILE");
  const command: CommandSpec | undefined = words.length === 0 ? DETECT : spec;
  if (command?.argument !== undefined && /@|^-[^-].*\./s.test(typed)) {
    return usage(unknown, hyphenated(command.name, flag));
  }
  const elsewhere = COMMANDS.find((other) => isBelow(other.name, words) && other.options.some(isOneOf(names)));
  if (spec === undefined && elsewhere !== undefined) {
    const option = elsewhere.options.find(isOneOf(names)) as OptionSpec;
    return usage(unknown, `it follows its command, as in addrsift ${elsewhere.name} --${option.name}`);
  }
  const meant = typed.startsWith("--") ? nearNames(typed.slice(2), known) : [];
  return usage(unknown, meant.length === 0 ? helpOf(words) : didYouMean(meant.map(dashed)));
}

function isOneOf(names: readonly string[]): (option: OptionSpec) => boolean {
  return ({ name }) => names.includes(name);
}

function isBelow(name: string, words: readonly string[]): boolean {
  return words.length === 0 || name.startsWith(`${words.join(" ")} `);
}

function hyphenated(command: string, argument: string): string {
  // A text that a shell may read in its own way is not shown as something to type.
  const shown = /^[\w@.+-]+$/.test(argument) ? argument : "ARGUMENT";
  return `put -- before it: addrsift ${command} -- ${shown}`;
}

function dashed(name: string): string {
  return `--${name}`;
}

function didYouMean(names: readonly string[]): string {
  return `did you mean ${choiceOf(names)}?`;
}

function helpOf(words: readonly string[]): string {
  return `run "${["addrsift", ...words, "--help"].join(" ")}"`;
}

function usage(what: string, wayOut: string): AddrsiftError {
  return new AddrsiftError("USAGE", `${what}: ${wayOut}`);
}
