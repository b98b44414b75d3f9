// Rows counted by the values of a column, such as a day or a campaign: how many there are, and of which classes. Memory
// is bounded.

import { decodeUtf8 } from "../base/bytes/octets.ts";
import { type RowClass, rowsByClass } from "./classes.ts";
import { Row } from "./rows/row.ts";
import type { PlacesAddress } from "./rows/scanner.ts";

/** Values that are told apart: the days of three years. */
const VALUES_MAX = 1200;
/** Octets of a value that are looked at. */
const VALUE_OCTETS = 80;
// A date before a time of day.
const DATE_TIME = /^(\d{4}([-/.])\d\d\2\d\d|\d{1,2}([-/.])\d{1,2}\3\d{2,4})[T ,]+\d{1,2}:\d\d/;
const ISO_DATE = /^\d{4}-\d\d-\d\d$/;

export const BY_CLASSES = [
  "invalid",
  "disposable",
  "mistyped",
  "relay",
  "public",
  "duplicate",
] as const satisfies readonly RowClass[];
// Values that are shown: the days of a month.
const SHOWN = 31;

/** Rows by the combination of their class bits. */
type Sets = Map<number, number>;

interface Counts {
  readonly rows: number;
  readonly classes: Readonly<Record<RowClass, number>>;
}

/** The counts of a run: days in their order, other values from the most frequent one on. */
export interface ReportBy {
  readonly column: string;
  readonly values: readonly (Counts & { readonly value: string })[];
  /** Rows with further values, if there are any. */
  readonly other?: Counts;
}

/** Counts rows by their values. */
export class CountsBy {
  private readonly values = new Map<string, Sets>();
  private readonly other: Sets = new Map();
  private readonly probe = new Row();

  constructor(
    private readonly column: string,
    private readonly field: PlacesAddress,
  ) {}

  add(row: Row, classes: number): void {
    const { probe } = this;
    probe.takeLine(row);
    this.field.place(probe);
    const sets = this.setsOf(decodeUtf8(probe.octets, probe.start, Math.min(probe.end, probe.start + VALUE_OCTETS)));
    sets.set(classes, (sets.get(classes) ?? 0) + 1);
  }

  report(): ReportBy {
    const values = [...this.values].map(([value, sets]) => ({ value, ...countsOf(sets) }));
    const inOrder = areDays(values);
    values.sort((a, b) => (inOrder ? 0 : b.rows - a.rows) || (a.value < b.value ? -1 : 1));
    const { column, other } = this;
    return { column, values, ...(other.size > 0 && { other: countsOf(other) }) };
  }

  private setsOf(text: string): Sets {
    const value = DATE_TIME.exec(text)?.[1] ?? text;
    let sets = this.values.get(value);
    if (sets !== undefined) return sets;
    if (this.values.size >= VALUES_MAX) return this.other;
    sets = new Map();
    this.values.set(value, sets);
    return sets;
  }
}

function areDays(values: readonly { readonly value: string }[]): boolean {
  return values.every(({ value }) => value === "" || ISO_DATE.test(value));
}

function countsOf(sets: Sets): Counts {
  return { rows: [...sets.values()].reduce((sum, rows) => sum + rows, 0), classes: rowsByClass([...sets]) };
}

/** The values that are shown, which are the last days or the most frequent values; and how many are not. */
export function shownBy({ values, other }: ReportBy): Pick<ReportBy, "values"> & { readonly left: number } {
  const some = areDays(values) ? values.slice(-SHOWN) : values.slice(0, SHOWN);
  const named = some.map((each) => (each.value === "" ? { ...each, value: "(empty)" } : each));
  const left = values.length - some.length;
  return { values: other === undefined ? named : [...named, { value: "(other)", ...other }], left };
}
