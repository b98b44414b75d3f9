// The plain way through a plain `detect`: the option table drives Node's own parser, which costs next to nothing at start-up.
// Whatever is not plain (help, errors, other commands) is commander's.

import { type ParseArgsConfig, parseArgs } from "node:util";
import { Arguments, type RawOptions } from "./arguments.ts";
import { commandSpec, GLOBAL_OPTIONS } from "./spec.ts";

/** The arguments of a `detect` call, or undefined when commander must look at it. */
export function quickArguments(argv: readonly string[]): Arguments | undefined {
  if (argv[0] !== "detect") return undefined;
  const spec = commandSpec("detect");
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const option of [...spec.options, ...GLOBAL_OPTIONS]) {
    options[option.name] = {
      type: option.value === undefined ? "boolean" : "string",
      multiple: option.list === true,
      ...(option.short === undefined ? {} : { short: option.short }),
    };
  }
  try {
    const { values, positionals } = parseArgs({ args: argv.slice(1), options, allowPositionals: true });
    return new Arguments(spec, positionals, values as RawOptions);
  } catch {
    // The same call gives a good message there.
    return undefined;
  }
}
