// Formats --help of the program, a group or a command from the option tables.

import { toSentence } from "../../base/format-text.ts";
import { wrapWords } from "../terminal/wrap-words.ts";
import { COMMANDS, commandsInGroup, findCommand, summaryOf, topLevelCommands } from "./commands.ts";
import { COMMON_OPTIONS, type CommandSpec, OPTION_GROUPS, type OptionSpec } from "./table.ts";

// A longer term gets its meaning on the next line.
const MAX_INLINE_TERM_LENGTH = 22;

const PURPOSE = "Classify email addresses: syntax, canonical form, role, freemail, privacy relay, disposable.";

type Term = readonly [term: string, meaning: string];
type Section = readonly [title: string, terms: readonly Term[]];

/**
 * Formats help for these command words, in lines of at most `width` columns. `short`: only the main options of a
 * command that has many, as one screen.
 */
export function formatHelp(words: readonly string[], width: number, short = false): string {
  const spec = findCommand(words);
  const parts = spec === undefined ? formatOverview(words[0], width) : formatCommandHelp(spec, width, short);
  return `${parts.join("\n\n")}\n`;
}

function formatOverview(group: string | undefined, width: number): string[] {
  const name = group === undefined ? "addrsift" : `addrsift ${group}`;
  const specs = group === undefined ? COMMANDS.slice(0, 1) : commandsInGroup(group);
  const terms =
    group === undefined ? topLevelCommands().map((word): Term => [word, summaryOf(word)]) : specs.map(toCommandTerm);
  // One example per command; for a group with a single command, all of its examples.
  const maxExamples = group === undefined ? 3 : specs.length === 1 ? Number.POSITIVE_INFINITY : 1;
  const examples = specs.flatMap(({ examples }) => Object.entries(examples).slice(0, maxExamples));
  return [
    `Usage: ${name} COMMAND [OPTION...] [ARGUMENT...]`,
    wrapWords(group === undefined ? PURPOSE : toSentence(summaryOf(group)), width).join("\n"),
    ...formatSections(
      [
        ["Commands", terms],
        ["Global", COMMON_OPTIONS.map(toOptionTerm)],
      ],
      width,
    ),
    formatExamples(examples, width),
    `For the options of a command: ${name} COMMAND --help${group === undefined ? "\nThe manual: man addrsift" : ""}`,
  ];
}

function formatCommandHelp(spec: CommandSpec, width: number, short: boolean): string[] {
  const { name, argument, options, examples } = spec;
  const head = [
    `Usage: addrsift ${name} [OPTION...]${argument === undefined ? "" : ` ${argument}`}`,
    wrapWords(toSentence(spec.summary), width).join("\n"),
  ];
  const brief = options.filter((option) => option.brief !== undefined);
  if (short && brief.length > 0) {
    const terms = brief.map((option): Term => [formatFlags(option), option.brief as string]);
    const more = `All options, and examples: addrsift ${name} --help`;
    return [...head, ...formatSections([["Options", terms]], width), more];
  }
  const hint = brief.length > 0 ? "; -h prints only the main options" : "";
  const common = COMMON_OPTIONS.map((option) =>
    option.name === "help" ? { ...option, help: option.help + hint } : option,
  );
  const sections = groupOptions([...options, ...common]).map(toSection);
  return [...head, ...formatSections(sections, width), formatExamples(Object.entries(examples), width)];
}

type GroupMember = Pick<OptionSpec, "group" | "choices">;

/** Groups options in table order, without empty groups. */
export function groupOptions<Option extends GroupMember>(options: readonly Option[]) {
  return OPTION_GROUPS.map((name) => [name, options.filter(({ group = "Options" }) => group === name)] as const).filter(
    ([, members]) => members.length > 0,
  );
}

/** Returns the choices that all options with choices share; undefined if they differ. */
export function findSharedChoices(options: readonly GroupMember[]): readonly string[] | undefined {
  const [first, ...others] = options.filter(({ choices }) => choices !== undefined);
  const shared = others.length > 0 && others.every(({ choices }) => choices === first?.choices);
  return shared ? first?.choices : undefined;
}

/** Creates the section of a group. Shared choices are listed once, at the end. */
function toSection([group, options]: readonly [string, readonly OptionSpec[]]): Section {
  const shared = findSharedChoices(options);
  if (shared === undefined) return [group, options.map(toOptionTerm)];
  const terms = options.map((option) => toOptionTerm({ ...option, choices: [] }));
  const value = options.find(({ choices }) => choices === shared)?.value as string;
  return [group, [...terms, [value, `one or more of ${shared.join(", ")}, separated by commas`]]];
}

function toCommandTerm({ name, argument, summary }: CommandSpec): Term {
  const word = name.slice(name.indexOf(" ") + 1);
  return [argument === undefined ? word : `${word} ${argument}`, summary];
}

function toOptionTerm(spec: OptionSpec): Term {
  const { choices = [], help } = spec;
  const defaults = listDefaults(spec);
  const fallback = defaults.length === 0 ? "" : ` (default: ${defaults.join(", else ")})`;
  return [formatFlags(spec), `${help}${choices.length === 0 ? "" : ` (${choices.join(", ")})`}${fallback}`];
}

/** Lists where the value of an option comes from if it is not set: its environment variable, its default. */
export function listDefaults({ environment, default: fallback = "" }: OptionSpec): string[] {
  return [environment === undefined ? "" : `$${environment}`, fallback].filter((text) => text !== "");
}

/** Formats an option as it is typed: `-i, --input <FILE>`. */
export function formatFlags({ short, name, value }: OptionSpec): string {
  return `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` <${value}>`}`;
}

function formatSections(sections: readonly Section[], width: number): string[] {
  const lengths = sections.flatMap(([, terms]) => terms.map(([term]) => term.length));
  const indent = 4 + Math.max(...lengths.filter((length) => length <= MAX_INLINE_TERM_LENGTH));
  return sections.map(([title, terms]) => {
    return [`${title}:`, ...terms.flatMap((term) => formatTerm(term, indent, width))].join("\n");
  });
}

function formatTerm([term, meaning]: Term, indent: number, width: number): string[] {
  const lines = wrapWords(meaning, width - indent).map((line) => " ".repeat(indent) + line);
  const head = `  ${term}`;
  if (term.length > MAX_INLINE_TERM_LENGTH) return [head, ...lines];
  const [first = "", ...otherLines] = lines;
  return [head + first.slice(head.length), ...otherLines];
}

function formatExamples(examples: readonly (readonly [line: string, description: string])[], width: number): string {
  const lines = examples.flatMap(([line, description]) => {
    // A backslash continues the line in a shell.
    const pieces = line.length <= width - 4 ? [line] : wrapWords(line, width - 8);
    return [`  $ ${pieces.join(" \\\n      ")}`, `      ${description}`];
  });
  return ["Examples:", ...lines].join("\n");
}
