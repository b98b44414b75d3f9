// A webhook: the event itself, signed as Standard Webhooks. Any 2xx is success.

import { createHmac } from "node:crypto";
import type { OutboundClient } from "../../outbound/client.ts";
import type { Attempt } from "../attempt.ts";
import { isSuccess, postJson, type Refusal, refusalOf } from "./post.ts";
import { INCOMPLETE, type TypeOfChannel, WEBHOOK_FIELDS } from "./type.ts";

export interface WebhookTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
  /** The one before it, for a day after the change. */
  readonly previousSecret?: string | undefined;
}

export const WEBHOOK: TypeOfChannel = {
  fields: WEBHOOK_FIELDS,
  target: "url",
  send: async ({ client, now }, { config: { url, secret, headers = {} }, previousSecret, id, body }) => {
    if (url === undefined || secret === undefined) return INCOMPLETE;
    return sendWebhook(client, { url, secret, previousSecret, headers }, { id, body }, now());
  },
};

/** Sends a signed webhook once. The message's id stays the same in retries. */
export function sendWebhook(
  client: OutboundClient,
  { url, headers, secret, previousSecret }: WebhookTarget,
  { id, body }: { readonly id: string; readonly body: string },
  nowMs: number,
): Promise<Attempt> {
  const signed = { ...headers, ...signWebhook(secret, id, nowMs, body, previousSecret) };
  return postJson(client, { url, headers: signed, body }, nowMs, judge);
}

function judge(status: number): Refusal | undefined {
  if (isSuccess(status)) return undefined;
  const refusal = refusalOf(status);
  if (status !== 401 && status !== 403) return refusal;
  return { ...refusal, reason: `${refusal.reason}: check the secret and the headers of the channel` };
}

const SECRET_PREFIX = "whsec_";

/** The three headers of a webhook. */
interface SignatureHeaders {
  readonly "webhook-id": string;
  /** Seconds since 1970. */
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
}

/**
 * Signs a body with a secret of the form `whsec_` + base64, and with the previous one too while it is given:
 * receivers take a message when one of the signatures is right. `id` is the event's id and has no dot; the time is in
 * milliseconds.
 */
export function signWebhook(
  secret: string,
  id: string,
  timeMs: number,
  body: string,
  previousSecret?: string,
): SignatureHeaders {
  const timestamp = String(Math.floor(timeMs / 1000));
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  const signatures = secrets.map((each) => `v1,${hmac(each, `${id}.${timestamp}.${body}`)}`);
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

function hmac(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  return createHmac("sha256", key).update(text).digest("base64");
}
