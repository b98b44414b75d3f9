// Reads a store's file as its description says, with none of our code.

import { readFileSync } from "node:fs";

/** The collections with their records by id; throws for what is not whole JSON. */
export function readStore(path) {
  const { format, collections } = JSON.parse(readFileSync(path, "utf8"));
  if (format !== 1) throw new Error(`the format is ${format}`);
  return collections;
}
