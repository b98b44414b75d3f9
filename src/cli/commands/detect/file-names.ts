// Names of files that were given as addresses: an error that says what to type. Nobody wants their name classified.

import { statSync } from "node:fs";
import { AddrsiftError } from "../../../base/errors.ts";

// What no domain ends in.
const FILE_ENDING = /\.(txt|csv|tsv|jsonl|ndjson|json|lst|log|gz)$/i;

/** Throws AddrsiftError USAGE for an argument that has no @ and is the name of a file. A name that may be a domain is none with --domains. */
export function refuseFiles(addresses: readonly string[], areDomains: boolean): void {
  const mayBeFile = (name: string): boolean =>
    !name.includes("@") && (!areDomains || !name.includes(".") || name.includes("/") || FILE_ENDING.test(name));
  const name = addresses.find((address) => mayBeFile(address) && isFile(address));
  if (name === undefined) return;
  const kind = /\.(csv|tsv)(\.gz)?$/i.test(name)
    ? "--csv"
    : /\.(jsonl|ndjson)(\.gz)?$/i.test(name)
      ? "--jsonl"
      : "--input";
  const how = areDomains ? `--domains ${kind}` : kind;
  throw new AddrsiftError("USAGE", `${name} is a file: to read it, run addrsift detect ${how} ${name}`);
}

function isFile(name: string): boolean {
  try {
    return statSync(name, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // No path at all, or one that may not be looked at.
    return false;
  }
}
