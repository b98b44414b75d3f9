// Verifies email addresses by a mailed token: random, stored as a digest, valid once within a day for one address.

import type { Result } from "../base/result.ts";
import type { RandomBytes, Transaction } from "../store/collection.ts";
import type { Store } from "../store/store.ts";
import type { ChannelView } from "./config/redaction.ts";
import { withResponse } from "./delivery/deliverer.ts";
import { CHANNEL_NOT_FOUND, type ChannelFault, failWith } from "./fault.ts";
import { renderLinkMail, renderTokenMail } from "./mail/templates.ts";
import { CHANNELS, type ChannelRecord } from "./record.ts";
import { missingTargetMessage, type SenderDeps } from "./types/table.ts";
import {
  CLOCK_SLACK_MS,
  countMail,
  sha256Hex,
  uncountMail,
  VERIFICATIONS,
  type VerificationMail,
  type VerificationRecord,
} from "./verification-records.ts";

const TOKEN_BYTES = 32;
const DAY_MS = 86_400_000;
// Time for which the record of an expired token is kept, so that it is not reported as unknown: for unused tokens, and
// for used or replaced ones.
const RETENTION_MS = 30 * DAY_MS;
const USED_RETENTION_MS = 7 * DAY_MS;

export interface VerificationDeps {
  readonly now: () => number;
  readonly random: RandomBytes;
  readonly sender: Pick<SenderDeps, "mailer">;
  /** The daemon's public URL. Without it, the mail contains the token instead of a link. */
  readonly publicUrl: string | undefined;
  /** The URL of a daemon that listens on loopback. The mail then has a link as well as the token. */
  readonly localUrl?: (() => string | undefined) | undefined;
  readonly mailboxKey: (address: string) => string;
}

export interface VerificationSubject {
  readonly channelId: string;
  readonly address: string;
}

interface IssuedToken {
  readonly token: string;
  readonly address: string;
  readonly mail: VerificationMail;
}

type MailState = Pick<ChannelView, "verification_error" | "verification_failed_at" | "verification_expires_at">;

/** `store` must have CHANNELS, VERIFICATIONS and VERIFICATION_MAILS registered. */
export class Verifications {
  private readonly channelsBeingMailed: Set<string> = new Set();

  constructor(
    private readonly store: Store,
    private readonly deps: VerificationDeps,
  ) {}

  /** Mails a new token, which replaces older ones once it is sent. Returns a sentence about the outcome. */
  async request(team: string, id: string): Promise<Result<string, ChannelFault>> {
    const { mailer } = this.deps.sender;
    const channel = this.store.records(CHANNELS).get(id);
    const subject = addressToVerify(channel, team);
    if (!subject.ok) return subject;
    if (channel?.is_verified) return { ok: true, value: "The channel is already verified. Nothing was sent." };
    if (typeof mailer === "string") return failWith("TEST_FAILED", mailer);
    const issued = await this.store.change((transaction) => this.issueToken(transaction, team, id));
    if (!issued.ok) return issued;
    const { token, address, mail } = issued.value;
    const { publicUrl, localUrl } = this.deps;
    const content =
      publicUrl === undefined ? renderTokenMail(team, id, token, localUrl?.()) : renderLinkMail(publicUrl, token);
    this.channelsBeingMailed.add(id);
    const sent = await mailer
      .send(address, content, `verification-${sha256Hex(token).slice(0, 24)}`, id)
      .finally(() => this.channelsBeingMailed.delete(id));
    const attempt = withResponse(sent, { address });
    if (attempt.ok) {
      // The mail was sent, so a failure of the store is not an error of the request: a repeated creation mails again.
      await this.store.change((transaction) => updateOpen(transaction, token, { is_accepted: true })).catch(() => {});
      return { ok: true, value: "A message was sent to the address: the link or token in it works for 24 hours." };
    }
    const advice = attempt.verdict === "retry" ? " (send it again in some minutes)" : "";
    const reason = `the message could not be sent, and is not retried${advice}: ${attempt.reason}`;
    await this.store.change((transaction) => {
      updateOpen(transaction, token, { mail_error: reason });
      // Count every mail that may have been delivered: otherwise a server that confirms too late could deliver any
      // number of mails. Don't count a mail that certainly was not: otherwise a wrong setting would block an address for
      // a day. But count a rejected address for the team: otherwise it could find out which addresses exist.
      if (attempt.undelivered === true) uncountMail(transaction, mail, attempt.verdict === "give_up");
    });
    return failWith("TEST_FAILED", reason);
  }

  inspect(token: string): Result<VerificationSubject, ChannelFault> {
    const record = this.store.records(VERIFICATIONS).get(sha256Hex(token));
    const channel = record === undefined ? undefined : this.store.records(CHANNELS).get(record.channel_id);
    return this.checkToken(record, channel);
  }

  /** Verifies the channel of the token. If `channelId` is set, the token must be for that channel. */
  confirm(token: string, channelId?: string): Promise<Result<VerificationSubject, ChannelFault>> {
    return this.store.change((transaction) => {
      const records = transaction.records(VERIFICATIONS);
      const channels = transaction.records(CHANNELS);
      const record = records.get(sha256Hex(token));
      if (record !== undefined && channelId !== undefined && record.channel_id !== channelId) return OTHER_CHANNEL;
      const channel = channels.get(record?.channel_id ?? "");
      const checked = this.checkToken(record, channel);
      if (!checked.ok) return checked;
      invalidateOpenTokens(transaction, checked.value.channelId);
      records.set(sha256Hex(token), { ...(record as VerificationRecord), state: "used" });
      channels.set(checked.value.channelId, { ...(channel as ChannelRecord), is_verified: true });
      return checked;
    });
  }

  /** Returns whether a mail with a valid token was accepted by the mail server, is being sent, or neither. */
  mailState(channelId: string): "accepted" | "sending" | "none" {
    if (this.channelsBeingMailed.has(channelId)) return "sending";
    const now = this.deps.now();
    const isAccepted = this.findByChannel(channelId).some(
      (record) => record.is_accepted === true && isValid(record, now),
    );
    return isAccepted ? "accepted" : "none";
  }

  /** Reports whether a token was issued for the channel's address. */
  wasRequested(channelId: string, address: string): boolean {
    return this.findByChannel(channelId).some((record) => record.address === address);
  }

  /** Describes the latest mail to the channel's address for responses, and the latest sent link. Empty without a mail. */
  describeMail(channelId: string): MailState {
    const open = this.findByChannel(channelId).filter(({ state }) => state === "open");
    const latestFirst = open.reverse().sort((one, other) => other.expires_at - one.expires_at);
    const [latest] = latestFirst;
    if (latest === undefined) return {};
    const { mail_error: error, expires_at: end } = latest;
    const sent = latestFirst.find((record) => record.mail_error === undefined);
    const expiry = sent && { verification_expires_at: new Date(sent.expires_at).toISOString() };
    const isWorking = sent !== undefined && isValid(sent, this.deps.now());
    if (error === undefined) return isWorking ? { ...expiry } : { verification_error: EXPIRED, ...expiry };
    const failedAt = new Date(end - DAY_MS).toISOString();
    return { verification_error: error, verification_failed_at: failedAt, ...(isWorking && expiry) };
  }

  invalidate(channelId: string): Promise<void> {
    return this.store.change((transaction) => invalidateOpenTokens(transaction, channelId));
  }

  private findByChannel(channelId: string): VerificationRecord[] {
    return [...this.store.records(VERIFICATIONS).values()].filter((record) => record.channel_id === channelId);
  }

  private checkToken(
    record: VerificationRecord | undefined,
    channel: ChannelRecord | undefined,
  ): Result<VerificationSubject, ChannelFault> {
    if (record === undefined) return UNKNOWN_TOKEN;
    const { channel_id: channelId, address, state } = record;
    const isCurrent = channel?.config.address === address;
    if (state === "used") return failWith("TOKEN_USED", isCurrent && channel?.is_verified ? USED : USED_BUT_CHANGED);
    if (state === "replaced") return failWith("TOKEN_EXPIRED", isCurrent ? REPLACED : ADDRESS_CHANGED);
    if (!isValid(record, this.deps.now())) return failWith("TOKEN_EXPIRED", EXPIRED);
    if (!isCurrent) return failWith("TOKEN_EXPIRED", ADDRESS_CHANGED);
    return { ok: true, value: { channelId, address } };
  }

  private issueToken(transaction: Transaction, team: string, id: string): Result<IssuedToken, ChannelFault> {
    const subject = addressToVerify(transaction.records(CHANNELS).get(id), team);
    if (!subject.ok) return subject;
    const address = subject.value;
    const now = this.deps.now();
    const mail = { team, mailbox: this.deps.mailboxKey(address), sentAt: now };
    const rateLimit = countMail(transaction, mail);
    if (!rateLimit.ok) return rateLimit;
    const verifications = transaction.records(VERIFICATIONS);
    for (const [key, old] of verifications)
      if (isPastRetention(old, now) || isFromFastClock(old, now)) verifications.delete(key);
    const token = Buffer.from(this.deps.random(TOKEN_BYTES)).toString("hex");
    verifications.set(sha256Hex(token), { channel_id: id, address, expires_at: now + DAY_MS, state: "open" });
    return { ok: true, value: { token, address, mail } };
  }
}

const EXPIRED = "the link or token has expired after 24 hours: request another";
const USED = "this link or token was already used: the address is verified";
const USED_BUT_CHANGED =
  "this link or token was already used, and the channel has since been changed or deleted: request another";
const REPLACED = "a newer link or token replaced this one: use the latest message";
const ADDRESS_CHANGED = "the channel no longer has this address: request another";

const OTHER_CHANNEL = failWith("NOT_FOUND", "this link or token is for another channel: use the one for this channel");
const UNKNOWN_TOKEN = failWith("NOT_FOUND", "there is no such link or token: copy all of it, or request another");

function addressToVerify(channel: ChannelRecord | undefined, team: string): Result<string, ChannelFault> {
  if (channel?.team !== team) return CHANNEL_NOT_FOUND;
  const { type, config } = channel;
  if (type !== "email") return failWith("INVALID_BODY", `the channel is of type ${type}: send it a test to verify it`);
  if (config.address === undefined) return failWith("INVALID_BODY", missingTargetMessage("email"));
  return { ok: true, value: config.address };
}

/** Records whether an open token's mail was sent. If it was, the token replaces older ones. */
function updateOpen(
  transaction: Transaction,
  token: string,
  outcome: Pick<VerificationRecord, "is_accepted" | "mail_error">,
): void {
  const records = transaction.records(VERIFICATIONS);
  const record = records.get(sha256Hex(token));
  if (record?.state !== "open") return;
  if (outcome.is_accepted) invalidateOpenTokens(transaction, record.channel_id, record.expires_at);
  records.set(sha256Hex(token), { ...record, ...outcome });
}

function isValid(record: VerificationRecord, now: number): boolean {
  return record.state === "open" && record.expires_at > now && !isFromFastClock(record, now);
}

/** Invalidates the channel's tokens that expire until `end`. */
function invalidateOpenTokens(transaction: Transaction, channelId: string, end = Number.POSITIVE_INFINITY): void {
  const records = transaction.records(VERIFICATIONS);
  for (const [key, record] of records) {
    const isOpen = record.channel_id === channelId && record.state === "open" && record.expires_at <= end;
    if (isOpen) records.set(key, { ...record, state: "replaced" });
  }
}

function isPastRetention({ state, expires_at: end }: VerificationRecord, now: number): boolean {
  return end + (state === "open" ? RETENTION_MS : USED_RETENTION_MS) < now;
}

/** Reports whether the token expires in more than a day, because it was issued by a fast clock. */
function isFromFastClock({ expires_at: end }: VerificationRecord, now: number): boolean {
  return end > now + DAY_MS + CLOCK_SLACK_MS;
}
