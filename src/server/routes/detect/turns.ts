// Long work in short pieces: whoever has more to do than a piece waits for a turn, and there is one turn in each round of the event
// loop, whoever asks. So requests that take microseconds wait for one piece and not for everybody's.

/** Hands out turns in the order in which they were asked for. */
export class Turns {
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
