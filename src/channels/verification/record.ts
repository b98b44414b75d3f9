// Records of verifications: tokens by their digest only, and how many mails went to a mailbox, or were sent by a team, lately.

import { createHash } from "node:crypto";
import { choice, listOf, matches, number, open, text, type ValueOf } from "../../base/shapes.ts";
import type { Collection } from "../../store/collection.ts";

const VERIFICATION = open({
  channel_id: text(),
  /** The address that it verifies: that it was sent to, as it stood in the channel. */
  address: text(),
  /** Milliseconds since 1970. */
  expires_at: number(),
  /** `replaced`: a newer token took its place, or the address did not stay. */
  state: choice(["open", "used", "replaced"]),
});

/** A token that was mailed. Its id in the collection is the SHA-256 of the token, in hexadecimal. */
export type VerificationRecord = ValueOf<typeof VERIFICATION>;

/** Tokens of all channels. */
export const VERIFICATIONS: Collection<VerificationRecord> = {
  name: "verifications",
  isRecord: (value) => matches(VERIFICATION, value),
  migrations: [],
};

/**
 * The mails of the last day to one mailbox, or of the last hour of one team, in milliseconds since 1970, the oldest first. Its id is the
 * digest of the canonical address, or of the team.
 */
const MAIL_COUNT = open({ sent_at: listOf(number()) });

export type MailCount = ValueOf<typeof MAIL_COUNT>;

/** Mails by mailbox, whatever the team and the channel, and by team. */
export const VERIFICATION_MAILS: Collection<MailCount> = {
  name: "verification_mails",
  isRecord: (value) => matches(MAIL_COUNT, value),
  migrations: [],
};

/** SHA-256 in hexadecimal: what stands for a token, a mailbox or a team. */
export function recordKey(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
