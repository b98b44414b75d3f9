// Channels in use, the one face for commands and routes: besides their records, publish events, test, verify, list
// deliveries. What a channel is and stores is decided in `channels.ts`.

import { within } from "../base/limits.ts";
import type { Result } from "../base/result.ts";
import type { Store } from "../store/store.ts";
import { type ChannelOutcome, type ChannelPorts, Channels } from "./channels.ts";
import type { ShownChannel } from "./config/redaction.ts";
import type { Deliverer } from "./delivery/deliverer.ts";
import type { Outbox } from "./delivery/outbox.ts";
import { type ShownDelivery, shownDelivery } from "./delivery/record.ts";
import { type ChannelEvent, createEvent } from "./events.ts";
import { type ChannelFault, fails, NOT_FOUND, type NotifyFault } from "./fault.ts";
import type { EventName } from "./kinds.ts";
import type { ChannelRecord } from "./record.ts";
import { TYPES } from "./types/table.ts";
import type { AnyConfig } from "./types/type.ts";
import type { Verifiable, Verifications } from "./verifications.ts";

export interface NotificationParts {
  readonly verifications: Verifications;
  readonly outbox: Outbox;
  readonly deliverer: Deliverer;
  /** How long a change of a channel waits for the mail server; undefined: until it has answered. */
  readonly mailWaitMs: number | undefined;
}

export interface Published {
  readonly deliveries: readonly string[];
  /** How many channels already have too many undelivered events. */
  readonly refused: number;
}

/** The result of a test or a verification: the channel after it. */
export type ActionOutcome = Result<{ readonly channel: ShownChannel; readonly message: string }, NotifyFault>;

/** Channels in use. All methods throw AddrsiftError as the store does. */
export class Notifications extends Channels {
  constructor(
    store: Store,
    ports: ChannelPorts,
    private readonly parts: NotificationParts,
  ) {
    super(store, ports);
  }

  /** Creates a channel as `Channels` does, and mails the verification of an address. */
  override async create(team: string, body: unknown): Promise<ChannelOutcome> {
    const outcome = await super.create(team, body);
    return outcome.ok ? this.verifyAddress(team, outcome) : outcome;
  }

  /** As in `Channels`. A new address gets a link by mail, and the old address's link stops working. */
  override async update(team: string, id: string, patch: unknown): Promise<ChannelOutcome> {
    const before = addressOf(this.find(team, id));
    const outcome = await super.update(team, id, patch);
    if (!outcome.ok || addressOf(this.find(team, id)) === before) return outcome;
    await this.parts.verifications.end(id);
    return this.verifyAddress(team, outcome);
  }

  /** Deletes a channel as `Channels` does, and its deliveries. */
  override async delete(team: string, id: string): Promise<Result<ShownChannel, ChannelFault>> {
    const outcome = await super.delete(team, id);
    // Deliveries that can't be deleted now are never sent and are removed later. The channel is deleted in any case.
    if (outcome.ok) await this.parts.outbox.forget(id).catch(() => {});
    return outcome;
  }

  /** Mails a new verification; gives the channel with a sentence that says what happened. */
  async verify(team: string, id: string): Promise<ActionOutcome> {
    if (this.find(team, id) === undefined) return NOT_FOUND;
    const outcome = await this.parts.verifications.request(team, id);
    return outcome.ok ? this.told(team, id, outcome.value) : outcome;
  }

  confirm(team: string, id: string, token: string): Promise<Result<Verifiable, NotifyFault>> {
    return this.parts.verifications.confirm(token, { team, id });
  }

  /** Sends a test and waits; gives the channel with the result as a sentence. A webhook is verified by it. */
  async test(team: string, id: string): Promise<ActionOutcome> {
    const { outbox, deliverer } = this.parts;
    const channel = this.find(team, id);
    if (channel === undefined) return NOT_FOUND;
    const { target } = TYPES[channel.type];
    if ((channel.config as AnyConfig)[target] === undefined) {
      return fails("INVALID_BODY", `config.${target} is missing: update the channel to add it, then test it`);
    }
    if (channel.type === "email" && !channel.is_verified) return this.verify(team, id);
    const event = createEvent("channel.test", { channel_id: id }, this.ports.now());
    const { added, refused } = await outbox.add([channel], event, true);
    const [taken] = added;
    if (taken === undefined) return refused > 0 ? OVERFULL : BUSY;
    const record = await deliverer.attempt(taken);
    if (record?.status !== "delivered")
      return fails("TEST_FAILED", record?.last_error ?? "the result of the test is lost: try again");
    if (channel.type === "email") return this.told(team, id, "A test message was sent to the address.");
    if (await this.setVerified(channel, true)) {
      return this.told(team, id, "The webhook accepted the test: the channel is verified.");
    }
    return fails("TEST_FAILED", "the channel was changed while it was tested: test it again");
  }

  /** The deliveries of a channel, the latest first. */
  deliveries(team: string, id: string): Result<ShownDelivery[], NotifyFault> {
    if (this.find(team, id) === undefined) return NOT_FOUND;
    return { ok: true, value: this.parts.outbox.list(id).map(shownDelivery) };
  }

  /** Sends one of a channel's deliveries again, under its `webhook-id`; gives it as it is after the first attempt. */
  async replay(team: string, deliveryId: string, of?: string): Promise<Result<ShownDelivery, NotifyFault>> {
    const { outbox, deliverer } = this.parts;
    const [delivery] = outbox.find([deliveryId]);
    const channel = delivery === undefined ? undefined : this.find(team, delivery.channel_id);
    if (channel === undefined || (of !== undefined && of !== channel.id)) return NO_DELIVERY;
    const reason = closedReason(channel);
    if (reason !== undefined) return fails("INVALID_BODY", reason);
    const taken = await outbox.replay(channel, deliveryId);
    if (taken === "busy") return BUSY;
    if (taken === undefined) return NO_DELIVERY;
    const record = await deliverer.attempt(taken);
    return record === undefined ? NO_DELIVERY : { ok: true, value: shownDelivery(record) };
  }

  /** Records an event for every verified channel that wants it. */
  async publish(event: ChannelEvent): Promise<Published> {
    const wanting = this.findAll().filter((one) => one.is_verified && unwanted(one, event.type) === undefined);
    return this.record(wanting, event);
  }

  /** Records an event for one channel of any team that wants it; it waits until the channel is verified. */
  async publishTo(id: string, event: ChannelEvent): Promise<Result<Published, NotifyFault>> {
    const found = this.recipient(id, event.type);
    return found.ok ? { ok: true, value: await this.record([found.value], event) } : found;
  }

  /** A channel of any team that wants such events, verified or not, or why there is none. */
  recipient(id: string, event: EventName): Result<ChannelRecord, NotifyFault> {
    const channel = this.findAll().find((one) => one.id === id);
    if (channel === undefined) return NOT_FOUND;
    const reason = unwanted(channel, event);
    return reason === undefined ? { ok: true, value: channel } : fails("INVALID_BODY", reason);
  }

  private told(team: string, id: string, message: string): ActionOutcome {
    const found = this.get(team, id);
    return found.ok ? { ok: true, value: { channel: found.value, message } } : found;
  }

  private async record(channels: readonly ChannelRecord[], event: ChannelEvent): Promise<Published> {
    if (channels.length === 0) return { deliveries: [], refused: 0 };
    const { added, refused } = await this.parts.outbox.add(channels, event);
    return { deliveries: added.map(({ delivery }) => delivery.id), refused };
  }

  private async verifyAddress(team: string, outcome: Extract<ChannelOutcome, { ok: true }>): Promise<ChannelOutcome> {
    const { channel } = outcome.value;
    const { verifications, mailWaitMs } = this.parts;
    // The outcome already says what is missing.
    if (channel.type !== "email" || channel.is_verified || addressOf(channel) === undefined || !this.ports.canMail)
      return outcome;
    const request = verifications.request(team, channel.id);
    const sent = await (mailWaitMs === undefined ? request : within(mailWaitMs, request));
    const told =
      sent === undefined ? STILL_MAILING : sent.ok ? MAILED : `the channel is kept, but ${sent.fault.message}`;
    return { ok: true, value: { channel, message: told } };
  }
}

const MAILED = "a message was sent to the address: the link or token in it verifies the channel within 24 hours";
const STILL_MAILING =
  "the channel is kept, and the mail server is slow to take the message: " +
  "if none arrives, ask for the verification again";

const OVERFULL = fails("TEST_FAILED", "the channel has too many undelivered events: wait, or fix it");

// A webhook has 15 s to answer: after that another attempt can run.
const BUSY_SECONDS = 15;
const BUSY: { readonly ok: false; readonly fault: NotifyFault } = {
  ok: false,
  fault: {
    code: "RATE_LIMITED",
    message: "too many deliveries and tests of the channel or its team are running: try again later",
    retryAfterSeconds: BUSY_SECONDS,
  },
};

function addressOf(channel: Pick<ChannelRecord | ShownChannel, "config"> | undefined): string | undefined {
  return (channel?.config as { address?: string } | undefined)?.address;
}

const NO_DELIVERY = fails("NOT_FOUND", "there is no such delivery: list the channel's deliveries for their ids");

/** Why a channel gets nothing but tests now. */
export function closedReason({ id, config, is_verified }: ChannelRecord): string | undefined {
  if (config.enabled === false) return PAUSED;
  return is_verified ? undefined : `the channel is not verified: run "addrsift channels test ${id}" first`;
}

const PAUSED = "the channel is paused: set config.enabled to true";

/** Why no such event is kept for a channel. */
function unwanted({ config }: ChannelRecord, event: EventName): string | undefined {
  if (config.enabled === false) return PAUSED;
  if (config.events?.includes(event) === false) return `the channel does not receive ${event}: add it to config.events`;
  return undefined;
}
