// The text of a store's file and its meaning: collections of records, each with its schema. No disk is touched here. Unregistered
// collections, and records that only a later version knows, are kept unchanged.

import { type Collection, schemaOf } from "./collection.ts";

// Of the whole file; collections have schemas of their own.
const FORMAT = 1;

/** Records by id, in the order in which they were added. */
export type Records = ReadonlyMap<string, unknown>;

/** The contents of a registered collection. */
export interface Content {
  readonly records: Records;
  /** Records that only a later version knows. */
  readonly later: Records;
  /** The ids of both, in the order of the file. */
  readonly order: readonly string[];
}

/** The contents of a file. It is never changed; a change makes a new one. */
export interface Document {
  /** The registered collections by name. */
  readonly contents: ReadonlyMap<string, Content>;
  /** Unregistered collections, unchanged. */
  readonly foreign: Readonly<Record<string, unknown>>;
}

/** No version of the program writes such a file. */
export class CorruptFile extends Error {
  override readonly name = "Damage";
}

/** The file is from a later version. */
export class NewerVersion extends Error {
  override readonly name = "Newer";
}

export const EMPTY: Document = { contents: new Map(), foreign: {} };
export const NO_CONTENT: Content = { records: new Map(), later: new Map(), order: [] };

/** Reads a file's octets; older schemas are converted. Throws CorruptFile or NewerVersion. */
export function parseDocument(octets: Uint8Array, collections: readonly Collection<unknown>[]): Document {
  const { format, collections: stored } = asObject(parseJson(octets), "the file");
  if (typeof format === "number" && format > FORMAT) throw new NewerVersion(`format ${format}, known is ${FORMAT}`);
  if (format !== FORMAT) throw new CorruptFile("its format has no number");
  const contents = new Map<string, Content>();
  const foreign: [string, unknown][] = [];
  for (const [name, content] of Object.entries(asObject(stored, "collections"))) {
    const collection = collections.find((known) => known.name === name);
    if (collection === undefined) foreign.push([name, content]);
    else contents.set(name, parseCollection(content, collection));
  }
  return { contents, foreign: Object.fromEntries(foreign) };
}

function parseCollection(content: unknown, collection: Collection<unknown>): Content {
  const { name, migrations, isRecord, isLater } = collection;
  const { schema, records: stored } = asObject(content, name);
  if (typeof schema !== "number" || !Number.isInteger(schema) || schema < 1)
    throw new CorruptFile(`${name} has no schema`);
  const known = schemaOf(collection);
  if (schema > known) throw new NewerVersion(`${name} of schema ${schema}, known is ${known}`);
  const steps = migrations.slice(schema - 1);
  const [records, later] = [new Map<string, unknown>(), new Map<string, unknown>()];
  const entries = Object.entries(asObject(stored, name));
  for (const [id, old] of entries) {
    const record = steps.reduce((value, step) => step(value), old);
    if (isRecord(record)) records.set(id, record);
    else if (isLater?.(record) === true) later.set(id, record);
    // The record itself is not shown: a damaged one may have a secret anywhere.
    else throw new CorruptFile(`a record of ${name} is not valid`);
  }
  return { records, later, order: entries.map(([id]) => id) };
}

/** The text of a file; it ends in a line break. */
export function formatDocument({ contents, foreign }: Document, collections: readonly Collection<unknown>[]): string {
  const written = [...contents].map(([name, content]) => {
    const collection = collections.find((known) => known.name === name) as Collection<unknown>;
    return [name, { schema: schemaOf(collection), records: Object.fromEntries(inOrder(content)) }];
  });
  return `${JSON.stringify({ format: FORMAT, collections: { ...foreign, ...Object.fromEntries(written) } })}\n`;
}

/** All records of a collection in their order; new ones come last. */
function inOrder({ records, later, order }: Content): Records {
  if (later.size === 0) return records;
  const all = new Map<string, unknown>();
  for (const id of order) {
    const record = records.get(id) ?? later.get(id);
    if (record !== undefined) all.set(id, record);
  }
  // A record that already has a place keeps it.
  for (const [id, record] of records) all.set(id, record);
  return all;
}

function parseJson(octets: Uint8Array): unknown {
  if (octets.length === 0) throw new CorruptFile("it is empty");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(octets));
  } catch {
    // The parser's own message would quote the text, which may be a secret.
    throw new CorruptFile("it is cut off or not JSON");
  }
}

function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new CorruptFile(`${what} is not an object`);
}
