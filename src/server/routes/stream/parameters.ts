// Query parameters of a stream: the row options of `addrsift detect`, and `summary`.

import { suggestName } from "../../../base/closest-names.ts";
import { quote, toSentence } from "../../../base/format-text.ts";
import { choice, count, type Fields, flag, listOf, optional, type Shape, text } from "../../../base/shapes.ts";
import { usage } from "../../../bulk/messages.ts";
import {
  BY,
  DATA_VERSION,
  type DeclaredOption,
  INPUT_OPTIONS,
  OUTPUT_OPTIONS,
  STREAM_CONFIDENCE,
  SYNTAX_OPTIONS,
} from "../../../bulk/run/option-table.ts";
import { readOptions } from "../../../bulk/run/read-options.ts";

export const PARAMETERS = [
  ...INPUT_OPTIONS,
  ...OUTPUT_OPTIONS,
  {
    name: "dns",
    value: "MODE",
    choices: ["auto", "on", "off"],
    help: "whether to look up unlisted domains in DNS (default: auto, which is the same as off)",
  },
  STREAM_CONFIDENCE,
  DATA_VERSION,
  BY,
  ...SYNTAX_OPTIONS,
  {
    name: "summary",
    value: "WHERE",
    choices: ["trailer", "row"],
    excludes: { part: "a part's counts are not those of the whole" },
    help:
      "where the counts go: into the trailer field `Addrsift-Summary`, or into a last row, " +
      '`{"summary":{...}}` (default: into the trailer when the request has `TE: trailers`)',
  },
] as const satisfies readonly DeclaredOption[];

/** The parsed values of the query, and in `explicitOptions` the names of its parameters. */
export type StreamQuery = ReturnType<typeof readStreamQuery>;

export const STREAM_PARAMETERS: Fields = Object.fromEntries(
  PARAMETERS.map((parameter) => [parameter.name, optional(shapeOf(parameter))]),
);

function shapeOf({ value, choices, list, repeat, range, help }: DeclaredOption): Shape {
  const suffix = list === true ? "; separated by commas" : repeat === undefined ? "" : `; at most ${repeat} times`;
  const description = toSentence(help + suffix);
  if (value === undefined) return flag(description);
  if (range !== undefined) return count(description, { minimum: range[0], maximum: range[1] });
  if (typeof repeat === "number")
    return listOf(text(undefined, { minLength: 1 }), description, { minItems: 1, maxItems: repeat });
  if (choices === undefined) return text(description);
  return list === true ? listOf(choice(choices), description, { minItems: 1 }) : choice(choices, description);
}

/** Parses the part after the `?`, form-encoded: a `+` is a space. Throws AddrsiftError USAGE. */
export function readStreamQuery(query: string) {
  const valuesByName = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!Object.hasOwn(STREAM_PARAMETERS, name)) {
      const fix = suggestName(name, Object.keys(STREAM_PARAMETERS));
      throw usage(() => `unknown query parameter ${quote(name)}: ${fix}`);
    }
    valuesByName.set(name, [...(valuesByName.get(name) ?? []), value]);
  }
  return readOptions<(typeof PARAMETERS)[number]>(PARAMETERS, valuesByName);
}
