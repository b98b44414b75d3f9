// Why a test, a verification or a notification fails. The codes are those of the HTTP API. The message says what to do and
// contains no secret.

import type { ChannelFault } from "./fault.ts";

/** A failure of an action on a channel. `ChannelFault` is for a channel's fields. */
export interface NotifyFault {
  readonly code: ChannelFault["code"] | "TEST_FAILED" | "RATE_LIMITED" | "TOKEN_USED" | "TOKEN_EXPIRED";
  readonly message: string;
  /** With RATE_LIMITED: seconds until another attempt makes sense. */
  readonly retryAfterSeconds?: number;
}

/** A failed outcome. */
export function fails(code: NotifyFault["code"], message: string): { readonly ok: false; readonly fault: NotifyFault } {
  return { ok: false, fault: { code, message } };
}
