// Limits the number of concurrent streams, and shares the slots fairly among callers.

export interface StreamHandle {
  /** How long the stream has waited for its client to send or read; 0 if it is not waiting. */
  readonly idleMs: number;
  /** Ends the stream. Its client or the log gets the reason. */
  abort(reason: string): void;
}

/** Minimum idle time before eviction, so that slow clients keep their slot. */
export const MIN_IDLE_MS = 120_000;

export class StreamSlots {
  private readonly callers: Map<StreamHandle, string> = new Map();
  /** A caller above its fair share loses a stream when another caller needs a slot. */
  private readonly fairShare: number;

  constructor(readonly capacity: number) {
    this.fairShare = Math.max(1, Math.floor(capacity / 2));
  }

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
   * Evicts a stream of a caller above its fair share, or else the longest-idle stream. A caller that has reached its
   * own share can evict only its own idle streams. Returns whether a slot is free.
   */
  private evict(caller: string): boolean {
    const slotsTaken = `all stream slots (${this.capacity}) were in use`;
    const isAtShare = this.count(caller) >= this.fairShare;
    const overShare = isAtShare ? undefined : this.longestIdle((other) => this.count(other) > this.fairShare);
    if (overShare !== undefined)
      return this.evictStream(overShare, `${slotsTaken}, and its caller used more than half`);
    const idle = this.longestIdle((other) => !isAtShare || other === caller);
    if (idle === undefined || idle.idleMs < MIN_IDLE_MS) return false;
    return this.evictStream(
      idle,
      `its client neither sent nor read anything for ${Math.floor(idle.idleMs / 1000)} s, and ${slotsTaken}`,
    );
  }

  private count(caller: string): number {
    return [...this.callers.values()].filter((one) => one === caller).length;
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
