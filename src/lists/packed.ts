// A table as JSON that compresses well, for programs that download their lists: sorted names, front-coded.

import { KIND, type Kind, type TableEntry, tableError, writeTable } from "./format.ts";

/** Maximum number of characters that a name shares with the previous one: the largest base-36 digit. */
const MAX_SHARED_PREFIX = 35;

interface TableText {
  readonly meta: unknown;
  readonly attributes: readonly (readonly number[])[];
  /** Per kind: names, one per line, and their indexes into `attributes`. */
  readonly kinds: readonly (readonly [kind: Kind, names: string, attributeIndexes: readonly number[]])[];
}

export function packTable(entries: Iterable<TableEntry>, meta: unknown): string {
  const decoded = Array.from(entries, ({ kind, name, attributes }) => {
    return { kind, name: new TextDecoder().decode(name), attributes: JSON.stringify([...attributes]) };
  });
  decoded.sort((a, b) => (a.name < b.name ? -1 : 1));
  const distinctAttributes = [...new Set(decoded.map(({ attributes }) => attributes))].sort();
  const indexes = new Map(distinctAttributes.map((text, index) => [text, index]));
  const kinds = Object.values(KIND).map((kind) => {
    const entriesOfKind = decoded.filter((entry) => entry.kind === kind);
    const names = entriesOfKind.map(({ name }, i) => frontCode(name, entriesOfKind[i - 1]?.name ?? ""));
    return [kind, names.join("\n"), entriesOfKind.map(({ attributes }) => indexes.get(attributes) as number)] as const;
  });
  const packed: TableText = { meta, attributes: distinctAttributes.map((text) => JSON.parse(text) as number[]), kinds };
  return JSON.stringify(packed);
}

function frontCode(name: string, previous: string): string {
  let shared = 0;
  while (shared < MAX_SHARED_PREFIX && shared < name.length && name[shared] === previous[shared]) shared += 1;
  return shared.toString(36) + name.slice(shared);
}

export function isPacked(bytes: Uint8Array): boolean {
  return bytes[0] === "{".charCodeAt(0);
}

export function unpackTable(source: string, bytes: Uint8Array): Uint8Array {
  try {
    const { meta, attributes, kinds } = JSON.parse(new TextDecoder().decode(bytes)) as TableText;
    const decodedAttributes = attributes.map((bytes) => Uint8Array.from(bytes));
    const encoder = new TextEncoder();
    const entries = kinds.flatMap(([kind, names, attributeIndexes]) => {
      let name = "";
      const lines = names.split("\n");
      return attributeIndexes.map((index, i): TableEntry => {
        const line = lines[i] as string;
        name = name.slice(0, Number.parseInt(line[0] as string, 36)) + line.slice(1);
        return { kind, name: encoder.encode(name), attributes: decodedAttributes[index] as Uint8Array };
      });
    });
    return writeTable(entries, meta);
  } catch (error) {
    throw tableError(source, "it is damaged", error);
  }
}
