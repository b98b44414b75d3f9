// Reads a store's file and its journal as their description says, with none of our code: collections with their records by id. Files
// that are written meanwhile are read again.

import { readFileSync } from "node:fs";

/** The records of each collection; throws for what is not whole JSON, but for the end of a journal. */
export function readStore(path) {
  for (let tries = 0; ; tries++) {
    const { format, journal, collections } = JSON.parse(readFileSync(path, "utf8"));
    if (format === 1) return collections;
    try {
      return withJournal(collections, journal.id, readFileSync(`${path}.journal-${journal.place}`, "utf8"));
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
}

function withJournal(collections, id, text) {
  // What has no line feed yet is not said yet.
  const lines = text.split("\n").slice(0, -1);
  const [head, ...changes] = lines.map((line) => JSON.parse(line.slice(line.indexOf(" ") + 1)));
  if (head.id !== id) throw new Error(`the journal is ${head.id}, not ${id}`);
  for (const { collections: changed } of changes) {
    for (const [name, { schema, set, delete: gone }] of Object.entries(changed)) {
      collections[name] ??= { schema, records: {} };
      Object.assign(collections[name].records, set);
      for (const one of gone) delete collections[name].records[one];
    }
  }
  return collections;
}
