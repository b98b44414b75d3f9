// One attempt at one delivery, by the type of its channel.

import type { OutboundClient } from "../../outbound/client.ts";
import type { ChannelEvent } from "../events.ts";
import { eventMail } from "../mail/event.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Attempt } from "./attempt.ts";
import type { LeasedDelivery } from "./outbox.ts";
import { sendWebhook } from "./webhook.ts";

/** What sending needs. */
export interface SenderPorts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly client: OutboundClient;
  /** The mailer, or the line that says which settings are missing. */
  readonly mailer: Mailer | string;
}

/** Attempts a delivery once. It never rejects. */
export type Sender = (taken: LeasedDelivery) => Promise<Attempt>;

/** Makes a sender for all types of channels. */
export function createSender({ now, client, mailer }: SenderPorts): Sender {
  return ({ channel, delivery }) => {
    const { id, body } = delivery;
    if (channel.type === "email") {
      const { address } = channel.config;
      if (address === undefined) return Promise.resolve(INCOMPLETE);
      if (typeof mailer === "string") return Promise.resolve({ ok: false, reason: mailer, verdict: "retry" });
      return mailer.send(address, eventMail(JSON.parse(body) as ChannelEvent, channel.name), id);
    }
    const { url, secret, headers = {} } = channel.config;
    if (url === undefined || secret === undefined) return Promise.resolve(INCOMPLETE);
    return sendWebhook(client, { url, secret, headers }, { id, body }, now());
  };
}

const INCOMPLETE: Attempt = {
  ok: false,
  reason: "the channel's config is not complete: update the channel",
  verdict: "retry",
};
