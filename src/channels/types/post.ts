// Sends one POST of JSON to a receiver. Each channel type classifies the response; the outbox decides about retries.

import type { OutboundClient } from "../../outbound/client.ts";
import { type Attempt, type FailedAttempt, MAX_RETRY_AFTER_MS } from "../attempt.ts";

export interface PostDeps {
  readonly now: () => number;
  readonly client: OutboundClient;
}

/** Why a receiver rejected a message. The reason never quotes the receiver. */
export type DeliveryFailure = Pick<FailedAttempt, "reason" | "response" | "verdict">;

/** Returns undefined if the receiver accepted the message. `text` is the start of the response body. */
export type ResponseClassifier = (status: number, text: string) => DeliveryFailure | undefined;

// Standard Webhooks recommends 15 to 30 s: a receiver should queue the event and respond at once.
const TIMEOUT_MS = 15_000;
// No classifier needs more. A longer response is truncated.
const MAX_RESPONSE_BYTES = 16_384;

export async function postJson(
  { client, now }: PostDeps,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  classifyResponse: ResponseClassifier,
): Promise<Attempt> {
  const outcome = await client.send({
    method: "POST",
    url,
    headers: { ...headers, "content-type": "application/json" },
    body,
    timeoutMs: TIMEOUT_MS,
    bodyLimitBytes: MAX_RESPONSE_BYTES,
    overLimit: "truncate",
  });
  if (!outcome.ok) {
    const { code, message } = outcome.fault;
    // Retry a blocked address, because another process may run with --allow-private.
    return {
      ok: false,
      reason: message,
      verdict: "retry",
      ...(code === "address" ? { notConfigured: true as const } : {}),
    };
  }
  const { status, headers: responseHeaders, body: bytes } = outcome.response;
  const failure = classifyResponse(status, Buffer.from(bytes).toString("utf8"));
  if (failure === undefined) return { ok: true, httpStatus: status };
  return {
    ok: false,
    httpStatus: status,
    ...failure,
    retryAfterMs: parseRetryAfter(responseHeaders["retry-after"], now()),
  };
}

export function isSuccessStatus(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Returns the failure for a status without a rule of the type. `help` is added for 401 and 403. */
export function failureForStatus(status: number, help?: string): DeliveryFailure {
  const problem = `the webhook answered ${status}`;
  if (status >= 300 && status < 400) {
    return { reason: `${problem}: redirects are not followed, give the final URL`, verdict: "retry" };
  }
  if (status === 410) return { reason: `${problem}: the receiver wants no more events`, verdict: "gone" };
  if (status === 404) return { reason: `${problem}: check the URL`, verdict: "retry" };
  const isDenied = status === 401 || status === 403;
  return { reason: isDenied && help !== undefined ? `${problem}: ${help}` : problem, verdict: "retry" };
}

/** Parses Retry-After (RFC 9110 §10.2.3), seconds or a date, into milliseconds from now. Undefined if invalid. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const ms = /^[0-9]{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  if (Number.isNaN(ms) || ms < 0) return undefined;
  return Math.min(ms, MAX_RETRY_AFTER_MS);
}
