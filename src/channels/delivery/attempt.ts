// What one try to deliver came to, whatever the kind of channel.

/** A try: done, or why not. */
export type Attempt = { readonly ok: true } | FailedAttempt;

/** A try that failed. */
export interface FailedAttempt {
  readonly ok: false;
  /** One clear line, without secrets and addresses. */
  readonly reason: string;
  /** Whether another try makes sense; `gone` says that the receiver wants nothing more at all. */
  readonly verdict: "retry" | "give_up" | "gone";
  /** The receiver's own word on when to come back. */
  readonly retryAfterMs?: number;
  /** It is sure that the receiver did not take the message. When this is missing, it may have been taken. */
  readonly untaken?: true;
}
