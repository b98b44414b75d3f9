// The plain way through a plain `detect`: the option table drives Node's own parser, which costs next to nothing at start-up.
// Whatever is not plain (help, errors, other commands) is commander's.

import type { ParseArgsConfig } from "node:util";
import { type Arguments, checkArguments, type Environment, keepsAll, type RawOptions } from "../arguments.ts";
import { DETECT } from "../detect.ts";
import { GLOBAL_OPTIONS } from "../shared.ts";
import type { OptionSpec } from "../types.ts";

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
