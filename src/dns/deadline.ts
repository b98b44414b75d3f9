// The end of one question's time: one timer, and what is to be given up when it fires.

/** Counts from its making. While it runs, it keeps the process alive, for somebody waits. */
export class Deadline {
  readonly timeoutMs: number;
  expired = false;
  private ends: (() => void)[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
    this.timer = setTimeout(() => this.expire(), timeoutMs);
  }

  /** Has `end` called when time is up, unless `unwatch` comes before. */
  watch(end: () => void): void {
    this.ends.push(end);
  }

  unwatch(end: () => void): void {
    this.ends = this.ends.filter((other) => other !== end);
  }

  /** The question is answered. */
  clear(): void {
    clearTimeout(this.timer);
  }

  /** Ends the time, before it is up as well. */
  expire(): void {
    this.clear();
    this.expired = true;
    for (const end of this.ends.splice(0)) end();
  }
}
