// Leases due deliveries from the outbox, sends them and records the outcome. Several processes may run one each.

import { withTimeout } from "../../base/concurrency.ts";
import type { Attempt } from "../attempt.ts";
import type { Channels } from "../channels.ts";
import { redactSecrets } from "../config/redaction.ts";
import { truncate } from "../events.ts";
import type { ChannelConfig, ChannelRecord } from "../record.ts";
import { type SenderDeps, TYPE_DEFINITIONS } from "../types/table.ts";
import type { LeasedDelivery, Outbox } from "./outbox.ts";
import type { DeliveryRecord } from "./record.ts";

export interface DelivererDeps {
  readonly now: () => number;
  /** Returns numbers from 0 to 1. */
  readonly jitter: () => number;
  readonly sender: SenderDeps;
  /**
   * If true, what this process can't send is no attempt: a delivery is released, and its channel is skipped from then
   * on.
   */
  readonly releasesUnsendable: boolean;
  readonly reportFailure: (failure: unknown) => void;
  readonly onAttempt?: ((report: AttemptReport) => void) | undefined;
}

export interface AttemptReport {
  readonly channel: ChannelRecord;
  readonly attempt: Attempt;
  /** The record after the attempt; undefined if it was deleted meanwhile. */
  readonly delivery: DeliveryRecord | undefined;
  /** The receiver wants no more events, so the channel must be verified again. */
  readonly lostVerification: boolean;
}

// Maximum concurrent attempts. An unresponsive receiver blocks one until its attempt times out.
const MAX_RUNNING_ATTEMPTS = 16;
// Interval to poll for deliveries that other processes recorded. Each poll is one stat call.
const POLL_INTERVAL_MS = 500;
const MIN_WAIT_MS = 50;
const REPORT_INTERVAL_MS = 60_000;

export class Deliverer {
  private readonly running = new Set<Promise<unknown>>();
  /** Why this process can't send to a channel, by channel id. */
  private readonly unsendableReasons = new Map<string, string>();
  private pendingStart: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly outbox: Outbox,
    private readonly channels: Pick<Channels, "setVerified">,
    private readonly deps: DelivererDeps,
  ) {}

  /** Starts polling for due deliveries. The timer does not keep the process alive. */
  start(): void {
    this.timer = setInterval(() => {
      if (this.isDue()) this.triggerDueAttempts();
    }, POLL_INTERVAL_MS).unref();
  }

  async stop(limitMs: number): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await withTimeout(limitMs, this.waitUntilIdle());
  }

  /** Attempts a leased delivery and returns its record afterwards. Throws the store's AddrsiftErrors. */
  async attempt(leased: LeasedDelivery): Promise<DeliveryRecord | undefined> {
    const { outbox, channels } = this;
    const { sender, jitter, releasesUnsendable } = this.deps;
    const attempt = await TYPE_DEFINITIONS[leased.channel.type].send(sender, leased);
    if (!attempt.ok && attempt.notConfigured === true && releasesUnsendable) {
      const released = await outbox.release(leased.delivery, attempt.reason);
      this.unsendableReasons.set(leased.channel.id, attempt.reason);
      return released;
    }
    const lostVerification =
      !attempt.ok && attempt.verdict === "gone" && (await channels.setVerified(leased.channel, false));
    const delivery = await outbox.finish(leased.delivery, withResponse(attempt, leased.channel.config), jitter);
    this.deps.onAttempt?.({ channel: leased.channel, attempt, delivery, lostVerification });
    return delivery;
  }

  /** Returns why this process can't send to a channel; undefined if it can, or has not tried. */
  unsendableReason(channelId: string): string | undefined {
    return this.unsendableReasons.get(channelId);
  }

  /**
   * Attempts due deliveries until each of `ids` is finished, has its next attempt after `deadline` (milliseconds since
   * 1970), or can't be sent by this process. Returns the deliveries that are still stored. Throws the store's
   * AddrsiftErrors.
   */
  async settle(ids: readonly string[], deadline: number): Promise<DeliveryRecord[]> {
    const { outbox } = this;
    const { now } = this.deps;
    for (;;) {
      // Throws if the channel store is damaged: then no delivery can be leased, so don't wait.
      outbox.nextDue(this.unsendableReasons);
      await this.startDueAttempts();
      // Other callers' attempts may run past this deadline.
      if (this.running.size > 0) await withTimeout(deadline - now(), Promise.race(this.running));
      const records = outbox.find(ids);
      const pending = records.filter(
        ({ status, channel_id: id }) => status === "pending" && !this.unsendableReasons.has(id),
      );
      const nextAt = Math.min(...pending.map(({ lease, next_attempt_at: at = 0 }) => (lease === undefined ? at : 0)));
      if (pending.length === 0 || nextAt > deadline || now() >= deadline) return records;
      if (this.running.size === 0) {
        await new Promise((resolve) => setTimeout(resolve, Math.max(nextAt - now(), MIN_WAIT_MS)));
      }
    }
  }

  async waitUntilIdle(): Promise<void> {
    while (this.pendingStart !== undefined || this.running.size > 0) {
      await Promise.all([this.pendingStart, ...this.running]);
    }
  }

  private startAttempt(leased: LeasedDelivery): void {
    const attempt: Promise<unknown> = this.attempt(leased)
      .catch((failure) => this.report(failure))
      .finally(() => {
        this.running.delete(attempt);
        if (this.isDue()) this.triggerDueAttempts();
      });
    this.running.add(attempt);
  }

  private isDue(): boolean {
    try {
      const dueAt = this.outbox.nextDue(this.unsendableReasons);
      return !this.isStopped && dueAt !== undefined && dueAt <= this.deps.now();
    } catch (failure) {
      this.report(failure);
      return false;
    }
  }

  private triggerDueAttempts(): void {
    this.pendingStart ??= this.startDueAttempts()
      .catch((failure) => this.report(failure))
      .finally(() => {
        this.pendingStart = undefined;
      });
  }

  private async startDueAttempts(): Promise<void> {
    while (!this.isStopped && this.running.size < MAX_RUNNING_ATTEMPTS && this.isDue()) {
      const leased = await this.outbox.leaseDue(MAX_RUNNING_ATTEMPTS - this.running.size, this.unsendableReasons);
      if (leased.length === 0) return;
      for (const one of leased) this.startAttempt(one);
    }
  }

  /** Reports at most one failure per interval: an unreadable store often stays so for a while. */
  private report(failure: unknown): void {
    const { now, reportFailure: report } = this.deps;
    if (now() - this.reportedAtMs < REPORT_INTERVAL_MS) return;
    this.reportedAtMs = now();
    report(failure);
  }
}

const MAX_RESPONSE_CHARS = 200;

/** Adds the response of a failed attempt to its reason, in one line. HTML would be noise. */
export function withResponse(attempt: Attempt, config: ChannelConfig): Attempt {
  if (attempt.ok) return attempt;
  const { reason, response = "" } = attempt;
  const text = redactSecrets(response.replace(/\s+/g, " ").trim(), config);
  if (text === "" || text.startsWith("<")) return attempt;
  return { ...attempt, reason: `${reason}; it said: ${truncate(text, MAX_RESPONSE_CHARS)}` };
}
