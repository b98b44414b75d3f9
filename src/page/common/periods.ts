// Groups days into the periods of a chart, and chooses the dates of its axis.

import { DAY_MS } from "../../bulk/days.ts";

export interface Day {
  /** ISO 8601. */
  readonly value: string;
  readonly rows: number;
  /** Number of rows without a usable address. */
  readonly unusable: number;
}

const MAX_DAYS = 120;
const MAX_DAYS_BY_WEEK = 3 * 366;

export type PeriodUnit = "day" | "week" | "month";

/** A day, a week from Monday, or a month. Times are in milliseconds since 1970. */
export interface Period extends Omit<Day, "value"> {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Groups days, which are in order, by day if a chart has room and at least a third of them have rows. */
export function groupByPeriod(days: readonly Day[]): { readonly unit: PeriodUnit; readonly periods: Period[] } {
  const [first, last] = [days[0], days.at(-1)].map((day) => Date.parse(day?.value ?? ""));
  const dayCount = 1 + ((last ?? 0) - (first ?? 0)) / DAY_MS;
  const unit =
    dayCount <= Math.min(MAX_DAYS, 3 * days.length) ? "day" : dayCount <= MAX_DAYS_BY_WEEK ? "week" : "month";
  const periods: Period[] = [];
  for (const { value, rows, unusable } of days) {
    const period = periodOf(unit, value);
    const sum = periods.at(-1)?.start === period.start ? periods.pop() : undefined;
    periods.push({ ...period, rows: rows + (sum?.rows ?? 0), unusable: unusable + (sum?.unusable ?? 0) });
  }
  return { unit, periods };
}

function periodOf(unit: PeriodUnit, day: string): Pick<Period, "name" | "start" | "end"> {
  const date = new Date(day);
  if (unit === "month") {
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    return { name: day.slice(0, 7), start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
  }
  if (unit === "day") return { name: day, start: date.getTime(), end: date.getTime() + DAY_MS };
  const start = date.getTime() - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  return { name: `week of ${new Date(start).toISOString().slice(0, 10)}`, start, end: start + 7 * DAY_MS };
}

const MAX_DATES = 8;
/** The first Monday after 1970-01-01, in days. */
const FIRST_MONDAY = 4;

/**
 * Returns at most MAX_DATES labels from `startMs` to `endMs`, each with its time: of months, or of Mondays, unless there
 * are few days.
 */
export function chooseDates(unit: PeriodUnit, startMs: number, endMs: number): { ms: number; label: string }[] {
  const isMonthly = unit === "month";
  const indexOf = (ms: number): number => {
    const date = new Date(ms);
    return isMonthly ? 12 * (date.getUTCFullYear() - 1970) + date.getUTCMonth() : ms / DAY_MS - FIRST_MONDAY;
  };
  const timeOf = (index: number): number => (isMonthly ? Date.UTC(1970, index) : DAY_MS * (index + FIRST_MONDAY));
  const [start, end] = [indexOf(startMs), indexOf(endMs)];
  const count = end - start;
  const unitLength = isMonthly ? 3 : 7;
  const doublings = Math.max(0, Math.ceil(Math.log2(count / MAX_DATES / unitLength)));
  const step = count <= 2 * MAX_DATES ? Math.ceil(count / MAX_DATES) : unitLength * 2 ** doublings;
  const first = step * Math.ceil(start / step);
  return Array.from({ length: Math.ceil((end - first) / step) }, (_, i) => {
    const index = first + i * step;
    // From a text such as "Thu, 01 Jan 1970 00:00:00 GMT".
    const date = new Date(timeOf(index)).toUTCString();
    const label = isMonthly ? date.slice(step < 12 ? 8 : 12, 16) : date.slice(5, count > 300 ? 16 : 11);
    return { ms: (timeOf(index) + timeOf(index + 1)) / 2, label };
  });
}
