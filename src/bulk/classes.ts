// Converts lists of row classes to bits, and counts rows by class.

import { ROW_CLASS, type RowClass } from "../detection/classes.ts";

export function classBits(names: readonly RowClass[]): number {
  return names.reduce((bits, name) => bits | ROW_CLASS[name], 0);
}

export function increment<Name>(counts: Map<Name, number>, name: Name, rows = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + rows);
}

/** Counts the rows of each class, from the counts of each combination of class bits. */
export function rowsByClass(counts: readonly (readonly [classes: number, rows: number])[]): Record<RowClass, number> {
  const rowsOfClass = (bit: number): number =>
    counts.reduce((sum, [classes, rows]) => ((classes & bit) === 0 ? sum : sum + rows), 0);
  const entries = Object.entries(ROW_CLASS).map(([name, bit]) => [name, rowsOfClass(bit)]);
  return Object.fromEntries(entries) as Record<RowClass, number>;
}

/** Classes that rows have only if DNS was queried. */
export const DNS_CLASSES: readonly RowClass[] = ["no_mail", "unknown"];
