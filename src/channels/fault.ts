// Why a request about a channel fails. The message names the field, says how to fix it, and contains no secret.

import { defined } from "../base/result.ts";

export interface ChannelFault {
  readonly code:
    | "INVALID_BODY"
    | "LIMIT_REACHED"
    | "NOT_FOUND"
    | "IDEMPOTENCY_KEY_REUSED"
    | "IDEMPOTENCY_KEY_IN_USE"
    | "TEST_FAILED"
    | "RATE_LIMITED"
    | "TOKEN_USED"
    | "TOKEN_EXPIRED";
  readonly message: string;
  /** With RATE_LIMITED: seconds until another attempt makes sense. */
  readonly retryAfterSeconds?: number;
}

type FailedResult = { readonly ok: false; readonly fault: ChannelFault };

export function failWith(code: ChannelFault["code"], message: string, retryAfterSeconds?: number): FailedResult {
  return { ok: false, fault: { code, message, ...defined({ retryAfterSeconds }) } };
}

/** The message begins with the field: `config.url is missing: update the channel to add it`. */
export function invalidBody(message: string): FailedResult {
  return failWith("INVALID_BODY", message);
}

/** A field's path for a message. A name that can't be a slip is not shown: it may be a misplaced secret. */
export function formatFieldPath(parent: string, name: string): string {
  const shown = /^(?!whsec_)[A-Za-z0-9_.-]{1,40}$/.test(name) ? name : "(a name that is not shown)";
  return parent === "" ? shown : `${parent}.${shown}`;
}

/** Another team's channel or an unknown id: callers can't know which. */
export const CHANNEL_NOT_FOUND: FailedResult = failWith(
  "NOT_FOUND",
  "there is no such channel: list the channels for their ids",
);
