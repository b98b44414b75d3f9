// The types of the option tables, options that several commands share, and the checked arguments of a command.

import { type DeclaredOption, inGroup, type OptionValues } from "../../bulk/run/option-table.ts";
import { type Environment, type OptionTexts, readOptions } from "../../bulk/run/read-options.ts";

export interface OptionSpec extends DeclaredOption {
  readonly short?: string;
  readonly group?: (typeof OPTION_GROUPS)[number];
  /** Beginnings of values, for completion. */
  readonly valueStarts?: readonly string[];
  /** Text for the short help, which lists only options that have one. */
  readonly brief?: string;
}

export interface CommandSpec {
  /** The words of the command, such as `lists lookup`. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments as help shows them: `[ADDRESS...]`, `<DOMAIN>`. */
  readonly argument?: string;
  readonly argumentChoices?: readonly string[];
  /** Whether completion offers files, because some options make the arguments file names. */
  readonly argumentFiles?: boolean;
  readonly options: readonly OptionSpec[];
  /** Command lines and what they do, for help and the manual. */
  readonly examples: Readonly<Record<string, string>>;
}

/** Groups of options, in the order of help. The default is "Options". */
export const OPTION_GROUPS = [
  ...["Options", "Input", "Output", "Filter", "Network", "Access", "DNS"],
  ...["Lists", "Syntax", "Bulk", "Notify", "Log", "Global"],
] as const;

export const GLOBAL_OPTIONS = inGroup("Global", {
  home: {
    value: "DIR",
    help:
      "folder of keys, channels, overrides and updated lists (default: $ADDRSIFT_HOME, else " +
      "$XDG_DATA_HOME/addrsift, else ~/.local/share/addrsift)",
  },
  quiet: { help: "print only errors on standard error" },
  "no-color": { help: "print no colors, like the environment variable NO_COLOR" },
});

/** Options that are handled before the command runs. */
export const BUILT_IN_OPTIONS = inGroup("Global", {
  help: { short: "h", help: "print help" },
  version: { short: "V", help: "print the versions of addrsift, its lists and Node" },
});

/** Options of every command. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [...GLOBAL_OPTIONS, ...BUILT_IN_OPTIONS];

export type GlobalOptions = OptionValues<(typeof GLOBAL_OPTIONS)[number]>;

/** The DNS mode of `detect` and `serve`, which share an environment variable. */
export const DNS_MODE = { value: "MODE", choices: ["auto", "on", "off"], environment: "ADDRSIFT_DNS" } as const;

export const DNS_OPTIONS = inGroup("DNS", {
  "dns-timeout": {
    value: "TIME",
    // A longer timeout for one domain is probably a typing error.
    time: { min: "1ms", max: "10m", examples: "500ms or 2s", bare: "ms" },
    default: "2000",
    help: "time for each domain with its retries, such as 500ms or 2s; a bare number is milliseconds; at most 10m",
  },
  "dns-server": {
    value: "ADDR[:PORT]",
    list: true,
    help: "name server to use instead of the system's; may be repeated (default: $ADDRSIFT_DNS_SERVERS)",
  },
});

export const JSON_OBJECT = { name: "json", help: "print a JSON object" } as const;
export const JSON_ARRAY = { name: "json", help: "print a JSON array" } as const;

/** Private ranges that webhooks may reach, for every command that sends to them. */
export const ALLOW_PRIVATE = {
  name: "allow-private",
  value: "CIDR",
  repeat: true,
  group: "Notify",
  help:
    "let webhooks reach this range of private or otherwise special addresses, such as 10.0.0.0/8; may be " +
    "repeated (default: $ADDRSIFT_ALLOW_PRIVATE)",
} as const satisfies OptionSpec;

export interface Arguments<Spec extends CommandSpec = CommandSpec> {
  readonly command: string;
  readonly positionals: readonly string[];
  readonly options: OptionValues<Spec["options"][number] | (typeof GLOBAL_OPTIONS)[number]>;
  readonly explicitOptions: ReadonlySet<string>;
}

/** Checks the arguments of a command. Throws AddrsiftError USAGE. */
export function checkArguments<Spec extends CommandSpec>(
  spec: Spec,
  positionals: readonly string[],
  texts: OptionTexts,
  environment?: Environment,
): Arguments<Spec> {
  const { options, explicitOptions } = readOptions([...spec.options, ...GLOBAL_OPTIONS], texts, environment);
  return { command: spec.name, positionals, options: options as Arguments<Spec>["options"], explicitOptions };
}
