// Compiles small tables, without the lists of sources.

import { compileTable, type TableInput } from "../../src/curation/compile.ts";
import { HAND_KEPT, type HandKept, type Rows } from "../../src/curation/read-data.ts";
import { type CompiledLists, listsFromBytes } from "../../src/lists/table.ts";

/** Returns the rows of a list by their first column. */
export const rows = (...list: string[][]): Rows => new Map(list.map((row) => [row[0] as string, row]));

/** Returns a compiled table of these lists. All other lists are empty. */
export function compileSmallTable(lists: Partial<TableInput> = {}): Uint8Array {
  const none = Object.fromEntries(Object.keys(HAND_KEPT).map((name) => [name, new Map()])) as unknown as HandKept;
  const suffixes = { rootZone: [], registrySuffixes: [], suffixExceptions: [], privateSuffixes: [] };
  const own = { dataVersion: "test", date: "2026-01-02", sources: [], disposable: new Map() };
  return compileTable({ ...none, ...suffixes, ...own, ...lists });
}

export const smallLists = (lists: Partial<TableInput>): CompiledLists =>
  listsFromBytes("the table", compileSmallTable(lists));
