// Divides long work into short pieces: code with more than one piece of work waits for a turn, and each round of the event loop
// has one turn for all. So requests that take microseconds wait for one piece only, not for everyone's.

/** Gives turns in the order in which they were asked for. */
export class EventLoopTurns {
  private readonly waiting: (() => void)[] = [];

  /** Resolves when it is the caller's turn. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.waiting.length === 1) setImmediate(() => this.give());
    });
  }

  private give(): void {
    this.waiting.shift()?.();
    if (this.waiting.length > 0) setImmediate(() => this.give());
  }
}
