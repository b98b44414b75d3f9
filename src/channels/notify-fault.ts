// Why a test, a verification or a notification is not done. The codes are the API's; the message says what to do and holds no secret.

import type { ChannelFault } from "./fault.ts";

/** A failure of what channels do, beside the failures of what they are. */
export interface NotifyFault {
  readonly code: ChannelFault["code"] | "TEST_FAILED" | "RATE_LIMITED" | "TOKEN_USED" | "TOKEN_EXPIRED";
  readonly message: string;
  /** With RATE_LIMITED: when it is worth trying again. */
  readonly retryAfterSeconds?: number;
}

/** A failed outcome. */
export function fails(code: NotifyFault["code"], message: string): { readonly ok: false; readonly fault: NotifyFault } {
  return { ok: false, fault: { code, message } };
}
