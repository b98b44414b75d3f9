// One POST of JSON to a receiver, whose answer is read by rules of its type. Retries are decided elsewhere.

import type { OutboundClient } from "../../outbound/client.ts";
import { type Attempt, type FailedAttempt, MAX_RETRY_AFTER_MS } from "../attempt.ts";

export interface PostDeps {
  readonly now: () => number;
  readonly client: OutboundClient;
}

/** Why a receiver did not take a message. The reason contains nothing that the receiver wrote. */
export type DeliveryFailure = Pick<FailedAttempt, "reason" | "verdict">;

/** Reads an answer: undefined when the receiver took the message. `text` is the beginning of the body. */
export type ResponseClassifier = (status: number, text: string) => DeliveryFailure | undefined;

// A receiver should queue the event and answer at once; Standard Webhooks recommends a limit of 15 to 30 s.
const TIMEOUT_MS = 15_000;
// Enough for each rule. The receiver can still finish a longer answer.
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
    overLimit: "cut",
  });
  if (!outcome.ok) {
    const { code, message } = outcome.fault;
    // Another process may be allowed to reach the address.
    return {
      ok: false,
      reason: message,
      verdict: "retry",
      ...(code === "address" ? { notConfigured: true as const } : {}),
    };
  }
  const { status, headers: responseHeaders, body: bytes } = outcome.answer;
  const failure = classifyResponse(status, Buffer.from(bytes).toString("utf8"));
  if (failure === undefined) return { ok: true };
  return { ok: false, ...failure, retryAfterMs: parseRetryAfter(responseHeaders["retry-after"], now()) };
}

export function isSuccessStatus(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The refusal for a status that the type has no rule for. `help` is for 401 and 403. */
export function failureForStatus(status: number, help?: string): DeliveryFailure {
  const base = `the webhook answered ${status}`;
  if (status >= 300 && status < 400) {
    return { reason: `${base}: redirects are not followed, give the final URL`, verdict: "retry" };
  }
  if (status === 410) return { reason: `${base}: the receiver wants no more events`, verdict: "gone" };
  const isDenied = status === 401 || status === 403;
  return { reason: isDenied && help !== undefined ? `${base}: ${help}` : base, verdict: "retry" };
}

/** Retry-After (RFC 9110 §10.2.3), seconds or a date, as milliseconds from now; undefined if not readable. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const ms = /^[0-9]{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  if (Number.isNaN(ms) || ms < 0) return undefined;
  return Math.min(ms, MAX_RETRY_AFTER_MS);
}
