// The result of one attempt to deliver, the same for every type of channel.

/** An attempt: it succeeded, or why not. */
export type Attempt = { readonly ok: true } | FailedAttempt;

/** An attempt that failed. */
export interface FailedAttempt {
  readonly ok: false;
  /** One clear line, without secrets and addresses. */
  readonly reason: string;
  /** Whether another attempt makes sense; `gone` means that the receiver wants no more events at all. */
  readonly verdict: "retry" | "give_up" | "gone";
  /** How long the receiver asked us to wait. */
  readonly retryAfterMs?: number | undefined;
  /** True when this process can't send it, for want of a setting or a permission that another process may have. */
  readonly unable?: true;
  /** True when the receiver certainly did not get the message. When this is missing, it may have got it. */
  readonly untaken?: true;
}

/** The longest wait that a receiver can ask for, in milliseconds. A longer one is a mistake, or would keep a delivery for ever. */
export const RETRY_AFTER_MAX_MS = 86_400_000;
