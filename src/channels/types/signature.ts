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
 * Signs a body with a secret of the form `whsec_` + base64, and with the previous one too while it is given: receivers take a message when
 * one of the signatures is right. `id` is the event's id and has no dot; the time is in milliseconds.
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
