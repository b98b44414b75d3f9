// One attempt to deliver an event to a webhook: signed and sent once, with the result as a value. Retries are decided elsewhere.

import type { OutboundClient } from "../../outbound/client.ts";
import type { Attempt } from "./attempt.ts";
import { RETRY_AFTER_MAX_MS } from "./retry.ts";
import { signWebhook } from "./signature.ts";

/** The url, headers and secret of a webhook. */
export interface WebhookTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
}

/** What is sent. The id stays the same in retries. */
export interface WebhookMessage {
  readonly id: string;
  readonly body: string;
}

// A receiver should queue the event and answer at once; Standard Webhooks recommends a limit of 15 to 30 s.
const TIMEOUT_MS = 15_000;
// Only the status counts. This much of the body is read, so that the receiver can finish its answer.
const ANSWER_BYTES = 16_384;

/** Sends a signed webhook once. Any 2xx is success; a redirect is a failure. */
export async function sendWebhook(
  client: OutboundClient,
  target: WebhookTarget,
  message: WebhookMessage,
  nowMs: number,
): Promise<Attempt> {
  const outcome = await client.send({
    method: "POST",
    url: target.url,
    headers: {
      ...target.headers,
      "content-type": "application/json",
      ...signWebhook(target.secret, message.id, nowMs, message.body),
    },
    body: message.body,
    timeoutMs: TIMEOUT_MS,
    bodyLimitBytes: ANSWER_BYTES,
    overLimit: "cut",
  });
  if (!outcome.ok) return { ok: false, reason: outcome.fault.message, verdict: "retry" };
  const { status, headers } = outcome.answer;
  if (status >= 200 && status < 300) return { ok: true };
  const retryAfterMs = retryAfter(headers["retry-after"], nowMs);
  return {
    ok: false,
    reason: statusReason(status),
    verdict: status === 410 ? "gone" : "retry",
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function statusReason(status: number): string {
  const base = `the webhook answered ${status}`;
  if (status >= 300 && status < 400) return `${base}: redirects are not followed, give the final URL`;
  if (status === 401 || status === 403) return `${base}: check the secret and the headers of the channel`;
  if (status === 410) return `${base}: the receiver wants no more events`;
  return base;
}

/** Retry-After (RFC 9110 §10.2.3), seconds or a date, as milliseconds from now; undefined when it is missing or not readable. */
export function retryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const ms = /^[0-9]{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  if (Number.isNaN(ms) || ms < 0) return undefined;
  return Math.min(ms, RETRY_AFTER_MAX_MS);
}
