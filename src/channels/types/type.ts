// The parts of a type of channel: the fields of its config, and how one message is sent to it. What fields may hold
// is decided in `config/parse.ts`. One file for each type, all in `table.ts`.

import { choice, closed, type Fields, flag, listOf, mapOf, optional, text, type ValueOf } from "../../base/shapes.ts";
import type { OutboundClient } from "../../outbound/client.ts";
import type { Attempt } from "../attempt.ts";
import { EVENTS } from "../kinds.ts";
import type { Mailer } from "../mail/mailer.ts";

export interface SenderPorts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly client: OutboundClient;
  /** The mailer, or the line that says which settings are missing. */
  readonly mailer: Mailer | string;
}

export interface Outgoing {
  readonly config: AnyConfig;
  /** The secret before the present one, while messages are signed with both. */
  readonly previousSecret?: string | undefined;
  readonly name: string;
  /** The same in retries. */
  readonly id: string;
  /** The event as JSON. */
  readonly body: string;
}

export interface TypeOfChannel {
  readonly fields: Fields;
  /** The field that says where to send to; without it the channel waits. */
  readonly target: "address" | "url";
  /** For a chat service: why a URL is not one of its webhooks, worded to follow the field's name; and its own hosts. */
  readonly service?: {
    readonly hosts: RegExp;
    readonly urlFault: (url: URL) => string | undefined;
  };
  readonly send: (ports: SenderPorts, outgoing: Outgoing) => Promise<Attempt>;
}

/** An attempt at a channel that has no address or url. */
export const INCOMPLETE: Attempt = {
  ok: false,
  reason: "the channel's config is not complete: update the channel",
  verdict: "retry",
};

const COMMON = {
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
};

export const EMAIL_FIELDS = {
  address: optional(text("Without an address the channel waits for one.")),
  ...COMMON,
};

export const WEBHOOK_FIELDS = {
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
  ...COMMON,
};

/** Of the chat services, whose url is a secret as a whole. */
export const CHAT_FIELDS = {
  url: optional(
    text(
      "The incoming webhook that the service made; redacted behind the host in answers. " +
        "Without a url the channel waits for one.",
    ),
  ),
  ...COMMON,
};

export const ANY_CONFIG = closed({ ...EMAIL_FIELDS, ...WEBHOOK_FIELDS });

export type AnyConfig = ValueOf<typeof ANY_CONFIG>;
