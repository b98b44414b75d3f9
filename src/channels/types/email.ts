// A mail address. It is verified by a mailed token, not by a test.

import { type ChannelEvent, messageOf } from "../events.ts";
import { renderMail } from "../mail/layout.ts";
import type { Mail } from "../mail/mailer.ts";
import { EMAIL_FIELDS, INCOMPLETE, type TypeOfChannel } from "./type.ts";

export const EMAIL: TypeOfChannel = {
  fields: EMAIL_FIELDS,
  target: "address",
  send: async ({ mailer }, { config: { address }, name, id, body }) => {
    if (address === undefined) return INCOMPLETE;
    if (typeof mailer === "string") return { ok: false, reason: mailer, verdict: "retry", unable: true };
    return mailer.send(address, eventMail(JSON.parse(body) as ChannelEvent, name), id);
  },
};

/** Renders an event for the channel of this name. The subject holds the name encoded. */
export function eventMail(event: ChannelEvent, channelName: string): Mail {
  const { heading, paragraphs, facts } = messageOf(event);
  const name = withoutDirection(channelName);
  return renderMail({
    subject: `[${name}] ${heading}`,
    heading,
    paragraphs,
    facts: [...facts, ["Time", event.timestamp]],
    footer: `You get this because addrsift sends the notifications of the channel "${name}" to this address.`,
  });
}

/** The text without characters that change the direction of what follows (Unicode UAX #9 §2). */
function withoutDirection(text: string): string {
  return text.replace(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, "");
}
