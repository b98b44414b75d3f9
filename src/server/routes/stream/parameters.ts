// The query of a stream: the options of `addrsift detect` about rows, and where the counts go.

import type { SyntaxSwitch } from "../../../address/options.ts";
import { choiceOf, nearNames } from "../../../base/near-names.ts";
import { choice, type Fields, listOf, optional, type Shape, text } from "../../../base/shapes.ts";
import { quoted } from "../../../base/shown.ts";
import { usage } from "../../../bulk/face.ts";
import {
  BY,
  checkedValues,
  DATA_VERSION,
  type DeclaredOption,
  INPUT_OPTIONS,
  MIN_CONFIDENCE,
  OUTPUT_OPTIONS,
  SYNTAX_OPTIONS,
} from "../../../bulk/run/option-table.ts";
import type { RowOptions } from "../../../bulk/run/options.ts";
import type { Confidence } from "../../../lists/confidence.ts";

const PARAMETERS: readonly DeclaredOption[] = [
  ...INPUT_OPTIONS,
  ...OUTPUT_OPTIONS,
  {
    name: "dns",
    value: "MODE",
    choices: ["auto", "on", "off"],
    help: "ask DNS about domains that are in no list; auto is off",
  },
  MIN_CONFIDENCE,
  DATA_VERSION,
  BY,
  ...SYNTAX_OPTIONS,
  {
    name: "summary",
    value: "WHERE",
    choices: ["trailer", "row"],
    help:
      "where the counts go: into the trailer field `Addrsift-Summary`, or into a last row, " +
      '`{"summary":{...}}` (default: into the trailer when the request has `TE: trailers`)',
  },
];

// A row is classified in one turn.
const COLUMNS_MAX = 100;
const SWITCH = ["true", "false"];

/** The query as values. Missing ones are undefined, false or empty. */
export interface StreamQuery extends RowOptions, Readonly<Record<SyntaxSwitch, boolean>> {
  readonly given: readonly string[];
  readonly dns: "auto" | "on" | "off" | undefined;
  readonly "min-confidence": Confidence | undefined;
  readonly "data-version": string | undefined;
  readonly summary: "trailer" | "row" | undefined;
}

export const STREAM_PARAMETERS: Fields = Object.fromEntries(
  PARAMETERS.map((parameter) => [parameter.name, optional(shapeOf(parameter))]),
);

function shapeOf({ value, choices, list, repeat, help }: DeclaredOption): Shape {
  const more = list === true ? ", separated by commas" : repeat === true ? `; at most ${COLUMNS_MAX} times` : "";
  const description = `${help[0]?.toUpperCase()}${help.slice(1)}${more}.`;
  if (value === undefined) return choice(SWITCH, description);
  if (repeat === true)
    return listOf(text(undefined, { minLength: 1 }), description, { minItems: 1, maxItems: COLUMNS_MAX });
  if (choices === undefined) return text(description);
  return list === true ? listOf(choice(choices), description, { minItems: 1 }) : choice(choices, description);
}

/** Reads the part after the `?`, as forms write it: a `+` is a space. Throws AddrsiftError USAGE. */
export function readStreamQuery(query: string): StreamQuery {
  const texts = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!Object.hasOwn(STREAM_PARAMETERS, name)) throw unknownName(name);
    texts.set(name, [...(texts.get(name) ?? []), value]);
  }
  const values = Object.fromEntries(PARAMETERS.map((parameter) => [parameter.name, readValue(parameter, texts)]));
  return {
    ...values,
    prefix: values["prefix"] ?? "",
    "fail-on": [],
    given: [...texts.keys()],
  } as unknown as StreamQuery;
}

function readValue(
  parameter: DeclaredOption,
  texts: ReadonlyMap<string, readonly string[]>,
): boolean | string | readonly string[] | undefined {
  const { name, value, list, repeat } = parameter;
  const given = texts.get(name) ?? [];
  if (repeat === true) {
    if (given.length <= COLUMNS_MAX) return given;
    throw usage(() => `${name} is given ${given.length} times: give it at most ${COLUMNS_MAX} times`);
  }
  if (list === true) {
    return checkedValues(parameter, name, given);
  }
  const [only, ...others] = given;
  if (others.length > 0) throw usage(() => `${name} is given more than once: give it once`);
  checkedValues(value === undefined ? { ...parameter, choices: SWITCH } : parameter, name, given);
  return value === undefined ? only === "true" : only;
}

function unknownName(name: string): Error {
  const names = Object.keys(STREAM_PARAMETERS);
  const near = nearNames(name, names);
  const instead = near.length === 0 ? `use ${choiceOf(names)}` : `did you mean ${choiceOf(near)}?`;
  return usage(() => `unknown query parameter ${quoted(name)}: ${instead}`);
}
