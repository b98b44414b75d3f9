// The Markdown of the manual's generated parts, and how it gets to its place in a page's prose.

/** Markdown by the placeholder that it replaces. */
export type Tables = Readonly<Record<string, string>>;

/** The template with its placeholders replaced. A placeholder that has no table is an error, and so is a table that has none. */
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
