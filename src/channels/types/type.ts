// The parts of a type of channel: the fields of its config, and how one message is sent to it. One file for each type, all of them in
// `table.ts`.

import type { Fields } from "../../base/shapes.ts";
import type { OutboundClient } from "../../outbound/client.ts";
import type { Attempt } from "../attempt.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { AnyConfig } from "./fields.ts";

/** Ports of sending. */
export interface SenderPorts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly client: OutboundClient;
  /** The mailer, or the line that says which settings are missing. */
  readonly mailer: Mailer | string;
}

/** The request to send, and where to. */
export interface Outgoing {
  readonly config: AnyConfig;
  /** The secret before the present one, while messages are signed with both. */
  readonly previousSecret?: string | undefined;
  /** The channel's name. */
  readonly name: string;
  /** The same in retries. */
  readonly id: string;
  /** The event as JSON. */
  readonly body: string;
}

/** A type of channel. */
export interface TypeOfChannel {
  readonly fields: Fields;
  /** The field that says where to send to; without it the channel waits. */
  readonly target: "address" | "url";
  /** For a chat service: why a URL is not one of its webhooks, worded to follow the field's name; and its own hosts. */
  readonly service?: {
    readonly hosts: RegExp;
    readonly urlFault: (url: URL) => string | undefined;
  };
  /** One attempt to send. */
  readonly send: (ports: SenderPorts, outgoing: Outgoing) => Promise<Attempt>;
}

/** An attempt at a channel that has no address or url. */
export const INCOMPLETE: Attempt = {
  ok: false,
  reason: "the channel's config is not complete: update the channel",
  verdict: "retry",
};
