// Parsed options as values, checked against the table. Whichever parser read them, this is where they are judged.

import { AddrsiftError } from "../../errors.ts";
import { GLOBAL_OPTIONS } from "./shared.ts";
import type { CommandSpec, OptionSpec } from "./types.ts";

/** What a parser found: switches as true, values as text, repeated lists as all their texts. */
export type RawOptions = Readonly<Record<string, boolean | string | readonly string[] | undefined>>;

/** The arguments of one call of one command. */
export class Arguments {
  readonly spec: CommandSpec;
  readonly positionals: readonly string[];
  /** As the parser gave them. */
  readonly raw: RawOptions;

  /** Throws AddrsiftError USAGE for a value outside an option's choices. */
  constructor(spec: CommandSpec, positionals: readonly string[], raw: RawOptions) {
    this.spec = spec;
    this.positionals = positionals;
    this.raw = raw;
    for (const option of [...spec.options, ...GLOBAL_OPTIONS]) {
      checkOnce(option, this.texts(option.name));
      checkChoices(option, this.texts(option.name));
    }
  }

  flag(name: string): boolean {
    return this.raw[name] === true;
  }

  /** The value of an option, or its default. */
  text(name: string): string | undefined {
    const value = this.texts(name).at(-1);
    return value ?? this.spec.options.find((option) => option.name === name)?.default;
  }

  /** The names of a list option, from all its occurrences. */
  list(name: string): string[] {
    return this.texts(name).flatMap(splitList);
  }

  /** The values of an option that may be given again, each whole. */
  all(name: string): readonly string[] {
    return this.texts(name);
  }

  private texts(name: string): readonly string[] {
    const value = this.raw[name];
    if (typeof value === "string") return [value];
    return typeof value === "object" ? value : [];
  }
}

/** Whether a parser has to keep all values that an option was given. */
export function keepsAll(option: OptionSpec): boolean {
  return option.list === true || option.repeat === true || option.once === true;
}

function checkOnce(option: OptionSpec, values: readonly string[]): void {
  if (option.once !== true || values.length < 2) return;
  throw new AddrsiftError(
    "USAGE",
    `--${option.name} is given ${values.length} times: give one, and make a call for each`,
  );
}

function checkChoices(option: OptionSpec, values: readonly string[]): void {
  if (option.choices === undefined) return;
  for (const value of option.list === true ? values.flatMap(splitList) : values) {
    if (option.choices.includes(value)) continue;
    throw new AddrsiftError(
      "USAGE",
      `--${option.name} does not know "${value}": choose from ${option.choices.join(", ")}`,
    );
  }
}

function splitList(text: string): string[] {
  return text.split(",").map((name) => name.trim());
}
