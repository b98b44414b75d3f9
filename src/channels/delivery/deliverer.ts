// Takes due deliveries from the outbox, sends them and records the result; several processes may do so at a time.

import { within } from "../../base/limits.ts";
import type { Attempt } from "../attempt.ts";
import type { Channels } from "../channels.ts";
import type { ChannelRecord } from "../record.ts";
import { type SenderDeps, TYPE_DEFINITIONS } from "../types/table.ts";
import type { LeasedDelivery, Outbox } from "./outbox.ts";
import type { DeliveryRecord } from "./record.ts";

export interface DelivererDeps {
  readonly now: () => number;
  /** Numbers from 0 to 1, by which pauses differ. */
  readonly jitter: () => number;
  readonly sender: SenderDeps;
  /** Leaves to other processes what this one can't send, without an attempt, and the rest of that channel. */
  readonly releasesUnsendable: boolean;
  readonly reportFailure: (failure: unknown) => void;
  readonly onAttempt?: ((attempted: AttemptReport) => void) | undefined;
}

export interface AttemptReport {
  readonly channel: ChannelRecord;
  readonly attempt: Attempt;
  /** After the attempt; undefined when the delivery was deleted meanwhile. */
  readonly delivery: DeliveryRecord | undefined;
  /** The receiver wants no more: the channel must be verified again. */
  readonly lostVerification: boolean;
}

// A receiver that does not answer holds one of these until its attempt times out.
const MAX_RUNNING_ATTEMPTS = 16;
// How soon this process sees a delivery that another process recorded. Each look costs one stat call.
const POLL_INTERVAL_MS = 500;
const MIN_WAIT_MS = 50;
const REPORT_INTERVAL_MS = 60_000;

export class Deliverer {
  private readonly running = new Set<Promise<unknown>>();
  private readonly unsendable = new Map<string, string>();
  private filling: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private reportedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly outbox: Outbox,
    private readonly channels: Pick<Channels, "setVerified">,
    private readonly deps: DelivererDeps,
  ) {}

  /** Starts to look for due deliveries at intervals. The timer keeps no process alive. */
  start(): void {
    this.timer = setInterval(() => {
      if (this.isDue()) this.startFilling();
    }, POLL_INTERVAL_MS).unref();
  }

  async stop(limitMs: number): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await within(limitMs, this.waitUntilIdle());
  }

  /** Attempts a leased delivery and returns its record after that. Throws AddrsiftError as the store does. */
  async attempt(leased: LeasedDelivery): Promise<DeliveryRecord | undefined> {
    const { outbox, channels } = this;
    const { sender, jitter, releasesUnsendable: returnsUnsendable } = this.deps;
    const attempt = await TYPE_DEFINITIONS[leased.channel.type].send(sender, leased);
    if (!attempt.ok && attempt.notConfigured === true && returnsUnsendable && leased.delivery.once !== true) {
      const released = await outbox.release(leased.delivery, attempt.reason);
      this.unsendable.set(leased.channel.id, attempt.reason);
      return released;
    }
    const lostVerification =
      !attempt.ok && attempt.verdict === "gone" && (await channels.setVerified(leased.channel, false));
    const delivery = await outbox.finish(leased.delivery, attempt, jitter);
    this.deps.onAttempt?.({ channel: leased.channel, attempt, delivery, lostVerification });
    return delivery;
  }

  /** Why this process can't send to a channel; undefined when it can, or has not tried. */
  unsendableReason(channelId: string): string | undefined {
    return this.unsendable.get(channelId);
  }

  /**
   * Delivers what is due until these deliveries have ended, or have their next attempt after `deadline` (milliseconds
   * since 1970), or can't be sent by this process. Returns the records that are still kept. Throws AddrsiftError as the
   * store does.
   */
  async settle(ids: readonly string[], deadline: number): Promise<DeliveryRecord[]> {
    const { outbox } = this;
    const { now } = this.deps;
    for (;;) {
      // Throws while the channels can't be trusted: then nothing is sent, and there is nothing to wait for.
      outbox.nextDue(this.unsendable);
      await this.startDueAttempts();
      // Attempts for other callers may run past this caller's deadline.
      if (this.running.size > 0) await within(deadline - now(), Promise.race(this.running));
      const records = outbox.find(ids);
      const open = records.filter((one) => one.status === "pending" && !this.unsendable.has(one.channel_id));
      const next = Math.min(...open.map((one) => (one.lease === undefined ? (one.next_attempt_at ?? 0) : 0)));
      if (open.length === 0 || next > deadline || now() >= deadline) return records;
      if (this.running.size === 0) {
        await new Promise((resolve) => setTimeout(resolve, Math.max(next - now(), MIN_WAIT_MS)));
      }
    }
  }

  async waitUntilIdle(): Promise<void> {
    while (this.filling !== undefined || this.running.size > 0) {
      await Promise.all([this.filling, ...this.running]);
    }
  }

  private startAttempt(leased: LeasedDelivery): void {
    const attempt: Promise<unknown> = this.attempt(leased)
      .catch((failure) => this.report(failure))
      .finally(() => {
        this.running.delete(attempt);
        if (this.isDue()) this.startFilling();
      });
    this.running.add(attempt);
  }

  private isDue(): boolean {
    try {
      return !this.stopped && (this.outbox.nextDue(this.unsendable) ?? Number.POSITIVE_INFINITY) <= this.deps.now();
    } catch (failure) {
      this.report(failure);
      return false;
    }
  }

  private startFilling(): void {
    this.filling ??= this.startDueAttempts()
      .catch((failure) => this.report(failure))
      .finally(() => {
        this.filling = undefined;
      });
  }

  private async startDueAttempts(): Promise<void> {
    while (!this.stopped && this.running.size < MAX_RUNNING_ATTEMPTS && this.isDue()) {
      const leased = await this.outbox.leaseDue(MAX_RUNNING_ATTEMPTS - this.running.size, this.unsendable);
      if (leased.length === 0) return;
      for (const one of leased) this.startAttempt(one);
    }
  }

  /** A store that can't be read often stays unreadable for a while, so failures are reported only at intervals. */
  private report(failure: unknown): void {
    const { now, reportFailure: report } = this.deps;
    if (now() - this.reportedAt < REPORT_INTERVAL_MS) return;
    this.reportedAt = now();
    report(failure);
  }
}
