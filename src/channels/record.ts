// What is kept of a channel, and the shapes of its config. Secrets stand here in clear: what leaves the room goes through redaction.

import { anyObject, flag, knownText, listOf, mapOf, matches, open, optional, text, type ValueOf } from "../shapes.ts";
import type { Collection } from "../store/collection.ts";
import { EVENTS, type EventName, isKnownType } from "./kinds.ts";

const EVENTS_WANTED = optional(
  listOf(
    knownText<EventName>(),
    `The events wanted, of ${EVENTS.join(", ")}; all when left out. An answer may have one that only a later version knows.`,
  ),
);

/** The fields that a config of each type may have. */
export const CONFIG_FIELDS = {
  email: { address: optional(text("Without an address the channel waits for one.")), events: EVENTS_WANTED },
  webhook: {
    url: optional(
      text(
        "http or https; redacted behind the host in answers. Without a url the channel waits for one, and has no headers and no secret either.",
      ),
    ),
    headers: optional(
      mapOf(text(), "At most 20, of 8,192 bytes in all with their names. Values are redacted in answers."),
    ),
    secret: optional(
      text("`whsec_` and base64 of 24 to 64 bytes; made when left out beside a url, and shown only then."),
    ),
    events: EVENTS_WANTED,
  },
} as const;

const EMAIL_CONFIG = open(CONFIG_FIELDS.email);
const WEBHOOK_CONFIG = open(CONFIG_FIELDS.webhook);

/** Of an e-mail channel. */
export type EmailConfig = ValueOf<typeof EMAIL_CONFIG>;
/** Of a webhook. The url is as the WHATWG URL standard writes it; beside it there always is a secret. */
export type WebhookConfig = ValueOf<typeof WEBHOOK_CONFIG>;
export type ChannelConfig = EmailConfig | WebhookConfig;

// What is shown or sent must not fail there; what may be asked for is judged where it is asked.
const ANY_CONFIG = open({ ...CONFIG_FIELDS.email, ...CONFIG_FIELDS.webhook });

const ANY_CHANNEL = open({
  id: text(),
  team: text(),
  name: text(),
  type: text(),
  config: anyObject(),
  is_verified: flag(),
  created_at: text("ISO 8601 in UTC."),
});

/** A channel of a type that only a later version knows: it is shown and can be deleted, and nothing is sent to it. */
export type LaterChannel = ValueOf<typeof ANY_CHANNEL>;

type Common = Omit<LaterChannel, "type" | "config">;

/** A channel as it is stored. */
export type ChannelRecord =
  | (Common & { readonly type: "email"; readonly config: EmailConfig })
  | (Common & { readonly type: "webhook"; readonly config: WebhookConfig });

/** The channels of a store. */
export const CHANNELS: Collection<ChannelRecord, LaterChannel> = {
  name: "channels",
  isRecord: isChannelRecord,
  isLater: isLaterChannel,
  migrations: [],
};

function isChannelRecord(value: unknown): value is ChannelRecord {
  if (!matches(ANY_CHANNEL, value) || !isKnownType(value.type) || !matches(ANY_CONFIG, value.config)) return false;
  const { url } = value.config;
  return url === undefined || URL.canParse(url);
}

function isLaterChannel(value: unknown): value is LaterChannel {
  return matches(ANY_CHANNEL, value) && !isKnownType(value.type);
}

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
