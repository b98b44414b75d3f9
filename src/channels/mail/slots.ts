// Lets only so many run at a time, in the order in which they asked. Who waits too long is sent away.

/** A number of slots. */
export class Slots {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  /** Runs the work when a slot is free; undefined when none was within so many milliseconds. */
  async run<T>(waitMs: number, work: () => Promise<T>): Promise<T | undefined> {
    if (this.free > 0) this.free -= 1;
    else if (!(await this.turn(waitMs))) return undefined;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }

  private turn(waitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(begin), 1);
        resolve(false);
      }, waitMs);
      this.waiting.push(begin);
    });
  }
}
