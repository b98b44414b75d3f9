// Reads the names of lists in data/. Loads little, because measured programs import it.

import { readFileSync } from "node:fs";

/** Returns the first column of a list. */
export function readNames(file) {
  const lines = readFileSync(new URL(`../../data/${file}`, import.meta.url), "utf8").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split("\t", 1)[0]);
}
