// Reads the preamble of JSON Lines: finds the key of the address in the first objects, and checks the added keys. If
// the whole input is one object, finds the array of rows in it.

import { LF, OPEN_BRACKET } from "../../../base/bytes/ascii.ts";
import { decodeUtf8, findByte } from "../../../base/bytes/bytes.ts";
import { closestNames } from "../../../base/closest-names.ts";
import { quote } from "../../../base/format-text.ts";
import { isObject } from "../../../base/result.ts";
import { InputError, type Message, usage } from "../../messages.ts";
import { InputBuffer } from "../../reader.ts";
import { AddressCandidates, emailColumns, MAX_LISTED } from "../csv-header.ts";
import { isWhiteSpace, MAX_RECORD_BYTES, unterminatedRowError } from "../row.ts";
import { ObjectScan } from "./object.ts";
import { jsonLinesSource, truncatedJsonError } from "./source.ts";

// Maximum lines and bytes that are searched for the key of the address.
const MAX_PROBED_LINES = 100;
const MAX_PROBED_BYTES = 1024 * 1024;

export interface JsonLinesOptions {
  /** Path of the address: keys, or array indexes. If undefined, the only key that mentions email. */
  readonly path: readonly string[] | undefined;
  /** Paths of additional addresses. */
  readonly additionalColumns?: readonly (readonly string[])[] | undefined;
  /** Prefix of the names of added keys. */
  readonly prefix: string;
  /** The only added key; if undefined, one key per field is added. */
  readonly into: string | undefined;
}

/** If only blank lines have arrived, `path` is undefined, and the first object decides about it. */
export interface JsonLinesLayout extends JsonLinesOptions {
  readonly added: readonly string[];
}

/**
 * Returns the name of each address of a row, which is the prefix of its added keys, or its key within `into`. If rows
 * have one address, its name is empty.
 */
export function addressNames({
  path = [],
  additionalColumns,
}: Pick<JsonLinesOptions, "path" | "additionalColumns">): readonly string[] {
  return additionalColumns === undefined ? [""] : [path, ...additionalColumns].map((each) => each.join("."));
}

interface JsonLinesPreamble {
  readonly layout: JsonLinesLayout;
  readonly keys: readonly string[];
  readonly arrayPath?: readonly string[];
  readonly buffer: InputBuffer;
}

/**
 * Reads the preamble. `fields` are the added fields. If the input is one object with an array of rows, returns the path
 * of the array and a buffer of its elements. If the input is a part, reads nothing. Throws AddrsiftError.
 */
export async function readJsonLinesPreamble(
  buffer: InputBuffer,
  options: JsonLinesOptions,
  isPart: boolean,
  fields: readonly string[],
  onNote: (note: string) => void,
  elementPath: Path = [],
): Promise<JsonLinesPreamble> {
  const { path, additionalColumns, prefix, into } = options;
  const starIndex = path?.indexOf(STAR) ?? -1;
  if (path !== undefined && starIndex > 0) {
    const arrayPath = path.slice(0, starIndex);
    const starPath = path.slice(0, starIndex + 1);
    const stripArrayPath = (each: readonly string[]): readonly string[] => {
      if (each.slice(0, starIndex + 1).join("\0") === starPath.join("\0")) return each.slice(starIndex + 1);
      throw usage(({ option }) => `${option("column")} must name keys of one array: ${formatPath(starPath)}`);
    };
    const paths = [path, ...(additionalColumns ?? [])].map(stripArrayPath);
    const elementOptions = { ...options, path: paths[0], additionalColumns: additionalColumns && paths.slice(1) };
    const elements = await selectArray(buffer, arrayPath, paths);
    return { ...(await readJsonLinesPreamble(elements, elementOptions, isPart, fields, onNote, starPath)), arrayPath };
  }
  const prefixes = addressNames(options).map((name) => prefix + (name && `${name}_`));
  const addedKeys = prefixes.flatMap((prefix) => fields.map((field) => prefix + field));
  const added = into === undefined ? addedKeys : [into];
  if (isPart) return { layout: { ...options, added }, keys: [], buffer };
  const first = await readFirstObjects(buffer, path === undefined);
  if (first.arrayPath !== undefined) {
    const { arrayPath } = first;
    onNote(`each element of ${formatPath(arrayPath)} is a row`);
    const elements = await selectArray(buffer, arrayPath);
    return { ...(await readJsonLinesPreamble(elements, options, isPart, fields, onNote)), arrayPath };
  }
  rejectTakenKeys(first.keys, added, into);
  const addressPath = path ?? (first.isAllBlank ? undefined : chooseKey(first, onNote));
  for (const each of path === undefined ? [] : [path, ...(additionalColumns ?? [])]) {
    rejectUnknownKey(first.keys, first.allKeys, each);
    rejectNestedValues(first.objects, each, elementPath);
  }
  return { layout: { ...options, path: addressPath, added }, keys: [...first.allKeys], buffer };
}

/**
 * Returns the elements of an array in the object that is the whole input. Throws AddrsiftError if there is no such
 * array, or if no element has a value at one of the `required` paths.
 */
export async function selectArray(
  buffer: InputBuffer,
  path: readonly string[],
  required: readonly (readonly string[])[] = [],
): Promise<InputBuffer> {
  while (!buffer.ended && buffer.end - buffer.start <= MAX_RECORD_BYTES) await buffer.fill();
  const { bytes, start, unread } = buffer;
  const isText = (byte: number): boolean => !isWhiteSpace(byte);
  const object = new ObjectScan(path, []);
  const isWhole =
    buffer.ended && object.scan(bytes, start + unread.findIndex(isText), start + unread.findLastIndex(isText) + 1);
  if (!isWhole || object.kind !== "other" || bytes[object.valueStart] !== OPEN_BRACKET) {
    const name = formatPath(path);
    if (buffer.ended && object.isTruncated) throw truncatedJsonError();
    throw new InputError("INPUT", ({ option, send }) => {
      if (isWhole) return `there is no array ${name} in the object: check ${option("column")}`;
      const lines = send(`jq -c '.${name}[]'`, " --jsonl");
      return `the input is not one object of at most 16 MiB with an array ${name}: ${lines}`;
    });
  }
  buffer.start = object.valueStart;
  buffer.end = object.valueEnd;
  const elements: readonly unknown[] =
    required.length === 0 ? [] : JSON.parse(decodeUtf8(bytes, buffer.start, buffer.end));
  const hasNone = (each: Path): boolean => elements.every((element) => valueAt(element, each) === undefined);
  const missing = elements.length === 0 ? undefined : required.find(hasNone);
  if (missing !== undefined) {
    throw usage(
      ({ option }) => `no element of ${formatPath(path)} has ${formatPath(missing)}: check ${option("column")}`,
    );
  }
  return new InputBuffer(jsonLinesSource(buffer, () => {}));
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((parent, key) => (parent as Record<string, unknown> | null | undefined)?.[key], value);
}

interface FirstObjects {
  /** Keys of the first object. */
  readonly keys: readonly string[];
  /** Keys of all objects that were read. */
  readonly allKeys: ReadonlySet<string>;
  readonly objects: readonly object[];
  /** Number of the first row that is neither blank nor an object; 0 if there is none. */
  readonly firstInvalidRow: number;
  /** True if only blank lines have arrived so far. */
  readonly isAllBlank: boolean;
  /** Paths that may contain the address, by the values of these objects. */
  readonly candidates: CandidatePaths;
  /** Path of the only array of objects, if there is only one object. */
  readonly arrayPath?: readonly string[] | undefined;
}

/** Chooses the path of the address, by the keys or else by the values. Throws AddrsiftError. */
function chooseKey(
  { allKeys, firstInvalidRow, candidates }: FirstObjects,
  onNote: (note: string) => void,
): readonly string[] {
  if (allKeys.size === 0 && firstInvalidRow === 0) return ["email"];
  if (allKeys.size === 0) throw notAnObjectError(firstInvalidRow);
  const keys = [...allKeys];
  const { nestedKeys, possible, listed, isDecided } = candidates;
  const [path, second] = possible;
  const soleKey = soleEmailKey(keys, candidates);
  if (soleKey !== undefined) return [soleKey];
  if (path === undefined && listed.length < 2) {
    if (nestedKeys[0] !== undefined) throw nestedKeyError(nestedKeys[0]);
    return [guessEmailKey(keys)];
  }
  if (path === undefined || second !== undefined || !isDecided) throw keyChoiceError(listed.map(formatPath));
  if (path.at(-1) === "0") throw nestedKeyError(formatPath(path.slice(0, -1)));
  onNote(`by its values, the address is in ${formatPath(path)}`);
  return path;
}

/** Returns the only key that mentions email, unless it has had only arrays and objects. */
function soleEmailKey(keys: readonly string[], { nestedKeys }: CandidatePaths): string | undefined {
  const [key, second] = emailColumns(keys).map((i) => keys[i]);
  return second === undefined && key !== undefined && !nestedKeys.includes(key) ? key : undefined;
}

type Path = readonly string[];

/** Paths that may contain the address, by the values of the first objects. */
interface CandidatePaths {
  /** Keys that mention email and have had only arrays and objects so far. They are no candidates themselves. */
  readonly nestedKeys: readonly string[];
  readonly possible: readonly Path[];
  /** Paths to choose from in an error. */
  readonly listed: readonly Path[];
  /** True if further objects can't change the choice of the path. */
  readonly isDecided: boolean;
}

/** Collects the paths of all values except arrays and objects. Of an array of strings, only the first has a path. */
class PathValues {
  private readonly paths = new Map<string, Path>();
  private readonly nestedKeys = new Set<string>();
  private readonly candidates = new AddressCandidates<Path>();
  private emailPaths: readonly Path[] = [];
  /** Number of paths for which `emailPaths` was computed. */
  private searchedPathCount = 0;

  add(value: unknown, path: Path = []): void {
    if (typeof value === "object" && value !== null) {
      if (path.length === 1 && emailColumns(path).length > 0) this.nestedKeys.add(path[0] as string);
      const children = Array.isArray(value) ? value.slice(0, 1).filter((child) => typeof child === "string") : value;
      for (const [key, child] of Object.entries(children)) this.add(child, [...path, key]);
      return;
    }
    const name = path.join("\0");
    const uniquePath = this.paths.get(name) ?? path;
    this.paths.set(name, uniquePath);
    if (typeof value === "string") this.candidates.add(uniquePath, value);
  }

  /** Returns the candidates so far. `isComplete`: no further values will be added. */
  select(isComplete: boolean): CandidatePaths {
    const { paths, candidates } = this;
    if (paths.size > this.searchedPathCount) this.emailPaths = findEmailPaths([...paths.values()]);
    this.searchedPathCount = paths.size;
    const { emailPaths } = this;
    const possible = candidates.select(emailPaths);
    const nestedKeys = [...this.nestedKeys].filter((key) => !paths.has(key));
    const isOnly = (emailPaths.length || paths.size) === 1 && nestedKeys.length === 0;
    const withAddress = possible.length === 0 ? candidates.select([]) : [];
    return {
      nestedKeys,
      possible,
      listed: possible.length > 1 ? possible : [...new Set([...possible, ...emailPaths, ...withAddress])],
      isDecided: possible.length > 1 || (possible.length === 1 && (isOnly || isComplete)),
    };
  }
}

/** Returns the paths whose last key mentions email; nested ones only if there is no other. */
function findEmailPaths(paths: readonly Path[]): readonly Path[] {
  const lastName = (path: Path): string => path.findLast((key) => key !== "0") ?? "";
  const selectEmailPaths = (candidates: readonly Path[]): Path[] =>
    emailColumns(candidates.map(lastName)).map((i) => candidates[i] as Path);
  const top = selectEmailPaths(paths.filter((path) => path.length === 1));
  return top.length > 0 ? top : selectEmailPaths(paths);
}

/** Returns the paths of arrays that contain only objects. */
function findObjectArrays(value: object, path: readonly string[] = []): string[][] {
  return Object.entries(value).flatMap(([key, child]) => {
    if (Array.isArray(child)) return child.every(isObject) ? [[...path, key]] : [];
    return isObject(child) ? findObjectArrays(child, [...path, key]) : [];
  });
}

/** Reads the objects that have arrived. With `needsPath`, waits for enough objects to choose the address's path. */
async function readFirstObjects(buffer: InputBuffer, needsPath: boolean): Promise<FirstObjects> {
  const objectKeys = new Set<string>();
  const object = new ObjectScan([""], [], objectKeys);
  const allKeys = new Set<string>();
  let keys: readonly string[] | undefined;
  let firstInvalidRow = 0;
  let offset = 0;
  let isAllBlank = false;
  const objects: object[] = [];
  let arrays: string[][] = [];
  const values = new PathValues();
  let row = 1;
  for (; row <= MAX_PROBED_LINES && offset <= MAX_PROBED_BYTES; row += 1) {
    const length = await readLineLength(buffer, offset, row, needsPath && !isAllBlank, object);
    if (length === undefined) break;
    const { bytes } = buffer;
    const start = buffer.start + offset;
    const end = start + length;
    offset += length + 1;
    const isBlank = bytes.subarray(start, end).every(isWhiteSpace);
    isAllBlank = isBlank && (row === 1 || isAllBlank);
    if (isBlank) continue;
    objectKeys.clear();
    if (!object.scan(bytes, start, end)) {
      rejectOversized(object, row);
      if (row === 1 && needsPath && buffer.ended && end === buffer.end && object.isTruncated)
        throw truncatedJsonError();
      firstInvalidRow ||= row;
      continue;
    }
    keys ??= [...objectKeys];
    for (const key of objectKeys) allKeys.add(key);
    const value: object = JSON.parse(decodeUtf8(bytes, start, end));
    objects.push(value);
    if (!needsPath) continue;
    if (objects.length === 1) arrays = findObjectArrays(value);
    values.add(value);
    const candidates = values.select(false);
    if (soleEmailKey([...allKeys], candidates) !== undefined) break;
    // An array may contain the rows only if no other object follows.
    if (candidates.isDecided && (objects.length > 1 || arrays.length === 0)) break;
  }
  const candidates = values.select(row > MAX_PROBED_LINES || (buffer.ended && buffer.start + offset >= buffer.end));
  const isWhole = needsPath && objects.length === 1 && firstInvalidRow === 0 && buffer.ended;
  if (!isWhole || emailColumns([...allKeys]).length > 0) arrays = [];
  if (arrays.length > 1) throw ambiguousArrayError(arrays);
  return {
    keys: keys ?? [],
    allKeys,
    objects,
    firstInvalidRow,
    isAllBlank: isAllBlank && !buffer.ended,
    candidates,
    arrayPath: arrays[0],
  };
}

/**
 * Returns the length of the line at `offset`; undefined at the end of input, or if the line has not arrived and `waits`
 * is false. Always waits for the first line. Throws AddrsiftError INPUT as soon as the line, or the object in it, is
 * too large.
 */
async function readLineLength(
  buffer: InputBuffer,
  offset: number,
  row: number,
  waits: boolean,
  scan: ObjectScan,
): Promise<number | undefined> {
  let scanned = 0;
  for (let length = 0; ; ) {
    const start = buffer.start + offset;
    const lf = findByte(buffer.bytes, LF, start + length, buffer.end);
    length = lf - start;
    if (row === 1 && Math.min(lf + 1, buffer.end) - start > MAX_RECORD_BYTES)
      throw unterminatedRowError(1, SEPARATE_LINES_HINT);
    if (lf < buffer.end || (buffer.ended && length > 0)) return length;
    if (buffer.ended) return undefined;
    if (row > 1 && (!waits || length > MAX_RECORD_BYTES)) return undefined;
    // Scan a long line again only after its length has doubled.
    if (length >= 2 * scanned) {
      scan.scan(buffer.bytes, start, lf);
      rejectOversized(scan, row);
      scanned = length;
    }
    await buffer.fill();
  }
}

/** Maximum characters of a key in a message. */
const MAX_KEY_LENGTH = 40;
/** In a path, matches each element of an array. */
const STAR = "*";

/** Splits a path such as `user.email` or `emails.0` into keys; `\\.` is a dot in a key. */
export function parsePath(path: string): string[] {
  return path.split(/(?<!\\)\./).map((key) => key.replaceAll("\\.", "."));
}

function formatPath(path: readonly string[]): string {
  return path.map((key) => key.slice(0, MAX_KEY_LENGTH).replaceAll(".", "\\.")).join(".");
}

function ambiguousArrayError(arrays: readonly string[][]): InputError {
  return usage(({ option }) => {
    const choices = arrays
      .slice(0, MAX_LISTED)
      .map((path) => option("column", `'${formatPath([...path, STAR, "KEY"])}'`));
    return `more than one array has objects: choose ${choices.join(" or ")}`;
  });
}

function keyChoiceError(keys: readonly string[], problem = "more than one key looks like email"): InputError {
  return usage(
    ({ option }) => {
      const choices = keys.slice(0, MAX_LISTED).map((key) => option("column", quote(key)));
      return `${problem}: choose ${choices.join(" or ")}`;
    },
    { column: keys[0] as string },
  );
}

function nestedKeyError(name: string): InputError {
  return usage(
    ({ option }) =>
      `${quote(name)} has arrays or objects: add ${option("column")} with a path such as emails.0 or user.email`,
  );
}

/** Returns the only key that mentions email. Throws AddrsiftError USAGE. */
export function guessEmailKey(keys: readonly string[]): string {
  const likely = emailColumns(keys).map((i) => keys[i] as string);
  if (likely.length === 1) return likely[0] as string;
  if (likely.length > 1) throw keyChoiceError(likely.map((key) => formatPath([key])));
  throw usage(
    ({ option }) =>
      `no key looks like email: add ${option("column")} with one of ${listKeys(keys)}, or a path such as user.email`,
    { column: "email" },
  );
}

export function notAnObjectError(row: number): InputError {
  return new InputError(
    "INPUT",
    ({ option }) =>
      `row ${row} is not a JSON object, so the address can't be found by it: add ${option("column", "KEY")}`,
  );
}

/** Throws AddrsiftError USAGE if the first object already has an added key. */
export function rejectTakenKeys(keys: readonly string[], added: readonly string[], into: string | undefined): void {
  const takenKey = added.find((key) => keys.includes(key));
  if (takenKey === undefined) return;
  throw usage(
    ({ option }) => {
      const instead =
        into === undefined
          ? `rename the added keys with ${option("prefix", "P")}, or add one key with ${option("into", "KEY")}`
          : `choose another ${option("into")}`;
      return `the first object already has a key ${quote(takenKey)}: ${instead}`;
    },
    into === undefined ? { prefix: true } : {},
  );
}

/** Throws AddrsiftError USAGE if no object has the first key of a path, but the first object has a similar one. */
export function rejectUnknownKey(
  keys: readonly string[],
  allKeys: ReadonlySet<string>,
  [first = ""]: readonly string[],
): void {
  if (allKeys.has(first)) return;
  const similarKeys = closestNames(first, keys);
  if (similarKeys.length === 0) return;
  throw usage(
    () => `the first object has no key ${quote(first)}: did you mean ${similarKeys.map(quote).join(" or ")}?`,
  );
}

/** Throws AddrsiftError USAGE if all values at `path` are objects or arrays. In messages, `elementPath` precedes it. */
function rejectNestedValues(objects: readonly object[], path: Path, elementPath: Path): void {
  const found = objects.map((object) => valueAt(object, path) ?? undefined).filter((value) => value !== undefined);
  if (found.length === 0 || found.some((value) => typeof value !== "object")) return;
  const fullPath = [...elementPath, ...path];
  const values = new PathValues();
  for (const value of found) values.add(value, fullPath);
  const choices = values.select(true).listed.map(formatPath);
  const name = formatPath(fullPath);
  throw choices.length === 0 ? nestedKeyError(name) : keyChoiceError(choices, `${quote(name)} has arrays or objects`);
}

function listKeys(keys: readonly string[]): string {
  const more = keys.length > MAX_LISTED ? `, … (${keys.length} keys)` : "";
  return keys.slice(0, MAX_LISTED).map(quote).join(", ") + more;
}

export function rejectOversized({ excess }: ObjectScan, row: number): void {
  if (excess !== undefined) throw new InputError("INPUT", () => `row ${row} ${excess}: take it out`);
}

export const SEPARATE_LINES_HINT: Message = ({ send }) =>
  `each object must be on a separate line: ${send("jq -c .", " --jsonl")}`;
