// Days in the ways that people and programs write them, in ISO form. With a slash or a hyphen, which of two numbers is
// the day is decided by all values together.

const DAY = "(\\d{1,2})(?:st|nd|rd|th)?";
const MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?";
// A time of day, or a zone, may follow; a day of the week may come first.
const form = (text: string): RegExp =>
  new RegExp(`^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\\.?,? )?${text}(?![\\d/.-])`, "i");
/** Forms that can be read in one way, and the numbers of their groups. */
const FORMS: readonly (readonly [form: RegExp, year: number, month: number, day: number])[] = [
  [form("(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})"), 1, 3, 4],
  [form("(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4}|(?<=\\d\\d\\.\\d\\d\\.)\\d\\d)"), 3, 2, 1],
  [form(`${DAY}\\.?[ -]${MONTH},?[ -](\\d{4})`), 3, 2, 1],
  [form(`${MONTH} ${DAY},? (\\d{4})`), 3, 1, 2],
];
const EITHER = form("(\\d{1,2})([/-])(\\d{1,2})\\2(\\d{4}|(?<=/)\\d\\d)");
// Seconds or milliseconds since 1970, in the years 2000 to 2039.
const EPOCH = /^(?:9[5-9]|1\d\d|20\d|21\d)\d{7}(?:\d{3})?$/;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** The readings of a day such as 03/11/2026. */
export type Reading = "D/M/Y" | "M/D/Y";
/** A day of which both readings may be right, so that it waits for the others. */
const OPEN = /^(\d\d)\/(\d\d)\/(\d{4})$/;
export const ISO_DAY: RegExp = /^\d{4}-\d\d-\d\d$/;

/**
 * The day that a text begins with, as YYYY-MM-DD, or as NN/NN/YYYY where both numbers may be the day; another text as
 * it is.
 */
export function dayOf(text: string): string {
  if (EPOCH.test(text)) return new Date(Number(text) * (text.length > 10 ? 1 : 1000)).toISOString().slice(0, 10);
  for (const [pattern, year, month, day] of FORMS) {
    const found = pattern.exec(text);
    if (found !== null) return isoDay(found[year], monthOf(found[month]), found[day]) ?? text;
  }
  const found = EITHER.exec(text);
  if (found === null) return text;
  const [, first = "", , second = "", year = ""] = found;
  const may = isoDay(year, second, first) ?? isoDay(year, first, second);
  return may === undefined ? text : `${twoDigits(first)}/${twoDigits(second)}/${may.slice(0, 4)}`;
}

/**
 * How all days with a slash are read, and whether that is a guess; undefined where there are none, or where no reading
 * is right for all.
 */
export function readingOf(
  days: Iterable<string>,
): { readonly reading: Reading; readonly guessed: boolean } | undefined {
  const found = [...days].filter((day) => OPEN.test(day));
  if (found.length === 0) return undefined;
  const spans = (["D/M/Y", "M/D/Y"] as const).map((reading) => ({ reading, span: spanOf(found, reading) }));
  const right = spans.filter(({ span }) => span !== undefined);
  if (right.length < 2) return right[0] && { reading: right[0].reading, guessed: false };
  // The days of one export are near one another.
  const [dayFirst, monthFirst] = right.map(({ span }) => span as number) as [number, number];
  return { reading: monthFirst < dayFirst ? "M/D/Y" : "D/M/Y", guessed: true };
}

/** The ISO form of a day with a slash; another text as it is. */
export function readDay(day: string, reading: Reading): string {
  const [, first = "", second = "", year = ""] = OPEN.exec(day) ?? [];
  return (reading === "D/M/Y" ? isoDay(year, second, first) : isoDay(year, first, second)) ?? day;
}

/** Milliseconds from the first day to the last one; undefined where one is not a day in this reading. */
function spanOf(days: readonly string[], reading: Reading): number | undefined {
  const read = days.map((day) => readDay(day, reading));
  if (!read.every((day) => ISO_DAY.test(day))) return undefined;
  const times = read.map((day) => Date.parse(day));
  return times.reduce((most, time) => Math.max(most, time)) - times.reduce((least, time) => Math.min(least, time));
}

function isoDay(year = "", month = "", day = ""): string | undefined {
  const whole = year.length === 2 ? `${Number(year) < 70 ? "20" : "19"}${year}` : year;
  const iso = `${whole}-${twoDigits(month)}-${twoDigits(day)}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : undefined;
}

/** The number of a month, from its number or its name. */
function monthOf(month = ""): string {
  const index = MONTHS.indexOf(month.toLowerCase());
  return index < 0 ? month : String(index + 1);
}

function twoDigits(number: string): string {
  return number.padStart(2, "0");
}
