// A home's overrides by their compiled table, which every one-off reads. Where the table does not have what the records have, the
// caller reads the records.

import { statSync } from "node:fs";
import { isAddrsiftError } from "../base/errors.ts";
import { CompiledOverrides, type TimedOverride } from "../lists/override-table.ts";
import { NO_OVERRIDES, type OverrideIndex } from "../lists/overrides.ts";
import { openTable } from "../lists/table-file.ts";
import { recordsState, tablePath } from "./place.ts";

/** The table can't be used: it is damaged, or it is not that of the present records. */
export interface NoTable {
  readonly usable: false;
  /** What is wrong with a damaged table. */
  readonly damage?: string;
  /** The system refused to look. */
  readonly failure?: unknown;
}

/** Overrides from the table: an index for a few look-ups, or all of them. */
export type TableContent<T> = { readonly usable: true; readonly content: T } | NoTable;

// With these codes there is no such file.
const ABSENT: readonly unknown[] = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

/** An index for a few look-ups; it throws AddrsiftError DATA when a look-up finds damage. */
export function overridesInPieces(folder: string, nowMs: number): TableContent<OverrideIndex> {
  return readTable(folder, "pieces", nowMs, NO_OVERRIDES, (table) => table);
}

/** All overrides, the expired ones too. */
export function allOverrides(folder: string): TableContent<readonly TimedOverride[]> {
  return readTable(folder, "whole", 0, [], (table) => table.readAll());
}

function readTable<T>(
  folder: string,
  use: "pieces" | "whole",
  nowMs: number,
  none: T,
  read: (table: CompiledOverrides) => T,
): TableContent<T> {
  try {
    const state = recordsState(folder);
    if (state === undefined) return isThere(tablePath(folder)) ? { usable: false } : { usable: true, content: none };
    return openTable(tablePath(folder), use, (source) => {
      const table = new CompiledOverrides(source, nowMs);
      const content = read(table);
      return table.isOf(state) ? { usable: true, content } : { usable: false };
    });
  } catch (error) {
    return unusable(error, none);
  }
}

function unusable<T>(error: unknown, none: T): TableContent<T> {
  if (!isAddrsiftError(error)) {
    const { code } = error as NodeJS.ErrnoException;
    return ABSENT.includes(code) ? { usable: true, content: none } : { usable: false, failure: error };
  }
  // A table that is not there or can't be read is not damaged.
  if (error.cause !== undefined) return { usable: false };
  return { usable: false, damage: error.message.replace(/: install .*$/, "") };
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
