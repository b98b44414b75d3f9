// The result of one attempt to deliver, the same for every type of channel; and when the next one follows: after
// growing pauses with jitter, or later if the receiver asks for it.

export type Attempt = { readonly ok: true } | FailedAttempt;

export interface FailedAttempt {
  readonly ok: false;
  /** One clear line, without secrets and addresses. */
  readonly reason: string;
  /** Whether another attempt makes sense; `gone` means that the receiver wants no more events at all. */
  readonly verdict: "retry" | "give_up" | "gone";
  readonly retryAfterMs?: number | undefined;
  /** True when this process can't send it, for want of a setting or a permission that another process may have. */
  readonly notConfigured?: true;
  /** True when the receiver certainly did not get the message. When this is missing, it may have got it. */
  readonly undelivered?: true;
}

export const MAX_RETRY_AFTER_MS = 86_400_000;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

// As Standard Webhooks recommends ("Deliverability and reliability"): two days in all, so that someone notices an
// outage of a weekend.
const RETRY_DELAYS_MS: readonly number[] = [
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

// Each pause may be longer by this share, so that deliveries that failed together are not attempted together again.
const JITTER = 0.25;

export const MAX_RETRY_DELAY_MS: number = MAX_RETRY_AFTER_MS * (1 + JITTER);

export const MAX_ATTEMPTS: number = RETRY_DELAYS_MS.length + 1;

/**
 * Milliseconds until the next attempt after `attempts` of them, or undefined after the last. `retryAfterMs` is the
 * pause that the receiver asked for, which is never shortened; `random` returns numbers from 0 to 1.
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
