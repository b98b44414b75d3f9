// Standard Webhooks signatures (https://www.standardwebhooks.com, version 1.0.0): the symmetric scheme `v1`, HMAC-SHA256.

import { createHmac } from "node:crypto";

const SECRET_PREFIX = "whsec_";

/** The three headers of a webhook. */
export interface SignatureHeaders {
  readonly "webhook-id": string;
  /** Seconds since 1970. */
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
}

/**
 * Signs a body with a secret of the form `whsec_` + base64. `id` is the event's id and has no dot; the time is in milliseconds.
 */
export function signWebhook(secret: string, id: string, timeMs: number, body: string): SignatureHeaders {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  const timestamp = String(Math.floor(timeMs / 1000));
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
