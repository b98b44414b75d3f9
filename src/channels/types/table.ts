// The table of all types of channels: the fields of a config, and how one message is sent. The values that fields may
// have are checked in `config/parse.ts`.

import { createHmac } from "node:crypto";
import type { Attempt } from "../attempt.ts";
import type { LeasedDelivery } from "../delivery/outbox.ts";
import type { ChannelEvent } from "../events.ts";
import type { ChannelType } from "../kinds.ts";
import { eventMail } from "../mail/layout.ts";
import type { Mailer } from "../mail/mailer.ts";
import { type ChannelConfig, previousSecret } from "../record.ts";
import { type ChatService, DISCORD, MSTEAMS, SLACK } from "./chats.ts";
import { isSuccess, type PostPorts, postJson, type Refusal, refusalOf } from "./post.ts";

export interface SenderPorts extends PostPorts {
  readonly mailer: Mailer | string;
}

export interface TypeOfChannel {
  readonly fields: readonly (keyof ChannelConfig)[];
  /** The field that says where to send to; without it the channel waits. */
  readonly target: "address" | "url";
  readonly service?: ChatService;
  readonly send: (ports: SenderPorts, taken: LeasedDelivery) => Promise<Attempt>;
}

const INCOMPLETE: Attempt = {
  ok: false,
  reason: "the channel's config is not complete: update the channel",
  verdict: "retry",
};

/** Verified by a mailed token, not by a test. */
const EMAIL: TypeOfChannel = {
  fields: ["address", "events", "enabled"],
  target: "address",
  send: async ({ mailer }, { channel: { config, name }, delivery: { id, body } }) => {
    if (config.address === undefined) return INCOMPLETE;
    if (typeof mailer === "string") return { ok: false, reason: mailer, verdict: "retry", unable: true };
    return mailer.send(config.address, eventMail(JSON.parse(body) as ChannelEvent, name), id);
  },
};

/** The event itself, signed as Standard Webhooks. Any 2xx is success. */
const WEBHOOK: TypeOfChannel = {
  fields: ["url", "headers", "secret", "events", "enabled"],
  target: "url",
  send: async (ports, { channel, delivery: { id, body } }) => {
    const { url, secret, headers } = channel.config;
    if (url === undefined || secret === undefined) return INCOMPLETE;
    const now = ports.now();
    const signature = signWebhook(secret, id, now, body, previousSecret(channel, now));
    return postJson(ports, url, { ...headers, ...signature }, body, judgeWebhook);
  },
};

function chat(service: ChatService): TypeOfChannel {
  const { messageOf, judge, urlOf = (url) => url } = service;
  return {
    fields: ["url", "events", "enabled"],
    target: "url",
    service,
    send: async (ports, { channel: { config }, delivery }) => {
      if (config.url === undefined) return INCOMPLETE;
      const message = JSON.stringify(messageOf(JSON.parse(delivery.body) as ChannelEvent));
      return postJson(ports, urlOf(config.url), {}, message, judge);
    },
  };
}

export const TYPES: Readonly<Record<ChannelType, TypeOfChannel>> = {
  email: EMAIL,
  webhook: WEBHOOK,
  slack: chat(SLACK),
  mattermost: chat(SLACK),
  rocketchat: chat(SLACK),
  msteams: chat(MSTEAMS),
  discord: chat(DISCORD),
};

export function missingTarget(type: ChannelType): string {
  return `config.${TYPES[type].target} is missing: update the channel to add it`;
}

export function serviceOf(hostname: string): ChannelType | undefined {
  const found = Object.entries(TYPES).find(([, { service }]) => service?.hosts.test(hostname));
  return found?.[0] as ChannelType | undefined;
}

function judgeWebhook(status: number): Refusal | undefined {
  return isSuccess(status) ? undefined : refusalOf(status, "check the secret and the headers of the channel");
}

const SECRET_PREFIX = "whsec_";

/** With a previous secret there are two signatures; receivers need one. `id` has no dot. */
export function signWebhook(
  secret: string,
  id: string,
  timeMs: number,
  body: string,
  previousSecret?: string,
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const timestamp = String(Math.floor(timeMs / 1000));
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  const signatures = secrets.map((each) => {
    const key = Buffer.from(each.slice(SECRET_PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
