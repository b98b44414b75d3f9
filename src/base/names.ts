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
export function addressLines(text: string): string[] {
  return text
    .split("\n")
    .map(trimmed)
    .flatMap((line) => (SEVERAL.test(line) ? line.split(/[,;]/).map(trimmed) : [line]))
    .filter((line) => line !== "");
}

function trimmed(text: string): string {
  // The look behind keeps runs of spaces inside from taking quadratic time.
  return text.replace(/^[\t\r ]+|(?<![\t\r ])[\t\r ]+$/g, "");
}

// Two or more texts with one `@` each. A quoted local part may have the separators.
const SEVERAL = /^[^",;@]+@[^",;@]+(?:[,;][^",;@]+@[^",;@]+)+[,;]*$/;

const SPAN = /^([1-9][0-9]{0,4})([hdw])$/;
const HOUR_MS = 3_600_000;
const UNIT_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 168 * HOUR_MS };
// A date without a time means the beginning of that day in UTC, as in ISO 8601 and in Date.
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?(Z|[+-][0-9]{2}:[0-9]{2}))?$/;
const FORMS = "give a span such as 12h, 90d or 52w, or a date such as 2030-01-31 or 2030-01-31T12:00:00Z";

/** Reads an expiry as milliseconds since 1970. The fault continues a sentence that begins with the text. */
export function parseExpiry(text: string, nowMs: number): Result<number, string> {
  const span = SPAN.exec(text);
  if (span !== null) {
    const [, count, unit] = span as unknown as [string, string, string];
    return { ok: true, value: nowMs + Number(count) * (UNIT_MS[unit] as number) };
  }
  const time = DATE.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time) || !realDay(text)) return { ok: false, fault: `is not a time: ${FORMS}` };
  if (time <= nowMs) return { ok: false, fault: `is in the past: ${FORMS}` };
  return { ok: true, value: time };
}

/** False for the 30th of February, which Date reads as a day in March. */
function realDay(text: string): boolean {
  const day = text.slice(0, 10);
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** The first answer of `look` about a domain and its parents, the most specific first. */
export function nearest<T>(domain: string, look: (name: string) => T | undefined): T | undefined {
  const dot = domain.indexOf(".");
  return look(domain) ?? (dot < 0 ? undefined : nearest(domain.slice(dot + 1), look));
}
