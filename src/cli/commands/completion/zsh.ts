// The completion script for zsh, over its own _arguments.

import { COMMANDS } from "../../options/commands.ts";
import type { CommandSpec, OptionSpec } from "../../options/types.ts";
import { ANYWHERE, brief, type Described, flagsOf, groups, isRepeatable, programWords, valueKind } from "./values.ts";

/** The script as text: for a folder of $fpath, or to be sourced. */
export function zshCompletion(): string {
  const always = ANYWHERE.flatMap(optionSpecs).join("\n    ");
  return `#compdef addrsift
# zsh completion for addrsift, made by "addrsift completion zsh".

# Options that stand anywhere.
_addrsift_always() {
  always=(
    ${always}
  )
}

${[wordFunction("_addrsift", programWords()), ...groups().map(groupFunction), ...COMMANDS.map(commandFunction)].join("\n\n")}

# Autoloaded from a folder of $fpath it completes at once.
if [ "$funcstack[1]" = "_addrsift" ]; then
  _addrsift "$@"
else
  compdef _addrsift addrsift
fi
`;
}

function groupFunction([group, words]: readonly [string, readonly Described[]]): string {
  return wordFunction(functionOf(group), words);
}

/** The function that completes one of some words, and what follows it. */
function wordFunction(name: string, words: readonly Described[]): string {
  const described = words.map(([word, description]) => quoted(`${word}:${description}`));
  return `${name}() {
  local curcontext=$curcontext context state state_descr line ret=1
  local -A opt_args
  local -a always words_here=(
    ${described.join("\n    ")}
  )
  _addrsift_always
  _arguments -C -S $always '1: :->word' '*:: :->rest' && ret=0
  case $state in
    word) _describe -t commands command words_here && ret=0 ;;
    rest)
      # The words after help are those of a command.
      if [[ $words[1] == help ]]; then
        ${name} && ret=0
      elif (( $+functions[${name}_$words[1]] )); then
        ${name}_$words[1] && ret=0
      fi
      ;;
  esac
  return ret
}`;
}

function commandFunction({ name, options, argument, argumentChoices, argumentFiles }: CommandSpec): string {
  const others = argumentFiles === true ? "_files" : " ";
  const choices = argumentChoices === undefined ? others : `(${argumentChoices.join(" ")})`;
  const rest = argument === undefined ? [] : [quoted(`*:${escaped(argument.replace(/[^A-Z]/g, ""))}:${choices}`)];
  return `${functionOf(name)}() {
  local -a always
  _addrsift_always
  _arguments -S ${["$always", ...options.flatMap(optionSpecs), ...rest].join(" \\\n    ")}
}`;
}

function functionOf(name: string): string {
  return `_addrsift_${name.replace(" ", "_")}`;
}

/** An option as _arguments takes it: once for each of its names. */
function optionSpecs(option: OptionSpec): string[] {
  const flags = flagsOf(option);
  const others = isRepeatable(option) ? "*" : flags.length > 1 ? `(${flags.join(" ")})` : "";
  return flags.map((flag) => {
    const glue = option.value === undefined ? "" : flag.startsWith("--") ? "=" : "+";
    return quoted(`${others}${flag}${glue}[${escaped(brief(option.help))}]${valueSpec(option)}`);
  });
}

function valueSpec(option: OptionSpec): string {
  const choices = (option.choices ?? []).map(escaped).join(" ");
  const message = escaped(option.value ?? "");
  switch (valueKind(option)) {
    case undefined:
      return "";
    case "file":
      return `:${message}:_files`;
    case "folder":
      return `:${message}:_files -/`;
    case "one":
      return `:${message}:(${choices})`;
    case "several":
      return `:${message}:_sequence compadd - ${choices}`;
    case "any":
      return `:${message}: `;
  }
}

/** Text in which _arguments looks for brackets and colons. */
function escaped(text: string): string {
  return text.replace(/[\\[\]:]/g, "\\$&");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
