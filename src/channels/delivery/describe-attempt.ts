// Describes a delivery and its attempts for people. In its own file, so that the web UI doesn't load record shapes.

import { formatNumber } from "../../base/format-text.ts";
import type { ChannelView } from "../config/redaction.ts";
import type { AttemptView, DeliveryView } from "./record.ts";

/** Returns "running" during an attempt, or else the status of the delivery. */
export function describeStatus({ status, attempt_log: log }: DeliveryView): string {
  return log.some(isRunning) ? "running" : status;
}

/** Returns the status of a channel's last delivery. A failed resend is told apart from an event that was not delivered. */
export function describeLastDelivery({ status, is_resend }: NonNullable<ChannelView["last_delivery"]>): string {
  return status === "failed" && is_resend ? "resend failed" : status;
}

function isRunning({ ok, error }: AttemptView): boolean {
  return ok === undefined && error === undefined;
}

/** Returns text such as "delivered, HTTP 200, 12 ms" or "resend failed, 3 ms: the webhook answered 503". */
export function describeAttempt(attempt: AttemptView): string {
  const { ok, http_status: status, duration_ms: ms, error, is_resend } = attempt;
  const finished = ok ? "delivered" : "failed";
  const unfinished = isRunning(attempt) ? "running" : "interrupted";
  const facts = [
    `${is_resend === true ? "resend " : ""}${ok === undefined ? unfinished : finished}`,
    ...(status === undefined ? [] : [`HTTP ${status}`]),
    ...(ms === undefined ? [] : [`${formatNumber(ms)} ms`]),
  ].join(", ");
  return error === undefined ? facts : `${facts}: ${error}`;
}
