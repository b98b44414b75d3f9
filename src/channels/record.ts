// The stored record of a channel, with secrets in clear text. `config/redaction.ts` removes them from responses.

import { choice, closedObject, flag, listOf, mapOf, number, optional, text, type ValueOf } from "../base/shapes.ts";
import type { Collection } from "../store/collection.ts";
import { CHANNEL_TYPES, EVENTS } from "./kinds.ts";

/** The config fields of all types. `types/table.ts` lists the fields of each type. */
export const CONFIG_FIELDS = {
  address: optional(text("Without an address, the channel is incomplete.")),
  events: optional(
    listOf(
      choice(EVENTS),
      `Events to receive, at least one of ${EVENTS.join(", ")}. Default, or null: all. An empty list is rejected.`,
      { minItems: 1 },
    ),
  ),
  enabled: optional(
    flag("False pauses the channel: it receives only tests, and new events are dropped. Default: true."),
  ),
  url: optional(
    text(
      "http or https; responses redact it after the host. " +
        "Without a url, the channel is incomplete and has no headers and no secret.",
    ),
  ),
  headers: optional(
    mapOf(text(), "At most 20, with at most 8,192 bytes of names and values. Responses redact the values."),
  ),
  secret: optional(text("`whsec_` and base64 of 24 to 64 bytes. If omitted with a url, generated and shown once.")),
};

const CHANNEL = closedObject({
  id: text(),
  team: text(),
  name: text(),
  type: choice(CHANNEL_TYPES),
  /** `url` is in the WHATWG URL standard's normal form. A webhook with a url always has a secret. */
  config: closedObject(CONFIG_FIELDS),
  is_verified: flag(),
  created_at: text("ISO 8601 in UTC."),
  /** Digests of the Idempotency-Key of the creating request, and of its body with the generated secret. */
  creation: optional(closedObject({ key: text(), request: text() })),
  /** Replaced secrets, latest first. Messages are also signed with them until the time, in milliseconds since 1970. */
  previous_secrets: optional(listOf(closedObject({ secret: text(), until: number() }))),
});

export type ChannelRecord = ValueOf<typeof CHANNEL>;
export type ChannelConfig = ChannelRecord["config"];

export const CHANNELS: Collection<ChannelRecord> = {
  name: "channels",
  shape: CHANNEL,
  // redactUrl() parses each url.
  isConsistent: ({ config: { url } }) => url === undefined || URL.canParse(url),
};

/** Time for which messages are also signed with a replaced secret. */
export const SECRET_OVERLAP_MS = 86_400_000;

/** Returns the replaced secrets in use, latest first. An end further in the future was written by a fast clock. */
export function previousSecrets({ previous_secrets: replaced = [] }: ChannelRecord, now: number) {
  return replaced.filter(({ until }) => until > now && until <= now + SECRET_OVERLAP_MS);
}
