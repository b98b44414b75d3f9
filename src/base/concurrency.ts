// Limits on work: how long it is waited for, and how much of it runs at once.

/** The work's result; undefined after so many milliseconds. The work goes on, and a later failure of it is dropped. */
export async function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

interface Group {
  running: number;
  readonly waiting: { readonly start: () => void; readonly reject: (reason: unknown) => void }[];
}

/** Runs at most `max` pieces of work at once, and `groupMax` of each group. Groups take turns. */
export class FairLimiter {
  private running = 0;
  private readonly groups = new Map<object, Group>();

  constructor(
    private readonly max: number,
    private readonly groupMax: number = max,
  ) {}

  run<T>(key: object, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const group = this.groups.get(key) ?? { running: 0, waiting: [] };
      this.groups.set(key, group);
      const end = (): void => {
        this.running -= 1;
        group.running -= 1;
        this.startWaiting();
      };
      const start = (): void => {
        const promise = work();
        resolve(promise);
        promise.then(end, end);
      };
      group.waiting.push({ start, reject });
      this.startWaiting();
    });
  }

  /** Rejects the waiting work of a group. */
  rejectWaiting(key: object, reason: unknown): void {
    for (const { reject } of this.groups.get(key)?.waiting.splice(0) ?? []) reject(reason);
    this.startWaiting();
  }

  private startWaiting(): void {
    for (const [key, { running, waiting }] of this.groups) if (running + waiting.length === 0) this.groups.delete(key);
    while (this.running < this.max) {
      const turn = [...this.groups].find(([, { running, waiting }]) => waiting.length > 0 && running < this.groupMax);
      if (turn === undefined) return;
      const [key, group] = turn;
      this.groups.delete(key);
      this.groups.set(key, group);
      this.running += 1;
      group.running += 1;
      group.waiting.shift()?.start();
    }
  }
}
