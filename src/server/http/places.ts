// Places for streams, shared out among callers.

export interface PlacedStream {
  /** How long the caller has neither sent nor read; 0 while the caller waits for us. */
  readonly idleMs: number;
  /** The reason goes to its caller, or to the log. */
  cut(reason: string): void;
}

/** A stream whose caller sends or reads slowly is not idle. */
export const IDLE_MIN_MS = 120_000;

export class StreamPlaces {
  private readonly callers: Map<PlacedStream, string> = new Map();
  /** A caller with more streams loses one when another caller needs a place. */
  private readonly share: number;

  constructor(readonly limit: number) {
    this.share = Math.max(1, Math.floor(limit / 2));
  }

  get running(): number {
    return this.callers.size;
  }

  take(caller: string, stream: PlacedStream): boolean {
    if (this.running >= this.limit && !this.makeRoom(caller)) return false;
    this.callers.set(stream, caller);
    return true;
  }

  leave(stream: PlacedStream): void {
    this.callers.delete(stream);
  }

  /** Cuts one stream above a share, else the one that is idle for longest; a caller with a whole share cuts its own. */
  private makeRoom(caller: string): boolean {
    const all = `all places for streams (${this.limit}) were taken`;
    const hasShare = this.count(caller) >= this.share;
    const above = hasShare ? undefined : this.longestIdle((other) => this.count(other) > this.share);
    if (above !== undefined) return this.cut(above, `${all}, and its caller had more than half`);
    const idle = this.longestIdle((other) => !hasShare || other === caller);
    if (idle === undefined || idle.idleMs < IDLE_MIN_MS) return false;
    return this.cut(
      idle,
      `nothing came from its caller or could be sent to it for ${Math.floor(idle.idleMs / 1000)} s, and ${all}`,
    );
  }

  private count(caller: string): number {
    return [...this.callers.values()].filter((one) => one === caller).length;
  }

  private longestIdle(isWanted: (caller: string) => boolean): PlacedStream | undefined {
    const wanted = [...this.callers].filter(([, caller]) => isWanted(caller)).map(([stream]) => stream);
    return wanted.sort((a, b) => b.idleMs - a.idleMs)[0];
  }

  private cut(stream: PlacedStream, reason: string): true {
    this.leave(stream);
    stream.cut(reason);
    return true;
  }
}
