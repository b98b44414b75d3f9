// The time limit of one question: one timer, and what to cancel when it fires.

/**
 * A question may first wait for its turn. Its time begins when it is sent. The timer keeps the process alive, because a caller
 * waits.
 */
export class Deadline {
  expired = false;
  /** The question's first query was sent. */
  begun = false;
  private ends: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** `waitMs` limits the wait for a turn; undefined means no limit. */
  constructor(waitMs: number | undefined) {
    if (waitMs !== undefined) this.timer = setTimeout(() => this.expire(), waitMs);
  }

  /** The question is sent: its time begins. Only the first call counts. */
  begin(timeoutMs: number): void {
    if (this.begun || this.expired) return;
    this.begun = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.expire(), timeoutMs);
  }

  /** Calls `end` when time is up, unless `unwatch` was called before. */
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

  /** Ends the time now. */
  expire(): void {
    this.clear();
    this.expired = true;
    for (const end of this.ends.splice(0)) end();
  }
}
