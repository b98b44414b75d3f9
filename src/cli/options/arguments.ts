// Parsed options as typed values, checked against the table, whichever parser read them; and the plain way through a plain `detect`: the
// table drives Node's own parser, which costs next to nothing at start-up. Help, errors and other commands are commander's.

import type { ParseArgsConfig } from "node:util";
import { usage } from "../../base/errors.ts";
import { choiceOf, nearNames } from "../../base/near-names.ts";
import type { OptionValues } from "../../bulk/run/option-table.ts";
import { DETECT } from "./detect.ts";
import { GLOBAL_OPTIONS, type GlobalOption } from "./shared.ts";
import type { CommandSpec, OptionSpec } from "./types.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Values that a parser found: switches as true, values as text, repeated options as all their texts. */
export type RawOptions = Readonly<Record<string, boolean | string | readonly string[] | undefined>>;

export interface Arguments<Spec extends CommandSpec = CommandSpec> {
  readonly command: string;
  readonly positionals: readonly string[];
  /** Values by option name, filled in from the environment and the defaults. The compiler knows the names. */
  readonly options: OptionValues<Spec["options"][number] | GlobalOption>;
  readonly given: ReadonlySet<string>;
}

/**
 * Checks what a parser found. An option that was not given is set by its environment variable, else by its default. Throws
 * AddrsiftError USAGE for a value outside an option's choices.
 */
export function checkArguments<Spec extends CommandSpec>(
  spec: Spec,
  positionals: readonly string[],
  raw: RawOptions,
  environment: Environment = {},
): Arguments<Spec> {
  const table: readonly OptionSpec[] = [...spec.options, ...GLOBAL_OPTIONS];
  const values = table.map((option) => [option.name, readValue(option, raw[option.name], environment)]);
  return {
    command: spec.name,
    positionals,
    options: Object.fromEntries(values) as Arguments<Spec>["options"],
    given: new Set(table.map(({ name }) => name).filter((name) => raw[name] !== undefined && raw[name] !== false)),
  };
}

/** Whether a parser has to keep all values that an option was given. */
export function keepsAll(option: OptionSpec): boolean {
  return option.list === true || option.repeat === true;
}

function readValue(
  option: OptionSpec,
  raw: RawOptions[string],
  environment: Environment,
): boolean | string | readonly string[] | undefined {
  if (option.value === undefined) return raw === true;
  const texts = typeof raw === "string" ? [raw] : typeof raw === "object" ? raw : [];
  const values = option.list === true ? texts.flatMap((text) => text.split(",").map((name) => name.trim())) : texts;
  checkChoices(`--${option.name}`, option, values);
  if (option.list === true || option.repeat === true) return values;
  return values.at(-1) ?? fromEnvironment(option, environment) ?? option.default;
}

function fromEnvironment(option: OptionSpec, environment: Environment): string | undefined {
  const { environment: variable = "" } = option;
  const value = environment[variable]?.trim();
  if (value === undefined || value === "") return undefined;
  checkChoices(variable, option, [value]);
  return value;
}

/** `shown` names the option or variable that has the values. */
function checkChoices(shown: string, option: OptionSpec, values: readonly string[]): void {
  if (option.choices === undefined) return;
  for (const value of values) {
    if (option.choices.includes(value)) continue;
    if (option.name === "fields" && value === "email") {
      throw usage(`${shown} does not know "email": every row has its address already, so leave email out`);
    }
    const near = nearNames(value, option.choices);
    const meant = near.length === 0 ? "" : `did you mean ${choiceOf(near)}? `;
    throw usage(`${shown} does not know "${value}": ${meant}choose from ${option.choices.join(", ")}`);
  }
}

/** The value of an option as a whole number. Throws AddrsiftError USAGE for anything else. */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = /^[0-9]{1,7}$/.test(text) ? Number(text) : -1;
  if (number >= min && number <= max) return number;
  throw usage(`--${name} can't be "${text}": give a whole number from ${min} to ${max}`);
}

/** The arguments of a `detect` call, or undefined when commander must look at it. `loadUtil` brings in node:util. */
export function quickArguments(
  argv: readonly string[],
  loadUtil: () => typeof import("node:util"),
  environment?: Environment,
): Arguments<typeof DETECT> | undefined {
  if (argv[0] !== "detect") return undefined;
  const given = argv.slice(1);
  // A call with only addresses needs no parser, whose loading costs a tenth of Node's own start.
  if (!given.some((text) => text.startsWith("-"))) return checkArguments(DETECT, given, {}, environment);
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  const table: readonly OptionSpec[] = [...DETECT.options, ...GLOBAL_OPTIONS];
  for (const option of table) {
    options[option.name] = {
      type: option.value === undefined ? "boolean" : "string",
      multiple: keepsAll(option),
      ...(option.short === undefined ? {} : { short: option.short }),
    };
  }
  try {
    const { values, positionals } = loadUtil().parseArgs({ args: given, options, allowPositionals: true });
    return checkArguments(DETECT, positionals, values as RawOptions, environment);
  } catch {
    // The same call gives a good message there.
    return undefined;
  }
}
