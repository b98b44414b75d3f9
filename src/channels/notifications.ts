// The module's API for commands and routes: channel records, events, tests, verifications and deliveries. All methods
// throw the store's AddrsiftErrors.

import { formatAlternatives } from "../base/closest-names.ts";
import { withTimeout } from "../base/concurrency.ts";
import { omitUndefined, type Result } from "../base/result.ts";
import type { Store } from "../store/store.ts";
import { type ChannelDeps, type ChannelOutcome, Channels, joinMessages } from "./channels.ts";
import type { ChannelView } from "./config/redaction.ts";
import { Deliverer, type DelivererDeps } from "./delivery/deliverer.ts";
import {
  MAX_RUNNING_PER_CHANNEL,
  MAX_RUNNING_PER_TEAM,
  Outbox,
  type OutboxDeps,
  TOO_MANY_PENDING,
} from "./delivery/outbox.ts";
import { type ChannelHealth, type DeliveryView, findLastError, toDeliveryView, toIsoTime } from "./delivery/record.ts";
import { type ChannelEvent, createEvent } from "./events.ts";
import { CHANNEL_NOT_FOUND, type ChannelFault, failWith } from "./fault.ts";
import type { EventName } from "./kinds.ts";
import type { ChannelRecord } from "./record.ts";
import { missingTargetMessage, type SenderDeps, TYPE_DEFINITIONS } from "./types/table.ts";
import { type VerificationDeps, Verifications } from "./verifications.ts";

export interface NotificationDeps extends ChannelDeps, VerificationDeps, OutboxDeps, DelivererDeps {
  readonly sender: SenderDeps;
  /** How long creating or updating a channel waits for the mail server. Default: until it has responded. */
  readonly mailWaitMs: number | undefined;
}

export interface Publication {
  readonly deliveries: readonly string[];
  readonly rejected: number;
}

interface DeliveryFilter {
  readonly status?: DeliveryView["status"] | undefined;
  readonly limit?: number | undefined;
}

type SavedChannel = Extract<ChannelOutcome, { ok: true }>;

/** Outcome of a test or a verification, with the channel afterwards. */
type ActionOutcome = Result<
  { readonly channel: ChannelView; readonly message: string; readonly delivery_id?: string },
  ChannelFault
>;

export class Notifications extends Channels {
  readonly verifications: Verifications;
  readonly outbox: Outbox;
  readonly deliverer: Deliverer;
  private readonly pendingCreations: Set<string> = new Set();

  constructor(
    store: Store,
    deliveries: Store,
    protected override readonly deps: NotificationDeps,
  ) {
    super(store, deps);
    this.verifications = new Verifications(store, deps);
    this.outbox = new Outbox(deliveries, store, deps);
    this.deliverer = new Deliverer(this.outbox, this, deps);
  }

  override async create(team: string, body: unknown, idempotencyKey?: string): Promise<ChannelOutcome> {
    const creation = idempotencyKey && `${team} ${idempotencyKey}`;
    if (creation !== undefined && this.pendingCreations.has(creation)) return KEY_IN_USE;
    if (creation !== undefined) this.pendingCreations.add(creation);
    try {
      const outcome = await super.create(team, body, idempotencyKey);
      return outcome.ok ? this.addState(await this.verifyAddress(team, outcome)) : outcome;
    } finally {
      this.pendingCreations.delete(creation ?? "");
    }
  }

  /** If the address changes, also mails a link to the new one and invalidates the old link. */
  override async update(team: string, id: string, patch: unknown): Promise<ChannelOutcome> {
    const oldAddress = this.find(team, id)?.config.address;
    const changed = await super.update(team, id, patch);
    if (!changed.ok) return changed;
    const isMoved = this.find(team, id)?.config.address !== oldAddress;
    if (isMoved) await this.verifications.invalidate(id);
    return this.addState(isMoved ? await this.verifyAddress(team, changed) : changed);
  }

  override async delete(team: string, id: string): Promise<Result<ChannelView, ChannelFault>> {
    const outcome = await super.delete(team, id);
    // On failure, the channel's deliveries remain. They are never sent, and are pruned later.
    if (outcome.ok) await this.outbox.deleteByChannel(id).catch(() => {});
    return outcome;
  }

  override list(team: string): ChannelView[] {
    const health = this.outbox.health();
    return super.list(team).map((channel) => this.withState(channel, health));
  }

  override get(team: string, id: string): Result<ChannelView, ChannelFault> {
    const outcome = super.get(team, id);
    return outcome.ok ? { ok: true, value: this.withState(outcome.value) } : outcome;
  }

  /** Mails a new token. Returns the channel and a sentence about the outcome. */
  async verify(team: string, id: string): Promise<ActionOutcome> {
    if (this.find(team, id) === undefined) return CHANNEL_NOT_FOUND;
    const outcome = await this.verifications.request(team, id);
    return outcome.ok ? this.withMessage(team, id, outcome.value) : outcome;
  }

  /** Sends a test and waits for its outcome. A successful test verifies a channel with a url. */
  async test(team: string, id: string): Promise<ActionOutcome> {
    const { outbox, deliverer } = this;
    const channel = this.find(team, id);
    if (channel === undefined) return CHANNEL_NOT_FOUND;
    if (channel.config[TYPE_DEFINITIONS[channel.type].target] === undefined) {
      return failWith("INVALID_BODY", `${missingTargetMessage(channel.type)}, then test it`);
    }
    if (channel.type === "email" && !channel.is_verified) return this.verify(team, id);
    const event = createEvent("channel.test", { channel_id: id }, this.deps.now());
    const { added, rejected } = await outbox.add([channel], event, true);
    const [leased] = added;
    if (leased === undefined) return rejected > 0 ? failWith("TEST_FAILED", TOO_MANY_PENDING) : BUSY;
    const record = await deliverer.attempt(leased);
    if (record?.status !== "delivered") {
      const reason = record && findLastError(record);
      return failWith("TEST_FAILED", reason ?? "the result of the test is lost: try again");
    }
    if (channel.type === "email")
      return this.withMessage(team, id, "A test message was sent to the address.", record.id);
    if (await this.setVerified(channel, true)) {
      return this.withMessage(team, id, "The webhook accepted the test: the channel is verified.", record.id);
    }
    return failWith("TEST_FAILED", "the channel was changed while it was tested: test it again");
  }

  /** Returns the deliveries of a channel, the latest attempt first. */
  deliveries(team: string, id: string, { status, limit }: DeliveryFilter = {}): Result<DeliveryView[], ChannelFault> {
    const { outbox } = this;
    if (this.find(team, id) === undefined) return CHANNEL_NOT_FOUND;
    const records = outbox.list(id).filter((record) => record.status === (status ?? record.status));
    const views = records.slice(0, limit).map((record) => toDeliveryView(record, outbox.isRunning(record)));
    return { ok: true, value: views };
  }

  /** Sends a delivery again under its `webhook-id`. Returns it after the first attempt. */
  async replay(team: string, deliveryId: string, channelId?: string): Promise<Result<DeliveryView, ChannelFault>> {
    const found = this.findDelivery(team, deliveryId);
    if (found === undefined || (channelId ?? found.channel.id) !== found.channel.id) return DELIVERY_NOT_FOUND;
    const reason = this.undeliverableReason(found.channel);
    if (reason !== undefined) return failWith("INVALID_BODY", reason);
    const leased = await this.outbox.replay(found.channel, deliveryId);
    if (leased === "running") return IN_PROGRESS;
    if (leased === "busy") return BUSY;
    const record = leased && (await this.deliverer.attempt(leased));
    return record === undefined ? DELIVERY_NOT_FOUND : { ok: true, value: toDeliveryView(record) };
  }

  /** Returns a delivery to any channel of the team, with its channel. */
  findDelivery(team: string, id: string) {
    const [record] = this.outbox.find([id]);
    const channel = record && this.find(team, record.channel_id);
    return channel && { channel, delivery: toDeliveryView(record, this.outbox.isRunning(record)) };
  }

  /** Records an event for all channels that receive it. A delivery waits until its channel is verified. */
  async publish(event: ChannelEvent): Promise<Publication> {
    return this.record(
      this.findAll().filter((channel) => this.unwantedReason(channel, event.type) === undefined),
      event,
    );
  }

  /** Records an event for one channel of any team, as `publish` does for all. */
  async publishTo(id: string, event: ChannelEvent): Promise<Result<Publication, ChannelFault>> {
    const outcome = this.recipient(id, event.type);
    return outcome.ok ? { ok: true, value: await this.record([outcome.value], event) } : outcome;
  }

  /** Returns a channel of any team, verified or not, if it receives `event`. */
  recipient(id: string, event: EventName): Result<ChannelRecord, ChannelFault> {
    const channel = this.findAll().find((one) => one.id === id);
    if (channel === undefined) {
      const ids = this.idsByName(id);
      if (ids.length === 0)
        return failWith("NOT_FOUND", "there is no such channel: addrsift channels list shows their ids");
      return failWith("NOT_FOUND", `there is no such channel: the one of that name is ${formatAlternatives(ids)}`);
    }
    const reason = this.unwantedReason(channel, event);
    return reason === undefined ? { ok: true, value: channel } : failWith("INVALID_BODY", reason);
  }

  /** Returns why an event could not be sent to the channel now, as far as is known without a connection. */
  findObstacle(channel: ChannelRecord): string | undefined {
    const { sender, blockedHostReason } = this.deps;
    const reason = this.outbox.findObstacle(channel.id) ?? this.undeliverableReason(channel);
    if (reason !== undefined) return reason;
    if (channel.config.url !== undefined) return blockedHostReason(new URL(channel.config.url).hostname);
    return typeof sender.mailer === "string" ? sender.mailer : undefined;
  }

  private undeliverableReason({ id, team, type, config, is_verified }: ChannelRecord): string | undefined {
    const explain = (state: string, fix: string, words: string): string => {
      const command = this.deps.commandOptions === undefined ? "" : ` (${this.formatCommand(words, team)})`;
      return `the channel is ${state}: ${fix} first${command}`;
    };
    if (config.enabled === false) return explain("paused", "resume it", `update ${id} --config enabled=true`);
    if (is_verified) return undefined;
    if (config[TYPE_DEFINITIONS[type].target] === undefined) return missingTargetMessage(type);
    if (type !== "email") return explain("not verified", "send a test", `test ${id}`);
    if (this.verifications.mailState(id) === "none") return explain("not verified", "email its link", `test ${id}`);
    return explain("not verified", "use the link or token that was emailed", `verify ${id}`);
  }

  private unwantedReason(channel: ChannelRecord, event: EventName): string | undefined {
    const { events, enabled } = channel.config;
    if (enabled === false) return this.undeliverableReason(channel);
    if (events?.includes(event) !== false) return undefined;
    return `the channel does not receive ${event}: add it to config.events`;
  }

  private withMessage(team: string, id: string, message: string, deliveryId?: string): ActionOutcome {
    const outcome = this.get(team, id);
    const more = { message, ...(deliveryId !== undefined && { delivery_id: deliveryId }) };
    return outcome.ok ? { ok: true, value: { channel: outcome.value, ...more } } : outcome;
  }

  private addState({ value }: SavedChannel): SavedChannel {
    return { ok: true, value: { ...value, channel: this.withState(value.channel) } };
  }

  /** Adds the state of the verification and of the deliveries. */
  private withState(channel: ChannelView, health = this.outbox.health()): ChannelView {
    const { last, pending, successAt, failingSince }: Partial<ChannelHealth> = health.get(channel.id) ?? {};
    const doubt = { verification_error: this.addressDoubt(channel) };
    const state = {
      ...(!channel.is_verified && { ...doubt, ...this.verifications.describeMail(channel.id) }),
      last_delivery: last && { ...last, at: new Date(last.at).toISOString() },
      pending_deliveries: pending || undefined,
      last_success: toIsoTime(successAt),
      failing_since: toIsoTime(failingSince),
    };
    return { ...channel, ...omitUndefined(state) };
  }

  /** Returns why no link is mailed unless the user asks for it; undefined if it is, or if one was. */
  private addressDoubt({ id, config: { address } }: ChannelView): string | undefined {
    if (address === undefined || !this.deps.canMail || this.verifications.wasRequested(id, address)) return undefined;
    const suggestion = this.deps.suggestAddress(address);
    if (suggestion === undefined) return undefined;
    const problem = `the address may be mistyped, so a link is emailed only on request: did you mean ${suggestion}?`;
    return `${problem} Change it, or email a link anyway`;
  }

  private async record(channels: readonly ChannelRecord[], event: ChannelEvent): Promise<Publication> {
    if (channels.length === 0) return { deliveries: [], rejected: 0 };
    const { added, rejected } = await this.outbox.add(channels, event);
    return { deliveries: added.map(({ delivery }) => delivery.id), rejected };
  }

  private async verifyAddress(team: string, outcome: SavedChannel): Promise<SavedChannel> {
    const { channel } = outcome.value;
    const { mailWaitMs } = this.deps;
    // No mail can be sent, or none is needed. The outcome's message already has the next step.
    if (channel.config.address === undefined || channel.is_verified || !this.deps.canMail) return outcome;
    const reply = (nextStep: string): SavedChannel => {
      const message = joinMessages(outcome.value.message, nextStep);
      return { ok: true, value: { channel, message } };
    };
    const doubt = this.addressDoubt(channel);
    if (doubt !== undefined) return reply(doubt);
    const state = outcome.value.isRepeated === true ? this.verifications.mailState(channel.id) : "none";
    if (state !== "none") return reply(state === "sending" ? STILL_MAILING : MAILED);
    const request = this.verifications.request(team, channel.id);
    const mailOutcome = await (mailWaitMs === undefined ? request : withTimeout(mailWaitMs, request));
    if (mailOutcome === undefined) return reply(STILL_MAILING);
    return reply(mailOutcome.ok ? MAILED : `the channel was saved, but ${mailOutcome.fault.message}`);
  }
}

const MAILED = "a message was sent to the address: the link or token in it verifies the channel within 24 hours";
const STILL_MAILING =
  "the channel was saved, but the mail server is slow: if no message arrives, request the verification again";

const KEY_IN_USE = failWith(
  "IDEMPOTENCY_KEY_IN_USE",
  "a request with this Idempotency-Key is in progress: try again in a second",
  1,
);

// An attempt of a webhook takes at most 15 s; then another one can run.
const BUSY_SECONDS = 15;
const BUSY = failWith(
  "RATE_LIMITED",
  `${MAX_RUNNING_PER_CHANNEL} deliveries or tests of the channel are running, or ${MAX_RUNNING_PER_TEAM} of its team: ` +
    `retry in ${BUSY_SECONDS} s`,
  BUSY_SECONDS,
);
const IN_PROGRESS = failWith(
  "DELIVERY_IN_PROGRESS",
  "the delivery is being sent now: wait for its outcome before you send it again",
);

const DELIVERY_NOT_FOUND = failWith(
  "NOT_FOUND",
  "there is no such delivery: list the channel's deliveries for their ids",
);
