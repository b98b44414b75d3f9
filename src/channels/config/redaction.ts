// Redacts channels: the secret, header values, and the url after its host. Nothing else redacts or recognizes
// redacted values.

import { omitUndefined } from "../../base/result.ts";
import { closedObject, count, flag, named, openObject, optional, text, time, type ValueOf } from "../../base/shapes.ts";
import { CHANNEL_TYPES } from "../kinds.ts";
import { type ChannelConfig, type ChannelRecord, CONFIG_FIELDS, previousSecrets } from "../record.ts";
import { TYPE_DEFINITIONS } from "../types/table.ts";
import { sha256Hex } from "../verification-records.ts";

/** Replaces a secret. Rejected in any header, secret or url that a client sends. */
export const REDACTED = "[redacted]";

const SECRET = { ...CONFIG_FIELDS.secret, pattern: "^(whsec_[A-Za-z0-9+/]{32,86}={0,2}|\\[redacted\\])$" };

/** Config in requests and responses. One shape for all types, because generated clients can't tell several apart. */
export const CONFIG_VIEW = named(
  "ChannelConfig",
  openObject(
    { ...CONFIG_FIELDS, secret: SECRET },
    "All types have `events` and `enabled`; email also has `address` (or its synonym `email`), webhook has `url`, " +
      "`headers` and `secret`, and the others have `url`.",
  ),
);

export const CHANNEL_NAME = text("Without control characters and bidirectional formatting characters.", {
  minLength: 1,
  maxLength: 100,
  pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*$",
  examples: ["ops"],
});

export const CAN_MAIL = flag("Whether the daemon can send mail.");

const LAST_DELIVERY = closedObject(
  {
    status: text("pending, delivered or failed."),
    at: time(),
    error: optional(text()),
    is_resend: optional(flag("Whether the attempt was a resend.")),
  },
  "The latest attempt to send something to the channel; absent before the first.",
);

export const CHANNEL_VIEW = named(
  "Channel",
  closedObject({
    id: text(),
    name: CHANNEL_NAME,
    type: text(`One of ${CHANNEL_TYPES.join(", ")}.`),
    config: CONFIG_VIEW,
    is_verified: flag(),
    created_at: time(),
    verification_error: optional(text("Why the latest verification message was not sent, or no longer works.")),
    verification_failed_at: optional(
      time("When that was tried; absent if it was not, such as for a mistyped address."),
    ),
    verification_expires_at: optional(time("Until then, the link and token of the latest message that was sent work.")),
    last_delivery: optional(LAST_DELIVERY),
    pending_deliveries: optional(count("Number of events that are still to be delivered; absent if there are none.")),
    last_success: optional(time("The latest attempt that succeeded.")),
    failing_since: optional(
      time(
        "Time of the first failed attempt after the last success, apart from tests and resends of delivered events.",
      ),
    ),
    url_digest: optional(text("First 4 hexadecimal digits of the SHA-256 of the url: tells apart urls of one host.")),
    secret_digest: optional(text("First 8 hexadecimal digits of the secret's SHA-256: tells whether it has changed.")),
    previous_secret_until: optional(
      time("Until then, deliveries are also signed with the secret that was replaced last."),
    ),
  }),
);

export type ChannelView = ValueOf<typeof CHANNEL_VIEW>;

/** Returns the channel without secrets, except `newSecret`: a generated secret is shown once. */
export function redactChannel(channel: ChannelRecord, now: number, newSecret?: string): ChannelView {
  const { id, name, type, is_verified, created_at } = channel;
  const { secret, url } = channel.config;
  const [previous] = previousSecrets(channel, now);
  const optionals = {
    // Only 16 bits, so that nobody can find the url by guessing.
    url_digest: url && sha256Hex(url).slice(0, 4),
    secret_digest: secret && sha256Hex(secret).slice(0, 8),
    previous_secret_until: previous && new Date(previous.until).toISOString(),
  };
  const config = redactConfig(channel, newSecret);
  return { id, name, type, config, is_verified, created_at, ...omitUndefined(optionals) };
}

/** Drops fields of other types: someone who edits the file may have put a secret there. */
function redactConfig({ type, config }: ChannelRecord, newSecret: string | undefined): ChannelView["config"] {
  const { url, headers, secret, ...others } = config;
  const redacted = {
    url: url && redactUrl(url),
    headers: headers && Object.fromEntries(Object.keys(headers).map((name) => [name, REDACTED])),
    secret: secret && (newSecret ?? REDACTED),
    ...others,
  };
  const fields: readonly string[] = TYPE_DEFINITIONS[type].fields;
  const present = Object.entries(redacted).filter(([name, value]) => value !== undefined && fields.includes(name));
  return Object.fromEntries(present);
}

export function redactUrl(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}/${REDACTED}`;
}

/** Redacts what a receiver may repeat: the channel's address, and each word of its secrets. */
export function redactSecrets(
  text: string,
  { address = "", secret = "", url = "", headers = {} }: ChannelConfig,
): string {
  const path = url.replace(/^\w+:\/\/[^/]*/, "");
  const words = [address, secret, ...[path, ...Object.values(headers)].flatMap((value) => value.split(/[\s/?&=]+/))];
  const longWords = words.filter((word) => word.length >= MIN_SECRET_CHARS);
  return longWords.reduce((redacted, word) => redacted.replaceAll(word, REDACTED), text);
}

// Shorter words, such as "in" or "v1", are not secrets.
const MIN_SECRET_CHARS = 4;

export function isRedacted(text: string): boolean {
  return text.includes(REDACTED) || text.toLowerCase().includes(encodeURI(REDACTED).toLowerCase());
}
