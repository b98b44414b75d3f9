// Timeouts and concurrency limits for promises.

/** Returns the promise's result, or undefined after `ms` ms. The work continues; a later rejection is ignored. */
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

/**
 * Returns the promise's result, or rejects with the signal's reason as soon as it is aborted. The work continues; a later
 * rejection is ignored.
 */
export function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    // A resolver in plain JavaScript may return a value that is not a promise.
    Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}

interface Group {
  running: number;
  readonly waiting: { readonly start: () => void; readonly reject: (reason: unknown) => void }[];
}

/** Runs at most `max` tasks at once, and `groupMax` per group, round-robin over groups. */
export class FairLimiter {
  private running = 0;
  private readonly groups = new Map<object, Group>();

  constructor(
    private readonly max: number,
    private readonly groupMax: number = max,
  ) {}

  run<T>(key: object, task: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const group = this.groups.get(key) ?? { running: 0, waiting: [] };
      this.groups.set(key, group);
      const onSettled = (): void => {
        this.running -= 1;
        group.running -= 1;
        this.startWaiting();
      };
      const start = (): void => {
        const promise = task();
        resolve(promise);
        promise.then(onSettled, onSettled);
      };
      group.waiting.push({ start, reject });
      this.startWaiting();
    });
  }

  /** Rejects a group's waiting tasks. */
  rejectWaiting(key: object, reason: unknown): void {
    for (const { reject } of this.groups.get(key)?.waiting.splice(0) ?? []) reject(reason);
    this.startWaiting();
  }

  private startWaiting(): void {
    for (const [key, { running, waiting }] of this.groups) if (running + waiting.length === 0) this.groups.delete(key);
    while (this.running < this.max) {
      const nextGroup = [...this.groups].find(
        ([, { running, waiting }]) => waiting.length > 0 && running < this.groupMax,
      );
      if (nextGroup === undefined) return;
      const [key, group] = nextGroup;
      this.groups.delete(key);
      this.groups.set(key, group);
      this.running += 1;
      group.running += 1;
      group.waiting.shift()?.start();
    }
  }
}
