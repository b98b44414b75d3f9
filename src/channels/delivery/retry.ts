// When a delivery is tried again: growing pauses with jitter, the receiver's own word where it is later, and an end.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

// After Standard Webhooks, "Deliverability and reliability": about two days in all, long enough for a weekend's outage to be seen.
const PAUSES_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  24 * HOUR,
];

// Each pause is up to so much longer, so that what failed together does not come back together.
const JITTER = 0.25;

// What a receiver may ask for by Retry-After: a longer one is a mistake or an attempt to keep the delivery for ever.
export const RETRY_AFTER_MAX_MS: number = 24 * HOUR;

/** The longest that a delivery is ever put off by a failed try. */
export const PAUSE_MAX_MS: number = RETRY_AFTER_MAX_MS * (1 + JITTER);

/** How often a delivery is tried. */
export const ATTEMPTS_MAX: number = PAUSES_MS.length + 1;

/**
 * Milliseconds until the next try after so many, or undefined when there is none. `retryAfterMs` is the least that the receiver
 * asked for; `random` gives numbers from 0 to 1.
 */
export function pauseMs(attempts: number, retryAfterMs: number | undefined, random: () => number): number | undefined {
  const pause = PAUSES_MS[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.round(Math.max(pause, retryAfterMs ?? 0) * (1 + JITTER * random()));
}
