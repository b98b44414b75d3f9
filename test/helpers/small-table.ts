// Compiles small tables, without the lists of sources.

import { compileTable, type TableInput } from "../../src/curation/compile.ts";
import { MAINTAINED_LISTS, type MaintainedLists, type Rows } from "../../src/curation/read-data.ts";
import { type CompiledLists, listsFromBytes } from "../../src/lists/table.ts";

/** Returns the rows of a list by their first column. */
export const rows = (...list: string[][]): Rows => new Map(list.map((row) => [row[0] as string, row]));

/** Returns a compiled table of these lists. All other lists are empty. */
export function compileSmallTable(lists: Partial<TableInput> = {}): Uint8Array {
  const noRows = Object.fromEntries(
    Object.keys(MAINTAINED_LISTS).map((name) => [name, new Map()]),
  ) as unknown as MaintainedLists;
  const suffixes = { rootZone: [], registrySuffixes: [], suffixExceptions: [], privateSuffixes: [] };
  const metadata = { dataVersion: "test", date: "2026-01-02", sources: [], disposable: new Map() };
  return compileTable({ ...noRows, ...suffixes, ...metadata, ...lists });
}

export const smallLists = (lists: Partial<TableInput>): CompiledLists =>
  listsFromBytes("the table", compileSmallTable(lists));
