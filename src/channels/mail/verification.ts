// The message that asks for an address's confirmation. It goes to people who may know nothing of us, so that no text of a user's
// is in it: not the channel's name, not the team's.

import { type MailContent, renderMail } from "./layout.ts";
import type { Mail } from "./mailer.ts";

const FOOTER = "If you did not expect this message, do nothing: without your confirmation no other will follow.";
const ASKED = "Somebody wants addrsift to send its notifications to this address.";

/** A message with a link to the page that verifies. `publicUrl` is the daemon's. */
export function linkMail(publicUrl: string, token: string): Mail {
  const base = publicUrl.replace(/\/+$/, "");
  return renderMail({
    ...COMMON,
    paragraphs: [ASKED, "Open the page and press its button to agree. The link works once, for 24 hours."],
    button: { label: "Confirm this address", url: `${base}/verify/${token}` },
  });
}

/** A message for an installation without a public URL: the token goes back by hand, over the command line. */
export function tokenMail(channelId: string, token: string): Mail {
  return renderMail({
    ...COMMON,
    paragraphs: [
      ASKED,
      "To agree, give this token to whoever runs addrsift, or to the command below on its machine. It works once, for 24 hours.",
    ],
    code: [token, `addrsift channels verify ${channelId}`],
  });
}

const COMMON: Pick<MailContent, "subject" | "heading" | "footer"> = {
  subject: "Confirm this address for notifications",
  heading: "Confirm this address",
  footer: FOOTER,
};
