// The message that asks the owner of an address to confirm it. Its readers may not know us, so it contains no text of a user: not
// the name of the channel or the team.

import { type MailContent, renderMail } from "./layout.ts";
import type { Mail } from "./mailer.ts";

const FOOTER = "If you did not expect this message, ignore it. We send nothing else unless you confirm.";
const ASKED = "Someone asked addrsift to send notifications to this address.";

/** A message with a link to the page that verifies. `publicUrl` is the daemon's. */
export function linkMail(publicUrl: string, token: string): Mail {
  return renderMail({
    ...COMMON,
    paragraphs: [ASKED, "Open the page and press its button to agree. The link works once, for 24 hours."],
    button: confirmButton(publicUrl, token),
  });
}

function confirmButton(url: string, token: string): NonNullable<MailContent["button"]> {
  return { label: "Confirm this address", url: `${url.replace(/\/+$/, "")}/verify/${token}` };
}

/**
 * A message for an installation without a public URL: the token is entered by hand on the command line. `ownUrl` is where a daemon answers
 * its own machine.
 */
export function tokenMail(team: string, channelId: string, token: string, ownUrl?: string): Mail {
  const give = "give this token to the person who runs addrsift, or to the command below on that machine.";
  const agree =
    ownUrl === undefined
      ? `To agree, ${give} It works once, for 24 hours.`
      : `To agree, open the page on the machine that runs addrsift, and press its button. On another machine, ${give} Either works once, for 24 hours.`;
  return renderMail({
    ...COMMON,
    paragraphs: [ASKED, agree],
    button: ownUrl === undefined ? undefined : confirmButton(ownUrl, token),
    code: [token, `addrsift channels verify ${channelId} --team ${team}`],
  });
}

const COMMON: Pick<MailContent, "subject" | "heading" | "footer"> = {
  subject: "Confirm this address for notifications",
  heading: "Confirm this address",
  footer: FOOTER,
};
