// The options of a command line as typed values, checked against the table.

import { usage } from "../../base/errors.ts";
import { checkedValues, type OptionValues } from "../../bulk/run/option-table.ts";
import { GLOBAL_OPTIONS, type GlobalOption } from "./shared.ts";
import type { CommandSpec, OptionSpec } from "./types.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Values that the reader found: switches as true, values as text, repeated options as all their texts. */
export type RawOptions = Readonly<Record<string, boolean | string | readonly string[] | undefined>>;

export interface Arguments<Spec extends CommandSpec = CommandSpec> {
  readonly command: string;
  readonly positionals: readonly string[];
  /** Values by option name, filled in from the environment and the defaults. The compiler knows the names. */
  readonly options: OptionValues<Spec["options"][number] | GlobalOption>;
  readonly given: ReadonlySet<string>;
}

/**
 * Checks what the reader found. An option that was not given is set by its environment variable, else by its default.
 * Throws AddrsiftError USAGE for a value outside an option's choices.
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

/** Whether the reader has to keep all values that an option was given. */
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
  const values = checkedValues(option, `--${option.name}`, texts);
  if (option.list === true || option.repeat === true) return values;
  return values.at(-1) ?? fromEnvironment(option, environment) ?? option.default;
}

function fromEnvironment(option: OptionSpec, environment: Environment): string | undefined {
  const { environment: variable = "" } = option;
  const value = environment[variable]?.trim();
  if (value === undefined || value === "") return undefined;
  return checkedValues(option, variable, [value])[0];
}

/** The value of an option as a whole number. Throws AddrsiftError USAGE for anything else. */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = /^[0-9]{1,7}$/.test(text) ? Number(text) : -1;
  if (number >= min && number <= max) return number;
  throw usage(`--${name} can't be "${text}": give a whole number from ${min} to ${max}`);
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/**
 * A time such as 500ms, 2s or 1m, from one of `unit` to `max` of them, in milliseconds; a bare number has `unit`.
 * Throws AddrsiftError USAGE.
 */
export function timeMs(name: string, text: string, unit: "ms" | "s", max: number): number {
  const [, digits = "", given = unit] = /^([0-9]{1,7})(ms|s|m)?$/.exec(text) ?? [];
  const [ms, unitMs] = [Number(digits) * (UNITS_MS[given] as number), UNITS_MS[unit] as number];
  if (digits !== "" && ms >= unitMs && ms <= max * unitMs) return ms;
  throw usage(`--${name} can't be "${text}": give a time from 1${unit} to ${max}${unit}, such as 500ms or 2s`);
}
