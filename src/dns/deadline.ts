// The end of one question's time: one timer, and what is to be given up when it fires.

/**
 * A question first waits for its turn, if it must, and then has its whole time from when it is sent. While the timer runs, it keeps
 * the process alive, because a caller waits.
 */
export class Deadline {
  expired = false;
  /** The question's first query was sent. */
  begun = false;
  private ends: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** `waitMs` bounds the wait for a turn; undefined: it may take any time. */
  constructor(waitMs: number | undefined) {
    if (waitMs !== undefined) this.timer = setTimeout(() => this.expire(), waitMs);
  }

  /** The question is sent: its time begins. Later calls change nothing. */
  begin(timeoutMs: number): void {
    if (this.begun || this.expired) return;
    this.begun = true;
    clearTimeout(this.timer);
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

  /** Ends the time, also before it is up. */
  expire(): void {
    this.clear();
    this.expired = true;
    for (const end of this.ends.splice(0)) end();
  }
}
