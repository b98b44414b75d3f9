// Verification of mail addresses by a mailed token. A token is random, stored as a digest, and valid once, for a day,
// for one address. Reading its state changes nothing.

import type { Result } from "../base/result.ts";
import type { Draft, Random } from "../store/collection.ts";
import type { Store } from "../store/store.ts";
import { type ChannelFault, fails, NOT_FOUND } from "./fault.ts";
import { linkMail, tokenMail } from "./mail/layout.ts";
import { CHANNELS, type ChannelRecord } from "./record.ts";
import { missingTarget, type SenderPorts } from "./types/table.ts";
import {
  CLOCK_SLACK_MS,
  countMail,
  recordKey,
  type TokenMail,
  takeBackMail,
  VERIFICATIONS,
  type VerificationRecord,
} from "./verification-records.ts";

const TOKEN_BYTES = 32;
const DAY_MS = 86_400_000;
// How long an old token can be distinguished from an unknown one; of those that ended early, this long after they would
// have.
const KEPT_MS = 30 * DAY_MS;
const KEPT_ENDED_MS = 7 * DAY_MS;

export interface VerificationPorts {
  readonly now: () => number;
  readonly random: Random;
  readonly sender: Pick<SenderPorts, "mailer">;
  /** The daemon's URL as others reach it; without it, mail carries the token. */
  readonly publicUrl: string | undefined;
  /** Where a daemon answers its own machine, if only that; its link goes beside the token. */
  readonly ownUrl?: (() => string | undefined) | undefined;
  readonly mailboxKey: (address: string) => string;
}

export interface VerificationSubject {
  readonly channelId: string;
  readonly address: string;
}

interface NewToken {
  readonly token: string;
  readonly address: string;
  readonly mail: TokenMail;
}

/** The verifications of a store in which CHANNELS, VERIFICATIONS and VERIFICATION_MAILS are registered. */
export class Verifications {
  constructor(
    private readonly store: Store,
    private readonly ports: VerificationPorts,
  ) {}

  /** Mails a new token, which ends older ones; says what happened. */
  async request(team: string, id: string): Promise<Result<string, ChannelFault>> {
    const { mailer } = this.ports.sender;
    const channel = this.store.records(CHANNELS).get(id);
    const subject = addressToVerify(channel, team);
    if (!subject.ok) return subject;
    if (channel?.is_verified) return { ok: true, value: "The channel is already verified. Nothing was sent." };
    if (typeof mailer === "string") return fails("TEST_FAILED", mailer);
    const issued = await this.store.change((draft) => this.issue(draft, team, id));
    if (!issued.ok) return issued;
    const { token, address, mail } = issued.value;
    const { publicUrl, ownUrl } = this.ports;
    const content = publicUrl === undefined ? tokenMail(team, id, token, ownUrl?.()) : linkMail(publicUrl, token);
    const attempt = await mailer.send(address, content, `verification-${recordKey(token).slice(0, 24)}`);
    if (attempt.ok) {
      return { ok: true, value: "A message was sent to the address: the link or token in it works for 24 hours." };
    }
    // A mail that certainly no server took does not count; else a wrong setting would block an address for a day. A
    // mail that may have been taken counts; else a server that confirms too late would deliver any number of them.
    if (attempt.verdict === "retry" && attempt.untaken === true) {
      await this.store.change((draft) => takeBackMail(draft, mail));
    }
    return fails("TEST_FAILED", `the message could not be sent: ${attempt.reason}`);
  }

  look(token: string): Result<VerificationSubject, ChannelFault> {
    const record = this.store.records(VERIFICATIONS).get(recordKey(token));
    const channel = record === undefined ? undefined : this.store.records(CHANNELS).get(record.channel_id);
    return this.judge(record, channel);
  }

  /** Verifies by a token; with `of`, only this channel. */
  confirm(
    token: string,
    of?: { readonly team: string; readonly id: string },
  ): Promise<Result<VerificationSubject, ChannelFault>> {
    return this.store.change((draft) => {
      const records = draft.records(VERIFICATIONS);
      const channels = draft.records(CHANNELS);
      if (of !== undefined && channels.get(of.id)?.team !== of.team) return NOT_FOUND;
      const record = records.get(recordKey(token));
      if (of !== undefined && record?.channel_id !== of.id) return UNKNOWN;
      const channel = channels.get(record?.channel_id ?? "");
      const judged = this.judge(record, channel);
      if (!judged.ok) return judged;
      records.set(recordKey(token), { ...(record as VerificationRecord), state: "used" });
      channels.set(judged.value.channelId, { ...(channel as ChannelRecord), is_verified: true });
      return judged;
    });
  }

  end(channelId: string): Promise<void> {
    return this.store.change((draft) => replaceOpen(draft, channelId));
  }

  private judge(
    record: VerificationRecord | undefined,
    channel: ChannelRecord | undefined,
  ): Result<VerificationSubject, ChannelFault> {
    if (record === undefined) return UNKNOWN;
    const { channel_id: channelId, address, state, expires_at } = record;
    const current = channel?.config.address === address;
    if (state === "used") return fails("TOKEN_USED", current && channel?.is_verified ? USED : USED_IN_VAIN);
    if (state === "replaced") return fails("TOKEN_USED", current ? REPLACED : MOVED);
    if (expires_at <= this.ports.now() || isAhead(record, this.ports.now()))
      return fails("TOKEN_EXPIRED", "this link is older than 24 hours: ask for another");
    if (!current) return fails("TOKEN_EXPIRED", MOVED);
    return { ok: true, value: { channelId, address } };
  }

  private issue(draft: Draft, team: string, id: string): Result<NewToken, ChannelFault> {
    const subject = addressToVerify(draft.records(CHANNELS).get(id), team);
    if (!subject.ok) return subject;
    const address = subject.value;
    const now = this.ports.now();
    const mail = { team, mailbox: this.ports.mailboxKey(address), sentAt: now };
    const counted = countMail(draft, mail);
    if (!counted.ok) return counted;
    const verifications = draft.records(VERIFICATIONS);
    for (const [key, old] of verifications) if (isOver(old, now) || isAhead(old, now)) verifications.delete(key);
    replaceOpen(draft, id);
    const token = Buffer.from(this.ports.random(TOKEN_BYTES)).toString("hex");
    verifications.set(recordKey(token), { channel_id: id, address, expires_at: now + DAY_MS, state: "open" });
    return { ok: true, value: { token, address, mail } };
  }
}

const USED = "this link was used already: the address is verified";
const USED_IN_VAIN = "this link was used already, and the channel was changed or deleted since: ask for another link";
const REPLACED = "a newer link replaced this one: use the latest message";
const MOVED = "the channel no longer has this address: ask for another link";

const UNKNOWN = fails("NOT_FOUND", "there is no such link or token: copy it whole, or ask for another");

/** The address that a team's channel is to be verified for. */
function addressToVerify(channel: ChannelRecord | undefined, team: string): Result<string, ChannelFault> {
  if (channel?.team !== team) return NOT_FOUND;
  const { type, config } = channel;
  if (type !== "email") return fails("INVALID_BODY", `the channel is of type ${type}: send it a test to verify it`);
  if (config.address === undefined) return fails("INVALID_BODY", missingTarget("email"));
  return { ok: true, value: config.address };
}

function replaceOpen(draft: Draft, channelId: string): void {
  const records = draft.records(VERIFICATIONS);
  for (const [key, record] of records) {
    if (record.channel_id === channelId && record.state === "open") records.set(key, { ...record, state: "replaced" });
  }
}

function isOver({ state, expires_at: end }: VerificationRecord, now: number): boolean {
  return end + (state === "open" ? KEPT_MS : KEPT_ENDED_MS) < now;
}

/** True for a token that lives longer than any, because the clock was ahead when it was made. */
function isAhead({ expires_at: end }: VerificationRecord, now: number): boolean {
  return end > now + DAY_MS + CLOCK_SLACK_MS;
}
