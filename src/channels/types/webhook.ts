// A webhook: the event itself, signed as Standard Webhooks. Any 2xx is success.

import type { OutboundClient } from "../../outbound/client.ts";
import type { Attempt } from "../attempt.ts";
import { WEBHOOK_FIELDS } from "./fields.ts";
import { isSuccess, postJson, type Refusal, refusalOf } from "./post.ts";
import { signWebhook } from "./signature.ts";
import { INCOMPLETE, type TypeOfChannel } from "./type.ts";

/** The url, headers and secret of a webhook. */
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
