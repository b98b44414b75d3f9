// Divides long work into short pieces: code with more than one piece of work waits for a turn, and each round of the
// event loop has one turn for all. So requests that take microseconds wait for one piece only, not for everyone's.

import type { Turns } from "../../bulk/ports.ts";

/** Gives turns in the order in which they were asked for. */
export class SharedTurns {
  private readonly waiting: (() => void)[] = [];

  /** `schedule` calls what it is given when the next turn begins. */
  constructor(private readonly schedule: (give: () => void) => void) {}

  /** Resolves when it is the caller's turn. */
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

/** All long work of the process shares its event loop. */
export const TURNS: SharedTurns = new SharedTurns(setImmediate);

// After this time of work, others get their turn; the clock is read once for so many rows.
const TURN_MS = 0.5;
const CLOCK_ROWS = 16;

/** The turns of one piece of work that looks at the clock now and then. */
export class TimedTurns implements Turns {
  private began = performance.now();
  private looks = 0;
  private isOver = false;

  get over(): boolean {
    if (this.isOver) return true;
    this.looks += 1;
    if (this.looks % CLOCK_ROWS !== 0) return false;
    this.isOver = performance.now() - this.began > TURN_MS;
    return this.isOver;
  }

  async next(): Promise<void> {
    await TURNS.next();
    this.began = performance.now();
    this.isOver = false;
  }
}
