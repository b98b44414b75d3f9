// The plain way through a plain `detect`: the option table drives Node's own parser, which costs next to nothing at start-up.
// Whatever is not plain (help, errors, other commands) is commander's.

import type { ParseArgsConfig, parseArgs } from "node:util";
import { Arguments, keepsAll, type RawOptions } from "./arguments.ts";
import { DETECT } from "./detect.ts";
import { GLOBAL_OPTIONS } from "./shared.ts";

/** The arguments of a `detect` call, or undefined when commander must look at it. `load` brings in node:util. */
export function quickArguments(argv: readonly string[], load: (module: string) => unknown): Arguments | undefined {
  if (argv[0] !== "detect") return undefined;
  const given = argv.slice(1);
  // Addresses alone need no parser, whose loading costs a tenth of Node's own start.
  if (!given.some((text) => text.startsWith("-"))) return new Arguments(DETECT, given, {});
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const option of [...DETECT.options, ...GLOBAL_OPTIONS]) {
    options[option.name] = {
      type: option.value === undefined ? "boolean" : "string",
      multiple: keepsAll(option),
      ...(option.short === undefined ? {} : { short: option.short }),
    };
  }
  try {
    const util = load("node:util") as { parseArgs: typeof parseArgs };
    const { values, positionals } = util.parseArgs({ args: given, options, allowPositionals: true });
    return new Arguments(DETECT, positionals, values as RawOptions);
  } catch {
    // The same call gives a good message there.
    return undefined;
  }
}
