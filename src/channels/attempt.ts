// The outcome of one delivery attempt, for every channel type, and the retry schedule: growing delays with jitter,
// extended by Retry-After.

import { parseDurationMs } from "../base/user-input.ts";

export type Attempt = { readonly ok: true; readonly httpStatus?: number } | FailedAttempt;

export interface FailedAttempt {
  readonly ok: false;
  /** Status of the receiver's response; undefined for mail and without a response. */
  readonly httpStatus?: number;
  /** One line without secrets or addresses. */
  readonly reason: string;
  /** Beginning of the receiver's response, not redacted. */
  readonly response?: string | undefined;
  /** `give_up`: retrying this message can't help. `gone`: the receiver wants no more messages at all. */
  readonly verdict: "retry" | "give_up" | "gone";
  readonly retryAfterMs?: number | undefined;
  /** This process lacks a setting or permission; another may have it. */
  readonly notConfigured?: true;
  /** True if the receiver certainly did not get the message; otherwise it may have. */
  readonly undelivered?: true;
}

export const MAX_RETRY_AFTER_MS = 86_400_000;

// Recommended by Standard Webhooks ("Deliverability and reliability"). They add up to two days, to outlast a weekend.
const RETRY_DELAYS_MS = ["5s", "30s", "2m", "10m", "30m", "2h", "5h", "10h", "24h"].map((delay) =>
  parseDurationMs(delay, ["s", "m", "h"]),
);

// Maximum share added to a delay, so that deliveries that failed together are not retried together.
const JITTER = 0.25;

export const MAX_RETRY_DELAY_MS: number = MAX_RETRY_AFTER_MS * (1 + JITTER);

export const MAX_ATTEMPTS: number = RETRY_DELAYS_MS.length + 1;

/**
 * Returns the milliseconds to wait after `attempts` attempts, or undefined after the last. The result is never less
 * than `retryAfterMs`. `random` returns numbers from 0 to 1.
 */
export function retryDelayMs(
  attempts: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number | undefined {
  const delay = RETRY_DELAYS_MS[attempts - 1];
  if (delay === undefined) return undefined;
  return Math.round(Math.max(delay, retryAfterMs ?? 0) * (1 + JITTER * random()));
}
