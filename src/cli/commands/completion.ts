// `addrsift completion`: the scripts for the shells. They run `addrsift completion SHELL -- WORD...` for the
// candidates, so candidates are computed here for every shell.

import { formatAlternatives } from "../../base/closest-names.ts";
import { usageError } from "../../base/errors.ts";
import {
  type ArgumentsOf,
  commandsInGroup,
  findCommand,
  optionsFor,
  SHELLS,
  summaryOf,
  topLevelCommands,
} from "../options/commands.ts";
import type { OptionSpec } from "../options/table.ts";
import type { Runtime } from "../runtime.ts";

/** Prints the script; with words of a command line, the candidates for the last one. Throws AddrsiftError USAGE. */
export async function completion(args: ArgumentsOf<"completion">, { stdout }: Runtime): Promise<void> {
  const [name, ...typedWords] = args.positionals;
  const shell = SHELLS.find((supported) => supported === name);
  if (shell === undefined) throw usageError(`unknown shell '${name}': use ${formatAlternatives(SHELLS)}`);
  if (typedWords.length === 0) stdout.write(SCRIPTS[shell]);
  else {
    const [kind, words = []] = findCandidates(typedWords);
    stdout.write([kind, ...words.map((word) => word.join("\t").trimEnd())].map((line) => `${line}\n`).join(""));
  }
}

type Candidate = readonly [word: string, meaning: string];

/** Candidates for a word: paths, or words with descriptions. Words of a `list` are followed by more, not by a space. */
type Candidates = readonly [kind: "words" | "list" | "files" | "folders", words?: readonly Candidate[]];

function findCandidates(typedWords: readonly string[]): Candidates {
  const last = typedWords.at(-1) as string;
  // After a redirection the shell reads a path.
  if (/[<>]$/.test(typedWords.at(-2) ?? "")) return ["files"];
  const { command, option, optionsEnded } = parseWords(typedWords.slice(0, -1));
  if (option !== undefined) return valueCandidates(option, "", last);
  const [, flag, value = ""] = (optionsEnded ? null : /^(--[^=]*)=(.*)$/s.exec(last)) ?? [];
  if (flag !== undefined) {
    const option = findOption(command, flag);
    return option === undefined ? ["words"] : valueCandidates(option, `${flag}=`, value);
  }
  const isOption = !optionsEnded && last.startsWith("-");
  if (findCommand(command)?.argumentFiles === true && !isOption) return ["files"];
  const words = nextWords(command);
  const hasOptions = isOption || (words.length === 0 && last === "" && !optionsEnded);
  const all = hasOptions ? optionsFor(command).flatMap(flagCandidates) : words;
  return ["words", all.filter(([word]) => word.startsWith(last))];
}

/** The words before the last one, parsed. */
interface PartialCommandLine {
  readonly command: readonly string[];
  /** The option that the last word is the value of. */
  readonly option: OptionSpec | undefined;
  /** `--` was typed, so the rest are arguments. */
  readonly optionsEnded: boolean;
}

function parseWords(words: readonly string[]): PartialCommandLine {
  const command: string[] = [];
  let option: OptionSpec | undefined;
  let optionsEnded = false;
  for (const word of words) {
    const [, flag = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    if (option !== undefined) option = undefined;
    else if (word === "--") optionsEnded = true;
    else if (!optionsEnded && word.startsWith("-")) {
      const optionSpec = findOption(command, flag);
      if (optionSpec?.value !== undefined && value === undefined) option = optionSpec;
      // `help` is followed by the words of a command.
    } else if (word !== "help" && nextWords(command).some(([candidate]) => candidate === word)) command.push(word);
  }
  return { command, option, optionsEnded };
}

/** Returns the subcommands of a group, or the choices of a command's argument. */
function nextWords(command: readonly string[]): Candidate[] {
  if (command.length === 0) {
    return [
      ...topLevelCommands().map((word): Candidate => [word, firstClause(summaryOf(word))]),
      ["help", "print help"],
    ];
  }
  const group = command.join(" ");
  return [
    ...(findCommand(command)?.argumentChoices ?? []).map((word): Candidate => [word, ""]),
    ...commandsInGroup(group).map(
      ({ name, summary }): Candidate => [name.slice(group.length + 1), firstClause(summary)],
    ),
  ];
}

function findOption(command: readonly string[], flag: string): OptionSpec | undefined {
  return optionsFor(command).find((option) => flagCandidates(option).some(([name]) => name === flag));
}

function flagCandidates({ name, short, help }: OptionSpec): Candidate[] {
  const flags = short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
  return flags.map((flag) => [flag, firstClause(help)]);
}

/** Returns the values that start with `typedValue`, each after `before`. A list excludes values that it already has. */
function valueCandidates(option: OptionSpec, before: string, typedValue: string): Candidates {
  const { value, list, valueStarts } = option;
  if (value === "FILE") return ["files"];
  if (value === "DIR") return ["folders"];
  const { choices = valueStarts ?? [] } = option;
  const listPrefix = list === true ? typedValue.slice(0, typedValue.lastIndexOf(",") + 1) : "";
  const words = choices
    .filter((choice) => !listPrefix.split(",").includes(choice))
    .map((choice): Candidate => [listPrefix + choice, ""])
    .filter(([word]) => word.startsWith(typedValue));
  return [(list ?? valueStarts) ? "list" : "words", words.map(([word, meaning]) => [before + word, meaning])];
}

/** Returns the first clause of a help text, and a condition before it: a list of candidates has no space for more. */
function firstClause(help: string): string {
  const [clause = ""] = /^(?:with [^:]*: )?.*?(?=;| \(|: |$)/s.exec(help) ?? [];
  return clause;
}

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  // Bash 3.2 and newer; paths after options need 4.
  bash: `# bash completion for addrsift, made by "addrsift completion bash".
_addrsift() {
  local IFS=$' \\t\\n' line=\${COMP_LINE:0:COMP_POINT} cur=\${COMP_WORDS[COMP_CWORD]} words word cut kind
  COMPREPLY=()
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  word=\${words[\${#words[@]} - 1]}
  # Bash cuts words at =, : and @ as well, and replaces only the last piece.
  if [[ $cur == [=:@] ]]; then cut=$word; else cut=\${word%"$cur"}; fi
  {
    read -r kind
    while IFS=$'\\t' read -r word _; do COMPREPLY+=("\${word#"$cut"}"); done
  } < <("$1" completion bash -- "\${words[@]:1}" 2> /dev/null)
  # Readline completes paths better than compgen where it can be asked to.
  case $kind in
    files) compopt -o default 2> /dev/null || COMPREPLY=($(compgen -f -- "$cur")) ;;
    folders) compopt -o dirnames 2> /dev/null || COMPREPLY=($(compgen -d -- "$cur")) ;;
    list) compopt -o nospace 2> /dev/null ;;
  esac
}

complete -F _addrsift addrsift
`,
  zsh: `#compdef addrsift
# zsh completion for addrsift, made by "addrsift completion zsh".
_addrsift() {
  local kind
  local -a found names behind
  found=("\${(@f)$("\${(Q)words[1]}" completion zsh -- "\${(@Q)words[2,CURRENT]}" 2> /dev/null)}")
  kind=$found[1]
  shift found
  case $kind in
    files) compset -P '--*='; _files ;;
    folders) compset -P '--*='; _files -/ ;;
    *)
      names=("\${(@)found%%$'\\t'*}")
      found=("\${(@)found/$'\\t'/  -- }")
      [[ $kind == list ]] && behind=(-S '')
      compadd -l "\${behind[@]}" -d found -a names
      ;;
  esac
}

# Autoloaded from a folder of $fpath it completes at once.
if [ "$funcstack[1]" = "_addrsift" ]; then
  _addrsift "$@"
else
  compdef _addrsift addrsift
fi
`,
  fish: `# fish completion for addrsift, made by "addrsift completion fish".
function __addrsift_ask
    set -l typed (commandline -opc)
    $typed[1] completion fish -- $typed[2..-1] (commandline -ct) 2> /dev/null
end
function __addrsift_wants_files
    set -l found (__addrsift_ask)
    test "$found[1]" = files
end
function __addrsift
    set -l token (commandline -ct)
    set -l found (__addrsift_ask)
    if test "$found[1]" = folders
        set -l begin (string match -r -- '^--[^=]*=' $token)
        printf '%s\\n' "$begin"(__fish_complete_directories (string replace -- "$begin" '' $token))
    else
        printf '%s\\n' $found[2..-1]
    end
end

# Fish itself completes paths of files, with ~, variables and quotes.
complete -c addrsift -n __addrsift_wants_files -F
complete -c addrsift -n 'not __addrsift_wants_files' -f -a '(__addrsift)'
`,
};
