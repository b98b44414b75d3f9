// Cooperative scheduling: one time slice of long work per event loop iteration, shared by all long requests, so that a
// short request waits for one slice at most.

import type { TimeSlice } from "../../bulk/streams.ts";

export class RoundRobinScheduler {
  private readonly queue: (() => void)[] = [];

  /** `schedule` calls its argument when the next time slice starts. */
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

// Length of a time slice. The clock is read only every 16 rows.
const SLICE_MS = 0.5;
const CALLS_PER_CLOCK_READ = 16;

/** The time slices of one long request. */
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
