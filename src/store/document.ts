// The records of a store in memory: how they are read from the text of its file, and changed by what its journal says. No disk is
// touched here. Unregistered collections, and records that only a later version knows, are kept unchanged. Reading and changing are in one
// file, because both must judge a record in the same way.

import { type Collection, schemaOf } from "./collection.ts";

// A file of format 1 is complete. One of format 2 goes with a journal, which earlier versions do not know: they refuse such a file.
const COMPLETE = 1;
const WITH_JOURNAL = 2;

/** The contents of a registered collection. */
export interface Content {
  readonly records: Map<string, unknown>;
  /** Records that only a later version knows. */
  readonly later: Map<string, unknown>;
  /** The ids of both in the order of the file, where it matters: when there are records of a later version. */
  readonly order: readonly string[];
  /** The schema in which it stands in the file. The records in memory are of the present schema. */
  schema: number;
}

/** The contents of a store. Only what is on the disk is in it. */
export interface Document {
  /** The registered collections by name. */
  readonly contents: Map<string, Content>;
  /** Unregistered collections: JSON values, unchanged but for what a journal says of them. */
  readonly foreign: Map<string, unknown>;
}

/** Which journal goes with a file: its place, 1 or 2, and its name for itself. */
export interface JournalName {
  readonly place: number;
  readonly id: string;
}

/** What one line of a journal does to a collection. */
export interface CollectionChange {
  readonly schema: number;
  readonly set: Readonly<Record<string, unknown>>;
  readonly delete: readonly string[];
}

/** Is told of each record that changes: of which collection, what it was and what it is. */
export type Tell = (name: string, before: unknown, after: unknown) => void;

/** Collections in the order of the file, to be written. */
type Written = Iterable<readonly [string, Pick<Content, "records" | "later" | "order">]>;

/** No version of the program writes such a file. */
export class CorruptFile extends Error {
  override readonly name = "Damage";
}

/** The file is from a later version. */
export class NewerVersion extends Error {
  override readonly name = "Newer";
}

export function emptyDocument(): Document {
  return { contents: new Map(), foreign: new Map() };
}

export function emptyContent(collection: Collection<unknown>): Content {
  return { records: new Map(), later: new Map(), order: [], schema: schemaOf(collection) };
}

/** Reads a file's octets; older schemas are converted. Throws CorruptFile or NewerVersion. */
export function parseDocument(
  octets: Uint8Array,
  collections: readonly Collection<unknown>[],
): { readonly document: Document; readonly journal: JournalName | undefined } {
  const { format, journal, collections: stored } = asObject(parseJson(octets), "the file");
  if (typeof format === "number" && format > WITH_JOURNAL)
    throw new NewerVersion(`format ${format}, known is ${WITH_JOURNAL}`);
  if (format !== COMPLETE && format !== WITH_JOURNAL) throw new CorruptFile("its format has no number");
  const document = documentOf(asObject(stored, "collections"), collections);
  return { document, journal: format === COMPLETE ? undefined : asJournalName(journal) };
}

/** Stored collections by name; older schemas are converted. Throws CorruptFile or NewerVersion. */
export function documentOf(stored: object, collections: readonly Collection<unknown>[]): Document {
  const document = emptyDocument();
  for (const [name, content] of Object.entries(stored)) {
    const collection = collections.find((known) => known.name === name);
    if (collection === undefined) document.foreign.set(name, content);
    else document.contents.set(name, parseCollection(content, collection));
  }
  return document;
}

/** The beginning of a file's text, up to its collections. */
export function formatHead(journal: JournalName | undefined): string {
  return journal === undefined
    ? `{"format":${COMPLETE},"collections":`
    : `{"format":${WITH_JOURNAL},"journal":${JSON.stringify({ place: journal.place, id: journal.id })},"collections":`;
}

/** Reads the journal's name from the first octets of a file; undefined for any other beginning. */
export function journalOfHead(octets: Uint8Array): JournalName | undefined {
  const text = new TextDecoder().decode(octets);
  const found = /^\{"format":2,"journal":\{"place":([12]),"id":"(\w+)"\},"collections":/.exec(text);
  return found === null ? undefined : { place: Number(found[1]), id: found[2] as string };
}

/** The text of all collections, in small pieces, so that a large store need not be written in one turn of the event loop. */
export function* collectionsText(
  contents: Written,
  foreign: ReadonlyMap<string, unknown>,
  collections: readonly Collection<unknown>[],
): Generator<string> {
  let separator = "{";
  for (const [name, content] of foreign) {
    yield `${separator}${JSON.stringify(name)}:${JSON.stringify(content)}`;
    separator = ",";
  }
  for (const [name, content] of contents) {
    const collection = collections.find((known) => known.name === name) as Collection<unknown>;
    yield `${separator}${JSON.stringify(name)}:{"schema":${schemaOf(collection)},"records":{`;
    separator = "";
    for (const [id, record] of inOrder(content)) {
      yield `${separator}${JSON.stringify(id)}:${JSON.stringify(record)}`;
      separator = ",";
    }
    yield "}}";
    separator = ",";
  }
  yield separator === "{" ? "{}" : "}";
}

/** Does to the document what a line of the journal says. Throws CorruptFile or NewerVersion. */
export function applyChange(
  document: Document,
  changes: unknown,
  collections: readonly Collection<unknown>[],
  tell: Tell | undefined,
): void {
  for (const [name, value] of Object.entries(asObject(changes, "a change"))) {
    const change = asChange(value);
    const collection = collections.find((known) => known.name === name);
    if (collection === undefined) changeForeign(document, name, change);
    else changeKnown(document, collection, change, tell);
  }
}

function changeKnown(
  document: Document,
  collection: Collection<unknown>,
  { schema, set, delete: gone }: CollectionChange,
  tell: Tell | undefined,
): void {
  const { name } = collection;
  checkSchema(schema, collection);
  const content = document.contents.get(name) ?? { ...emptyContent(collection), schema };
  if (content.schema !== schema) throw new CorruptFile(`a change of ${name} has another schema`);
  document.contents.set(name, content);
  const { records, later } = content;
  const put = (id: string, record: unknown): void => {
    const before = records.get(id);
    if (record === undefined) records.delete(id);
    else records.set(id, record);
    tell?.(name, before, record);
  };
  for (const id of gone) {
    later.delete(id);
    if (records.has(id)) put(id, undefined);
  }
  for (const [id, old] of Object.entries(set)) {
    const { record, isKnown } = judge(old, schema, collection);
    if (isKnown) later.delete(id);
    else later.set(id, record);
    if (isKnown || records.has(id)) put(id, isKnown ? record : undefined);
  }
}

/** The collection is not known, but each version keeps records by id. */
function changeForeign(document: Document, name: string, { schema, set, delete: gone }: CollectionChange): void {
  const content = asObject(document.foreign.get(name) ?? { schema, records: {} }, name);
  const records = asObject(content["records"], name) as Record<string, unknown>;
  if (content["schema"] !== schema) throw new CorruptFile(`a change of ${name} has another schema`);
  for (const id of gone) delete records[id];
  for (const [id, value] of Object.entries(set)) {
    // An id may be __proto__.
    Object.defineProperty(records, id, { value, enumerable: true, configurable: true, writable: true });
  }
  document.foreign.set(name, content);
}

function parseCollection(content: unknown, collection: Collection<unknown>): Content {
  const { name } = collection;
  const { schema, records: stored } = asObject(content, name);
  checkSchema(schema, collection);
  const [records, later] = [new Map<string, unknown>(), new Map<string, unknown>()];
  const entries = Object.entries(asObject(stored, name));
  for (const [id, old] of entries) {
    const { record, isKnown } = judge(old, schema, collection);
    (isKnown ? records : later).set(id, record);
  }
  return { records, later, order: later.size === 0 ? [] : entries.map(([id]) => id), schema };
}

/** A record in the present schema, and whether this version knows it. */
function judge(
  old: unknown,
  schema: number,
  { name, migrations, isRecord, isLater }: Collection<unknown>,
): { readonly record: unknown; readonly isKnown: boolean } {
  const record = migrations.slice(schema - 1).reduce((value, step) => step(value), old);
  if (isRecord(record)) return { record, isKnown: true };
  if (isLater?.(record) === true) return { record, isKnown: false };
  // The record itself is not shown: a damaged one may have a secret anywhere.
  throw new CorruptFile(`a record of ${name} is not valid`);
}

function checkSchema(schema: unknown, collection: Collection<unknown>): asserts schema is number {
  const { name } = collection;
  if (typeof schema !== "number" || !Number.isInteger(schema) || schema < 1)
    throw new CorruptFile(`${name} has no schema`);
  const known = schemaOf(collection);
  if (schema > known) throw new NewerVersion(`${name} of schema ${schema}, known is ${known}`);
}

/** All records of a collection in their order; new ones come last. */
function inOrder({ records, later, order }: Pick<Content, "records" | "later" | "order">): Map<string, unknown> {
  if (later.size === 0) return records;
  const all = new Map<string, unknown>();
  for (const id of order) {
    const record = records.get(id) ?? later.get(id);
    if (record !== undefined) all.set(id, record);
  }
  // A record that already has a place keeps it.
  for (const part of [records, later]) for (const [id, record] of part) all.set(id, record);
  return all;
}

function asChange(value: unknown): CollectionChange {
  const change = asObject(value, "a change");
  const { schema, delete: gone } = change;
  if (typeof schema !== "number" || !Array.isArray(gone)) throw new CorruptFile("a change is not complete");
  return { schema, set: asObject(change["set"], "a change"), delete: gone };
}

function asJournalName(value: unknown): JournalName {
  const { place, id } = asObject(value, "journal");
  if ((place !== 1 && place !== 2) || typeof id !== "string") throw new CorruptFile("its journal has no name");
  return { place, id };
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

export function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new CorruptFile(`${what} is not an object`);
}
