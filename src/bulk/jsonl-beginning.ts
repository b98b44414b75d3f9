// The beginning of JSON Lines: from the first object, which key has the address, and whether the added keys are free.

import { decodeUtf8 } from "../bytes/octets.ts";
import { AddrsiftError } from "../errors.ts";
import { firstLine } from "./first-line.ts";
import type { InputBuffer } from "./reader.ts";
import { likelyKey, refuseTakenKeys, refuseUnknownKey } from "./rows/json-keys.ts";
import { ARRAY_HINT, type JsonlLayout } from "./rows/json-lines.ts";

/** What the options say. */
export interface JsonlChoice {
  /** The address's path; undefined: the one key that says e-mail. */
  readonly path: readonly string[] | undefined;
  /** Put before the names of added keys. */
  readonly prefix: string;
  /** The one key that is added; undefined: a key for each field. */
  readonly into: string | undefined;
}

/** Where the address is and what is added: keys of these names. Nothing at the beginning of a part is looked at. Throws AddrsiftError. */
export async function readJsonlBeginning(
  buffer: InputBuffer,
  { path, prefix, into }: JsonlChoice,
  part: boolean,
  names: readonly string[],
): Promise<JsonlLayout> {
  const added = into === undefined ? names.map((name) => prefix + name) : [into];
  const keys = part ? undefined : await firstKeys(buffer, path !== undefined);
  if (keys !== undefined) refuseTakenKeys(keys, added, into);
  if (keys !== undefined && path !== undefined) refuseUnknownKey(keys, path);
  return { path: path ?? [likelyKey(keys ?? [])], prefix, into, added };
}

/** The keys of the first object, which the first line must be unless `mayBeBroken`; an empty input has none and needs none. */
async function firstKeys(buffer: InputBuffer, mayBeBroken: boolean): Promise<readonly string[] | undefined> {
  const { end } = await firstLine(buffer, ARRAY_HINT);
  if (buffer.start === buffer.end) return mayBeBroken ? undefined : ["email"];
  const text = decodeUtf8(buffer.octets, buffer.start, end).trim();
  if (text.startsWith("[")) throw new AddrsiftError("INPUT", `row 1 begins a JSON array: ${ARRAY_HINT}`);
  const value = parsed(text);
  if (typeof value === "object" && value !== null) return Object.keys(value);
  if (mayBeBroken) return undefined;
  throw new AddrsiftError("INPUT", "row 1 is not a JSON object, so the address can't be found by it: add --column KEY");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
