// Words that can be completed, from the option table: the words of commands, options with the kind of their value, short descriptions.

import { COMMANDS, commandWords, findCommand, GROUPS } from "../../options/commands.ts";
import { BUILT_IN_OPTIONS, GLOBAL_OPTIONS } from "../../options/shared.ts";
import type { CommandSpec, OptionSpec } from "../../options/types.ts";

/** Options that stand anywhere. */
export const ANYWHERE: readonly OptionSpec[] = [...GLOBAL_OPTIONS, ...BUILT_IN_OPTIONS];

/** A word and what it is for. */
export type Described = readonly [word: string, description: string];

/** The value of an option: a path, one or several of its choices, anything, or none. */
export type ValueKind = "file" | "folder" | "one" | "several" | "any" | undefined;

export function valueKind({ value, choices, list }: OptionSpec): ValueKind {
  if (value === undefined) return undefined;
  if (value === "FILE") return "file";
  if (value === "DIR") return "folder";
  if (choices === undefined) return "any";
  return list === true ? "several" : "one";
}

/** Whether an option may be given again. */
export function isRepeatable({ list, repeat }: OptionSpec): boolean {
  return list === true || repeat === true;
}

/** The first words of all commands. */
export function programWords(): Described[] {
  const own: Described = ["help", "print help"];
  return [...commandWords().map((word): Described => [word, brief(GROUPS[word] ?? summaryOf(word))]), own];
}

/** The groups of commands, each with the words that follow it. */
export function groups(): (readonly [group: string, words: readonly Described[]])[] {
  return Object.keys(GROUPS).map((group) => [group, wordsBelow(group)]);
}

function wordsBelow(group: string): Described[] {
  const below = COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
  return below.map(({ name, summary }) => [name.slice(group.length + 1), brief(summary)]);
}

function summaryOf(word: string): string {
  return (findCommand([word]) as CommandSpec).summary;
}

/** The names of an option with their hyphens, the short one first. */
export function flagsOf({ name, short }: OptionSpec): string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}

/** The first clause of a help text, which is all that a list of candidates has space for. */
export function brief(help: string): string {
  return (help.split(/[;(]|: /, 1)[0] as string).trim();
}
