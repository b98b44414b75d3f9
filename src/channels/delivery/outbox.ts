// Pending and finished deliveries. Each is recorded before its first attempt, leased by one process at a time, and
// finished or rescheduled after an attempt. There are a few thousand at most, so every query scans all. One class,
// because each change of a delivery follows the same lease and limit rules. All methods throw the stores'
// AddrsiftErrors.

import { omitUndefined } from "../../base/result.ts";
import { generateId, type RandomBytes, type Transaction } from "../../store/collection.ts";
import type { Store } from "../../store/store.ts";
import { type Attempt, type FailedAttempt, MAX_RETRY_DELAY_MS, retryDelayMs } from "../attempt.ts";
import type { ChannelEvent } from "../events.ts";
import { CHANNELS, type ChannelRecord } from "../record.ts";
import {
  type AttemptRecord,
  type ChannelHealth,
  countRetriedAttempts,
  DELIVERIES,
  type DeliveryRecord,
  finishDelivery,
  healthByChannel,
  pruneDeliveries,
  recordOutcome,
  startAttempt,
} from "./record.ts";

export interface OutboxDeps {
  readonly now: () => number;
  readonly random: RandomBytes;
  /** Duration of a lease. Must be longer than any attempt. */
  readonly leaseMs: number;
}

export interface LeasedDelivery {
  readonly delivery: DeliveryRecord;
  readonly channel: ChannelRecord;
}

const MAX_PENDING_PER_CHANNEL = 2000;
export const TOO_MANY_PENDING = "the channel has too many undelivered events: wait, or fix it";
// Age at which a delivery that waits for its channel fails.
const MAX_HOLD_MS = 3 * 86_400_000;
// Leases and scheduled retries stay valid if the clock is set back by less than this.
const CLOCK_SLACK_MS = 60_000;

type Deliveries = ReadonlyMap<string, DeliveryRecord>;
type ChannelsById = ReadonlyMap<string, ChannelRecord>;
type SkippedChannels = Pick<ReadonlySet<string>, "has">;

export class Outbox {
  readonly holder: string;

  constructor(
    private readonly store: Store,
    /** While this store is damaged, no delivery is leased. */
    private readonly channels: Store,
    private readonly deps: OutboxDeps,
  ) {
    this.holder = generateId("by", deps.random);
  }

  /**
   * Records an event for each channel. `rejected` is the number of channels with too many pending deliveries. A test
   * is leased to the caller for its only attempt; a channel is skipped, but not counted in `rejected`, while it or its
   * team has the maximum of attempts running.
   */
  add(
    channels: readonly ChannelRecord[],
    event: ChannelEvent,
    isTest = false,
  ): Promise<{ readonly added: readonly LeasedDelivery[]; readonly rejected: number }> {
    const body = JSON.stringify(event);
    return this.store.change((transaction) => {
      const deliveries = this.prune(transaction);
      const now = this.deps.now();
      const pending = new Map<string, number>();
      for (const { channel_id: id } of filterPending(deliveries)) pending.set(id, (pending.get(id) ?? 0) + 1);
      const belowLimit = channels.filter(({ id }) => (pending.get(id) ?? 0) < MAX_PENDING_PER_CHANNEL);
      const running = isTest ? this.runningChannels(deliveries, this.channels.records(CHANNELS)) : undefined;
      const accepted = belowLimit.filter((channel) => running === undefined || reserveAttempt(running, channel));
      const added = accepted.map((channel) => {
        const delivery: DeliveryRecord = {
          id: generateId("msg", this.deps.random),
          channel_id: channel.id,
          event: event.type,
          status: "pending",
          attempts: 0,
          attempt_log: [],
          created_at: now,
          body,
          next_attempt_at: now,
          ...(isTest ? { once: true as const } : {}),
        };
        const recorded = isTest ? this.withLease(delivery, { at: now }) : delivery;
        deliveries.set(recorded.id, recorded);
        return { delivery: recorded, channel };
      });
      return { added, rejected: channels.length - belowLimit.length };
    });
  }

  /** Returns why a delivery to the channel could not be recorded and leased now; undefined if it could. */
  findObstacle(channelId: string): string | undefined {
    this.intactChannels();
    this.store.assertUndamaged();
    const pending = filterPending(this.store.records(DELIVERIES)).filter(({ channel_id: id }) => id === channelId);
    if (pending.length >= MAX_PENDING_PER_CHANNEL) return TOO_MANY_PENDING;
    return this.store.checkWritable()?.message;
  }

  /** Returns the time at which the next delivery can be leased, apart from skipped channels. */
  nextDue(skips: SkippedChannels = new Set()): number | undefined {
    const pending = filterPending(this.store.records(DELIVERIES));
    if (pending.length === 0) return undefined;
    const [now, channels] = [this.deps.now(), this.intactChannels()];
    const sendable = pending.filter(({ channel_id: id }) => !skips.has(id) && channels.has(id));
    if (sendable.length === 0) return undefined;
    return sendable.reduce((first, one) => Math.min(first, this.dueAt(one, channels, now)), Number.POSITIVE_INFINITY);
  }

  /** Leases at most `limit` due deliveries, longest waiting first. */
  leaseDue(limit: number, skips: SkippedChannels = new Set()): Promise<LeasedDelivery[]> {
    return this.store.change((transaction) => {
      const channels = this.intactChannels();
      const deliveries = this.prune(transaction);
      const now = this.deps.now();
      const running = this.runningChannels(deliveries, channels);
      const leased: LeasedDelivery[] = [];
      for (const delivery of this.sortDue(deliveries, channels, now)) {
        if (leased.length === limit) break;
        const channel = channels.get(delivery.channel_id);
        // Not a deleted channel (its deliveries are gone), but one that a restored backup may bring back.
        if (channel === undefined || skips.has(channel.id)) continue;
        const updated = this.leaseOrFail(delivery, channel, now);
        const isLeased = updated.lease?.holder === this.holder;
        if (isLeased && !reserveAttempt(running, channel)) continue;
        deliveries.set(updated.id, updated);
        if (isLeased) leased.push({ delivery: updated, channel });
      }
      return leased;
    });
  }

  finish(leased: DeliveryRecord, attempt: Attempt, random: () => number): Promise<DeliveryRecord | undefined> {
    const { at: startedAt = 0 } = leased.attempt_log.at(-1) ?? {};
    return this.store.change((transaction) => {
      const deliveries = transaction.records(DELIVERIES);
      const delivery = deliveries.get(leased.id);
      if (delivery === undefined) return undefined;
      const finished = recordOutcome(delivery, startedAt, {
        ok: attempt.ok,
        duration_ms: Math.max(0, this.deps.now() - startedAt),
        ...omitUndefined({ http_status: attempt.httpStatus, error: attempt.ok ? undefined : attempt.reason }),
      });
      const updated = attempt.ok ? finishDelivery(finished, "delivered") : this.afterFailure(finished, attempt, random);
      deliveries.set(updated.id, updated);
      return updated;
    });
  }

  /**
   * Takes back the attempt that this process can't make. An event that is still to be delivered stays pending; a test is
   * deleted, and a resent test or delivered event is finished as before. Returns the delivery with the reason.
   */
  release({ id }: DeliveryRecord, reason: string): Promise<DeliveryRecord | undefined> {
    return this.store.change((transaction) => {
      const deliveries = transaction.records(DELIVERIES);
      const delivery = deliveries.get(id);
      if (delivery?.lease?.holder !== this.holder) return delivery;
      const { lease: _, ...released } = delivery;
      const updated = {
        ...released,
        attempts: delivery.attempts - 1,
        attempt_log: delivery.attempt_log.slice(0, -1),
        next_attempt_at: this.deps.now(),
        unsent_reason: reason,
        ...(delivery.attempt_log.at(-1)?.is_resend && { is_resend: true as const }),
      };
      const { status, once } = updated;
      const isFinished = once === true || status === "delivered";
      const restored = isFinished ? finishDelivery(updated, status === "delivered" ? status : "failed") : updated;
      if (once === true && restored.attempt_log.length === 0) deliveries.delete(id);
      else deliveries.set(id, restored);
      return { ...restored, unsent_reason: reason };
    });
  }

  /**
   * Leases a delivery, finished or not, to the caller, and restarts its retries, unless it was delivered. Returns
   * undefined if it does not exist, "running" during an attempt, and "busy" while the channel or its team has the maximum
   * of running attempts.
   */
  replay(channel: ChannelRecord, id: string): Promise<LeasedDelivery | "running" | "busy" | undefined> {
    return this.store.change((transaction) => {
      const deliveries = transaction.records(DELIVERIES);
      const now = this.deps.now();
      const stored = deliveries.get(id);
      if (stored === undefined) return undefined;
      if (this.isRunning(stored)) return "running";
      if (!reserveAttempt(this.runningChannels(deliveries, this.channels.records(CHANNELS)), channel)) return "busy";
      const isDelivered = stored.status === "delivered";
      const restarted = isDelivered ? stored : { ...stored, status: "pending" as const, next_attempt_at: now };
      const leased = this.withLease(restarted, { at: now, is_resend: true });
      deliveries.set(id, leased);
      return { delivery: leased, channel };
    });
  }

  async deleteByChannel(channelId: string): Promise<void> {
    if (this.list(channelId).length === 0) return;
    await this.store.change((transaction) => {
      const deliveries = transaction.records(DELIVERIES);
      for (const [id, delivery] of deliveries) if (delivery.channel_id === channelId) deliveries.delete(id);
    });
  }

  find(ids: readonly string[]): DeliveryRecord[] {
    const deliveries = this.store.records(DELIVERIES);
    const channels = this.channels.records(CHANNELS);
    return ids.flatMap((id) => deliveries.get(id) ?? []).map((delivery) => withHold(delivery, channels));
  }

  list(channelId: string): DeliveryRecord[] {
    const timeOf = ({ attempt_log: log, created_at: created }: DeliveryRecord): number => log.at(-1)?.at ?? created;
    const deliveries = [...this.store.records(DELIVERIES).values()].filter(({ channel_id: id }) => id === channelId);
    const channels = this.channels.records(CHANNELS);
    const latestFirst = deliveries.reverse().sort((one, other) => timeOf(other) - timeOf(one));
    return latestFirst.map((delivery) => withHold(delivery, channels));
  }

  /** Reports whether an attempt holds the delivery's lease. */
  isRunning(delivery: DeliveryRecord): boolean {
    const now = this.deps.now();
    return this.leaseEndsAt(delivery, now) > now;
  }

  health(): ReadonlyMap<string, ChannelHealth> {
    return healthByChannel(this.store.records(DELIVERIES).values());
  }

  /** Returns the channels. Throws the store's AddrsiftErrors, also while the store reads from its backup copy. */
  private intactChannels(): ChannelsById {
    this.channels.assertUndamaged();
    return this.channels.records(CHANNELS);
  }

  private prune(transaction: Transaction): Map<string, DeliveryRecord> {
    const { channels } = this;
    const deliveries = transaction.records(DELIVERIES);
    // The backup copy may lack channels.
    pruneDeliveries(deliveries, channels.records(CHANNELS), this.deps.now(), !channels.isDamaged());
    return deliveries;
  }

  /** Leases a due delivery to this process. If it has waited for its channel for too long, fails it. */
  private leaseOrFail(delivery: DeliveryRecord, channel: ChannelRecord, now: number): DeliveryRecord {
    if (delivery.once === true)
      return finishDelivery(delivery, "failed", "the process that tested the channel stopped");
    const reason = holdReason(delivery, channel);
    return reason === undefined ? this.withLease(delivery, { at: now }) : finishDelivery(delivery, "failed", reason);
  }

  /** Returns the deliveries that can be leased, longest waiting first, then oldest first. */
  private sortDue(deliveries: Deliveries, channels: ChannelsById, now: number): DeliveryRecord[] {
    const pending = filterPending(deliveries);
    const waiting = pending.map((delivery) => ({ delivery, at: this.dueAt(delivery, channels, now) }));
    const due = waiting.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
    return due.map(({ delivery }) => delivery);
  }

  /** Returns when a delivery can be leased. A time beyond the maximum delay is from a fast clock and counts as past. */
  private dueAt(delivery: DeliveryRecord, channels: ChannelsById, now: number): number {
    const { attempts, next_attempt_at: at = 0 } = delivery;
    const isFromFastClock = at > now + CLOCK_SLACK_MS + (attempts === 0 ? 0 : MAX_RETRY_DELAY_MS);
    const isHeld = holdReason(delivery, channels.get(delivery.channel_id)) !== undefined;
    const scheduledAt = isFromFastClock ? 0 : at;
    return Math.max(isHeld ? delivery.created_at + MAX_HOLD_MS : scheduledAt, this.leaseEndsAt(delivery, now));
  }

  /** Returns the end of the lease, or 0. A lease beyond the maximum is from a fast clock and counts as ended. */
  private leaseEndsAt({ lease }: DeliveryRecord, now: number): number {
    const until = lease?.until ?? 0;
    return until > now + this.deps.leaseMs + CLOCK_SLACK_MS ? 0 : until;
  }

  private runningChannels(deliveries: Deliveries, channels: ChannelsById): ChannelRecord[] {
    const running = [...deliveries.values()].filter((delivery) => this.isRunning(delivery));
    return running.flatMap(({ channel_id: id }) => channels.get(id) ?? []);
  }

  private withLease(delivery: DeliveryRecord, attempt: AttemptRecord): DeliveryRecord {
    const lease = { holder: this.holder, until: attempt.at + this.deps.leaseMs };
    return { ...startAttempt(delivery, attempt), lease };
  }

  private afterFailure(delivery: DeliveryRecord, attempt: FailedAttempt, random: () => number): DeliveryRecord {
    // Another process has leased the delivery since, or has finished it.
    if (delivery.lease?.holder !== this.holder) return delivery;
    // A failed resend is not retried: the event was delivered, and whoever sent it again gets the outcome.
    if (delivery.status === "delivered") return finishDelivery(delivery, "delivered");
    const { verdict, retryAfterMs } = attempt;
    const delay =
      verdict === "retry" && delivery.once !== true
        ? retryDelayMs(countRetriedAttempts(delivery), retryAfterMs, random)
        : undefined;
    if (delay === undefined) return finishDelivery(delivery, "failed");
    const { lease: _, ...released } = delivery;
    return { ...released, next_attempt_at: this.deps.now() + delay };
  }
}

function filterPending(deliveries: Deliveries): DeliveryRecord[] {
  return [...deliveries.values()].filter(({ status }) => status === "pending");
}

const UNVERIFIED = "the channel is not verified: the delivery waits for up to three days";
const PAUSED = "the channel is paused: the delivery waits for up to three days";

/** Returns why a delivery waits for its channel; undefined if it does not. */
function holdReason({ status, once }: DeliveryRecord, channel: ChannelRecord | undefined): string | undefined {
  if (channel === undefined || status !== "pending" || once === true) return undefined;
  if (!channel.is_verified) return UNVERIFIED;
  return channel.config.enabled === false ? PAUSED : undefined;
}

/** If the delivery waits for its channel, adds why and until when. Not stored, because it ends with any change. */
function withHold(delivery: DeliveryRecord, channels: ChannelsById): DeliveryRecord {
  const reason = holdReason(delivery, channels.get(delivery.channel_id));
  if (reason === undefined) return delivery;
  return { ...delivery, next_attempt_at: delivery.created_at + MAX_HOLD_MS, unsent_reason: reason };
}

// Limits over all processes, so that receivers that don't respond can't block the others.
export const MAX_RUNNING_PER_CHANNEL = 2;
export const MAX_RUNNING_PER_TEAM = 8;

/** Adds the channel to `running`. Returns false if it or its team has the maximum of running attempts. */
function reserveAttempt(running: ChannelRecord[], channel: ChannelRecord): boolean {
  const teamAttempts = running.filter(({ team }) => team === channel.team);
  const isFull = teamAttempts.filter(({ id }) => id === channel.id).length >= MAX_RUNNING_PER_CHANNEL;
  if (isFull || teamAttempts.length >= MAX_RUNNING_PER_TEAM) return false;
  running.push(channel);
  return true;
}
