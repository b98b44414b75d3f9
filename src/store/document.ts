// Parses, validates and formats the records of a store. A store with anything that a later version wrote is rejected as
// a whole.

import { isObject } from "../base/result.ts";
import { matches, type Shape } from "../base/shapes.ts";
import type { Collection, Document } from "./collection.ts";

const FORMAT = 1;
export const SCHEMA = 1;

export const EMPTY_DOCUMENT: Document = new Map();

/** The store has content that no version of addrsift writes. */
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

export function formatDocument(document: Document): string {
  const stored = [...document].map(([name, records]) => [
    name,
    { schema: SCHEMA, records: Object.fromEntries(records) },
  ]);
  return `${JSON.stringify({ format: FORMAT, collections: Object.fromEntries(stored) })}\n`;
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
