// The fields that configs of channels are made of. What their values may be is decided in `config/parse.ts`.

import { flag, knownText, listOf, mapOf, open, optional, text, type ValueOf } from "../../base/shapes.ts";
import { EVENTS, type EventName } from "../kinds.ts";

/** Fields of every type. */
const COMMON = {
  events: optional(
    listOf(
      knownText<EventName>(),
      `The events wanted, at least one of ${EVENTS.join(", ")}; all when left out or null; an empty list is refused.`,
    ),
  ),
  enabled: optional(
    flag("False pauses the channel: it gets tests only, and events are not kept for it. True when left out."),
  ),
};

export const EMAIL_FIELDS = {
  address: optional(text("Without an address the channel waits for one.")),
  ...COMMON,
};

export const WEBHOOK_FIELDS = {
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
  ...COMMON,
};

/** Of the chat services, whose url is a secret as a whole. */
export const CHAT_FIELDS = {
  url: optional(
    text(
      "The incoming webhook that the service made; redacted behind the host in answers. Without a url the channel waits for one.",
    ),
  ),
  ...COMMON,
};

/** Any config as it is stored. */
export const ANY_CONFIG = open({ ...EMAIL_FIELDS, ...WEBHOOK_FIELDS });

export type AnyConfig = ValueOf<typeof ANY_CONFIG>;
