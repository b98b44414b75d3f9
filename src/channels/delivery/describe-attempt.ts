// Describes an attempt of a delivery for people. A separate file, so that the web UI doesn't load the shapes of records.

import { formatNumber } from "../../base/format-text.ts";
import type { AttemptView } from "./record.ts";

/** Returns text such as "delivered, HTTP 200, 12 ms" or "resend failed, 3 ms: the webhook answered 503". */
export function describeAttempt({ ok, http_status: status, duration_ms: ms, error, is_resend }: AttemptView): string {
  if (ok === undefined) return "no result";
  const outcome = ok ? "delivered" : "failed";
  const facts = [
    is_resend === true ? `resend ${outcome}` : outcome,
    ...(status === undefined ? [] : [`HTTP ${status}`]),
    ...(ms === undefined ? [] : [`${formatNumber(ms)} ms`]),
  ].join(", ");
  return error === undefined ? facts : `${facts}: ${error}`;
}
