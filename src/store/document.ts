// The records of a store in memory, how they are read from the text of its file, and which of them this version
// takes. No disk is touched here. One build owns a store: what a later one wrote is refused as a whole.

import { matches, type Shape } from "../base/shapes.ts";
import { type Collection, schemaOf } from "./collection.ts";

const FORMAT = 1;

/** The records of a store, by collection and id. A change makes another document. */
export type Document = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

export const EMPTY: Document = new Map();

/** No version of the program writes such records. */
export class Damage extends Error {}

/** A later version wrote them. */
export class Newer extends Error {}

/** Reads a file's bytes; older schemas are converted. Throws Damage or Newer. */
export function parseDocument(bytes: Uint8Array, collections: readonly Collection<unknown>[]): Document {
  const { format, collections: stored, ...others } = asObject(parseJson(bytes), "the file");
  if (typeof format === "number" && format > FORMAT) throw new Newer(`format ${format}, known is ${FORMAT}`);
  if (format !== FORMAT) throw new Damage("its format has no number");
  refuseOthers(others);
  const document = new Map<string, ReadonlyMap<string, unknown>>();
  for (const [name, content] of Object.entries(asObject(stored, "collections"))) {
    const { schema, records, ...more } = asObject(content, name);
    refuseOthers(more);
    const collection = collectionNamed(name, collections);
    const judged = Object.entries(asObject(records, name)).map(
      ([id, old]) => [id, judge(old, schema, collection)] as const,
    );
    if (judged.length === 0) checkSchema(schema, collection);
    document.set(name, new Map(judged));
  }
  return document;
}

/** The text of a file. */
export function formatDocument(document: Document, collections: readonly Collection<unknown>[]): string {
  const stored = [...document].map(([name, records]) => {
    const schema = schemaOf(collectionNamed(name, collections));
    return [name, { schema, records: Object.fromEntries(records) }];
  });
  return `${JSON.stringify({ format: FORMAT, collections: Object.fromEntries(stored) })}\n`;
}

/** A stored record in the present schema. Throws Damage or Newer, whose message shows no part of it. */
export function judge(old: unknown, schema: unknown, collection: Collection<unknown>): unknown {
  const { name, shape, migrations } = collection;
  checkSchema(schema, collection);
  const record = migrations.slice(schema - 1).reduce((value, step) => step(value), old);
  if (matches(shape, record)) {
    if (collection.isWhole?.(record) ?? true) return record;
  } else if (matches(shape, withoutUnknown(shape, record))) {
    throw new Newer(`a record of ${name} has a word or a field that this version does not know`);
  }
  throw new Damage(`a record of ${name} is not valid`);
}

/** The registered collection of a name. Throws Newer. */
export function collectionNamed(name: string, collections: readonly Collection<unknown>[]): Collection<unknown> {
  const known = collections.find((one) => one.name === name);
  if (known === undefined) throw new Newer(`it has ${name}, which this version does not know`);
  return known;
}

/** A key beside the known ones would be lost by the next change. */
function refuseOthers(others: Readonly<Record<string, unknown>>): void {
  if (Object.keys(others).length > 0) throw new Newer("it has a key that this version does not know");
}

function checkSchema(schema: unknown, collection: Collection<unknown>): asserts schema is number {
  const { name } = collection;
  if (typeof schema !== "number" || !Number.isInteger(schema) || schema < 1) throw new Damage(`${name} has no schema`);
  const known = schemaOf(collection);
  if (schema > known) throw new Newer(`${name} of schema ${schema}, known is ${known}`);
}

/** The value without the fields that the shape does not know, and with a known word in place of an unknown one. */
function withoutUnknown(shape: Shape, value: unknown): unknown {
  const { enum: words, items, properties, additionalProperties } = shape;
  if (words !== undefined && typeof value === "string") return words.includes(value) ? value : words[0];
  if (items !== undefined && Array.isArray(value)) return value.map((item) => withoutUnknown(items, item));
  if (properties === undefined || additionalProperties !== false || !isObject(value)) return value;
  const known = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name));
  return Object.fromEntries(known.map(([name, one]) => [name, withoutUnknown(properties[name], one)]));
}

function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new Damage("it is empty");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // The parser's own message would quote the text, which may be a secret.
    throw new Damage("it is cut off or not JSON");
  }
}

function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new Damage(`${what} is not an object`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
