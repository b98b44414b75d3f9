// Where a home keeps its overrides: the records, and the compiled table that is made from them.

import { type Stats, statSync } from "node:fs";
import type { RecordsState } from "../lists/override-table.ts";

/** The store's file of records. */
export const RECORDS_FILE = "overrides.json";

/** The compiled table, which is made from the records and can be made again. */
export function tablePath(folder: string): string {
  return `${folder}/overrides.bin`;
}

/** The records' file; a large one has a journal beside it. */
export function recordsPath(folder: string): string {
  return `${folder}/${RECORDS_FILE}`;
}

/** Changes with each change of the records: the latest time and the octets of their file and its journals. Undefined without a file. */
export function recordsState(folder: string): RecordsState | undefined {
  const path = recordsPath(folder);
  const stat = (name: string): Stats | undefined => statSync(name, { throwIfNoEntry: false });
  const file = stat(path);
  if (file === undefined) return undefined;
  const all = [file, stat(journalPath(path, 1)), stat(journalPath(path, 2))].filter((found) => found !== undefined);
  return {
    modifiedMs: Math.max(...all.map(({ mtimeMs }) => mtimeMs)),
    octets: all.reduce((sum, { size }) => sum + size, 0),
  };
}

function journalPath(path: string, place: number): string {
  return `${path}.journal-${place}`;
}
