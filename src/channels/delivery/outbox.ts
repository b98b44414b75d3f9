// The deliveries to make and those that ended. Each is recorded before its first attempt, leased by one process at a
// time, and ended or postponed after an attempt. There are a few thousand at most, so each question looks at all.
// It is one class, because all that changes a delivery keeps the same rules of lease and fullness. All methods throw
// AddrsiftError as the stores do.

import { type Draft, newId, type Random } from "../../store/collection.ts";
import type { Store } from "../../store/store.ts";
import { type Attempt, type FailedAttempt, PAUSE_MAX_MS, pauseMs } from "../attempt.ts";
import type { ChannelEvent } from "../events.ts";
import { CHANNELS, type ChannelRecord } from "../record.ts";
import { DELIVERIES, type DeliveryRecord, ended, forget } from "./record.ts";

export interface OutboxPorts {
  readonly now: () => number;
  readonly random: Random;
  /** How long no other process may attempt a leased delivery. Longer than any attempt takes. */
  readonly leaseMs: number;
}

export interface LeasedDelivery {
  readonly delivery: DeliveryRecord;
  readonly channel: ChannelRecord;
}

const PENDING_PER_CHANNEL = 2000;
// Deliveries for a channel that must be verified again: how often they are looked at, and how long they wait.
const HOLD_MS = 60_000;
const HOLD_MAX_MS = 3 * 86_400_000;
// A clock that is set back by less than this must not make two processes attempt one delivery.
const CLOCK_SLACK_MS = 60_000;

type Deliveries = ReadonlyMap<string, DeliveryRecord>;
type ChannelsById = ReadonlyMap<string, ChannelRecord>;
type Skips = Pick<ReadonlySet<string>, "has">;

const NONE: Skips = new Set();

export class Outbox {
  readonly holder: string;

  constructor(
    private readonly store: Store,
    /** While it is damaged, no delivery is leased. */
    private readonly channels: Store,
    private readonly ports: OutboxPorts,
  ) {
    this.holder = newId("by", ports.random);
  }

  /**
   * Records an event for each channel; returns the deliveries, and how many channels already have too many undelivered
   * ones. A test has one try, which is leased to the caller; a channel is skipped, and not refused, when it or its team
   * already has enough attempts running.
   */
  add(
    channels: readonly ChannelRecord[],
    event: ChannelEvent,
    isTest = false,
  ): Promise<{ readonly added: readonly LeasedDelivery[]; readonly refused: number }> {
    const body = JSON.stringify(event);
    return this.store.change((draft) => {
      const deliveries = this.tidied(draft);
      const now = this.ports.now();
      const pending = new Map<string, number>();
      for (const { channel_id: id } of pendingOf(deliveries)) pending.set(id, (pending.get(id) ?? 0) + 1);
      const room = channels.filter(({ id }) => (pending.get(id) ?? 0) < PENDING_PER_CHANNEL);
      const busy = isTest ? this.underWay(deliveries, this.channels.records(CHANNELS)) : undefined;
      const free = room.filter((channel) => busy === undefined || admits(busy, channel));
      const added = free.map((channel) => {
        const delivery: DeliveryRecord = {
          id: newId("msg", this.ports.random),
          channel_id: channel.id,
          event: event.type,
          status: "pending",
          attempts: 0,
          created_at: now,
          body,
          next_attempt_at: now,
          ...(isTest ? { once: true as const } : {}),
        };
        const kept = isTest ? this.leased(delivery, now) : delivery;
        deliveries.set(kept.id, kept);
        return { delivery: kept, channel };
      });
      return { added, refused: channels.length - room.length };
    });
  }

  /** When the next one of a channel that is not skipped can be leased. */
  nextDue(skips: Skips = NONE): number | undefined {
    const pending = pendingOf(this.store.records(DELIVERIES));
    if (pending.length === 0) return undefined;
    const [now, channels] = [this.ports.now(), this.soundChannels()];
    const waiting = pending.filter(({ channel_id: id }) => !skips.has(id) && channels.has(id));
    const first = waiting.reduce((least, one) => Math.min(least, this.dueAt(one, now)), Number.POSITIVE_INFINITY);
    return waiting.length === 0 ? undefined : first;
  }

  /** Leases at most `limit` due deliveries, the longest waiting first. */
  take(limit: number, skips: Skips = NONE): Promise<LeasedDelivery[]> {
    return this.store.change((draft) => {
      const channels = this.soundChannels();
      const deliveries = this.tidied(draft);
      const now = this.ports.now();
      const busy = this.underWay(deliveries, channels);
      const taken: LeasedDelivery[] = [];
      for (const delivery of this.due(deliveries, now)) {
        if (taken.length === limit) break;
        const channel = channels.get(delivery.channel_id);
        // A missing channel may come back with a backup or another version. Deleting a channel deletes its deliveries.
        if (channel === undefined || skips.has(channel.id)) continue;
        const after = this.takenOrHeld(delivery, channel, now);
        const isTaken = after.lease?.holder === this.holder;
        if (isTaken && !admits(busy, channel)) continue;
        deliveries.set(after.id, after);
        if (isTaken) taken.push({ delivery: after, channel });
      }
      return taken;
    });
  }

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

  giveBack({ id }: DeliveryRecord, reason: string): Promise<DeliveryRecord | undefined> {
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
   * Leases a delivery of this channel to the caller, also one that has ended, with all its attempts before it.
   * Undefined when it is gone, "busy" while it is tried or the channel or its team has enough attempts running.
   */
  replay(channel: ChannelRecord, id: string): Promise<LeasedDelivery | "busy" | undefined> {
    return this.store.change((draft) => {
      const deliveries = draft.records(DELIVERIES);
      const now = this.ports.now();
      const found = deliveries.get(id);
      if (found === undefined) return undefined;
      const busy = this.underWay(deliveries, this.channels.records(CHANNELS));
      if (this.leaseEnd(found, now) > now || !admits(busy, channel)) return "busy";
      const { last_error: _, ...delivery } = found;
      const again = { ...delivery, status: "pending" as const, attempts: 0, next_attempt_at: now };
      const taken = this.leased(again, now);
      deliveries.set(id, taken);
      return { delivery: taken, channel };
    });
  }

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

  list(channelId: string): DeliveryRecord[] {
    const all = [...this.store.records(DELIVERIES).values()];
    return all.filter((delivery) => delivery.channel_id === channelId).reverse();
  }

  /** The channels to send to. Throws AddrsiftError as the store does, and while the store's previous copy is in use. */
  private soundChannels(): ChannelsById {
    this.channels.assertSound();
    return this.channels.records(CHANNELS);
  }

  private tidied(draft: Draft): Map<string, DeliveryRecord> {
    const { channels } = this;
    const deliveries = draft.records(DELIVERIES);
    // The previous copy may lack channels.
    forget(deliveries, channels.records(CHANNELS), this.ports.now(), !channels.damaged());
    return deliveries;
  }

  /** The delivery with this process's lease on it; or held back or ended, with the reason. */
  private takenOrHeld(delivery: DeliveryRecord, channel: ChannelRecord, now: number): DeliveryRecord {
    if (delivery.once === true) return ended(delivery, "failed", "the process that tested the channel stopped");
    if (channel.is_verified && channel.config.enabled !== false) return this.leased(delivery, now);
    const reason = channel.is_verified ? PAUSED : UNVERIFIED;
    if (now - delivery.created_at > HOLD_MAX_MS) return ended(delivery, "failed", reason);
    const { lease: _, ...free } = delivery;
    return { ...free, next_attempt_at: now + HOLD_MS, last_error: reason };
  }

  /** Deliveries that can be leased, the longest waiting first; of equal ones, the one that was added first. */
  private due(deliveries: Deliveries, now: number): DeliveryRecord[] {
    const waiting = pendingOf(deliveries).map((delivery) => ({ delivery, at: this.dueAt(delivery, now) }));
    const due = waiting.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
    return due.map(({ delivery }) => delivery);
  }

  /** When a pending delivery can be leased. A time further ahead than any pause is a fast clock's: past. */
  private dueAt(delivery: DeliveryRecord, now: number): number {
    const { attempts, next_attempt_at: at = 0 } = delivery;
    const isAhead = at > now + CLOCK_SLACK_MS + (attempts === 0 ? HOLD_MS : PAUSE_MAX_MS);
    return Math.max(isAhead ? 0 : at, this.leaseEnd(delivery, now));
  }

  /** When a lease ends, 0 without one. A lease that is longer than any is a fast clock's too, and counts as ended. */
  private leaseEnd({ lease }: DeliveryRecord, now: number): number {
    const until = lease?.until ?? 0;
    return until > now + this.ports.leaseMs + CLOCK_SLACK_MS ? 0 : until;
  }

  /** The channels of the running attempts, one for each. */
  private underWay(deliveries: Deliveries, channels: ChannelsById): ChannelRecord[] {
    const now = this.ports.now();
    const running = [...deliveries.values()].filter((delivery) => this.leaseEnd(delivery, now) > now);
    return running.flatMap(({ channel_id: id }) => channels.get(id) ?? []);
  }

  private leased(delivery: DeliveryRecord, now: number): DeliveryRecord {
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

function pendingOf(deliveries: Deliveries): DeliveryRecord[] {
  return [...deliveries.values()].filter(({ status }) => status === "pending");
}

const UNVERIFIED = "the channel is not verified: the delivery waits for it, at most three days";
const PAUSED = "the channel is paused: the delivery waits for it, at most three days";

// Attempts at the same time in all processes together: receivers that do not answer must not block the rest.
const AT_ONCE_PER_CHANNEL = 2;
const AT_ONCE_PER_TEAM = 8;

/** Adds one more attempt for the channel, unless it or its team may have no more. */
function admits(busy: ChannelRecord[], channel: ChannelRecord): boolean {
  const ofTeam = busy.filter(({ team }) => team === channel.team);
  const isFull = ofTeam.filter(({ id }) => id === channel.id).length >= AT_ONCE_PER_CHANNEL;
  if (isFull || ofTeam.length >= AT_ONCE_PER_TEAM) return false;
  busy.push(channel);
  return true;
}
