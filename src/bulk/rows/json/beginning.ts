// The beginning of JSON Lines: from the first objects, which key has the address, and whether the added keys are free.

import type { InputBuffer } from "../../reader.ts";
import { FirstObject } from "../bounds.ts";
import { RECORD_MAX } from "../csv.ts";
import { emailNames } from "../csv-header.ts";
import { neverEnds } from "../line-end.ts";
import { Row } from "../row.ts";
import { likelyKey, notAnObject, refuseTakenKeys, refuseUnknownKey } from "./keys.ts";
import { type JsonlLayout, NEVER_ENDS_HINT } from "./lines.ts";
import { ObjectScan } from "./object.ts";

// Within so many lines and bytes an object must have a key that says e-mail.
const LINES_LOOKED_AT_MAX = 100;
const BYTES_LOOKED_AT_MAX = 1024 * 1024;

export interface JsonlChoice {
  /** The address's path; undefined: the one key that says e-mail. */
  readonly path: readonly string[] | undefined;
  /** The paths of further addresses. */
  readonly others?: readonly (readonly string[])[];
  /** Put before the names of added keys. */
  readonly prefix: string;
  /** The one key that is added; undefined: a key for each field. */
  readonly into: string | undefined;
}

/**
 * Where the address is and what is added: keys of these names. Nothing at the beginning of a part is looked at. Throws
 * AddrsiftError.
 */
export async function readJsonlBeginning(
  buffer: InputBuffer,
  { path, others = [], prefix, into }: JsonlChoice,
  part: boolean,
  names: readonly string[],
): Promise<JsonlLayout> {
  const called = others.length === 0 ? [] : [path ?? [], ...others].map((each) => each.join("."));
  const own = called.length === 0 ? names : called.flatMap((name) => names.map((field) => `${name}_${field}`));
  const added = into === undefined ? own.map((name) => prefix + name) : [into];
  const first = part ? NO_OBJECTS : await firstObjects(buffer, path === undefined);
  refuseTakenKeys(first.keys, added, into);
  const found = path ?? (first.onlyBlank ? undefined : [part ? "" : foundKey(first)]);
  for (const each of path === undefined ? [] : [path, ...others]) refuseUnknownKey(first.keys, first.allKeys, each);
  const several = called.length === 0 ? {} : { several: { paths: others, names: called } };
  return { path: found, prefix, into, added, ...several };
}

/** Facts that the first lines show. */
interface FirstObjects {
  /** Of the first object. */
  readonly keys: readonly string[];
  /** Of the objects up to the one that decides. */
  readonly allKeys: ReadonlySet<string>;
  /** The row of the first line that is neither blank nor an object; 0 when there is none. */
  readonly broken: number;
  /** Only blank lines have arrived, whose rows need no key; more may come. */
  readonly onlyBlank: boolean;
}

const NO_OBJECTS: FirstObjects = { keys: [], allKeys: new Set(), broken: 0, onlyBlank: false };

/** The only key that says e-mail. An input without any object needs none. Throws AddrsiftError. */
function foundKey({ allKeys, broken }: FirstObjects): string {
  if (allKeys.size > 0) return likelyKey([...allKeys]);
  if (broken === 0) return "email";
  throw notAnObject(broken);
}

/**
 * Looks at the first lines: at those that have arrived, and with `decides` at as many as it takes to find an object
 * with a key that says e-mail.
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
  for (let row = 1; row <= LINES_LOOKED_AT_MAX; row += 1) {
    const length = await lineLength(buffer, offset, row, decides && !onlyBlank);
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
      broken ||= row;
      continue;
    }
    keys ??= [...own];
    for (const key of own) allKeys.add(key);
    if (decides && emailNames([...own]).length > 0) break;
  }
  return { keys: keys ?? [], allKeys, broken, onlyBlank: onlyBlank && !buffer.ended };
}

/**
 * The length of a line, the row of this number, so many bytes after the first one; undefined at the end, or when it
 * has not arrived and is not worth waiting for. The first one always is. Throws AddrsiftError INPUT when it is too
 * large.
 */
async function lineLength(
  buffer: InputBuffer,
  offset: number,
  row: number,
  waits: boolean,
): Promise<number | undefined> {
  const line = new FirstObject();
  for (;;) {
    const start = buffer.start + offset;
    const lf = line.find(buffer.bytes, start, buffer.end, row);
    if (lf < buffer.end || (buffer.ended && start < buffer.end)) return lf - start;
    if (buffer.ended) return undefined;
    if (row === 1 && buffer.end - start > RECORD_MAX) throw neverEnds(1, NEVER_ENDS_HINT);
    if (row > 1 && (!waits || buffer.end - buffer.start > BYTES_LOOKED_AT_MAX)) return undefined;
    await buffer.fill();
  }
}
