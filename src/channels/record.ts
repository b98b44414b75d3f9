// What is kept of a channel. Secrets stand here in clear: what leaves the room goes through redaction.

import type { Collection } from "../store/collection.ts";

export const CHANNEL_TYPES = ["email", "webhook"] as const;

export type ChannelType = (typeof CHANNEL_TYPES)[number];

/** What a channel can be told of. */
export const EVENTS = ["channel.test", "detection.completed", "lists.updated", "lists.update_failed"] as const;

export type EventName = (typeof EVENTS)[number];

/** Of an e-mail channel; without an address it waits for one. */
export interface EmailConfig {
  readonly address?: string;
  /** The events wanted; all when left out. */
  readonly events?: readonly EventName[];
}

/** Of a webhook; without a url it waits for one and has no headers and no secret either. */
export interface WebhookConfig {
  /** As the WHATWG URL standard writes it. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `whsec_` and base64. There always is one beside a url. */
  readonly secret?: string;
  readonly events?: readonly EventName[];
}

export type ChannelConfig = EmailConfig | WebhookConfig;

interface Common {
  readonly id: string;
  readonly team: string;
  readonly name: string;
  readonly is_verified: boolean;
  /** ISO 8601 in UTC. */
  readonly created_at: string;
}

/** A channel as it is stored. */
export type ChannelRecord =
  | (Common & { readonly type: "email"; readonly config: EmailConfig })
  | (Common & { readonly type: "webhook"; readonly config: WebhookConfig });

/** A channel of a type that only a later version knows: it is shown and can be deleted, and nothing is sent to it. */
export type LaterChannel = Common & { readonly type: string; readonly config: Readonly<Record<string, unknown>> };

/** The channels of a store. */
export const CHANNELS: Collection<ChannelRecord, LaterChannel> = {
  name: "channels",
  isRecord: isChannelRecord,
  isLater: isLaterChannel,
  migrations: [],
};

function isChannelRecord(value: unknown): value is ChannelRecord {
  return isCommon(value) && isKnownType(value.type) && isConfig(value.config);
}

function isLaterChannel(value: unknown): value is LaterChannel {
  return isCommon(value) && !isKnownType(value.type);
}

/** True for a type that this version can send to. */
export function isKnownType(type: string): type is ChannelType {
  return CHANNEL_TYPES.some((known) => known === type);
}

function isCommon(value: unknown): value is LaterChannel {
  if (!isObject(value)) return false;
  const { id, team, name, type, config, is_verified, created_at } = value;
  return areTexts([id, team, name, type, created_at]) && typeof is_verified === "boolean" && isObject(config);
}

/** What is shown or sent must not fail there; what may be asked for is judged where it is asked. */
function isConfig({ address, url, headers, secret, events }: Readonly<Record<string, unknown>>): boolean {
  return (
    [address, url, secret].every((text) => text === undefined || typeof text === "string") &&
    (url === undefined || URL.canParse(url as string)) &&
    (headers === undefined || (isObject(headers) && areTexts(Object.values(headers)))) &&
    (events === undefined || (Array.isArray(events) && areTexts(events)))
  );
}

function areTexts(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
