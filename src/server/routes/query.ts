// Query parameters that are declared in an option table.

import { suggestName } from "../../base/closest-names.ts";
import { quote, toSentence } from "../../base/format-text.ts";
import { choice, count, type Fields, flag, listOf, optional, type Shape, text } from "../../base/shapes.ts";
import { usage } from "../../bulk/messages.ts";
import type { DeclaredOption } from "../../bulk/run/option-table.ts";
import { readOptions } from "../../bulk/run/read-options.ts";

export function queryFields(table: readonly DeclaredOption[]): Fields {
  return Object.fromEntries(table.map((parameter) => [parameter.name, optional(shapeOf(parameter))]));
}

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
export function readQuery<Option extends DeclaredOption>(table: readonly Option[], query: string) {
  const names = table.map(({ name }) => name);
  const valuesByName = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!names.includes(name)) throw usage(() => `unknown query parameter ${quote(name)}: ${suggestName(name, names)}`);
    valuesByName.set(name, [...(valuesByName.get(name) ?? []), value]);
  }
  return readOptions(table, valuesByName);
}
