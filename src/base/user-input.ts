// Texts that people type: names, teams, times of expiry, and addresses one a line.

import type { Result } from "./result.ts";

const NAME_MAX = 100;
const TEAM = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Explains why `name` is invalid, worded to follow the field's name; undefined if valid. */
export function nameFault(name: unknown): string | undefined {
  if (name === undefined) return "is missing: give 1 to 100 characters";
  if (typeof name !== "string") return "must be a string: give 1 to 100 characters";
  const length = Array.from(name.slice(0, 2 * NAME_MAX + 1)).length;
  if (name.trim() === "" || length > NAME_MAX) return "is blank or too long: give 1 to 100 characters";
  // Also the characters that turn the direction of what follows (UAX #9): a subject of mail would read backwards.
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u.test(name))
    return "has control characters, line breaks or marks that turn the direction: leave them out";
  return undefined;
}

export function teamFault(team: string): string | undefined {
  return TEAM.test(team)
    ? undefined
    : "is not a team name: give 1 to 64 letters, digits, dots, hyphens and underscores";
}

/** The lines that are not blank, trimmed. A line of several addresses, as mail programs copy them, is several. */
export function splitAddressLines(text: string): string[] {
  return text
    .split("\n")
    .map(trimSpaces)
    .flatMap((line) => (ADDRESS_LIST_LINE.test(line) ? line.split(/[,;]/).map(trimSpaces) : [line]))
    .filter((line) => line !== "");
}

function trimSpaces(text: string): string {
  // The look behind keeps runs of spaces inside from taking quadratic time.
  return text.replace(/^[\t\r ]+|(?<![\t\r ])[\t\r ]+$/g, "");
}

// Two or more texts with one `@` each. A quoted local part may have the separators.
const ADDRESS_LIST_LINE = /^[^",;@]+@[^",;@]+(?:[,;][^",;@]+@[^",;@]+)+[,;]*$/;

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
type Unit = keyof typeof UNITS_MS;

/** A time such as 2s, in one of the units, in milliseconds, else NaN. A bare number has the unit `bare`. */
export function parseDurationMs(text: string, units: readonly Unit[], bare?: Unit): number {
  const [, digits, typed] = /^([0-9]{1,7})([a-z]*)$/.exec(text) ?? [];
  const unit = typed === "" ? bare : units.find((known) => known === typed);
  return unit === undefined ? Number.NaN : Number(digits) * UNITS_MS[unit];
}

const DAY_PATTERN = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])";
const CLOCK_PATTERN = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";
/**
 * A date, or a date with a time and its zone, as a pattern. A date without a time means the beginning of that day in
 * UTC, as in ISO 8601 and in Date.
 */
export const TIME_PATTERN: string = `${DAY_PATTERN}(?:T${CLOCK_PATTERN}(?::[0-5][0-9](?:\\.[0-9]{1,3})?)?(?:Z|[+-]${CLOCK_PATTERN}))?`;
// A hundred years: more is a typing mistake.
const SPAN_MAX_MS = 100 * 365 * UNITS_MS.d;
const EXPIRY_HINT = "give a span such as 12h, 90d or 52w, or a date such as 2030-01-31 or 2030-01-31T12:00:00Z";

/** Reads an expiry as milliseconds since 1970. The fault continues a sentence that begins with the text. */
export function parseExpiry(text: string, nowMs: number): Result<number, string> {
  const spanMs = parseDurationMs(text, ["h", "d", "w"]);
  if (spanMs > 0 && spanMs <= SPAN_MAX_MS) return { ok: true, value: nowMs + spanMs };
  const time = new RegExp(`^${TIME_PATTERN}$`).test(text) ? Date.parse(text) : Number.NaN;
  const day = text.slice(0, 10);
  // Date reads the 30th of February as a day in March.
  if (Number.isNaN(time) || !new Date(day).toISOString().startsWith(day)) {
    return { ok: false, fault: `is not a time: ${EXPIRY_HINT}` };
  }
  return time > nowMs ? { ok: true, value: time } : { ok: false, fault: `is in the past: ${EXPIRY_HINT}` };
}

/** The first answer of `look` about a domain and its parents, the most specific first. */
export function findInParents<T>(domain: string, lookUp: (name: string) => T | undefined): T | undefined {
  const dot = domain.indexOf(".");
  return lookUp(domain) ?? (dot < 0 ? undefined : findInParents(domain.slice(dot + 1), lookUp));
}
