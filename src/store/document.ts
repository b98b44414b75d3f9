// The records of a store in memory: how they are read from the text of its file, and changed by what its journal says. No disk is
// touched here. One build owns a store: what a later one wrote is refused as a whole. Reading and changing are in one file, because both
// must judge a record in the same way.

import { type Collection, schemaOf } from "./collection.ts";

// A file of format 1 is complete. One of format 2 goes with a journal.
const COMPLETE = 1;
const WITH_JOURNAL = 2;

export interface Content {
  readonly records: Map<string, unknown>;
  /** The schema in which it stands in the file. The records in memory are of the present schema. */
  schema: number;
}

/** The contents of a store. Only what is on the disk is in it. */
export interface Document {
  readonly contents: Map<string, Content>;
}

/** Which journal goes with a file: its place, 1 or 2, and its name for itself. */
export interface JournalName {
  readonly place: number;
  readonly id: string;
}

/** The effect of one line of a journal on a collection. */
export interface CollectionChange {
  readonly schema: number;
  readonly set: Readonly<Record<string, unknown>>;
  readonly delete: readonly string[];
}

/** Is told of each record that changes: of which collection, what it was and what it is. */
export type Tell = (name: string, before: unknown, after: unknown) => void;

/** Collections in the order of the file, to be written. */
export type Written = Iterable<readonly [string, { readonly records: Iterable<readonly [string, unknown]> }]>;

/** No version of the program writes such a file. */
export class CorruptFile extends Error {
  override readonly name = "Damage";
}

export class NewerVersion extends Error {
  override readonly name = "Newer";
}

export function emptyDocument(): Document {
  return { contents: new Map() };
}

export function emptyContent(collection: Collection<unknown>): Content {
  return { records: new Map(), schema: schemaOf(collection) };
}

/** Reads a file's octets; older schemas are converted. Throws CorruptFile or NewerVersion. */
export function parseDocument(octets: Uint8Array, collections: readonly Collection<unknown>[]) {
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
    document.contents.set(name, parseCollection(content, knownOf(name, collections)));
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
export function* collectionsText(contents: Written, collections: readonly Collection<unknown>[]): Generator<string> {
  let separator = "{";
  for (const [name, { records }] of contents) {
    yield `${separator}${JSON.stringify(name)}:{"schema":${schemaOf(knownOf(name, collections))},"records":{`;
    separator = "";
    for (const [id, record] of records) {
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
    changeCollection(document, knownOf(name, collections), asChange(value), tell);
  }
}

function changeCollection(
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
  const { records } = content;
  const put = (id: string, record: unknown): void => {
    const before = records.get(id);
    if (record === undefined) records.delete(id);
    else records.set(id, record);
    tell?.(name, before, record);
  };
  for (const id of gone) if (records.has(id)) put(id, undefined);
  for (const [id, old] of Object.entries(set)) put(id, judge(old, schema, collection));
}

function parseCollection(content: unknown, collection: Collection<unknown>): Content {
  const { name } = collection;
  const { schema, records: stored } = asObject(content, name);
  checkSchema(schema, collection);
  const entries = Object.entries(asObject(stored, name));
  return { records: new Map(entries.map(([id, old]) => [id, judge(old, schema, collection)])), schema };
}

function judge(old: unknown, schema: number, { name, migrations, isRecord }: Collection<unknown>): unknown {
  const record = migrations.slice(schema - 1).reduce((value, step) => step(value), old);
  if (isRecord(record)) return record;
  // The record itself is not shown: a damaged one may have a secret anywhere.
  throw new CorruptFile(`a record of ${name} is not valid`);
}

function knownOf(name: string, collections: readonly Collection<unknown>[]): Collection<unknown> {
  const known = collections.find((one) => one.name === name);
  if (known === undefined) throw new NewerVersion(`it has ${name}, which this version does not know`);
  return known;
}

function checkSchema(schema: unknown, collection: Collection<unknown>): asserts schema is number {
  const { name } = collection;
  if (typeof schema !== "number" || !Number.isInteger(schema) || schema < 1)
    throw new CorruptFile(`${name} has no schema`);
  const known = schemaOf(collection);
  if (schema > known) throw new NewerVersion(`${name} of schema ${schema}, known is ${known}`);
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

/**
 * An index of a collection's records. It is told of a change when the change is made, which is a moment before it is on the disk; one
 * that fails is taken back by the opposite change.
 */
export interface Observer<R> {
  /** Forgets everything: the collection is read again. */
  readonly clear: () => void;
  /** A record was added (`before` is undefined), replaced or deleted (`after` is undefined). */
  readonly replace: (before: R | undefined, after: R | undefined) => void;
}

export class Observers {
  private readonly byName = new Map<string, Observer<unknown>[]>();
  private document: Document | undefined;

  add(name: string, observer: Observer<unknown>): void {
    this.byName.set(name, [...(this.byName.get(name) ?? []), observer]);
    if (this.document !== undefined) fill(observer, name, this.document);
  }

  readonly tell = (name: string, before: unknown, after: unknown): void => {
    for (const observer of this.byName.get(name) ?? []) observer.replace(before, after);
  };

  /** Tells all that there is in place of what was. */
  reset(document: Document): void {
    this.document = document;
    for (const [name, observers] of this.byName) for (const observer of observers) fill(observer, name, document);
  }
}

function fill(observer: Observer<unknown>, name: string, document: Document): void {
  observer.clear();
  for (const record of document.contents.get(name)?.records.values() ?? []) observer.replace(undefined, record);
}
