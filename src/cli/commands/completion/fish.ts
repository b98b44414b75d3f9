// The completion script for fish.

import { COMMANDS } from "../../options/commands.ts";
import type { OptionSpec } from "../../options/types.ts";
import { ANYWHERE, brief, type Described, groups, programWords, valueKind } from "./values.ts";

/** The script as text. */
export function fishCompletion(): string {
  const words = [["", programWords()] as const, ...groups()].flatMap(([name, below]) => wordLines(name, below));
  const own = COMMANDS.flatMap(({ name, options, argumentChoices = [], argumentFiles }) => [
    ...(argumentFiles === true ? [line([isCommand(name), "-F"])] : []),
    ...wordLines(
      name,
      argumentChoices.map((word): Described => [word, ""]),
    ),
    ...options.map((option) => optionLine(option, isCommand(name))),
  ]);
  return `${START}
${[...words, ...own, ...ANYWHERE.map((option) => optionLine(option, ""))].join("\n")}
`;
}

const COMMANDS_OF_FISH = [...COMMANDS.map(({ name }) => name), ...groups().map(([group]) => group)];
const VALUED = ANYWHERE.filter(({ value }) => value !== undefined).map(({ name }) => `--${name}`);

const START = `# fish completion for addrsift, made by "addrsift completion fish".

# Prints the command that is typed; the words after help are those of a command.
function __addrsift_command
    set -l command
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if contains -- $word ${VALUED.join(" ")}
            set skip 1
        else if not string match -q -- '-*' $word
            set -l longer (string join ' ' $command $word)
            contains -- $longer ${COMMANDS_OF_FISH.map(quoted).join(" ")}; and set command $longer
        end
    end
    echo $command
end

function __addrsift_is
    test (__addrsift_command) = "$argv"
end

# Prints a comma-separated list with each of the choices that it does not have.
function __addrsift_list
    set -l typed (commandline -ct | string replace -r '^--[^=]*=' '')
    set -l given (string replace -rf '[^,]*$' '' -- $typed)
    for choice in $argv
        contains -- $choice (string split , -- $given); or echo $given$choice
    end
end

complete -c addrsift -f`;

function wordLines(command: string, words: readonly Described[]): string[] {
  return words.map(([word, description]) => {
    return line([isCommand(command), `-a ${quoted(word)}`, described(description)]);
  });
}

function optionLine(option: OptionSpec, condition: string): string {
  const short = option.short === undefined ? "" : `-s ${option.short}`;
  return line([condition, short, `-l ${option.name}`, valueFlags(option), described(brief(option.help))]);
}

function valueFlags(option: OptionSpec): string {
  const choices = (option.choices ?? []).join(" ");
  switch (valueKind(option)) {
    case undefined:
      return "";
    case "file":
      return "-r -F";
    case "folder":
      return "-x -a '(__fish_complete_directories)'";
    case "one":
      return `-x -a ${quoted(choices)}`;
    case "several":
      return `-x -a ${quoted(`(__addrsift_list ${choices})`)}`;
    case "any":
      return "-x";
  }
}

function isCommand(name: string): string {
  return `-n ${quoted(`__addrsift_is ${quoted(name)}`)}`;
}

function described(description: string): string {
  return description === "" ? "" : `-d ${quoted(description)}`;
}

function line(parts: readonly string[]): string {
  return ["complete -c addrsift", ...parts.filter((part) => part !== "")].join(" ");
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
