// Converts days, as people and programs write them, to ISO form. Whether 03/11/2026 is in March or in November is decided
// from all values of a column.

const DAY = "(\\d{1,2})(?:st|nd|rd|th)?";
const MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?";
// A day may start with a weekday and end with a time of day or a zone.
const createPattern = (text: string): RegExp =>
  new RegExp(`^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\\.?,? )?${text}(?![\\d/.-])`, "i");
/** Patterns of unambiguous days, with the indexes of their capture groups. */
const PATTERNS: readonly (readonly [pattern: RegExp, year: number, month: number, day: number])[] = [
  [createPattern("(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})"), 1, 3, 4],
  [createPattern("(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4}|(?<=\\d\\d\\.\\d\\d\\.)\\d\\d)"), 3, 2, 1],
  [createPattern(`${DAY}\\.?[ -]${MONTH},?[ -](\\d{4})`), 3, 2, 1],
  [createPattern(`${MONTH} ${DAY},? (\\d{4})`), 3, 1, 2],
];
/** Patterns in a column with times. In other columns, text that only these match may be a number or a version. */
const TIME_COLUMN_PATTERNS: typeof PATTERNS = [
  ...PATTERNS,
  [createPattern("((?:19|20)\\d\\d)(\\d\\d)(\\d\\d)(?:\\d{6})?"), 1, 2, 3],
  [createPattern("(\\d{1,2})\\.(\\d{1,2})\\.(\\d\\d)"), 3, 2, 1],
];
const AMBIGUOUS_PATTERN = createPattern("(\\d{1,2})([/-])(\\d{1,2})\\2(\\d{4}|(?<=/)\\d\\d)");
/** Numbers that are times, by their unit: each in about the years 2000 to 2039. */
const TIME_UNITS = {
  "seconds since 1970": { pattern: /^(?:9[5-9]|1\d\d|2[01]\d)\d{7}$/, toMs: (count: number) => 1000 * count },
  "milliseconds since 1970": { pattern: /^(?:9[5-9]|1\d\d|2[01]\d)\d{10}$/, toMs: (count: number) => count },
};
/** Matches the names of columns with times, in lower case with words joined by `_`. May end with a unit or a zone. */
const TIME_NAME = new RegExp(
  "(?:^|_)(?:date|day|[acm]?time|unix|epoch|ts|when|since|datum|zeit|zeitpunkt|fecha|hora|[a-z]+_at|last_(?:active|activity|login|update|visit)|" +
    "(?:added|changed|clicked|confirmed|created|deleted|joined|modified|opened|registered|seen|sent|signed_up|" +
    "subscribed|unsubscribed|updated|verified|erstellt|angelegt|geändert|aktualisiert|angemeldet|registriert|creado|criado|creato|créé)(?:_on|_am|_le|_el)?)" +
    "(?:_(?:date|time|unix|epoch|utc|gmt|s|ms|sec|secs|seconds|millis|milliseconds))*$|" +
    "(?:datum|datetime|timestamp|unixtime|createdat|updatedat)(?:_ms|_utc|_gmt)?$",
);
const TIME = /[ T]\d\d?:\d\d.*$/;
export const DAY_MS = 86_400_000;
const FIRST_YEAR = 1900;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** How to read an ambiguous day, such as 03/11/2026. */
const DATE_ORDERS = ["D/M/Y", "M/D/Y"] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];
/** Matches an ambiguous day, as `parseDay` returns it. */
const AMBIGUOUS_DAY = /^(\d\d)\/(\d\d)\/(\d{4})$/;
const ISO_DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
export type TimeUnit = keyof typeof TIME_UNITS;

/** Reports whether a column of this name, such as `createdAt`, has times. Only in such columns is a number a time. */
export function isTimeName(name: string): boolean {
  const words =
    name
      .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
      .toLowerCase()
      .match(/[\p{L}\d]+/gu) ?? [];
  return TIME_NAME.test(words.join("_"));
}

/** Returns the unit of a time that is a number; undefined if `text` is not one. */
export function timeUnit(text: string): TimeUnit | undefined {
  return (Object.keys(TIME_UNITS) as TimeUnit[]).find((unit) => TIME_UNITS[unit].pattern.test(text));
}

/** Returns the day of a time in this unit, as YYYY-MM-DD. */
export function dayOf(text: string, unit: TimeUnit): string {
  return new Date(TIME_UNITS[unit].toMs(Number.parseFloat(text))).toISOString().slice(0, 10);
}

/**
 * Returns the day at the start of `text` as YYYY-MM-DD, or as NN/NN/YYYY if it is ambiguous. Returns an invalid day
 * without its time, and other text unchanged.
 */
export function parseDay(text: string, isTimeColumn = false): string {
  for (const [pattern, year, month, day] of isTimeColumn ? TIME_COLUMN_PATTERNS : PATTERNS) {
    const match = pattern.exec(text);
    if (match !== null) return isoDay(match[year], monthNumber(match[month]), match[day]) ?? text.replace(TIME, "");
  }
  const match = AMBIGUOUS_PATTERN.exec(text);
  if (match === null) return text;
  const [, first = "", , second = "", year = ""] = match;
  const possibleDay = isoDay(year, second, first) ?? isoDay(year, first, second);
  return possibleDay === undefined
    ? text.replace(TIME, "")
    : `${padNumber(first)}/${padNumber(second)}/${possibleDay.slice(0, 4)}`;
}

/**
 * Infers from all values of a column whether its ambiguous days are D/M/Y or M/D/Y, and whether that is a guess. A date
 * order fits if at most a tenth of the days, or one day, is invalid in it. Returns undefined if neither fits.
 */
export function inferDateOrder(
  texts: Iterable<string>,
): { readonly order: DateOrder; readonly isGuess: boolean } | undefined {
  const ambiguousDays = [...texts].filter(
    (text) => AMBIGUOUS_DAY.test(text) && DATE_ORDERS.some((order) => isIsoDay(toIsoDay(text, order))),
  );
  if (ambiguousDays.length === 0) return undefined;
  const fits = DATE_ORDERS.map((order) => ({ order, ...measureFit(ambiguousDays, order) }));
  fits.sort((a, b) => a.invalidDays - b.invalidDays || a.spanMs - b.spanMs);
  const [best, other] = fits as [OrderFit, OrderFit];
  if (
    best.invalidDays > Math.max(1, ambiguousDays.length / 10) ||
    (best.invalidDays > 0 && best.invalidDays === other.invalidDays)
  )
    return undefined;
  return { order: best.order, isGuess: best.invalidDays > 0 || other.invalidDays === 0 };
}

/** Converts an ambiguous day to ISO form. Returns other text unchanged. */
export function toIsoDay(day: string, order: DateOrder): string {
  const [, first = "", second = "", year = ""] = AMBIGUOUS_DAY.exec(day) ?? [];
  return (order === "D/M/Y" ? isoDay(year, second, first) : isoDay(year, first, second)) ?? day;
}

interface OrderFit {
  readonly order: DateOrder;
  readonly invalidDays: number;
  /**
   * Milliseconds from the first day to the last one. If both orders fit equally well, the shorter span wins, because the
   * days of one export are close together.
   */
  readonly spanMs: number;
}

function measureFit(days: readonly string[], order: DateOrder): Omit<OrderFit, "order"> {
  const validDays = days.map((day) => toIsoDay(day, order)).filter((day) => isIsoDay(day));
  const times = validDays.map((day) => Date.parse(day));
  return { invalidDays: days.length - validDays.length, spanMs: Math.max(...times) - Math.min(...times) };
}

/** Reports whether a text is an ambiguous day, as `parseDay` returns it. */
export function isAmbiguousDay(text: string): boolean {
  return AMBIGUOUS_DAY.test(text);
}

/** Reports whether a text is a day as YYYY-MM-DD; 2026-02-31 is not. */
export function isIsoDay(text: string): boolean {
  const [, year, month, day] = ISO_DAY.exec(text) ?? [];
  return isoDay(year, month, day) !== undefined;
}

function isoDay(year = "", month = "", day = ""): string | undefined {
  const fullYear = year.length === 2 ? `${Number(year) < 70 ? "20" : "19"}${year}` : year;
  const iso = `${fullYear}-${padNumber(month)}-${padNumber(day)}`;
  const date = new Date(`${iso}T00:00:00Z`);
  // Programs write 0001-01-01 or 1899-12-30 for "none".
  return Number(fullYear) >= FIRST_YEAR && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso)
    ? iso
    : undefined;
}

function monthNumber(month = ""): string {
  const index = MONTHS.indexOf(month.toLowerCase());
  return index < 0 ? month : String(index + 1);
}

function padNumber(number: string): string {
  return number.padStart(2, "0");
}
