// Parses and checks text that people type: names, teams and expiry times.

import type { Result } from "./result.ts";

const MAX_NAME_CHARS = 100;
const TEAM = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Explains why `name` is invalid, worded to follow the field's name; undefined if valid. */
export function nameFault(name: unknown): string | undefined {
  if (name === undefined) return "is missing: give 1 to 100 characters";
  if (typeof name !== "string") return "must be a string: give 1 to 100 characters";
  const length = Array.from(name.slice(0, 2 * MAX_NAME_CHARS + 1)).length;
  if (name.trim() === "" || length > MAX_NAME_CHARS) return "is blank or too long: give 1 to 100 characters";
  // Bidirectional controls (UAX #9) too: they would reverse the text after the name, such as a mail's subject.
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u.test(name))
    return "has control characters, line breaks or bidirectional marks: remove them";
  return undefined;
}

export function teamFault(team: string): string | undefined {
  return TEAM.test(team)
    ? undefined
    : "is not a team name: give 1 to 64 letters, digits, dots, hyphens and underscores";
}

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
type Unit = keyof typeof UNITS_MS;

/** Parses a duration such as `2s` into milliseconds; NaN if invalid. `defaultUnit` is that of a bare number. */
export function parseDurationMs(text: string, units: readonly Unit[], defaultUnit?: Unit): number {
  const [, digits, suffix] = /^([0-9]{1,7})([a-z]*)$/.exec(text) ?? [];
  const unit = suffix === "" ? defaultUnit : units.find((candidate) => candidate === suffix);
  return unit === undefined ? Number.NaN : Number(digits) * UNITS_MS[unit];
}

const DAY_PATTERN = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])";
const CLOCK_PATTERN = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";
/** Pattern of a date, or of a date with time and zone. A date alone is midnight UTC, as in Date. */
export const TIME_PATTERN: string = `${DAY_PATTERN}(?:T${CLOCK_PATTERN}(?::[0-5][0-9](?:\\.[0-9]{1,3})?)?(?:Z|[+-]${CLOCK_PATTERN}))?`;
// 100 years: more is a typo.
const SPAN_MAX_MS = 100 * 365 * UNITS_MS.d;
const EXPIRY_HINT = "give a span such as 12h, 90d or 52w, or a date such as 2030-01-31 or 2030-01-31T12:00:00Z";

/** Reports whether the day of a time that matches TIME_PATTERN exists. Date parses February 30 as a day in March. */
export function isCalendarDay(time: string): boolean {
  const day = time.slice(0, 10);
  return new Date(day).toISOString().startsWith(day);
}

/** Parses an expiry as milliseconds since 1970. The fault is worded to follow the text. */
export function parseExpiry(text: string, nowMs: number): Result<number, string> {
  const spanMs = parseDurationMs(text, ["h", "d", "w"]);
  if (spanMs > 0 && spanMs <= SPAN_MAX_MS) return { ok: true, value: nowMs + spanMs };
  const time = new RegExp(`^${TIME_PATTERN}$`).test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time) || !isCalendarDay(text)) {
    return { ok: false, fault: `is not a time: ${EXPIRY_HINT}` };
  }
  return time > nowMs ? { ok: true, value: time } : { ok: false, fault: `is in the past: ${EXPIRY_HINT}` };
}

/** Calls `lookUp` for a domain and its parents, most specific first, until it returns a value. */
export function findInParents<T>(domain: string, lookUp: (name: string) => T | undefined): T | undefined {
  const dot = domain.indexOf(".");
  return lookUp(domain) ?? (dot < 0 ? undefined : findInParents(domain.slice(dot + 1), lookUp));
}
