// One POST of JSON to a receiver, whose answer is read by rules of its type. Retries are decided elsewhere.

import type { OutboundClient } from "../../outbound/client.ts";
import { type Attempt, type FailedAttempt, RETRY_AFTER_MAX_MS } from "../attempt.ts";
import type { ChannelEvent } from "../events.ts";
import { CHAT_FIELDS, INCOMPLETE, type TypeOfChannel } from "./type.ts";

export interface JsonPost {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Why a receiver did not take a message. The reason contains nothing that the receiver wrote. */
export type Refusal = Pick<FailedAttempt, "reason" | "verdict">;

/** Reads an answer: undefined when the receiver took the message. `text` is the beginning of the body. */
export type Judge = (status: number, text: string) => Refusal | undefined;

// A receiver should queue the event and answer at once; Standard Webhooks recommends a limit of 15 to 30 s.
const TIMEOUT_MS = 15_000;
// Bytes that are read of an answer, enough for each rule. The receiver can still finish a longer one.
const ANSWER_BYTES = 16_384;

/** Sends once; a redirect is not followed. */
export async function postJson(
  client: OutboundClient,
  { url, headers, body }: JsonPost,
  nowMs: number,
  judge: Judge,
): Promise<Attempt> {
  const outcome = await client.send({
    method: "POST",
    url,
    headers: { ...headers, "content-type": "application/json" },
    body,
    timeoutMs: TIMEOUT_MS,
    bodyLimitBytes: ANSWER_BYTES,
    overLimit: "cut",
  });
  if (!outcome.ok) {
    const { code, message } = outcome.fault;
    // Another process may be allowed to reach the address.
    return { ok: false, reason: message, verdict: "retry", ...(code === "address" ? { unable: true as const } : {}) };
  }
  const { status, headers: answered, body: bytes } = outcome.answer;
  const refusal = judge(status, Buffer.from(bytes).toString("utf8"));
  if (refusal === undefined) return { ok: true };
  return { ok: false, ...refusal, retryAfterMs: retryAfter(answered["retry-after"], nowMs) };
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The refusal for a status that the type has no rule of its own for. */
export function refusalOf(status: number): Refusal {
  const base = `the webhook answered ${status}`;
  if (status >= 300 && status < 400) {
    return { reason: `${base}: redirects are not followed, give the final URL`, verdict: "retry" };
  }
  if (status === 410) return { reason: `${base}: the receiver wants no more events`, verdict: "gone" };
  return { reason: base, verdict: "retry" };
}

/** The value of a JSON object; an empty object for every other text. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

/** Retry-After (RFC 9110 §10.2.3), seconds or a date, as milliseconds from now; undefined if not readable. */
export function retryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const ms = /^[0-9]{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  if (Number.isNaN(ms) || ms < 0) return undefined;
  return Math.min(ms, RETRY_AFTER_MAX_MS);
}

/** A type of channel that sends messages to webhooks of a chat service. `urlOf` completes the URL of a channel. */
export function chatType(
  service: NonNullable<TypeOfChannel["service"]>,
  messageOf: (event: ChannelEvent) => object,
  judge: Judge,
  urlOf: (url: string) => string = (url) => url,
): TypeOfChannel {
  return {
    fields: CHAT_FIELDS,
    target: "url",
    service,
    send: async ({ client, now }, { config: { url }, body }) => {
      if (url === undefined) return INCOMPLETE;
      const message = messageOf(JSON.parse(body) as ChannelEvent);
      return postJson(client, { url: urlOf(url), body: JSON.stringify(message) }, now(), judge);
    },
  };
}
