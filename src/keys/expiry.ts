// When a key ends, as people write it: a span such as 90d, or a date.

import type { Result } from "../base/result.ts";

const SPAN = /^([1-9][0-9]{0,4})([hdw])$/;
const HOUR_MS = 3_600_000;
const UNIT_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 168 * HOUR_MS };
// A date without a time means the beginning of that day in UTC, as in ISO 8601 and in Date.
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?(Z|[+-][0-9]{2}:[0-9]{2}))?$/;
const FORMS = "give a span such as 12h, 90d or 52w, or a date such as 2030-01-31 or 2030-01-31T12:00:00Z";

/** Reads an expiry; gives milliseconds since 1970. The fault continues a sentence that begins with the text. */
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
