// Verification of mail addresses by a mailed token. A token is random, stored as a digest, and valid once, for a day, for one
// address. Reading its state changes nothing.

import { createHash } from "node:crypto";
import type { Result } from "../../result.ts";
import type { Draft } from "../../store/draft.ts";
import type { Random } from "../../store/identifier.ts";
import type { Store } from "../../store/store.ts";
import type { FailedAttempt } from "../delivery/attempt.ts";
import { NOT_FOUND } from "../fault.ts";
import type { Mailer } from "../mail/mailer.ts";
import { linkMail, tokenMail } from "../mail/verification.ts";
import { fails, type NotifyFault } from "../notify-fault.ts";
import { CHANNELS, type ChannelRecord } from "../record.ts";
import { VERIFICATION_MAILS, VERIFICATIONS, type VerificationRecord } from "./record.ts";

const TOKEN_OCTETS = 32;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
// To one mailbox, whatever the team.
const MAILS_A_DAY = 5;
// Of one team, which all its keys share: strangers' mailboxes are not for anyone to fill.
const TEAM_MAILS_AN_HOUR = 30;
// A time further ahead than this was written by a clock that was wrong.
const CLOCK_SLACK_MS = 60_000;
// How long an old token can be told from an unknown one; of those that ended early, this long after they would have.
const KEPT_MS = 30 * DAY_MS;
const KEPT_ENDED_MS = 7 * DAY_MS;

/** What comes from outside: clock, randomness, mailer, URL. */
export interface VerificationPorts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly random: Random;
  /** The mailer, or the line that says which settings are missing. */
  readonly mailer: Mailer | string;
  /** The daemon's URL as others reach it; without it, mail carries only the token. */
  readonly publicUrl: string | undefined;
  /** Gives the same text for all spellings of a mailbox. */
  readonly mailboxKey: (address: string) => string;
}

type EmailChannel = Extract<ChannelRecord, { readonly type: "email" }>;

/** What a valid token verifies. */
export interface Verifiable {
  readonly channelId: string;
  readonly address: string;
}

interface Addressee {
  readonly team: string;
  readonly address: string;
}

/** At most so many mails in a time that moves on. */
interface Bound {
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
  readonly message: string;
}

interface Issued extends Addressee {
  readonly token: string;
  readonly sentAt: number;
}

/** The verifications of a store in which CHANNELS, VERIFICATIONS and VERIFICATION_MAILS are registered. */
export class Verifications {
  private readonly store: Store;
  private readonly ports: VerificationPorts;

  constructor(store: Store, ports: VerificationPorts) {
    this.store = store;
    this.ports = ports;
  }

  /**
   * Mails a new token, which ends older ones; gives a sentence that says what happened. Throws AddrsiftError as the store does.
   */
  async request(team: string, id: string): Promise<Result<string, NotifyFault>> {
    const { mailer } = this.ports;
    const channel = this.store.records(CHANNELS).get(id);
    if (channel?.team !== team) return NOT_FOUND;
    if (channel.type !== "email") {
      return fails("INVALID_BODY", `the channel is of type ${channel.type}: send it a test to verify it`);
    }
    if (channel.config.address === undefined) {
      return fails("INVALID_BODY", "config.address is missing: update the channel to add it");
    }
    if (channel.is_verified) return { ok: true, value: "The channel is already verified. Nothing was sent." };
    if (typeof mailer === "string") return fails("TEST_FAILED", mailer);
    const issued = await this.store.change((draft) => this.issue(draft, team, id));
    if (!issued.ok) return issued;
    const { token, address } = issued.value;
    const attempt = await mailer.send(
      address,
      this.mail(team, id, token),
      `verification-${digest(token).slice(0, 24)}`,
    );
    if (attempt.ok) {
      const what = this.ports.publicUrl === undefined ? "token" : "link";
      return { ok: true, value: `A message was sent to the address: its ${what} is valid for 24 hours.` };
    }
    await this.takeBack(issued.value, attempt);
    return fails("TEST_FAILED", `the message could not be sent: ${attempt.reason}`);
  }

  /** What a token would verify. Changes nothing. */
  look(token: string): Result<Verifiable, NotifyFault> {
    const record = this.store.records(VERIFICATIONS).get(digest(token));
    const channel = record === undefined ? undefined : this.store.records(CHANNELS).get(record.channel_id);
    return this.judge(record, channel);
  }

  /** Verifies by a token; with `of`, only this channel. Throws AddrsiftError as the store does. */
  confirm(
    token: string,
    of?: { readonly team: string; readonly id: string },
  ): Promise<Result<Verifiable, NotifyFault>> {
    return this.store.change((draft) => {
      const records = draft.records(VERIFICATIONS);
      const channels = draft.records(CHANNELS);
      if (of !== undefined && channels.get(of.id)?.team !== of.team) return NOT_FOUND;
      const record = records.get(digest(token));
      if (of !== undefined && record?.channel_id !== of.id) return UNKNOWN;
      const channel = channels.get(record?.channel_id ?? "");
      const judged = this.judge(record, channel);
      if (!judged.ok) return judged;
      records.set(digest(token), { ...(record as VerificationRecord), state: "used" });
      channels.set(judged.value.channelId, { ...(channel as ChannelRecord), is_verified: true });
      return judged;
    });
  }

  /** Ends the open tokens of a channel whose address changed. Throws AddrsiftError as the store does. */
  end(channelId: string): Promise<void> {
    return this.store.change((draft) => replaceOpen(draft, channelId));
  }

  private judge(
    record: VerificationRecord | undefined,
    channel: ChannelRecord | undefined,
  ): Result<Verifiable, NotifyFault> {
    if (record === undefined) return UNKNOWN;
    const { channel_id: channelId, address, state, expires_at } = record;
    const current = channel?.type === "email" && channel.config.address === address;
    if (state === "used") return fails("TOKEN_USED", current && channel.is_verified ? USED : USED_IN_VAIN);
    if (state === "replaced") return fails("TOKEN_USED", current ? REPLACED : MOVED);
    if (expires_at <= this.ports.now() || isAhead(record, this.ports.now()))
      return fails("TOKEN_EXPIRED", "this link is older than 24 hours: ask for another");
    if (!current) return fails("TOKEN_EXPIRED", MOVED);
    return { ok: true, value: { channelId, address } };
  }

  private issue(draft: Draft, team: string, id: string): Result<Issued, NotifyFault> {
    const channel = draft.records(CHANNELS).get(id) as EmailChannel | undefined;
    const address = channel?.config.address;
    if (channel?.team !== team || address === undefined) return NOT_FOUND;
    const now = this.ports.now();
    const counted = this.count(draft, { team, address }, now);
    if (!counted.ok) return counted;
    const verifications = draft.records(VERIFICATIONS);
    for (const [key, old] of verifications) if (isOver(old, now) || isAhead(old, now)) verifications.delete(key);
    replaceOpen(draft, id);
    const token = Buffer.from(this.ports.random(TOKEN_OCTETS)).toString("hex");
    verifications.set(digest(token), { channel_id: id, address, expires_at: now + DAY_MS, state: "open" });
    return { ok: true, value: { token, team, address, sentAt: now } };
  }

  /** Counts one more mail to the mailbox and of the team, or says why no more are allowed. */
  private count(draft: Draft, { team, address }: Addressee, now: number): Result<undefined, NotifyFault> {
    const counts = draft.records(VERIFICATION_MAILS);
    for (const [key, { sent_at: times }] of counts) {
      if (within(times, DAY_MS, now).length === 0) counts.delete(key);
    }
    for (const { key, max, windowMs, message } of this.bounds(team, address)) {
      const recent = within(counts.get(key)?.sent_at ?? [], windowMs, now);
      if (recent.length >= max) {
        const retryAfterSeconds = Math.ceil(((recent[0] as number) + windowMs - now) / 1000);
        return { ok: false, fault: { code: "RATE_LIMITED", message, retryAfterSeconds } };
      }
    }
    for (const { key, windowMs } of this.bounds(team, address)) {
      counts.set(key, { sent_at: [...within(counts.get(key)?.sent_at ?? [], windowMs, now), now] });
    }
    return { ok: true, value: undefined };
  }

  private bounds(team: string, address: string): readonly Bound[] {
    return [
      {
        key: digest(this.ports.mailboxKey(address)),
        max: MAILS_A_DAY,
        windowMs: DAY_MS,
        message: `this address got ${MAILS_A_DAY} such messages within 24 hours: use the latest, or try again later`,
      },
      {
        // An address has an "@".
        key: digest(`team ${team}`),
        max: TEAM_MAILS_AN_HOUR,
        windowMs: HOUR_MS,
        message: `the team has sent ${TEAM_MAILS_AN_HOUR} verifications within an hour: try again later`,
      },
    ];
  }

  /**
   * A mail that certainly no server took does not count; else a wrong setting would block an address for a day. A mail that may
   * have been taken counts; else a server that confirms too late would deliver any number of them.
   */
  private async takeBack({ team, address, sentAt }: Issued, attempt: FailedAttempt): Promise<void> {
    if (attempt.verdict !== "retry" || attempt.untaken !== true) return;
    await this.store.change((draft) => {
      const counts = draft.records(VERIFICATION_MAILS);
      for (const { key } of this.bounds(team, address)) {
        const times = [...(counts.get(key)?.sent_at ?? [])];
        const place = times.lastIndexOf(sentAt);
        if (place >= 0) counts.set(key, { sent_at: times.toSpliced(place, 1) });
      }
    });
  }

  private mail(team: string, id: string, token: string): ReturnType<typeof linkMail> {
    const { publicUrl } = this.ports;
    return publicUrl === undefined ? tokenMail(team, id, token) : linkMail(publicUrl, token);
  }
}

const USED = "this link was used already: the address is verified";
const USED_IN_VAIN = "this link was used already, and the channel was changed or deleted since: ask for another link";
const REPLACED = "a newer link replaced this one: use the latest message";
const MOVED = "the channel no longer has this address: ask for another link";

const UNKNOWN = fails("NOT_FOUND", "there is no such link or token: copy it whole, or ask for another");

function replaceOpen(draft: Draft, channelId: string): void {
  const records = draft.records(VERIFICATIONS);
  for (const [key, record] of records) {
    if (record.channel_id === channelId && record.state === "open") records.set(key, { ...record, state: "replaced" });
  }
}

/** The times of the last so many milliseconds. Those of a clock that was ahead do not count, or they would for years. */
function within(times: readonly number[], windowMs: number, now: number): number[] {
  return times.filter((time) => time > now - windowMs && time <= now + CLOCK_SLACK_MS);
}

function isOver({ state, expires_at: end }: VerificationRecord, now: number): boolean {
  return end + (state === "open" ? KEPT_MS : KEPT_ENDED_MS) < now;
}

/** True for a token that lives longer than any, because the clock was ahead when it was made. */
function isAhead({ expires_at: end }: VerificationRecord, now: number): boolean {
  return end > now + DAY_MS + CLOCK_SLACK_MS;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
