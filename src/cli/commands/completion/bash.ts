// The completion script for bash (3.2 and newer; file names after options need 4).

import { COMMANDS } from "../../options/commands.ts";
import type { OptionSpec } from "../../options/types.ts";
import { ANYWHERE, flagsOf, groups, programWords, valueKind } from "./values.ts";

/** The script as text. */
export function bashCompletion(): string {
  return `${START}
${valueFunction()}

${wordFunction()}

${REST}`;
}

/** The shell function that says what follows an option: nothing for a switch, else a kind and choices. */
function valueFunction(): string {
  const own = COMMANDS.flatMap(({ name, options }) => options.flatMap((option) => valueCase(`"${name} "`, option)));
  const everywhere = ANYWHERE.flatMap((option) => valueCase('*" "', option));
  return `# The kind of value that option $2 of command $1 takes, with its choices.
_addrsift_value() {
  case "$1 $2" in
${[...own, ...everywhere].join("\n")}
  esac
}`;
}

function valueCase(command: string, option: OptionSpec): string[] {
  const kind = valueKind(option);
  if (kind === undefined) return [];
  const patterns = flagsOf(option).map((flag) => `${command}${flag}`);
  const choices = kind === "one" || kind === "several" ? (option.choices ?? []) : [];
  return [`    ${patterns.join(" | ")}) echo "${[kind, ...choices].join(" ")}" ;;`];
}

/** The shell function that says which options and words a command has. */
function wordFunction(): string {
  const always = ANYWHERE.flatMap(flagsOf).join(" ");
  const below = [["", programWords()] as const, ...groups()].map(
    ([name, words]) => `    "${name}") words="${words.map(([word]) => word).join(" ")}" ;;`,
  );
  const own = COMMANDS.map(({ name, options, argumentChoices = [], argumentFiles }) => {
    const files = argumentFiles === true ? " files=1" : "";
    return `    "${name}") words="${argumentChoices.join(" ")}"${files} options="${options.flatMap(flagsOf).join(" ")}" ;;`;
  });
  return `# Sets words and options to those of command $1, and files where its arguments may be some.
_addrsift_words() {
  words= options= files=
  case $1 in
${[...below, ...own].join("\n")}
  esac
  options="$options ${always}"
}`;
}

const START = `# bash completion for addrsift, made by "addrsift completion bash".
`;

const REST = `# Completes paths: readline does it better than compgen where it can be asked to.
_addrsift_paths() {
  compopt -o "$1" 2> /dev/null || COMPREPLY=($(compgen -"$2" -- "$3"))
}

# Adds the words of $3 that begin with $2; $1 stands before them, and "cut" is not replaced by readline.
_addrsift_match() {
  local word
  for word in $3; do
    if [[ $word == "$2"* ]]; then
      word=$1$word
      COMPREPLY+=("\${word#"$cut"}")
    fi
  done
}

# Completes value $2 of kind and choices $1, after $3.
_addrsift_complete_value() {
  local kind=\${1%% *} choices= word given=
  [[ $1 == *" "* ]] && choices=\${1#* }
  case $kind in
    file) _addrsift_paths default f "$2" ;;
    folder) _addrsift_paths dirnames d "$2" ;;
    one) _addrsift_match "$3" "$2" "$choices" ;;
    several)
      [[ $2 == *,* ]] && given=\${2%,*},
      for word in $choices; do
        [[ ,$given == *",$word,"* ]] || _addrsift_match "$3$given" "\${2##*,}" "$word"
      done
      compopt -o nospace 2> /dev/null
      ;;
  esac
}

_addrsift() {
  local IFS=$' \\t\\n' parts=() line=$COMP_LINE words options files command= value= ended= cur cut word last i
  COMPREPLY=()
  # Bash cuts words at =, : and @ as well; what has no space between is one word here.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    last=$((\${#parts[@]} - 1))
    if ((i == 0)) || [[ -z $word || $line == [[:space:]]* || $word == *[\\<\\>]* || \${parts[last]} == *[\\<\\>]* ]]; then
      parts+=("$word")
    else
      parts[last]+=$word
    fi
    line=\${line#"\${line%%[![:space:]]*}"}
    line=\${line#"$word"}
  done
  last=$((\${#parts[@]} - 1))
  cur=\${parts[last]}
  word=\${COMP_WORDS[COMP_CWORD]}
  if [[ $word == [=:@] ]]; then cut=$cur; else cut=\${cur%"$word"}; fi
  if ((last > 0)) && [[ \${parts[last - 1]} == *[\\<\\>]* || $cur == [\\<\\>]* ]]; then
    _addrsift_paths default f "$cur"
    return
  fi
  for ((i = 1; i < last; i++)); do
    word=\${parts[i]}
    if [[ -n $value ]]; then
      value=
    elif [[ -n $ended || $word != -* || $word == - ]]; then
      _addrsift_words "$command"
      # A word that no command has is an argument; the words after help are those of a command.
      [[ $word != help && " $words " == *" $word "* ]] && command=\${command:+$command }$word
    elif [[ $word == -- ]]; then
      ended=1
    else
      value=$(_addrsift_value "$command" "$word")
    fi
  done
  _addrsift_words "$command"
  if [[ -n $value ]]; then
    _addrsift_complete_value "$value" "$cur" ""
  elif [[ -z $ended && $cur == --*=* ]]; then
    _addrsift_complete_value "$(_addrsift_value "$command" "\${cur%%=*}")" "\${cur#*=}" "\${cur%%=*}="
  elif [[ -n $files && ( -n $ended || $cur != -* ) ]]; then
    _addrsift_paths default f "$cur"
  elif [[ -z $ended && $cur == -* || -z $words && -z $cur && -z $ended ]]; then
    _addrsift_match "" "$cur" "$options"
  else
    _addrsift_match "" "$cur" "$words"
  fi
}

complete -F _addrsift addrsift
`;
