// Divides long work into short pieces. Each round of the event loop has one turn for all long work, so that short
// requests wait for one piece only.

import type { TimeSlice } from "../../bulk/streams.ts";

export class SharedTurns {
  private readonly waiting: (() => void)[] = [];

  /** `schedule` calls its argument when the next turn begins. */
  constructor(private readonly schedule: (give: () => void) => void) {}

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.waiting.length === 1) this.schedule(this.give);
    });
  }

  private readonly give = (): void => {
    this.waiting.shift()?.();
    if (this.waiting.length > 0) this.schedule(this.give);
  };
}

export const TURNS: SharedTurns = new SharedTurns(setImmediate);

// Work until the next turn; the clock is read once for so many rows.
const TURN_MS = 0.5;
const CLOCK_ROWS = 16;

/** The turns of one piece of work that looks at the clock now and then. */
export class TimedTurns implements TimeSlice {
  private began = performance.now();
  private looks = 0;
  private isOver = false;

  get expired(): boolean {
    if (this.isOver) return true;
    this.looks += 1;
    if (this.looks % CLOCK_ROWS !== 0) return false;
    this.isOver = performance.now() - this.began > TURN_MS;
    return this.isOver;
  }

  async yieldToEventLoop(): Promise<void> {
    await TURNS.next();
    this.began = performance.now();
    this.isOver = false;
  }
}
