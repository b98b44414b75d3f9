// The form of the option tables, options that more than one command has, and the values of a command line, checked
// against its table.

import { usage } from "../../base/errors.ts";
import { durationMs } from "../../base/names.ts";
import { checkedValues, type DeclaredOption, inGroup, type OptionValues } from "../../bulk/run/option-table.ts";

export interface OptionSpec extends DeclaredOption {
  readonly short?: string;
  /** The environment variable that counts when the option is not given. An empty text counts as not set. */
  readonly environment?: string;
  readonly group?: OptionGroup;
  /** Its line in the short help, which has only such options where a command has any. */
  readonly brief?: string;
}

export interface CommandSpec {
  /** Its words, such as `lists lookup`. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments as shown in help: `[ADDRESS...]`, `<DOMAIN>`. */
  readonly argument?: string;
  readonly argumentChoices?: readonly string[];
  /** With some options arguments are files, which completion offers. */
  readonly argumentFiles?: boolean;
  readonly options: readonly OptionSpec[];
  /** Command lines with what they do, for help and man page. */
  readonly examples: Readonly<Record<string, string>>;
}

/** Groups of options, in the order of help. An option that names none is in "Options". */
export const OPTION_GROUPS = [
  ...["Options", "Input", "Output", "Filter", "Network", "Access", "DNS"],
  ...["Lists", "Syntax", "Bulk", "Notify", "Log", "Global"],
] as const;
type OptionGroup = (typeof OPTION_GROUPS)[number];

export const GLOBAL_OPTIONS = inGroup("Global", {
  home: {
    value: "DIR",
    help:
      "folder of keys, channels, overrides and updated lists (default: $ADDRSIFT_HOME, else " +
      "$XDG_DATA_HOME/addrsift, else ~/.local/share/addrsift)",
  },
  quiet: { help: "print only errors on standard error" },
  "no-color": { help: "print no colour, as with the environment variable NO_COLOR" },
});

/** Options that are answered before a command runs. */
export const BUILT_IN_OPTIONS = inGroup("Global", {
  help: {
    short: "h",
    help: "print help; after a command, -h prints the main options, --help all",
  },
  version: { short: "V", help: "print the versions of addrsift, its lists and Node" },
});

/** The options that every command takes. */
export const EVERYWHERE: readonly OptionSpec[] = [...GLOBAL_OPTIONS, ...BUILT_IN_OPTIONS];

export type GlobalOptions = OptionValues<(typeof GLOBAL_OPTIONS)[number]>;

/** When DNS is asked, for `detect` and `serve`: one variable of the environment sets both. */
export const DNS_MODE = { value: "MODE", choices: ["auto", "on", "off"], environment: "ADDRSIFT_DNS" } as const;

export const DNS_OPTIONS = inGroup("DNS", {
  "dns-timeout": {
    value: "TIME",
    default: "2000",
    help: "time for each domain with its retries, such as 500ms or 2s; a bare number is milliseconds; at most 10m",
  },
  "dns-server": {
    value: "ADDR[:PORT]",
    list: true,
    help: "name server to ask instead of the system's; may be given again (default: $ADDRSIFT_DNS_SERVERS)",
  },
});

export const JSON_OBJECT = { name: "json", help: "print a JSON object" } as const;
export const JSON_ARRAY = { name: "json", help: "print a JSON array" } as const;

/** Which addresses besides public ones webhooks may have, for every command that sends to them. */
export const ALLOW_PRIVATE = {
  name: "allow-private",
  value: "CIDR",
  repeat: true,
  group: "Notify",
  help:
    "let webhooks reach this range of private or otherwise special addresses, such as 10.0.0.0/8; may be given " +
    "again (default: $ADDRSIFT_ALLOW_PRIVATE)",
} as const satisfies OptionSpec;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Values that the reader found: switches as true, values as text, repeated options as all their texts. */
export type RawOptions = Readonly<Record<string, boolean | string | readonly string[] | undefined>>;

export interface Arguments<Spec extends CommandSpec = CommandSpec> {
  readonly command: string;
  readonly positionals: readonly string[];
  readonly options: OptionValues<Spec["options"][number] | (typeof GLOBAL_OPTIONS)[number]>;
  readonly given: ReadonlySet<string>;
}

/**
 * An option that was not given is set by its environment variable, else by its default. Throws AddrsiftError USAGE for
 * a value outside its choices.
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

/** Whether all values that an option was given count, not only the last. */
export function keepsAll(option: OptionSpec): boolean {
  return option.list === true || option.repeat === true;
}

function readValue(option: OptionSpec, raw: RawOptions[string], environment: Environment): RawOptions[string] {
  if (option.value === undefined) return raw === true;
  const texts = typeof raw === "string" ? [raw] : typeof raw === "object" ? raw : [];
  const values = checkedValues(option, `--${option.name}`, texts);
  if (keepsAll(option)) return values;
  return values.at(-1) ?? fromEnvironment(option, environment) ?? option.default;
}

function fromEnvironment(option: OptionSpec, environment: Environment): string | undefined {
  const { environment: variable = "" } = option;
  const value = environment[variable]?.trim() ?? "";
  return value === "" ? undefined : checkedValues(option, variable, [value])[0];
}

/** The value of an option as a whole number. Throws AddrsiftError USAGE for anything else. */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = /^[0-9]{1,7}$/.test(text) ? Number(text) : -1;
  if (number >= min && number <= max) return number;
  throw usage(`--${name} can't be "${text}": give a whole number from ${min} to ${max}`);
}

/**
 * A time such as 500ms, 2s or 1m, from one of `unit` to `max` of them, in milliseconds; a bare number has `unit`.
 * Throws AddrsiftError USAGE.
 */
export function timeMs(name: string, text: string, unit: "ms" | "s", max: number): number {
  const ms = durationMs(text, ["ms", "s", "m"], unit);
  const least = unit === "s" ? 1000 : 1;
  if (ms >= least && ms <= max * least) return ms;
  throw usage(`--${name} can't be "${text}": give a time from 1${unit} to ${max}${unit}, such as 500ms or 2s`);
}
