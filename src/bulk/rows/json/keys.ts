// Which key of JSON Lines has the address: as the options name it, or the one key of the first object that says e-mail.

import { nearNames } from "../../../base/near-names.ts";
import { RowsFault, usage } from "../../face.ts";
import { emailNames } from "../csv-header.ts";

const SHOWN_KEYS = 30;

/** The keys of a path such as `user.email` or `emails.0`; `\\.` is a dot in a key. */
export function readPath(path: string): string[] {
  return path.split(/(?<!\\)\./).map((key) => key.replaceAll("\\.", "."));
}

/** The path of a key at the top. */
function pathOf(key: string): string {
  return key.replaceAll(".", "\\.");
}

/** The only key that says e-mail. Throws AddrsiftError USAGE. */
export function likelyKey(keys: readonly string[]): string {
  const likely = emailNames(keys);
  const [first, ...others] = likely;
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined) {
    throw usage(
      ({ option }) =>
        `more than one key looks like e-mail: choose ${likely.map((key) => option("column", shown(key))).join(" or ")}`,
      { column: pathOf(first) },
    );
  }
  throw usage(
    ({ option }) =>
      `no key looks like e-mail: add ${option("column")} with one of ${listed(keys)}, or a path such as user.email`,
    { column: "email" },
  );
}

/** The error for a row that should tell which key has the address. */
export function notAnObject(row: number): RowsFault {
  return new RowsFault(
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
      return `the first object already has a key ${shown(taken)}: ${instead}`;
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
  const near = nearNames(first, keys);
  if (near.length === 0) return;
  throw usage(() => `the first object has no key ${shown(first)}: did you mean ${near.map(shown).join(" or ")}?`);
}

function listed(keys: readonly string[]): string {
  const more = keys.length > SHOWN_KEYS ? `, … (${keys.length} keys)` : "";
  return keys.slice(0, SHOWN_KEYS).map(shown).join(", ") + more;
}

function shown(key: string): string {
  return JSON.stringify(key.slice(0, 40));
}
