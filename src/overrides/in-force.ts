// The overrides of a home that are in force, wherever they can be read: the compiled table, else the records, whose reader the caller
// gives, because it needs the store's code. Damage is a warning.

import { isAddrsiftError } from "../base/errors.ts";
import { nextExpiry, overridesAt, type TimedOverride } from "../lists/override-table.ts";
import type { OverrideMap } from "../lists/overrides.ts";
import { allOverrides, type NoTable } from "./compiled-file.ts";
import { recordsPath, tablePath } from "./place.ts";

/** The overrides in force at one time. */
export interface OverridesInForce {
  readonly overrides: OverrideMap;
  /** When the next one expires, in milliseconds since 1970; infinite when none does. */
  readonly nextExpiryMs: number;
  /** What is wrong, and what was done about it. */
  readonly warnings: readonly string[];
  /** False when they can't be read at all; then there are none here. */
  readonly readable: boolean;
}

/** What the caller knows. */
export interface ReadingOverrides {
  /** Why the table is not used, when that was found out before. */
  readonly unread?: NoTable | undefined;
  /** What a warning says when nothing can be read. */
  readonly instead?: string;
}

/** Reads the records of a home, or their previous copy; a line tells of what is wrong. Throws AddrsiftError when neither can be read. */
export type ReadRecords = (folder: string, warn: (line: string) => void) => readonly TimedOverride[];

/** Reads all overrides of a home. Throws nothing for damage. */
export function readOverrides(
  folder: string,
  nowMs: number,
  readRecords: ReadRecords,
  reading: ReadingOverrides = {},
): OverridesInForce {
  const { unread, instead = "no overrides are in use" } = reading;
  const table = unread ?? allOverrides(folder);
  const warnings: string[] = [];
  const all = table.usable ? table.content : fromRecords(folder, table, readRecords, warnings, instead);
  const overrides = overridesAt(nowMs, all ?? []);
  return { overrides, nextExpiryMs: nextExpiry(nowMs, all ?? []), warnings, readable: all !== undefined };
}

/** Undefined when they can't be read. */
function fromRecords(
  folder: string,
  { failure, damage }: NoTable,
  readRecords: ReadRecords,
  warnings: string[],
  instead: string,
): readonly TimedOverride[] | undefined {
  // The home can't be looked into, which the warning about its lists says.
  if (failure !== undefined) return undefined;
  try {
    const records = readRecords(folder, (line) => void warnings.push(line));
    if (damage !== undefined) {
      const remedy = `addrsift lists overrides writes ${tablePath(folder)} again`;
      warnings.push(`${damage}, so ${recordsPath(folder)} is read, which takes longer: ${remedy}`);
    }
    return records;
  } catch (error) {
    if (!isAddrsiftError(error)) throw error;
    warnings.push(`${instead}, because ${error.message}`);
    return undefined;
  }
}
