// Parses, validates and formats the records of a store. A store with anything that a later version wrote (a later
// schema, or an unknown collection, field or word) is rejected as a whole. Other invalid content is damage.

import { encodeUtf8 } from "../base/bytes/bytes.ts";
import { isObject } from "../base/result.ts";
import { matches, type Shape } from "../base/shapes.ts";
import type { Collection, Document } from "./collection.ts";

const FORMAT = 1;
// If test/unit/store/records.test.ts finds that existing records are no longer valid, increment this, and convert older
// records in validateRecord().
export const SCHEMA = 1;

export const EMPTY_DOCUMENT: Document = new Map();

/** Thrown if the store has content that no version of addrsift writes. */
export class CorruptionError extends Error {}

export class NewerVersionError extends Error {}

/** Parses a store file. Throws CorruptionError or NewerVersionError, whose messages contain no part of a record. */
export function parseDocument(bytes: Uint8Array, collections: readonly Collection<unknown>[]): Document {
  const { format, collections: stored, ...others } = requireObject(parseJson(bytes), "the file");
  if (typeof format === "number" && format > FORMAT)
    throw new NewerVersionError(`format ${format}, supported is ${FORMAT}`);
  if (format !== FORMAT) throw new CorruptionError("its format has no number");
  rejectUnknownKeys(others);
  const document = new Map<string, ReadonlyMap<string, unknown>>();
  for (const [name, content] of Object.entries(requireObject(stored, "collections"))) {
    const { schema, records, ...more } = requireObject(content, name);
    rejectUnknownKeys(more);
    const collection = findCollection(name, collections);
    checkSchema(name, schema);
    const validated = Object.entries(requireObject(records, name)).map(
      ([id, record]) => [id, validateRecord(record, collection)] as const,
    );
    document.set(name, new Map(validated));
  }
  return document;
}

/** Formats a store file. Formats only records that it has not formatted before, because a change replaces few of many. */
export function formatDocument(document: Document): Uint8Array {
  const chunks: Uint8Array[] = [];
  let separator = `{"format":${FORMAT},"collections":{`;
  for (const [name, records] of document) {
    chunks.push(encodeUtf8(`${separator}${JSON.stringify(name)}:{"schema":${SCHEMA},"records":{`));
    for (const [id, record] of records) chunks.push(formatMember(id, record), COMMA);
    if (records.size > 0) chunks.pop();
    separator = "}},";
  }
  chunks.push(encodeUtf8(document.size === 0 ? `${separator}}}\n` : "}}}}\n"));
  return Buffer.concat(chunks);
}

const COMMA = encodeUtf8(",");
/** Caches formatted records, which are immutable. */
const formattedMembers = new WeakMap<object, { readonly id: string; readonly bytes: Uint8Array }>();

function formatMember(id: string, record: unknown): Uint8Array {
  const key = record as object;
  const formatted = formattedMembers.get(key);
  if (formatted?.id === id) return formatted.bytes;
  const bytes = encodeUtf8(`${JSON.stringify(id)}:${JSON.stringify(record)}`);
  formattedMembers.set(key, { id, bytes });
  return bytes;
}

export function validateRecord(record: unknown, { name, shape, isConsistent }: Collection<unknown>): unknown {
  if (matches(shape, record)) {
    if (isConsistent?.(record) ?? true) return record;
  } else if (matches(shape, stripUnknown(shape, record))) {
    throw new NewerVersionError(`a record of ${name} has a word or a field that this version does not know`);
  }
  throw new CorruptionError(`a record of ${name} is not valid`);
}

export function findCollection(name: string, collections: readonly Collection<unknown>[]): Collection<unknown> {
  const collection = collections.find((candidate) => candidate.name === name);
  if (collection === undefined) throw new NewerVersionError(`it has ${name}, which this version does not know`);
  return collection;
}

/** Throws NewerVersionError for an unknown key, which the next change would drop. */
function rejectUnknownKeys(keys: Readonly<Record<string, unknown>>): void {
  if (Object.keys(keys).length > 0) throw new NewerVersionError("it has a key that this version does not know");
}

export function checkSchema(name: string, schema: unknown): void {
  if (typeof schema !== "number" || !Number.isInteger(schema) || schema < 1)
    throw new CorruptionError(`${name} has no schema`);
  if (schema > SCHEMA) throw new NewerVersionError(`${name} has schema ${schema}, supported is ${SCHEMA}`);
}

/** Returns the value without unknown fields and with a known word in place of each unknown word. */
function stripUnknown(shape: Shape, value: unknown): unknown {
  const { enum: choices, items, properties, additionalProperties } = shape;
  if (choices !== undefined && typeof value === "string") return choices.includes(value) ? value : choices[0];
  if (items !== undefined && Array.isArray(value)) return value.map((item) => stripUnknown(items, item));
  if (properties === undefined || additionalProperties !== false || !isObject(value)) return value;
  const knownFields = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name));
  return Object.fromEntries(knownFields.map(([name, field]) => [name, stripUnknown(properties[name], field)]));
}

function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new CorruptionError("it is empty");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // The parser's message would quote the text, which may be a secret.
    throw new CorruptionError("it is truncated or not JSON");
  }
}

function requireObject(value: unknown, subject: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new CorruptionError(`${subject} is not an object`);
}
