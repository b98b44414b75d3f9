// The work of delivering: takes what is due from the outbox, has it sent, and records what came of it. Several processes may do this
// over one outbox at the same time.

import type { Channels } from "./channels.ts";
import type { DeliveryRecord } from "./delivery-record.ts";
import type { Outbox, Taken } from "./outbox.ts";
import type { Sender } from "./sender.ts";

/** What a deliverer needs. */
export interface DelivererParts {
  readonly outbox: Outbox;
  readonly channels: Channels;
  readonly send: Sender;
  readonly now: () => number;
  /** Numbers from 0 to 1, for jitter. */
  readonly random: () => number;
  /** Takes a failure of the store, which is tried again. */
  readonly report: (failure: unknown) => void;
}

// A hanging receiver takes one of these for as long as a try may last.
const AT_ONCE = 16;
// How soon a delivery that another process recorded is seen. A look costs a stat.
const LOOK_MS = 500;

/** Delivers until it is stopped. */
export class Deliverer {
  private readonly parts: DelivererParts;
  private readonly underWay = new Set<Promise<unknown>>();
  private pumping: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(parts: DelivererParts) {
    this.parts = parts;
  }

  /** Begins to look for due deliveries, now and again; keeps no process alive. */
  start(): void {
    this.timer = setInterval(() => {
      if (this.isDue()) this.pump();
    }, LOOK_MS).unref();
  }

  /** Takes no more, and waits for what is under way, but not longer than so many milliseconds. */
  async stop(limitMs: number): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    let late: NodeJS.Timeout | undefined;
    const limit = new Promise((resolve) => {
      late = setTimeout(resolve, limitMs);
    });
    await Promise.race([limit, this.idle()]);
    clearTimeout(late);
  }

  /** Tries a delivery that is this process's to try; gives what became of it. Throws AddrsiftError as the store does. */
  async attempt(taken: Taken): Promise<DeliveryRecord | undefined> {
    const { outbox, channels, send, random } = this.parts;
    const attempt = await send(taken);
    if (!attempt.ok && attempt.verdict === "gone") await channels.setVerified(taken.channel, false);
    return outbox.finish(taken.delivery, attempt, random);
  }

  /**
   * Delivers what is due, and these deliveries until they have ended or would not be tried again before `deadline` (milliseconds
   * since 1970); gives their records.
   */
  async settle(ids: readonly string[], deadline: number): Promise<DeliveryRecord[]> {
    const { outbox, now } = this.parts;
    for (;;) {
      await this.fill();
      await this.idle();
      const records = outbox.find(ids);
      const open = records.filter(({ status }) => status === "pending");
      const next = Math.min(...open.map((one) => Math.max(one.next_attempt_at ?? 0, one.lease?.until ?? 0)));
      if (open.length === 0 || next > deadline || now() > deadline) return records;
      await new Promise((resolve) => setTimeout(resolve, Math.max(next - now(), LOOK_MS / 10)));
    }
  }

  /** Starts a delivery that was taken already. */
  begin(taken: Taken): void {
    const work: Promise<unknown> = this.attempt(taken)
      .catch((failure) => this.parts.report(failure))
      .finally(() => {
        this.underWay.delete(work);
        if (this.isDue()) this.pump();
      });
    this.underWay.add(work);
  }

  private isDue(): boolean {
    try {
      return !this.stopped && (this.parts.outbox.nextDue() ?? Number.POSITIVE_INFINITY) <= this.parts.now();
    } catch (failure) {
      this.parts.report(failure);
      return false;
    }
  }

  /** Fills the free places with due deliveries. */
  private pump(): void {
    this.pumping ??= this.fill()
      .catch((failure) => this.parts.report(failure))
      .finally(() => {
        this.pumping = undefined;
      });
  }

  private async fill(): Promise<void> {
    while (!this.stopped && this.underWay.size < AT_ONCE && this.isDue()) {
      const taken = await this.parts.outbox.take(AT_ONCE - this.underWay.size);
      if (taken.length === 0) return;
      for (const one of taken) this.begin(one);
    }
  }

  private async idle(): Promise<void> {
    while (this.pumping !== undefined || this.underWay.size > 0) {
      await Promise.all([this.pumping, ...this.underWay]);
    }
  }
}
