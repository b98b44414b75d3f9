// Names of files that were given as addresses: an error that says what to type. Nobody wants their name classified.

import { statSync } from "node:fs";
import { AddrsiftError } from "../../../errors.ts";

/** Throws AddrsiftError USAGE for an argument that has no @ and is the name of a file. */
export function refuseFiles(addresses: readonly string[]): void {
  const name = addresses.find((address) => !address.includes("@") && isFile(address));
  if (name === undefined) return;
  const how = /\.(csv|tsv)(\.gz)?$/i.test(name) ? "--csv" : "--input";
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
