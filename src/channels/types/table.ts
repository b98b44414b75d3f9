// The channel types: config fields of each, and how it sends a message. `config/parse.ts` validates the fields.

import { createHmac } from "node:crypto";
import type { Attempt } from "../attempt.ts";
import type { LeasedDelivery } from "../delivery/outbox.ts";
import type { ChannelEvent } from "../events.ts";
import type { ChannelType } from "../kinds.ts";
import type { Mailer } from "../mail/mailer.ts";
import { renderEventMail } from "../mail/templates.ts";
import { type ChannelConfig, previousSecrets } from "../record.ts";
import { type ChatService, classifyChatResponse, DISCORD, GOOGLE_CHAT, MSTEAMS, SLACK } from "./chats.ts";
import { type DeliveryFailure, failureForStatus, isSuccessStatus, type PostDeps, postJson } from "./post.ts";

export interface SenderDeps extends PostDeps {
  readonly mailer: Mailer | string;
}

export interface ChannelTypeDefinition {
  readonly fields: readonly (keyof ChannelConfig)[];
  /** Config field of the destination. A channel without it is incomplete. */
  readonly target: "address" | "url";
  readonly service?: ChatService;
  readonly send: (deps: SenderDeps, leased: LeasedDelivery) => Promise<Attempt>;
}

const EMAIL: ChannelTypeDefinition = {
  fields: ["address", "events", "enabled"],
  target: "address",
  send: async ({ mailer }, { channel: { id: channelId, config, name }, delivery: { id, body } }) => {
    if (typeof mailer === "string") return { ok: false, reason: mailer, verdict: "retry", notConfigured: true };
    const mail = renderEventMail(JSON.parse(body) as ChannelEvent, name);
    return mailer.send(config.address as string, mail, id, channelId);
  },
};

/** Sends the event as JSON, signed according to Standard Webhooks. Any 2xx status is a success. */
const WEBHOOK: ChannelTypeDefinition = {
  fields: ["url", "headers", "secret", "events", "enabled"],
  target: "url",
  send: async (deps, { channel, delivery: { id, body } }) => {
    const { url, secret, headers } = channel.config;
    const now = deps.now();
    const signature = signWebhook(secret as string, id, now, body, previousSecrets(channel, now));
    return postJson(deps, url as string, { ...headers, ...signature }, body, classifyWebhookResponse);
  },
};

function createChatType(service: ChatService): ChannelTypeDefinition {
  const { createMessage, requestUrlOf = (url) => url } = service;
  return {
    fields: ["url", "events", "enabled"],
    target: "url",
    service,
    send: async (deps, { channel: { config }, delivery }) => {
      const message = JSON.stringify(createMessage(JSON.parse(delivery.body) as ChannelEvent));
      const url = requestUrlOf(config.url as string);
      return postJson(deps, url, {}, message, (status, text) => classifyChatResponse(service, status, text));
    },
  };
}

export const TYPE_DEFINITIONS: Readonly<Record<ChannelType, ChannelTypeDefinition>> = {
  email: EMAIL,
  webhook: WEBHOOK,
  slack: createChatType(SLACK),
  mattermost: createChatType(SLACK),
  rocketchat: createChatType(SLACK),
  msteams: createChatType(MSTEAMS),
  discord: createChatType(DISCORD),
  googlechat: createChatType(GOOGLE_CHAT),
};

export function missingTargetMessage(type: ChannelType): string {
  return `config.${TYPE_DEFINITIONS[type].target} is missing: update the channel to add it`;
}

export function channelTypeOfHost(hostname: string): ChannelType | undefined {
  const entry = Object.entries(TYPE_DEFINITIONS).find(([, { service }]) => service?.hostPattern.test(hostname));
  return entry?.[0] as ChannelType | undefined;
}

function classifyWebhookResponse(status: number, response: string): DeliveryFailure | undefined {
  if (isSuccessStatus(status)) return undefined;
  return { ...failureForStatus(status, "check the secret and the headers of the channel"), response };
}

const SECRET_PREFIX = "whsec_";

/** Signs according to Standard Webhooks, also with replaced secrets. `id` must not contain a dot. */
export function signWebhook(
  secret: string,
  id: string,
  timeMs: number,
  body: string,
  previousSecrets: readonly { readonly secret: string }[] = [],
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const timestamp = String(Math.floor(timeMs / 1000));
  const secrets = [secret, ...previousSecrets.map((previous) => previous.secret)];
  const signatures = secrets.map((each) => {
    const key = Buffer.from(each.slice(SECRET_PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
