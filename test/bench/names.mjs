// Names of the lists in data/. It loads little, because programs that are measured read them.

import { readFileSync } from "node:fs";

/** The first columns of a list. */
export function readNames(file) {
  const lines = readFileSync(new URL(`../../data/${file}`, import.meta.url), "utf8").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split("\t", 1)[0]);
}
