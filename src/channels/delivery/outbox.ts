// The deliveries to make and those that ended. Each is recorded before its first attempt, leased by one process at a time, and
// ended or postponed after an attempt. The outbox sends nothing itself. It is one class, because all that changes a delivery keeps the
// same rules of lease, order and fullness.

import { newId, type Random } from "../../store/collection.ts";
import type { Records } from "../../store/draft.ts";
import type { Store } from "../../store/store.ts";
import { type Attempt, type FailedAttempt, pauseMs } from "../attempt.ts";
import type { ChannelEvent } from "../events.ts";
import { CHANNELS, type ChannelRecord } from "../record.ts";
import { DeliveryIndex, HOLD_MS } from "./delivery-index.ts";
import { DELIVERIES, type DeliveryRecord, ended } from "./record.ts";
import { forgetOld, forgetOrphans, prune } from "./retention.ts";

/** Ports to the outside: clock, randomness, the store of channels, the lease time. */
export interface OutboxPorts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly random: Random;
  /** The store of channels; while it is damaged, no delivery is leased. */
  readonly channels: Store;
  /** How long no other process may attempt a leased delivery. Longer than any attempt takes. */
  readonly leaseMs: number;
}

/** A delivery that the caller may attempt now, and its channel at that time. */
export interface LeasedDelivery {
  readonly delivery: DeliveryRecord & { readonly body: string };
  readonly channel: ChannelRecord;
}

const DAY_MS = 86_400_000;
const PENDING_PER_CHANNEL = 2000;
// Deliveries for a channel that must be verified again: how long they wait.
const HOLD_MAX_MS = 3 * DAY_MS;
// Deliveries that are too old, or belong to no channel, are looked for this often, or when there are this many more deliveries.
const TIDY_MS = 60_000;
const TIDY_COUNT = 500;

type Deliveries = Records<DeliveryRecord>;
/** Ids of channels that this process can't send to. */
type Skips = Pick<ReadonlySet<string>, "has">;

const NONE: Skips = new Set();

/** The outbox of a store in which DELIVERIES is registered. */
export class Outbox {
  private readonly index: DeliveryIndex;
  private tidied = { atMs: Number.NEGATIVE_INFINITY, count: 0 };
  /** This process's name in leases. */
  readonly holder: string;

  constructor(
    private readonly store: Store,
    private readonly ports: OutboxPorts,
  ) {
    this.index = new DeliveryIndex(ports.now, ports.leaseMs);
    store.observe(DELIVERIES, this.index);
    this.holder = newId("by", ports.random);
  }

  /**
   * Records an event for each channel; gives the deliveries, and how many channels already have too many undelivered ones. With
   * `take` they are leased to the caller, and a channel is skipped when it or its team already has enough attempts running: it is
   * then neither added nor refused. Throws AddrsiftError as the store does.
   */
  add(
    channels: readonly ChannelRecord[],
    event: ChannelEvent,
    how: { readonly take?: boolean; readonly once?: boolean } = {},
  ): Promise<{ readonly added: readonly LeasedDelivery[]; readonly refused: number }> {
    const body = JSON.stringify(event);
    return this.store.change((draft) => {
      const deliveries = draft.records(DELIVERIES);
      const now = this.ports.now();
      this.tidy(deliveries, now);
      const room = channels.filter(({ id }) => this.index.pendingOf(id) < PENDING_PER_CHANNEL);
      const free = how.take === true ? this.notFull(room) : room;
      const added = free.map((channel) => {
        const delivery: LeasedDelivery["delivery"] = {
          id: newId("msg", this.ports.random),
          channel_id: channel.id,
          event: event.type,
          status: "pending",
          attempts: 0,
          created_at: now,
          body,
          next_attempt_at: now,
          ...(how.once === true ? { once: true as const } : {}),
        };
        const kept = how.take === true ? this.leased(delivery, now) : delivery;
        deliveries.set(kept.id, kept);
        return { delivery: kept, channel };
      });
      return { added, refused: channels.length - room.length };
    });
  }

  /**
   * When the next delivery of a channel that is not skipped can be leased, in milliseconds since 1970: in the past when one is due; undefined when none waits.
   * Throws AddrsiftError as the stores do.
   */
  nextDue(skips: Skips = NONE): number | undefined {
    this.store.records(DELIVERIES);
    if (this.index.size === 0) return undefined;
    const channels = this.soundChannels();
    const first = this.index
      .firstOfEach()
      .find(({ delivery: { channel_id: id } }) => !skips.has(id) && channels.has(id));
    return first?.at;
  }

  /** Leases at most `limit` due deliveries, the longest waiting first. Throws AddrsiftError as the stores do. */
  take(limit: number, skips: Skips = NONE): Promise<LeasedDelivery[]> {
    return this.store.change((draft) => {
      const deliveries = draft.records(DELIVERIES);
      const now = this.ports.now();
      const channels = this.soundChannels();
      this.tidy(deliveries, now);
      const busy = this.underWay();
      const taken: LeasedDelivery[] = [];
      const firsts = this.index.firstOfEach();
      for (let i = 0; taken.length < limit; ) {
        const first = firsts[i];
        if (first === undefined || first.at > now) break;
        const channel = channels.get(first.delivery.channel_id);
        // A missing channel may come back with a backup or another version. Deleting a channel deletes its deliveries.
        if (channel === undefined || skips.has(channel.id) || isFull(busy, channel)) {
          i += 1;
          continue;
        }
        // After that it waits for later or has ended, and another one is in its place.
        const one = this.takeOne(deliveries, first.delivery, channel, now);
        if (one === undefined) continue;
        countIn(busy, one.channel);
        taken.push(one);
      }
      return taken;
    });
  }

  /** Records the result of an attempt of this process. Throws AddrsiftError as the store does. */
  finish({ id }: DeliveryRecord, attempt: Attempt, random: () => number): Promise<DeliveryRecord | undefined> {
    return this.store.change((draft) => {
      const deliveries = draft.records(DELIVERIES);
      const delivery = deliveries.get(id);
      if (delivery?.status !== "pending") return delivery;
      // If another process has leased it since, that process decides about a failure. A success counts in any case.
      if (!attempt.ok && delivery.lease?.holder !== this.holder) return delivery;
      const after = attempt.ok ? ended(delivery, "delivered") : this.failed(delivery, attempt, random);
      deliveries.set(id, after);
      return after;
    });
  }

  /** Gives a leased delivery back to other processes, as if it had not been tried. Throws AddrsiftError as the store does. */
  handBack({ id }: DeliveryRecord, reason: string): Promise<DeliveryRecord | undefined> {
    return this.store.change((draft) => {
      const deliveries = draft.records(DELIVERIES);
      const delivery = deliveries.get(id);
      if (delivery?.lease?.holder !== this.holder) return delivery;
      const { lease: _, last_attempt_at: __, ...free } = delivery;
      const after = { ...free, attempts: delivery.attempts - 1, next_attempt_at: this.ports.now(), last_error: reason };
      deliveries.set(id, after);
      return after;
    });
  }

  /**
   * Leases a delivery of this channel to the caller, also one that has ended, with all its attempts before it. Undefined when its
   * payload was not kept, "busy" while it is tried or the channel or its team has enough attempts running. Throws AddrsiftError as the store
   * does.
   */
  replay(channel: ChannelRecord, id: string): Promise<LeasedDelivery | "busy" | undefined> {
    return this.store.change((draft) => {
      const deliveries = draft.records(DELIVERIES);
      const now = this.ports.now();
      const { last_error: _, lease: __, ...delivery } = deliveries.get(id) ?? { body: undefined };
      if (delivery.body === undefined) return undefined;
      const isTried = this.index.underWay().some((one) => one.id === id);
      if (isTried || this.notFull([channel]).length === 0) return "busy";
      const again = { ...delivery, status: "pending", attempts: 0, next_attempt_at: now } as LeasedDelivery["delivery"];
      const taken = this.leased(again, now);
      deliveries.set(id, taken);
      return { delivery: taken, channel };
    });
  }

  /** Deletes all deliveries of a channel that was deleted. Throws AddrsiftError as the store does. */
  async forget(channelId: string): Promise<void> {
    if (this.list(channelId).length === 0) return;
    await this.store.change((draft) => {
      const deliveries = draft.records(DELIVERIES);
      for (const [id, delivery] of deliveries) if (delivery.channel_id === channelId) deliveries.delete(id);
    });
  }

  find(ids: readonly string[]): DeliveryRecord[] {
    const deliveries = this.store.records(DELIVERIES);
    return ids.flatMap((id) => deliveries.get(id) ?? []);
  }

  /** The deliveries of a channel, the latest first. */
  list(channelId: string): DeliveryRecord[] {
    const all = [...this.store.records(DELIVERIES).values()];
    return all.filter((delivery) => delivery.channel_id === channelId).reverse();
  }

  /** The channels to send to. Throws AddrsiftError as the store does, and while the store's previous copy is in use. */
  private soundChannels(): ReadonlyMap<string, ChannelRecord> {
    this.ports.channels.assertSound();
    return this.ports.channels.records(CHANNELS);
  }

  /** The delivery with this process's lease on it; or undefined, with the reason recorded in the delivery. */
  private takeOne(
    deliveries: Deliveries,
    delivery: DeliveryRecord,
    channel: ChannelRecord,
    now: number,
  ): LeasedDelivery | undefined {
    if (delivery.once === true) {
      deliveries.set(delivery.id, ended(delivery, "failed", "the process that tested the channel stopped"));
    } else if (!channel.is_verified || channel.config.enabled === false) {
      const reason = channel.is_verified ? PAUSED : UNVERIFIED;
      const over = now - delivery.created_at > HOLD_MAX_MS;
      const { lease: _, ...held } = { ...delivery, next_attempt_at: now + HOLD_MS, last_error: reason };
      deliveries.set(delivery.id, over ? ended(delivery, "failed", reason) : held);
    } else {
      const taken = this.leased(delivery as LeasedDelivery["delivery"], now);
      deliveries.set(taken.id, taken);
      return { delivery: taken, channel };
    }
    return undefined;
  }

  /** How many attempts are running, by channel and by team. */
  private underWay(): Busy {
    const busy: Busy = new Map();
    const channels = this.ports.channels.records(CHANNELS);
    for (const { channel_id: id } of this.index.underWay()) {
      const channel = channels.get(id);
      if (channel !== undefined) countIn(busy, channel);
    }
    return busy;
  }

  /** Removes what is kept no longer. */
  private tidy(deliveries: Deliveries, now: number): void {
    const channels = this.ports.channels.records(CHANNELS);
    const { atMs, count } = this.tidied;
    if (now < atMs || now - atMs >= TIDY_MS || this.index.size - count >= TIDY_COUNT) {
      forgetOld(deliveries, this.index, now);
      if (!this.ports.channels.damaged()) forgetOrphans(deliveries, this.index, now, (id) => channels.has(id));
      this.tidied = { atMs: now, count: this.index.size };
    }
    prune(deliveries, this.index, (id) => channels.get(id)?.team);
  }

  /** The channels that may have one more attempt running, each counted as if it had. */
  private notFull(channels: readonly ChannelRecord[]): ChannelRecord[] {
    const busy = this.underWay();
    return channels.filter((channel) => {
      const full = isFull(busy, channel);
      if (!full) countIn(busy, channel);
      return !full;
    });
  }

  private leased(delivery: LeasedDelivery["delivery"], now: number): LeasedDelivery["delivery"] {
    const lease = { holder: this.holder, until: now + this.ports.leaseMs };
    return { ...delivery, attempts: delivery.attempts + 1, last_attempt_at: now, lease };
  }

  private failed(delivery: DeliveryRecord, attempt: FailedAttempt, random: () => number): DeliveryRecord {
    const { reason, verdict, retryAfterMs } = attempt;
    const pause =
      verdict === "retry" && delivery.once !== true ? pauseMs(delivery.attempts, retryAfterMs, random) : undefined;
    if (pause === undefined) return ended(delivery, "failed", reason);
    const { lease: _, ...free } = delivery;
    return { ...free, next_attempt_at: this.ports.now() + pause, last_error: reason };
  }
}

const UNVERIFIED = "the channel is not verified: the delivery waits for it, at most three days";
const PAUSED = "the channel is paused: the delivery waits for it, at most three days";

// Attempts at the same time in all processes together: receivers that do not answer must not block the rest.
const AT_ONCE_PER_CHANNEL = 2;
const AT_ONCE_PER_TEAM = 8;

/** Running attempts by channel id, and by "team " and its name. */
export type Busy = Map<string, number>;

/** True when the channel, or its team, may have no more attempts running. */
export function isFull(busy: Busy, { id, team }: ChannelRecord): boolean {
  return (busy.get(id) ?? 0) >= AT_ONCE_PER_CHANNEL || (busy.get(`team ${team}`) ?? 0) >= AT_ONCE_PER_TEAM;
}

/** Counts one more attempt for the channel. */
export function countIn(busy: Busy, { id, team }: ChannelRecord): void {
  for (const key of [id, `team ${team}`]) busy.set(key, (busy.get(key) ?? 0) + 1);
}
