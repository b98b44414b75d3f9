// Records of verifications: tokens by their digest only, and how many mails went to a mailbox, or were sent by a
// team, lately; with the limits on these. Nothing is sent here.

import { createHash } from "node:crypto";
import type { Result } from "../base/result.ts";
import { choice, closed, listOf, number, text, type ValueOf } from "../base/shapes.ts";
import type { Draft } from "../store/backing.ts";
import type { Collection } from "../store/collection.ts";
import type { NotifyFault } from "./fault.ts";

const VERIFICATION = closed({
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

export const VERIFICATIONS: Collection<VerificationRecord> = {
  name: "verifications",
  shape: VERIFICATION,
  migrations: [],
};

/** The times of mails to a mailbox or of a team, the oldest first. Its id is the digest of either. */
const MAIL_COUNT = closed({ sent_at: listOf(number()) });

export type MailCount = ValueOf<typeof MAIL_COUNT>;

/** Mails by mailbox, whatever the team and the channel, and by team. */
export const VERIFICATION_MAILS: Collection<MailCount> = {
  name: "verification_mails",
  shape: MAIL_COUNT,
  migrations: [],
};

/** SHA-256 in hexadecimal: what stands for a token, a mailbox or a team. */
export function recordKey(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
// To one mailbox, whatever the team.
const MAILS_A_DAY = 5;
// Of one team, which all its keys share: strangers' mailboxes are not for anyone to fill.
const TEAM_MAILS_AN_HOUR = 30;
/** A time further ahead than this was written by a clock that was wrong. */
export const CLOCK_SLACK_MS = 60_000;

export interface CountedMail {
  readonly team: string;
  /** The same text for all spellings of a mailbox. */
  readonly mailbox: string;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
}

/** At most so many mails in a time that moves on. */
interface Bound {
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
  readonly message: string;
}

/** Counts one more mail to the mailbox and of the team, or says why no more are allowed. */
export function countMail(draft: Draft, mail: CountedMail): Result<undefined, NotifyFault> {
  const now = mail.sentAt;
  const counts = draft.records(VERIFICATION_MAILS);
  for (const [key, { sent_at: times }] of counts) {
    if (within(times, DAY_MS, now).length === 0) counts.delete(key);
  }
  for (const { key, max, windowMs, message } of boundsOf(mail)) {
    const recent = within(counts.get(key)?.sent_at ?? [], windowMs, now);
    if (recent.length >= max) {
      const retryAfterSeconds = Math.ceil(((recent[0] as number) + windowMs - now) / 1000);
      return { ok: false, fault: { code: "RATE_LIMITED", message, retryAfterSeconds } };
    }
  }
  for (const { key, windowMs } of boundsOf(mail)) {
    counts.set(key, { sent_at: [...within(counts.get(key)?.sent_at ?? [], windowMs, now), now] });
  }
  return { ok: true, value: undefined };
}

export function takeBackMail(draft: Draft, mail: CountedMail): void {
  const counts = draft.records(VERIFICATION_MAILS);
  for (const { key } of boundsOf(mail)) {
    const times = [...(counts.get(key)?.sent_at ?? [])];
    const place = times.lastIndexOf(mail.sentAt);
    if (place >= 0) counts.set(key, { sent_at: times.toSpliced(place, 1) });
  }
}

function boundsOf({ team, mailbox }: CountedMail): readonly Bound[] {
  return [
    {
      key: recordKey(mailbox),
      max: MAILS_A_DAY,
      windowMs: DAY_MS,
      message: `this address got ${MAILS_A_DAY} such messages within 24 hours: use the latest, or try again later`,
    },
    {
      // An address has an "@".
      key: recordKey(`team ${team}`),
      max: TEAM_MAILS_AN_HOUR,
      windowMs: HOUR_MS,
      message: `the team has sent ${TEAM_MAILS_AN_HOUR} verifications within an hour: try again later`,
    },
  ];
}

/** The times of the last so many milliseconds; those of a clock that was ahead do not count. */
function within(times: readonly number[], windowMs: number, now: number): number[] {
  return times.filter((time) => time > now - windowMs && time <= now + CLOCK_SLACK_MS);
}
