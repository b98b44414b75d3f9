// The end of one question's time: one timer, and what is to be given up when it fires.

/** Counts from its making. While it runs, it keeps the process alive, for somebody waits. */
export class Deadline {
  readonly timeoutMs: number;
  expired = false;
  private readonly ends = new Set<() => void>();
  private readonly timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
    this.timer = setTimeout(() => this.expire(), timeoutMs);
  }

  /** Has `end` called when time is up, unless `unwatch` comes before. */
  watch(end: () => void): void {
    this.ends.add(end);
  }

  unwatch(end: () => void): void {
    this.ends.delete(end);
  }

  /** The question is answered. */
  clear(): void {
    clearTimeout(this.timer);
  }

  private expire(): void {
    this.expired = true;
    for (const end of [...this.ends]) end();
  }
}
