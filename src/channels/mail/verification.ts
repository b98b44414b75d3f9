// The message that asks the owner of an address to confirm it. Its readers may not know us, so it contains no text of a user: not
// the name of the channel or the team.

import { type MailContent, renderMail } from "./layout.ts";
import type { Mail } from "./mailer.ts";

const FOOTER = "If you did not expect this message, ignore it. We send nothing else unless you confirm.";
const ASKED = "Someone asked addrsift to send notifications to this address.";

/** A message with a link to the page that verifies. `publicUrl` is the daemon's. */
export function linkMail(publicUrl: string, token: string): Mail {
  const base = publicUrl.replace(/\/+$/, "");
  return renderMail({
    ...COMMON,
    paragraphs: [ASKED, "Open the page and press its button to agree. The link works once, for 24 hours."],
    button: { label: "Confirm this address", url: `${base}/verify/${token}` },
  });
}

/** A message for an installation without a public URL: the token is entered by hand on the command line. */
export function tokenMail(team: string, channelId: string, token: string): Mail {
  return renderMail({
    ...COMMON,
    paragraphs: [
      ASKED,
      "To agree, give this token to the person who runs addrsift, or to the command below on that machine. It works once, for 24 hours.",
    ],
    code: [token, `addrsift channels verify ${channelId} --team ${team}`],
  });
}

const COMMON: Pick<MailContent, "subject" | "heading" | "footer"> = {
  subject: "Confirm this address for notifications",
  heading: "Confirm this address",
  footer: FOOTER,
};
