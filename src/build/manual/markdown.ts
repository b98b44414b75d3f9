// The Markdown of the manual's generated parts, such as the fields of a shape, and how it gets to its place in a page's
// prose.

import type { Fields, Shape } from "../../base/shapes.ts";

/** Markdown by the placeholder that it replaces. */
export type Tables = Readonly<Record<string, string>>;

/**
 * The template with its placeholders replaced. A placeholder that has no table is an error, and so is a table that has
 * none.
 */
export function fillTemplate(name: string, template: string, tables: Tables): string {
  const unused = new Set(Object.keys(tables));
  const filled = template.replace(/\{\{(.*?)\}\}/g, (_, placeholder: string) => {
    const table = tables[placeholder];
    if (table === undefined)
      throw new Error(`${name}: unknown placeholder {{${placeholder}}}: use ${Object.keys(tables).join(", ")}`);
    unused.delete(placeholder);
    return table;
  });
  if (unused.size > 0) throw new Error(`${name}: the placeholder {{${[...unused].join("}}, {{")}}} is missing`);
  return filled;
}

/** Terms with what they mean, as the Markdown that becomes tagged paragraphs. */
export function definitions(entries: Iterable<readonly [term: string, meaning: string]>): string {
  return Array.from(entries, ([term, meaning]) => `${term}\n: ${meaning}`).join("\n\n");
}

/** Text that stands for itself in Markdown. */
export function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>]/g, "\\$&");
}

const TYPES: Readonly<Record<string, string>> = {
  string: "String",
  boolean: "Boolean",
  integer: "Number",
  number: "Number",
  array: "List",
  object: "Object",
};

/**
 * A definition list with a term for each field. A field without a description is an error, because it would be missing
 * in the page.
 */
export function fieldList(fields: Fields): string {
  return definitions(Object.entries(fields).map(([name, shape]) => [`\`${name}\``, meaningOf(name, shape)] as const));
}

function meaningOf(name: string, { type, description }: Shape): string {
  const word = TYPES[type];
  if (word === undefined || description === undefined) throw new Error(`the field ${name} has no type or description`);
  return `${word}. ${description}`;
}
