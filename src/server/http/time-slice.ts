// Divides long work into short pieces. Each round of the event loop has one turn for all long work, so that short
// requests wait for one piece only.

import type { TimeSlice } from "../../bulk/streams.ts";

export class RoundRobinScheduler {
  private readonly queue: (() => void)[] = [];

  /** `schedule` calls its argument when the next turn begins. */
  constructor(private readonly schedule: (runNext: () => void) => void) {}

  yield(): Promise<void> {
    return new Promise((resolve) => {
      this.queue.push(resolve);
      if (this.queue.length === 1) this.schedule(this.runNext);
    });
  }

  private readonly runNext = (): void => {
    this.queue.shift()?.();
    if (this.queue.length > 0) this.schedule(this.runNext);
  };
}

export const SCHEDULER: RoundRobinScheduler = new RoundRobinScheduler(setImmediate);

// Work until the next turn; the clock is read once for so many rows.
const SLICE_MS = 0.5;
const CALLS_PER_CLOCK_READ = 16;

/** The turns of one piece of work that looks at the clock now and then. */
export class EventLoopSlice implements TimeSlice {
  private startedMs = performance.now();
  private calls = 0;
  private hasExpired = false;

  get expired(): boolean {
    if (this.hasExpired) return true;
    this.calls += 1;
    if (this.calls % CALLS_PER_CLOCK_READ !== 0) return false;
    this.hasExpired = performance.now() - this.startedMs > SLICE_MS;
    return this.hasExpired;
  }

  async yieldToEventLoop(): Promise<void> {
    await SCHEDULER.yield();
    this.startedMs = performance.now();
    this.hasExpired = false;
  }
}
