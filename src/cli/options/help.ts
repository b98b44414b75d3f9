// The text of --help, from the option table: of the program, of a group of commands, of one command.

import { COMMANDS, commandWords, findCommand, GROUPS } from "./commands.ts";
import { DETECT } from "./detect.ts";
import { BUILT_IN_OPTIONS, GLOBAL_OPTIONS } from "./shared.ts";
import { type CommandSpec, groupOptions, type OptionSpec, sharedChoices } from "./types.ts";

/** Terms up to this length have their meaning beside them; longer ones have it below. */
const TERM_MAX = 22;
const GLOBAL: readonly OptionSpec[] = [...GLOBAL_OPTIONS, ...BUILT_IN_OPTIONS];

const PURPOSE = "Classify e-mail addresses: syntax, canonical form, role, freemail, privacy relay, disposable.";

type Term = readonly [term: string, meaning: string];
type Section = readonly [title: string, terms: readonly Term[]];

/**
 * The help of the command or group that the words name, or of the program. No line is longer than `width` columns. The
 * short one, of a command with many options, is a screen of those that most people use.
 */
export function helpText(words: readonly string[], width: number, short = false): string {
  const spec = findCommand(words);
  if (spec === undefined) return `${overview(words[0], width).join("\n\n")}\n`;
  const used = short ? spec.options.filter(({ brief }: OptionSpec) => brief !== undefined) : [];
  return `${(used.length > 0 ? shortHelp(spec, used, width) : commandHelp(spec, width)).join("\n\n")}\n`;
}

function overview(group: string | undefined, width: number): string[] {
  const name = group === undefined ? "addrsift" : `addrsift ${group}`;
  const commands: Section = ["Commands", group === undefined ? programTerms() : commandsOf(group).map(commandTerm)];
  const examples: CommandSpec["examples"] =
    group === undefined ? DETECT.examples.slice(0, 3) : groupExamples(commandsOf(group));
  return [
    `Usage: ${name} COMMAND [OPTION...] [ARGUMENT...]`,
    wrapWords(group === undefined ? PURPOSE : sentence(GROUPS[group] as string), width).join("\n"),
    ...sectionTexts([commands, ["Global", GLOBAL.map(optionTerm)]], width),
    exampleText(examples, width),
    `For the options of a command: ${name} COMMAND --help${group === undefined ? "\nThe manual: man addrsift" : ""}`,
  ];
}

function commandHelp(spec: CommandSpec, width: number): string[] {
  const sections = groupOptions([...spec.options, ...GLOBAL]).map(optionSection);
  return [...usageOf(spec, width), ...sectionTexts(sections, width), exampleText(spec.examples, width)];
}

function shortHelp(spec: CommandSpec, used: readonly OptionSpec[], width: number): string[] {
  const terms = used.map(({ brief = "", ...option }): Term => [optionTerm(option)[0], brief]);
  return [
    ...usageOf(spec, width),
    ...sectionTexts([["Options", terms]], width),
    `All options, and examples: addrsift ${spec.name} --help`,
  ];
}

function usageOf(spec: CommandSpec, width: number): [usage: string, summary: string] {
  const argument = spec.argument === undefined ? "" : ` ${spec.argument}`;
  return [`Usage: addrsift ${spec.name} [OPTION...]${argument}`, wrapWords(sentence(spec.summary), width).join("\n")];
}

/** One group of options. Choices that several of them have stand once, below. */
function optionSection([group, options]: readonly [string, readonly OptionSpec[]]): Section {
  const shared = sharedChoices(options);
  if (shared === undefined) return [group, options.map(optionTerm)];
  const terms = options.map((option) => optionTerm({ ...option, choices: [] }));
  const value = options.find(({ choices }) => choices === shared)?.value as string;
  return [group, [...terms, [value, `one or more of ${list(shared)}, separated by commas`]]];
}

function programTerms(): Term[] {
  return commandWords().map((word) => [word, GROUPS[word] ?? (findCommand([word]) as CommandSpec).summary]);
}

/** The first of each command; all when there is only one command. */
function groupExamples(specs: readonly CommandSpec[]): CommandSpec["examples"] {
  return specs.flatMap(({ examples }) => (specs.length === 1 ? examples : examples.slice(0, 1)));
}

function commandsOf(group: string): CommandSpec[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
}

function commandTerm({ name, argument, summary }: CommandSpec): Term {
  const word = name.slice(name.indexOf(" ") + 1);
  return [argument === undefined ? word : `${word} ${argument}`, summary];
}

function optionTerm(spec: OptionSpec): Term {
  const short = spec.short === undefined ? "" : `-${spec.short}, `;
  const value = spec.value === undefined ? "" : ` <${spec.value}>`;
  const choices = spec.choices === undefined || spec.choices.length === 0 ? "" : ` (${list(spec.choices)})`;
  const defaults = [spec.environment === undefined ? "" : `$${spec.environment}`, spec.default ?? ""];
  const shown = defaults.filter((value) => value !== "").join(", else ");
  const fallback = shown === "" ? "" : ` (default: ${shown})`;
  return [`${short}--${spec.name}${value}`, `${spec.help}${choices}${fallback}`];
}

function list(choices: readonly string[]): string {
  return choices.join(", ");
}

/** Sections whose meanings all begin in one column. */
function sectionTexts(sections: readonly Section[], width: number): string[] {
  const lengths = sections.flatMap(([, terms]) => terms.map(([term]) => term.length));
  const indent = 4 + Math.max(...lengths.filter((length) => length <= TERM_MAX));
  return sections.map(([title, terms]) => {
    return [`${title}:`, ...terms.flatMap((term) => termLines(term, indent, width))].join("\n");
  });
}

function termLines([term, meaning]: Term, indent: number, width: number): string[] {
  const lines = wrapWords(meaning, width - indent).map((line) => " ".repeat(indent) + line);
  const head = `  ${term}`;
  if (term.length > TERM_MAX) return [head, ...lines];
  const [first = "", ...below] = lines;
  return [head + first.slice(head.length), ...below];
}

function exampleText(examples: CommandSpec["examples"], width: number): string {
  const lines = examples.flatMap(([line, what]) => {
    // A backslash at the end of a line lets a shell take the lines as one.
    const pieces = line.length <= width - 4 ? [line] : wrapWords(line, width - 8);
    return [`  $ ${pieces.join(" \\\n      ")}`, `      ${what}`];
  });
  return ["Examples:", ...lines].join("\n");
}

export function sentence(phrase: string): string {
  const end = /[.!?]$/.test(phrase) ? "" : ".";
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}${end}`;
}

/** The lines of a text, none longer than `width` unless a single word is. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
