// Stored verification tokens (digests only), and rate limits of verification mails per mailbox and per team.

import { createHash } from "node:crypto";
import type { Result } from "../base/result.ts";
import { choice, closedObject, flag, listOf, number, optional, text, type ValueOf } from "../base/shapes.ts";
import type { Collection, Transaction } from "../store/collection.ts";
import { type ChannelFault, failWith } from "./fault.ts";

const VERIFICATION = closedObject({
  channel_id: text(),
  /** The channel's address when the token was mailed to it. */
  address: text(),
  expires_at: number(),
  /** `replaced`: by a newer token or a new address. */
  state: choice(["open", "used", "replaced"]),
  /** Set when the mail server has accepted the message. */
  is_accepted: optional(flag()),
  /** Why the message could not be sent. */
  mail_error: optional(text()),
});

/** A mailed token. Its record id is the token's SHA-256 in hexadecimal. */
export type VerificationRecord = ValueOf<typeof VERIFICATION>;

export const VERIFICATIONS: Collection<VerificationRecord> = {
  name: "verifications",
  shape: VERIFICATION,
};

/** Times of the mails to one mailbox, or of one team, oldest first. The record id is a digest of mailbox or team. */
const MAIL_COUNT = closedObject({ sent_at: listOf(number()) });

export const VERIFICATION_MAILS: Collection<ValueOf<typeof MAIL_COUNT>> = {
  name: "verification_mails",
  shape: MAIL_COUNT,
};

export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_MAILS_PER_DAY = 5;
// Per team, over all its keys, so that no one can flood strangers' mailboxes.
const MAX_TEAM_MAILS_PER_HOUR = 30;
/** Tolerance for clocks that differ. Times further in the future were written by a wrong clock and are ignored. */
export const CLOCK_SLACK_MS = 60_000;

export interface VerificationMail {
  readonly team: string;
  /** Canonical form, equal for all spellings of a mailbox. */
  readonly mailbox: string;
  readonly sentAt: number;
}

export function countMail(transaction: Transaction, mail: VerificationMail): Result<undefined, ChannelFault> {
  const now = mail.sentAt;
  const counts = transaction.records(VERIFICATION_MAILS);
  for (const [key, { sent_at: times }] of counts) {
    if (filterWindow(times, DAY_MS, now).length === 0) counts.delete(key);
  }
  for (const { key, max, windowMs, message } of rateLimitsOf(mail)) {
    const recent = filterWindow(counts.get(key)?.sent_at ?? [], windowMs, now);
    if (recent.length >= max) {
      return failWith("RATE_LIMITED", message, Math.ceil(((recent[0] as number) + windowMs - now) / 1000));
    }
  }
  for (const { key, windowMs } of rateLimitsOf(mail)) {
    counts.set(key, { sent_at: [...filterWindow(counts.get(key)?.sent_at ?? [], windowMs, now), now] });
  }
  return { ok: true, value: undefined };
}

/** Reverts `countMail`. With `onlyMailbox`, the mail still counts for the team. */
export function uncountMail(transaction: Transaction, mail: VerificationMail, onlyMailbox: boolean): void {
  const counts = transaction.records(VERIFICATION_MAILS);
  for (const { key } of rateLimitsOf(mail).slice(0, onlyMailbox ? 1 : 2)) {
    const times = [...(counts.get(key)?.sent_at ?? [])];
    const index = times.lastIndexOf(mail.sentAt);
    if (index >= 0) counts.set(key, { sent_at: times.toSpliced(index, 1) });
  }
}

function rateLimitsOf({ team, mailbox }: VerificationMail) {
  return [
    {
      key: sha256Hex(mailbox),
      max: MAX_MAILS_PER_DAY,
      windowMs: DAY_MS,
      message: `${MAX_MAILS_PER_DAY} verifications were sent to this address within 24 hours: use the latest, or try again later`,
    },
    {
      // Can't collide with a mailbox, which contains an "@".
      key: sha256Hex(`team ${team}`),
      max: MAX_TEAM_MAILS_PER_HOUR,
      windowMs: HOUR_MS,
      message: `the team has requested ${MAX_TEAM_MAILS_PER_HOUR} verifications within an hour: try again later`,
    },
  ];
}

/** Returns the times in the last `windowMs`. Ignores times in the future, from a fast clock. */
function filterWindow(times: readonly number[], windowMs: number, now: number): number[] {
  return times.filter((time) => time > now - windowMs && time <= now + CLOCK_SLACK_MS);
}
