// The fields of a shape as a table of the manual: name, type, and what the shape says of each.

import type { Fields, Shape } from "../../base/shapes.ts";
import { definitions } from "./markdown.ts";

const TYPES: Readonly<Record<string, string>> = {
  string: "String",
  boolean: "Boolean",
  integer: "Number",
  number: "Number",
  array: "List",
  object: "Object",
};

/** A definition list with a term for each field. A field without a description is an error, because it would be missing in the page. */
export function fieldList(fields: Fields): string {
  return definitions(Object.entries(fields).map(([name, shape]) => [`\`${name}\``, meaningOf(name, shape)] as const));
}

function meaningOf(name: string, { type, description }: Shape): string {
  const word = TYPES[type];
  if (word === undefined || description === undefined) throw new Error(`the field ${name} has no type or description`);
  return `${word}. ${description}`;
}
