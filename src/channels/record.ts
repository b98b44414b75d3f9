// The record of a channel. Secrets stand here in clear: what leaves the room goes through redaction.

import {
  choice,
  closed,
  type Fields,
  flag,
  number,
  optional,
  type TObject,
  text,
  typedAs,
  type ValueOf,
} from "../base/shapes.ts";
import type { Collection } from "../store/collection.ts";
import { CHANNEL_TYPES, type ChannelType } from "./kinds.ts";
import { ANY_CONFIG, type CHAT_FIELDS, type EMAIL_FIELDS, type WEBHOOK_FIELDS } from "./types/type.ts";

/** Of an e-mail channel. */
export type EmailConfig = ConfigOf<typeof EMAIL_FIELDS>;
/** Of a webhook. The url is as the WHATWG URL standard writes it; beside it there always is a secret. */
export type WebhookConfig = ConfigOf<typeof WEBHOOK_FIELDS>;
/** Of a chat service. */
export type ChatConfig = ConfigOf<typeof CHAT_FIELDS>;
export type ChannelConfig = EmailConfig | WebhookConfig | ChatConfig;

type ConfigOf<F extends Fields> = ValueOf<TObject<F>>;

const ANY_CHANNEL = closed({
  id: text(),
  team: text(),
  name: text(),
  type: choice(CHANNEL_TYPES),
  config: ANY_CONFIG,
  is_verified: flag(),
  created_at: text("ISO 8601 in UTC."),
  /** The secret before, and until when messages are signed with both, in milliseconds since 1970. */
  previous_secret: optional(closed({ secret: text(), until: number() })),
});

type Common = Omit<ValueOf<typeof ANY_CHANNEL>, "type" | "config">;

export type ChannelRecord =
  | (Common & { readonly type: "email"; readonly config: EmailConfig })
  | (Common & { readonly type: "webhook"; readonly config: WebhookConfig })
  | (Common & { readonly type: Exclude<ChannelType, "email" | "webhook">; readonly config: ChatConfig });

export const CHANNELS: Collection<ChannelRecord> = {
  name: "channels",
  shape: typedAs<ChannelRecord>(ANY_CHANNEL),
  // A text that is shown or sent must not fail there; what may be asked for is judged where it is asked.
  isWhole: ({ config }) => !("url" in config) || URL.canParse(config.url ?? ""),
  migrations: [],
};

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
