// Rows counted by the values of a column, such as a day or a campaign: how many there are, and of which classes. Memory
// is bounded.

import { ByteCache } from "../base/bytes/byte-cache.ts";
import type { Classifier } from "../detection/classifier.ts";
import { count, type RowClass, rowsByClass } from "./classes.ts";
import { dayOf, ISO_DAY, type Reading, readDay, readingOf } from "./days.ts";
import { Row } from "./rows/row.ts";

/** Values that are counted separately: the days of three years. */
const VALUES_MAX = 1200;
/** Ways in which values are written, and fields, that are kept with their counts. */
const WRITTEN_MAX = 4096;
const FIELDS = 512;
/** The fields by whose values rows can be counted, as by those of a column. */
export const BY_FIELDS = ["exchange", "domain", "registrable_domain", "mail_provider"] as const;
export type ByField = (typeof BY_FIELDS)[number];

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
  /** How days with a slash were read, where that was not clear. */
  readonly read_as?: Reading;
  readonly values: readonly (Counts & { readonly value: string })[];
  /** Rows with further values, if there are any. */
  readonly other?: Counts;
}

export class CountsBy {
  private readonly values = new Map<string, Sets>();
  private readonly other: Sets = new Map();
  /** The sets by their values as they are written. */
  private readonly written = new Map<string, Sets>();
  /** Counts by short fields. */
  private readonly fields = new ByteCache<Sets>(FIELDS);
  private readonly field = new Row();

  /**
   * `read` returns the value of a row that was classified. `index` is that of its column where rows have columns, and
   * `readField` then returns the value of a row that is this field only.
   */
  constructor(
    private readonly column: string,
    private readonly read: (row: Row, classifier: Classifier) => string,
    readonly index?: number,
    private readonly readField: (field: Row) => string = () => "",
  ) {}

  add(row: Row, classes: number, classifier: Classifier): void {
    count(this.setsOf(this.read(row, classifier)), classes);
  }

  /** Counts a row of these classes by its field between `start` and `end`. */
  addField(bytes: Uint8Array, start: number, end: number, classes: number): void {
    let sets = this.fields.get(bytes, start, end);
    if (sets === undefined) {
      const { field } = this;
      field.line = bytes;
      field.lineStart = start;
      field.lineEnd = end;
      sets = this.setsOf(this.readField(field));
      this.fields.set(start, end, sets);
    }
    count(sets, classes);
  }

  report(): ReportBy {
    const { column, other } = this;
    const found = readingOf(this.values.keys());
    const values = [...this.inIsoForm(found?.reading)].map(([value, sets]) => ({ value, ...countsOf(sets) }));
    const inOrder = areDays(values);
    values.sort((a, b) => (inOrder ? 0 : b.rows - a.rows) || (a.value < b.value ? -1 : 1));
    const readAs = found?.guessed === true ? { read_as: found.reading } : {};
    return { column, ...readAs, values, ...(other.size > 0 && { other: countsOf(other) }) };
  }

  /** The sets by their values; days that were written in two ways are one. */
  private inIsoForm(reading: Reading | undefined): ReadonlyMap<string, Sets> {
    if (reading === undefined) return this.values;
    const read = new Map<string, Sets>();
    for (const [value, sets] of this.values) {
      const day = readDay(value, reading);
      const same = read.get(day) ?? new Map();
      read.set(day, same);
      for (const [classes, rows] of sets) count(same, classes, rows);
    }
    return read;
  }

  private setsOf(text: string): Sets {
    const known = this.written.get(text);
    if (known !== undefined) return known;
    const value = dayOf(text);
    let sets = this.values.get(value);
    if (sets === undefined) {
      sets = this.values.size < VALUES_MAX ? new Map() : this.other;
      if (sets !== this.other) this.values.set(value, sets);
    }
    if (this.written.size >= WRITTEN_MAX) this.written.clear();
    this.written.set(text, sets);
    return sets;
  }
}

export function areDays(values: readonly { readonly value: string }[]): boolean {
  return values.every(({ value }) => value === "" || ISO_DAY.test(value));
}

function countsOf(sets: Sets): Counts {
  return { rows: [...sets.values()].reduce((sum, rows) => sum + rows, 0), classes: rowsByClass([...sets]) };
}

/** The column, with how its days were read where that was not clear. */
export function titleOf({ column, read_as: readAs }: ReportBy): string {
  return readAs === undefined ? column : `${column} (${readAs})`;
}

/** The values that are shown, which are the last days or the most frequent values; and how many are not. */
export function shownBy({ values, other }: ReportBy): Pick<ReportBy, "values"> & { readonly left: number } {
  const some = areDays(values) ? values.slice(-SHOWN) : values.slice(0, SHOWN);
  const named = some.map((each) => (each.value === "" ? { ...each, value: "(empty)" } : each));
  const left = values.length - some.length;
  return { values: other === undefined ? named : [...named, { value: "(other)", ...other }], left };
}
