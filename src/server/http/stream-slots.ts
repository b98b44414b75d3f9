// Limits the number of concurrent streams, and shares the slots fairly among callers.

export interface StreamHandle {
  /** Time since the client last sent or read 1 KiB, in milliseconds; 0 if the stream is not waiting for it. */
  readonly idleMs: number;
  /** Ends the stream. The reason is sent to its client, or logged. */
  abort(reason: string): void;
}

/** Minimum idle time before eviction, so that slow clients keep their slot. */
export const MIN_IDLE_MS = 120_000;

export class StreamSlots {
  private readonly callers: Map<StreamHandle, string> = new Map();

  constructor(readonly capacity: number) {}

  get activeCount(): number {
    return this.callers.size;
  }

  acquire(caller: string, stream: StreamHandle): boolean {
    if (this.activeCount >= this.capacity && !this.evict(caller)) return false;
    this.callers.set(stream, caller);
    return true;
  }

  release(stream: StreamHandle): void {
    this.callers.delete(stream);
  }

  /**
   * Evicts a stream of the caller with most slots, if `caller` has at least two fewer. Otherwise evicts the longest-idle
   * stream of `caller` or of a caller with more slots. Returns whether a slot is free.
   */
  private evict(caller: string): boolean {
    const slotsTaken = `all stream slots (${this.capacity}) were in use`;
    const counts = new Map<string, number>();
    for (const other of this.callers.values()) counts.set(other, (counts.get(other) ?? 0) + 1);
    const ownCount = counts.get(caller) ?? 0;
    const maxCount = Math.max(...counts.values());
    if (maxCount >= ownCount + 2) {
      const surplus = this.longestIdle((other) => counts.get(other) === maxCount) as StreamHandle;
      return this.evictStream(surplus, `${slotsTaken}, and its caller used most of them`);
    }
    const idle = this.longestIdle((other) => other === caller || (counts.get(other) as number) > ownCount);
    if (idle === undefined || idle.idleMs < MIN_IDLE_MS) return false;
    const seconds = Math.floor(idle.idleMs / 1000);
    return this.evictStream(idle, `its client sent or read less than 1 KiB in ${seconds} s, and ${slotsTaken}`);
  }

  private longestIdle(matches: (caller: string) => boolean): StreamHandle | undefined {
    const candidates = [...this.callers].filter(([, caller]) => matches(caller)).map(([stream]) => stream);
    return candidates.sort((a, b) => b.idleMs - a.idleMs)[0];
  }

  private evictStream(stream: StreamHandle, reason: string): true {
    this.release(stream);
    stream.abort(reason);
    return true;
  }
}
