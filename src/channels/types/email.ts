// A mail address. It is verified by a mailed token, not by a test.

import type { ChannelEvent } from "../events.ts";
import { eventMail } from "../mail/event.ts";
import { EMAIL_FIELDS } from "./fields.ts";
import { INCOMPLETE, type TypeOfChannel } from "./type.ts";

export const EMAIL: TypeOfChannel = {
  fields: EMAIL_FIELDS,
  target: "address",
  send: async ({ mailer }, { config: { address }, name, id, body }) => {
    if (address === undefined) return INCOMPLETE;
    if (typeof mailer === "string") return { ok: false, reason: mailer, verdict: "retry", unable: true };
    return mailer.send(address, eventMail(JSON.parse(body) as ChannelEvent, name), id);
  },
};
