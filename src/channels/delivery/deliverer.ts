// Takes due deliveries from the outbox, sends them and records the result; several processes may do so at a time.

import { within } from "../../base/limits.ts";
import type { Attempt } from "../attempt.ts";
import type { Channels } from "../channels.ts";
import type { ChannelRecord } from "../record.ts";
import { type SenderPorts, TYPES } from "../types/table.ts";
import type { LeasedDelivery, Outbox } from "./outbox.ts";
import type { DeliveryRecord } from "./record.ts";

export interface DelivererPorts {
  readonly now: () => number;
  /** Numbers from 0 to 1, by which pauses differ. */
  readonly jitter: () => number;
  readonly sender: SenderPorts;
  /** Leaves to other processes what this one can't send, without an attempt, and the rest of that channel. */
  readonly returnsUnsendable: boolean;
  readonly report: (failure: unknown) => void;
  readonly observe?: ((attempted: AttemptReport) => void) | undefined;
}

export interface AttemptReport {
  readonly channel: ChannelRecord;
  readonly attempt: Attempt;
  /** After the attempt; undefined when the delivery was deleted meanwhile. */
  readonly delivery: DeliveryRecord | undefined;
  /** The receiver wants no more: the channel must be verified again. */
  readonly switchedOff: boolean;
}

// A receiver that does not answer holds one of these until its attempt times out.
const AT_ONCE = 16;
// How soon this process sees a delivery that another process recorded. Each look costs one stat call.
const LOOK_MS = 500;
const MOMENT_MS = 50;
const REPORT_MS = 60_000;

export class Deliverer {
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly unable = new Map<string, string>();
  private pumping: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private reportedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly outbox: Outbox,
    private readonly channels: Pick<Channels, "setVerified">,
    private readonly ports: DelivererPorts,
  ) {}

  /** Starts to look for due deliveries at intervals. The timer keeps no process alive. */
  start(): void {
    this.timer = setInterval(() => {
      if (this.isDue()) this.pump();
    }, LOOK_MS).unref();
  }

  async stop(limitMs: number): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await within(limitMs, this.idle());
  }

  /** Attempts a leased delivery and returns its record after that. Throws AddrsiftError as the store does. */
  async attempt(taken: LeasedDelivery): Promise<DeliveryRecord | undefined> {
    const { outbox, channels } = this;
    const { sender, jitter, returnsUnsendable } = this.ports;
    const attempt = await TYPES[taken.channel.type].send(sender, taken);
    if (!attempt.ok && attempt.unable === true && returnsUnsendable && taken.delivery.once !== true) {
      const given = await outbox.giveBack(taken.delivery, attempt.reason);
      this.unable.set(taken.channel.id, attempt.reason);
      return given;
    }
    const switchedOff = !attempt.ok && attempt.verdict === "gone" && (await channels.setVerified(taken.channel, false));
    const delivery = await outbox.finish(taken.delivery, attempt, jitter);
    this.ports.observe?.({ channel: taken.channel, attempt, delivery, switchedOff });
    return delivery;
  }

  /** Why this process can't send to a channel; undefined when it can, or has not tried. */
  inability(channelId: string): string | undefined {
    return this.unable.get(channelId);
  }

  /**
   * Delivers what is due until these deliveries have ended, or have their next attempt after `deadline` (milliseconds
   * since 1970), or can't be sent by this process. Returns the records that are still kept. Throws AddrsiftError as the
   * store does.
   */
  async settle(ids: readonly string[], deadline: number): Promise<DeliveryRecord[]> {
    const { outbox } = this;
    const { now } = this.ports;
    for (;;) {
      // Throws while the channels can't be trusted: then nothing is sent, and there is nothing to wait for.
      outbox.nextDue(this.unable);
      await this.fill();
      // Attempts for other callers may run past this caller's deadline.
      if (this.underWay.size > 0) await within(deadline - now(), Promise.race(this.underWay));
      const records = outbox.find(ids);
      const open = records.filter((one) => one.status === "pending" && !this.unable.has(one.channel_id));
      const next = Math.min(...open.map((one) => (one.lease === undefined ? (one.next_attempt_at ?? 0) : 0)));
      if (open.length === 0 || next > deadline || now() >= deadline) return records;
      if (this.underWay.size === 0) {
        await new Promise((resolve) => setTimeout(resolve, Math.max(next - now(), MOMENT_MS)));
      }
    }
  }

  async idle(): Promise<void> {
    while (this.pumping !== undefined || this.underWay.size > 0) {
      await Promise.all([this.pumping, ...this.underWay]);
    }
  }

  private begin(taken: LeasedDelivery): void {
    const work: Promise<unknown> = this.attempt(taken)
      .catch((failure) => this.report(failure))
      .finally(() => {
        this.underWay.delete(work);
        if (this.isDue()) this.pump();
      });
    this.underWay.add(work);
  }

  private isDue(): boolean {
    try {
      return !this.stopped && (this.outbox.nextDue(this.unable) ?? Number.POSITIVE_INFINITY) <= this.ports.now();
    } catch (failure) {
      this.report(failure);
      return false;
    }
  }

  private pump(): void {
    this.pumping ??= this.fill()
      .catch((failure) => this.report(failure))
      .finally(() => {
        this.pumping = undefined;
      });
  }

  private async fill(): Promise<void> {
    while (!this.stopped && this.underWay.size < AT_ONCE && this.isDue()) {
      const taken = await this.outbox.take(AT_ONCE - this.underWay.size, this.unable);
      if (taken.length === 0) return;
      for (const one of taken) this.begin(one);
    }
  }

  /** A store that can't be read often stays unreadable for a while, so failures are reported only at intervals. */
  private report(failure: unknown): void {
    const { now, report } = this.ports;
    if (now() - this.reportedAt < REPORT_MS) return;
    this.reportedAt = now();
    report(failure);
  }
}
