// Errors of channel requests. A message names the field and the fix, and never contains a secret.

import { omitUndefined } from "../base/result.ts";

export interface ChannelFault {
  readonly code:
    | "INVALID_BODY"
    | "LIMIT_REACHED"
    | "DELIVERY_IN_PROGRESS"
    | "NOT_FOUND"
    | "IDEMPOTENCY_KEY_REUSED"
    | "IDEMPOTENCY_KEY_IN_USE"
    | "TEST_FAILED"
    | "RATE_LIMITED"
    | "TOKEN_USED"
    | "TOKEN_EXPIRED";
  readonly message: string;
  /** Seconds until the next attempt, if it is known. */
  readonly retryAfterSeconds?: number;
}

type FailedResult = { readonly ok: false; readonly fault: ChannelFault };

export function failWith(code: ChannelFault["code"], message: string, retryAfterSeconds?: number): FailedResult {
  return { ok: false, fault: { code, message, ...omitUndefined({ retryAfterSeconds }) } };
}

/** Returns an INVALID_BODY failure. `message` starts with the field: "config.url is missing: …". */
export function invalidBody(message: string): FailedResult {
  return failWith("INVALID_BODY", message);
}

/** Formats a field's path for a message. Hides a name that doesn't look like a field: it may be a misplaced secret. */
export function formatFieldPath(parent: string, name: string): string {
  const safeName = /^(?!whsec_)[A-Za-z0-9_.-]{1,40}$/.test(name) ? name : "(hidden)";
  return parent === "" ? safeName : `${parent}.${safeName}`;
}

/** Returned for unknown ids and for other teams' channels alike, so that callers can't probe for ids. */
export const CHANNEL_NOT_FOUND: FailedResult = failWith(
  "NOT_FOUND",
  "there is no such channel: list the team's channels for their ids",
);
