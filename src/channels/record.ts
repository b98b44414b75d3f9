// The record of a channel, and the fields of its config. Secrets are in clear here: redaction is in
// `config/redaction.ts`.

import { choice, closed, flag, listOf, mapOf, number, optional, text, type ValueOf } from "../base/shapes.ts";
import type { Collection } from "../store/collection.ts";
import { CHANNEL_TYPES, EVENTS } from "./kinds.ts";

/** The fields of a config of any type. `types/table.ts` says which type has which. */
export const CONFIG_FIELDS = {
  address: optional(text("Without an address the channel waits for one.")),
  events: optional(
    listOf(
      choice(EVENTS),
      `The events wanted, at least one of ${EVENTS.join(", ")}; all when left out or null; an empty list is refused.`,
      { minItems: 1 },
    ),
  ),
  enabled: optional(
    flag("False pauses the channel: it gets tests only, and events are not kept for it. True when left out."),
  ),
  url: optional(
    text(
      "http or https; redacted behind the host in answers. " +
        "Without a url the channel waits for one, and has no headers and no secret either.",
    ),
  ),
  headers: optional(
    mapOf(text(), "At most 20, of 8,192 bytes in all with their names. Values are redacted in answers."),
  ),
  secret: optional(
    text("`whsec_` and base64 of 24 to 64 bytes; made when left out beside a url, and shown only then."),
  ),
};

const CHANNEL = closed({
  id: text(),
  team: text(),
  name: text(),
  type: choice(CHANNEL_TYPES),
  /** The url is as the WHATWG URL standard writes it. A webhook with a url has a secret. */
  config: closed(CONFIG_FIELDS),
  is_verified: flag(),
  created_at: text("ISO 8601 in UTC."),
  /** Digests of the Idempotency-Key that it was created with, and of the request with the secret that was made. */
  creation: optional(closed({ key: text(), request: text() })),
  /** The secret before, and until when messages are signed with both, in milliseconds since 1970. */
  previous_secret: optional(closed({ secret: text(), until: number() })),
});

export type ChannelRecord = ValueOf<typeof CHANNEL>;
export type ChannelConfig = ChannelRecord["config"];

export const CHANNELS: Collection<ChannelRecord> = {
  name: "channels",
  shape: CHANNEL,
  // Redaction reads each url.
  isWhole: ({ config: { url } }) => url === undefined || URL.canParse(url),
};

/** How long messages are signed with the previous secret too. */
export const SECRET_OVERLAP_MS = 86_400_000;

/** The secret before the present one, while it counts. A time further ahead was written by a fast clock. */
export function previousSecret({ previous_secret: previous }: ChannelRecord, now: number): string | undefined {
  return previous !== undefined && previous.until > now && previous.until <= now + SECRET_OVERLAP_MS
    ? previous.secret
    : undefined;
}
