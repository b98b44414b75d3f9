// Counts rows and their classes by the values of a column, such as a day or a campaign, in bounded memory.

import { ByteCache } from "../base/bytes/byte-cache.ts";
import { formatNumber, formatPercent, quote } from "../base/format-text.ts";
import { memoize } from "../base/memoize.ts";
import { classBits, type RowClass, rowsByClass, UNUSABLE_CLASSES } from "../detection/classes.ts";
import type { Classifier } from "../detection/classifier.ts";
import { dayOf, inferDateOrder, isIsoDay, isTimeName, parseDay, type TimeUnit, timeUnit, toIsoDay } from "./days.ts";
import { increment } from "./name-counts.ts";
import { Row } from "./rows/row.ts";

/** Maximum values with separate counts: enough for the days of 27 years. Further values are counted together. */
const MAX_VALUES = 10_000;
const MAX_CACHED_TEXTS = 4096;
const MAX_CACHED_FIELDS = 512;
/** Fields that --by accepts besides columns. */
export const BY_FIELDS = ["exchange", "domain", "registrable_domain", "mail_provider"] as const;
export type ByField = (typeof BY_FIELDS)[number];

/** Classes that the table of --by has columns for. */
export const BY_CLASSES = [
  "disposable",
  "invalid",
  "mistyped",
  "relay",
  "public",
  "duplicate",
] as const satisfies readonly RowClass[];
/** The summary shows at most this many days (a month), and as many other values. */
const MAX_SHOWN = 31;

const UNUSABLE_BITS = classBits(UNUSABLE_CLASSES);

type CountsByClassBits = Map<number, number>;

interface Counts {
  readonly rows: number;
  readonly unusable: number;
  readonly classes: Readonly<Record<RowClass, number>>;
}

interface ValueCounts extends Counts {
  readonly value: string;
}

/** The counts of a run: days in order, then other values, most frequent first. */
export interface CountsByReport {
  readonly column: string;
  /** How the values were read: D/M/Y or M/D/Y if that was a guess, and the units of Unix times. */
  readonly read_as?: string;
  readonly values: readonly ValueCounts[];
  /** Rows with values beyond MAX_VALUES, if any. */
  readonly other?: Counts;
}

export class CountsBy {
  private readonly values = new Map<string, CountsByClassBits>();
  private readonly other: CountsByClassBits = new Map();
  /** Returns the counts for a text of the input. Notations that `parseDay` reads as the same day share their counts. */
  private readonly countsOf = memoize(MAX_CACHED_TEXTS, (text: string) => this.findCounts(this.normalizeValue(text)));
  private readonly fields = new ByteCache<CountsByClassBits>(MAX_CACHED_FIELDS);
  private readonly field = new Row();
  private readonly hasTimes: boolean;
  private readonly units = new Set<TimeUnit>();

  /**
   * `read` returns the value of a classified row. If the value comes from a column, `index` is the column's index, and
   * `readField` decodes the value of a row that contains only this column.
   */
  constructor(
    private readonly column: string,
    private readonly read: (row: Row, classifier: Classifier) => string,
    readonly index?: number,
    private readonly readField: (field: Row) => string = () => "",
  ) {
    this.hasTimes = isTimeName(column);
  }

  add(row: Row, classes: number, classifier: Classifier): void {
    increment(this.countsOf(this.read(row, classifier)), classes);
  }

  /** Counts a row by its field between `start` and `end`. */
  addField(bytes: Uint8Array, start: number, end: number, classes: number): void {
    let counts = this.fields.get(bytes, start, end);
    if (counts === undefined) {
      const { field } = this;
      field.line = bytes;
      field.lineStart = start;
      field.lineEnd = end;
      counts = this.countsOf(this.readField(field));
      this.fields.set(start, end, counts);
    }
    increment(counts, classes);
  }

  report(): CountsByReport {
    const { column, other } = this;
    const dateOrder = inferDateOrder(this.values.keys());
    const readAs = [...(dateOrder?.isGuess === true ? [dateOrder.order] : []), ...[...this.units].sort().reverse()];
    const counts = {
      column,
      ...(readAs.length > 0 && { read_as: readAs.join(", ") }),
      values: [...this.values].map(([value, classes]) => ({ value, ...sumCounts(classes) })),
      ...(other.size > 0 && { other: sumCounts(other) }),
    };
    return mapValues(counts, (text) => (dateOrder === undefined ? text : toIsoDay(text, dateOrder.order)));
  }

  private normalizeValue(text: string): string {
    const unit = this.hasTimes ? timeUnit(text) : undefined;
    if (unit === undefined) return parseDay(text, this.hasTimes);
    this.units.add(unit);
    return dayOf(text, unit);
  }

  private findCounts(value: string): CountsByClassBits {
    const existingCounts = this.values.get(value);
    if (existingCounts !== undefined) return existingCounts;
    if (this.values.size >= MAX_VALUES) return this.other;
    const counts: CountsByClassBits = new Map();
    this.values.set(value, counts);
    return counts;
  }
}

/** Orders days by date, then other values by frequency. */
function compareValues(a: ValueCounts, b: ValueCounts): number {
  const byName = a.value < b.value ? -1 : 1;
  if (isIsoDay(a.value) && isIsoDay(b.value)) return byName;
  return Number(isIsoDay(b.value)) - Number(isIsoDay(a.value)) || b.rows - a.rows || byName;
}

/** Changes the texts of the values, totals the counts of values that become equal, and sorts the values. */
export function mapValues(by: CountsByReport, change: (text: string) => string): CountsByReport {
  const totals = new Map<string, ValueCounts>();
  for (const { value: text, rows, unusable, classes } of by.values) {
    const value = change(text);
    const total = totals.get(value);
    const sums = Object.entries(classes).map(([name, count]) => [
      name,
      count + (total?.classes[name as RowClass] ?? 0),
    ]);
    totals.set(value, {
      value,
      rows: rows + (total?.rows ?? 0),
      unusable: unusable + (total?.unusable ?? 0),
      classes: Object.fromEntries(sums),
    });
  }
  return { ...by, values: [...totals.values()].sort(compareValues) };
}

/** Returns the days among the values, in order. If fewer than half of the rows with a value have a day, returns none. */
export function selectDays<Value extends { readonly value: string; readonly rows: number }>(
  values: readonly Value[],
): Value[] {
  const days = values.filter(({ value }) => isIsoDay(value));
  const isColumnOfDays = 2 * sumRows(days) >= sumRows(values.filter(({ value }) => value !== ""));
  return isColumnOfDays ? days.sort((a, b) => (a.value < b.value ? -1 : 1)) : [];
}

/** Returns the total of the rows. */
export function sumRows(counts: readonly { readonly rows: number }[]): number {
  return counts.reduce((sum, { rows }) => sum + rows, 0);
}

function sumCounts(counts: CountsByClassBits): Counts {
  const rowsIn = (bits: number): number =>
    [...counts].reduce((sum, [classes, rows]) => ((classes & bits) === 0 ? sum : sum + rows), 0);
  return { rows: rowsIn(-1), unusable: rowsIn(UNUSABLE_BITS), classes: rowsByClass([...counts]) };
}

/** Returns a heading: the column's name, and how its values were read if that is ambiguous. */
export function formatCountsByHeading({ column, read_as: readAs }: CountsByReport): string {
  return readAs === undefined ? column : `${column} (${readAs})`;
}

/** Formats the number of rows of a class, and their share of the value's rows. */
export function formatClassRows<Name extends RowClass>(
  { rows, classes }: { readonly rows: number; readonly classes: Readonly<Record<Name, number>> },
  name: Name,
): string {
  return `${formatNumber(classes[name])} (${formatPercent(classes[name], rows)})`;
}

/** Returns a value as it is shown: in quotes if it looks like the name of another row of the table. */
function nameValue(value: string): string {
  if (value === "") return "(empty)";
  return value === "(empty)" || value === "(other)" ? quote(value) : value;
}

/** Returns the last days, the most frequent other values, `required` ones, and the number of omitted values. */
export function topValues(
  { values, other }: CountsByReport,
  required: readonly string[] = [],
  maxDays = MAX_SHOWN,
): Pick<CountsByReport, "values"> & { readonly omittedCount: number } {
  const dayCount = values.filter(({ value }) => isIsoDay(value)).length;
  const shownValues = values.filter(
    ({ value }, i) => (i >= dayCount - maxDays && i < dayCount + MAX_SHOWN) || required.includes(value),
  );
  const namedValues = shownValues.map((each) => ({ ...each, value: nameValue(each.value) }));
  const omittedCount = values.length - shownValues.length;
  return { values: other === undefined ? namedValues : [...namedValues, { value: "(other)", ...other }], omittedCount };
}
