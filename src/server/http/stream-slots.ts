// Places for streams, shared out among callers.

export interface StreamHandle {
  /** How long the caller has neither sent nor read; 0 while the caller waits for us. */
  readonly idleMs: number;
  /** The reason goes to its caller, or to the log. */
  abort(reason: string): void;
}

/** A stream whose caller sends or reads slowly is not idle. */
export const MIN_IDLE_MS = 120_000;

export class StreamSlots {
  private readonly callers: Map<StreamHandle, string> = new Map();
  /** A caller with more streams loses one when another caller needs a place. */
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

  /** Cuts one stream above a share, else the one that is idle for longest; a caller with a whole share cuts its own. */
  private evict(caller: string): boolean {
    const slotsTaken = `all places for streams (${this.capacity}) were taken`;
    const isAtShare = this.count(caller) >= this.fairShare;
    const overShare = isAtShare ? undefined : this.longestIdle((other) => this.count(other) > this.fairShare);
    if (overShare !== undefined) return this.evictStream(overShare, `${slotsTaken}, and its caller had more than half`);
    const idle = this.longestIdle((other) => !isAtShare || other === caller);
    if (idle === undefined || idle.idleMs < MIN_IDLE_MS) return false;
    return this.evictStream(
      idle,
      `nothing came from its caller or could be sent to it for ${Math.floor(idle.idleMs / 1000)} s, and ${slotsTaken}`,
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
