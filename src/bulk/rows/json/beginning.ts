// The beginning of JSON Lines: from the first objects, which key has the address, and whether the added keys are free;
// and of one object that is the whole input, which of its arrays has the rows. It is over 250 lines, because the
// messages about keys and the bounds of first objects belong to it.

import { LF, OPEN_BRACKET } from "../../../base/bytes/ascii.ts";
import { decodeUtf8, findByte } from "../../../base/bytes/bytes.ts";
import { closestNames } from "../../../base/closest-names.ts";
import { quote } from "../../../base/format-text.ts";
import { isObject } from "../../../base/result.ts";
import { InputError, type Message, usage } from "../../messages.ts";
import { InputBuffer } from "../../reader.ts";
import { emailColumns, holdsAt, looksLikeAddress } from "../csv-header.ts";
import { neverEnds, RECORD_MAX, Row } from "../row.ts";
import { ObjectScan } from "./object.ts";
import { jsonCutOff, jsonSource } from "./source.ts";

// In so many lines, which begin within so many bytes, an object must have a key that says e-mail, and one of several keys
// must show by its values that it may have the address.
const LINES_LOOKED_AT_MAX = 100;
const BYTES_LOOKED_AT_MAX = 1024 * 1024;

export interface JsonlChoice {
  /** Keys, or indexes of arrays, from the outermost on; undefined: the one key that says e-mail. */
  readonly path: readonly string[] | undefined;
  /** Of several addresses: the paths of all after the first. */
  readonly others?: readonly (readonly string[])[] | undefined;
  /** Goes before the names of the added keys. */
  readonly prefix: string;
  /** The one key that is added; undefined: a key for each field. */
  readonly into: string | undefined;
}

/** Without a path only blank lines have arrived, and the first object will tell. */
export interface JsonlLayout extends JsonlChoice {
  readonly added: readonly string[];
}

/**
 * The name of each address, which the names of its keys begin with, or which is its key in `into`; empty for the only
 * one.
 */
export function addressNames({ path = [], others }: Pick<JsonlChoice, "path" | "others">): readonly string[] {
  return others === undefined ? [""] : [path, ...others].map((each) => each.join("."));
}

interface JsonlBeginning {
  readonly layout: JsonlLayout;
  readonly keys: readonly string[];
  readonly array?: readonly string[];
  readonly buffer: InputBuffer;
}

/**
 * Where the address is and what is added: keys of these names; and where an array of one object has the rows, its path
 * and the rows. Nothing at the beginning of a part is looked at. Throws AddrsiftError.
 */
export async function readJsonlBeginning(
  buffer: InputBuffer,
  choice: JsonlChoice,
  part: boolean,
  names: readonly string[],
  tell: (note: string) => void,
): Promise<JsonlBeginning> {
  const { path, others, prefix, into } = choice;
  const star = path?.indexOf(STAR) ?? -1;
  if (path !== undefined && star > 0) {
    const array = path.slice(0, star);
    const inArray = (each: readonly string[]): readonly string[] => {
      if (each.slice(0, star + 1).join("\0") === [...array, STAR].join("\0")) return each.slice(star + 1);
      throw usage(({ option }) => `${option("column")} must name keys of one array: ${pathOf([...array, STAR])}`);
    };
    const inside = { ...choice, path: inArray(path), others: others?.map(inArray) };
    const rows = await openArray(buffer, array, [inside.path, ...(inside.others ?? [])]);
    return { ...(await readJsonlBeginning(rows, inside, part, names, tell)), array };
  }
  const own = addressNames(choice).flatMap((name) => names.map((field) => prefix + (name && `${name}_`) + field));
  const added = into === undefined ? own : [into];
  if (part) return { layout: { ...choice, added }, keys: [], buffer };
  const first = await firstObjects(buffer, path === undefined);
  if (first.array !== undefined) {
    const { array } = first;
    tell(`each element of ${pathOf(array)} is a row`);
    return { ...(await readJsonlBeginning(await openArray(buffer, array), choice, part, names, tell)), array };
  }
  refuseTakenKeys(first.keys, added, into);
  const found = path ?? (first.onlyBlank ? undefined : foundKey(first, tell));
  for (const each of path === undefined ? [] : [path, ...(others ?? [])])
    refuseUnknownKey(first.keys, first.allKeys, each);
  return { layout: { ...choice, path: found, added }, keys: [...first.allKeys], buffer };
}

/**
 * The elements of an array of the one object that is the whole input. Throws AddrsiftError where there is none, or
 * where no element has a value at one of the paths that are `wanted`.
 */
export async function openArray(
  buffer: InputBuffer,
  path: readonly string[],
  wanted: readonly (readonly string[])[] = [],
): Promise<InputBuffer> {
  while (!buffer.ended && buffer.end - buffer.start <= RECORD_MAX) await buffer.fill();
  const { bytes } = buffer;
  const whole = new Row();
  whole.placeAddress(bytes, buffer.start, buffer.end);
  const object = new ObjectScan(path, []);
  const isWhole = buffer.ended && object.scan(bytes, whole.start, whole.end);
  if (!isWhole || object.kind !== "other" || bytes[object.valueStart] !== OPEN_BRACKET) {
    const name = pathOf(path);
    if (buffer.ended && object.cutOff) throw jsonCutOff();
    throw new InputError("INPUT", ({ option, send }) => {
      if (isWhole) return `there is no array ${name} in the object: check ${option("column")}`;
      const lines = send(`jq -c '.${name}[]'`, " --jsonl");
      return `the input is not one object of at most 16 MiB with an array ${name}: ${lines}`;
    });
  }
  buffer.start = object.valueStart;
  buffer.end = object.valueEnd;
  const elements: readonly unknown[] =
    wanted.length === 0 ? [] : JSON.parse(decodeUtf8(bytes, buffer.start, buffer.end));
  const missing = wanted.find((each) => elements.length > 0 && !elements.some((element) => hasValue(element, each)));
  if (missing !== undefined) {
    throw usage(({ option }) => `no element of ${pathOf(path)} has ${pathOf(missing)}: check ${option("column")}`);
  }
  return new InputBuffer(jsonSource(buffer, () => {}));
}

function hasValue(value: unknown, path: readonly string[]): boolean {
  const at = path.reduce<unknown>((below, key) => (below as Record<string, unknown> | null | undefined)?.[key], value);
  return at !== undefined;
}

interface FirstObjects {
  /** Of the first object. */
  readonly keys: readonly string[];
  /** Of the objects up to the one that decides. */
  readonly allKeys: ReadonlySet<string>;
  /** The row of the first line that is neither blank nor an object; 0 when there is none. */
  readonly broken: number;
  /** Only blank lines have arrived, whose rows need no key; more may come. */
  readonly onlyBlank: boolean;
  /** Where the address may be, by the values of these objects; nothing if a key decides. */
  readonly places: Places;
  /** The only array of objects in the only object. */
  readonly array?: readonly string[] | undefined;
}

/** The path of the address, by the keys or else by the values. An input without any object needs none. Throws. */
function foundKey({ allKeys, broken, places }: FirstObjects, tell: (note: string) => void): readonly string[] {
  if (allKeys.size === 0 && broken === 0) return ["email"];
  if (allKeys.size === 0) throw notAnObject(broken);
  const keys = [...allKeys];
  const { possible, others } = places;
  const [path, second] = possible;
  if (emailColumns(keys).length === 1 || (path === undefined && others.length === 0)) return [likelyKey(keys)];
  if (path === undefined || second !== undefined || !places.isDecided)
    throw severalKeys([...possible, ...others].map(pathOf));
  tell(`by its values, the address is in ${pathOf(path)}`);
  return path;
}

type Path = readonly string[];

/** Where the address may be, by the values of the first objects. */
interface Places {
  /** The paths that may have the address: of those that say e-mail, or if none does, of all. */
  readonly possible: readonly Path[];
  /** If only one path or none is possible: others that say e-mail, and if none is, those with an address. */
  readonly others: readonly Path[];
  /** One path is possible, and no later object can change that. */
  readonly isDecided: boolean;
}

/** Collects the paths to values that are no objects, and which of them may have the address. */
class PathValues {
  private readonly paths = new Map<string, Path>();
  private readonly withAt = new Set<Path>();
  private readonly withAddress = new Set<Path>();
  private saying: readonly Path[] = [];
  /** Number of paths that `saying` was found in. */
  private searched = 0;

  add(value: unknown, path: Path = []): void {
    if (isObject(value)) {
      for (const [key, below] of Object.entries(value)) this.add(below, [...path, key]);
      return;
    }
    const name = path.join("\0");
    const known = this.paths.get(name) ?? path;
    this.paths.set(name, known);
    if (typeof value !== "string") return;
    if (holdsAt(value)) this.withAt.add(known);
    if (looksLikeAddress(value)) this.withAddress.add(known);
  }

  /** A value never rules a path out: then a single bad address would lead to another one. */
  places(isWhole: boolean): Places {
    const all = [...this.paths.values()];
    if (all.length > this.searched) this.saying = sayingEmail(all);
    this.searched = all.length;
    const { saying, withAt, withAddress } = this;
    const possible = saying.length > 0 ? saying.filter((path) => withAt.has(path)) : [...withAddress];
    const others = possible.length > 1 || saying.length < 2 ? [] : saying.filter((path) => !withAt.has(path));
    const isOnly = (saying.length > 0 ? saying : all).length === 1;
    return {
      possible,
      others: possible.length > 0 || withAddress.size === 0 ? others : [...saying, ...withAddress],
      isDecided: possible.length > 1 || (possible.length === 1 && (isOnly || isWhole)),
    };
  }
}

/** The paths whose last keys say e-mail. Keys of the objects themselves come before deeper ones. */
function sayingEmail(paths: readonly Path[]): readonly Path[] {
  const among = (some: readonly Path[]): Path[] =>
    emailColumns(some.map((path) => path.at(-1) as string)).map((i) => some[i] as Path);
  const top = among(paths.filter((path) => path.length === 1));
  return top.length > 0 ? top : among(paths);
}

/** The paths of the arrays in an object that have only objects. */
function objectArrays(value: object, path: readonly string[] = []): string[][] {
  return Object.entries(value).flatMap(([key, below]) => {
    if (Array.isArray(below)) return below.every(isObject) ? [[...path, key]] : [];
    return isObject(below) ? objectArrays(below, [...path, key]) : [];
  });
}

/**
 * Looks at the first lines: at those that have arrived, and with `decides` at as many as it takes to find the only key
 * that says e-mail, or else to compare the values of several keys.
 */
async function firstObjects(buffer: InputBuffer, decides: boolean): Promise<FirstObjects> {
  const own = new Set<string>();
  const object = new ObjectScan([""], [], own);
  const line = new Row();
  const allKeys = new Set<string>();
  let keys: readonly string[] | undefined;
  let broken = 0;
  let offset = 0;
  let onlyBlank = false;
  let objects = 0;
  let arrays: string[][] = [];
  const values = new PathValues();
  let row = 1;
  for (; row <= LINES_LOOKED_AT_MAX && offset <= BYTES_LOOKED_AT_MAX; row += 1) {
    const length = await lineLength(buffer, offset, row, decides && !onlyBlank, object);
    if (length === undefined) break;
    const { bytes } = buffer;
    const start = buffer.start + offset;
    const end = start + length;
    offset += length + 1;
    line.placeAddress(bytes, start, end);
    onlyBlank = line.blank && (row === 1 || onlyBlank);
    if (line.blank) continue;
    own.clear();
    if (!object.scan(bytes, start, end)) {
      refuseLarge(object, row);
      if (row === 1 && decides && buffer.ended && end === buffer.end && object.cutOff) throw jsonCutOff();
      broken ||= row;
      continue;
    }
    keys ??= [...own];
    for (const key of own) allKeys.add(key);
    objects += 1;
    if (!decides) continue;
    if (emailColumns([...allKeys]).length === 1) break;
    const value: object = JSON.parse(decodeUtf8(bytes, start, end));
    if (objects === 1) arrays = objectArrays(value);
    values.add(value);
    const { isDecided } = values.places(false);
    // An object may have the rows only where no other follows.
    if (isDecided && (objects > 1 || arrays.length === 0)) break;
  }
  const isAll = row > LINES_LOOKED_AT_MAX || (buffer.ended && buffer.start + offset >= buffer.end);
  const isWhole = decides && objects === 1 && broken === 0 && buffer.ended;
  if (isWhole && arrays.length > 1 && emailColumns([...allKeys]).length === 0) throw severalArrays(arrays);
  const array = isWhole && emailColumns([...allKeys]).length === 0 ? arrays[0] : undefined;
  return {
    keys: keys ?? [],
    allKeys,
    broken,
    onlyBlank: onlyBlank && !buffer.ended,
    places: values.places(isAll),
    array,
  };
}

/**
 * The length of a line, the row of this number, so many bytes after the first one; undefined at the end, or when it
 * has not arrived and is not worth waiting for. The first one always is. Throws AddrsiftError INPUT when the line is
 * too large, or by its `scan` the object in it, before the rest of it arrives.
 */
async function lineLength(
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
    if (row === 1 && Math.min(lf + 1, buffer.end) - start > RECORD_MAX) throw neverEnds(1, NEVER_ENDS_HINT);
    if (lf < buffer.end || (buffer.ended && length > 0)) return length;
    if (buffer.ended) return undefined;
    if (row > 1 && (!waits || length > RECORD_MAX)) return undefined;
    // A long line is scanned again only when it has doubled.
    if (length >= 2 * scanned) {
      scan.scan(buffer.bytes, start, lf);
      refuseLarge(scan, row);
      scanned = length;
    }
    await buffer.fill();
  }
}

const SHOWN_KEYS = 30;
const SHOWN_LENGTH = 40;
/** In a path: each element of an array. */
const STAR = "*";

/** The keys of a path such as `user.email` or `emails.0`; `\\.` is a dot in a key. */
export function readPath(path: string): string[] {
  return path.split(/(?<!\\)\./).map((key) => key.replaceAll("\\.", "."));
}

/** A path as it is typed. */
function pathOf(path: readonly string[]): string {
  return path.map((key) => key.slice(0, SHOWN_LENGTH).replaceAll(".", "\\.")).join(".");
}

function severalArrays(arrays: readonly string[][]): InputError {
  return usage(({ option }) => {
    const choices = arrays.slice(0, SHOWN_KEYS).map((path) => option("column", `'${pathOf([...path, STAR, "KEY"])}'`));
    return `more than one array has objects: choose ${choices.join(" or ")}`;
  });
}

function severalKeys(keys: readonly string[]): InputError {
  return usage(
    ({ option }) => {
      const choices = keys.slice(0, SHOWN_KEYS).map((key) => option("column", quote(key)));
      return `more than one key looks like e-mail: choose ${choices.join(" or ")}`;
    },
    { column: keys[0] as string },
  );
}

/** The only key that says e-mail. Throws AddrsiftError USAGE. */
export function likelyKey(keys: readonly string[]): string {
  const likely = emailColumns(keys).map((i) => keys[i] as string);
  if (likely.length === 1) return likely[0] as string;
  if (likely.length > 1) throw severalKeys(likely.map((key) => pathOf([key])));
  throw usage(
    ({ option }) =>
      `no key looks like e-mail: add ${option("column")} with one of ${listed(keys)}, or a path such as user.email`,
    { column: "email" },
  );
}

/** The error for a row that should show which key has the address. */
export function notAnObject(row: number): InputError {
  return new InputError(
    "INPUT",
    ({ option }) =>
      `row ${row} is not a JSON object, so the address can't be found by it: add ${option("column", "KEY")}`,
  );
}

/** Throws AddrsiftError USAGE for a key that the first object has and that is to be added. */
export function refuseTakenKeys(keys: readonly string[], added: readonly string[], into: string | undefined): void {
  const taken = added.find((key) => keys.includes(key));
  if (taken === undefined) return;
  throw usage(
    ({ option }) => {
      const instead =
        into === undefined
          ? `rename the added keys with ${option("prefix", "P")}, or add one key with ${option("into", "KEY")}`
          : `choose another ${option("into")}`;
      return `the first object already has a key ${quote(taken)}: ${instead}`;
    },
    into === undefined ? { prefix: true } : {},
  );
}

/**
 * Throws AddrsiftError USAGE when none of the first objects has such a key at its top, but the very first one has a
 * similar one: a path that is mistyped finds nothing in any row.
 */
export function refuseUnknownKey(
  keys: readonly string[],
  allKeys: ReadonlySet<string>,
  [first = ""]: readonly string[],
): void {
  if (allKeys.has(first)) return;
  const near = closestNames(first, keys);
  if (near.length === 0) return;
  throw usage(() => `the first object has no key ${quote(first)}: did you mean ${near.map(quote).join(" or ")}?`);
}

function listed(keys: readonly string[]): string {
  const more = keys.length > SHOWN_KEYS ? `, … (${keys.length} keys)` : "";
  return keys.slice(0, SHOWN_KEYS).map(quote).join(", ") + more;
}

/** Throws AddrsiftError INPUT for a first object, in the row of this number, that is larger than one may be. */
export function refuseLarge({ excess }: ObjectScan, row: number): void {
  if (excess !== undefined) throw new InputError("INPUT", () => `row ${row} ${excess}: take it out`);
}

export const NEVER_ENDS_HINT: Message = ({ send }) =>
  `each object must be on a separate line: ${send("jq -c .", " --jsonl")}`;
