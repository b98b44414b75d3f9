// When keys were last used. Noting a use costs nothing; all are written together, at most once a minute.

import type { Store } from "../store/store.ts";
import { KEYS } from "./record.ts";

const WRITE_EVERY_MS = 60_000;

interface Ports {
  readonly now: () => number;
  readonly warn: (line: string) => void;
}

/** Notes uses and writes them to the store. Its timer keeps no process alive. */
export class LastUsed {
  /** Uses not written yet, by the key's id, in milliseconds since 1970. */
  private noted = new Map<string, number>();
  private writtenAtMs = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private warned = false;

  constructor(
    private readonly store: Store,
    private readonly ports: Ports,
  ) {}

  /** Notes that a key is used now. A use within the minute that its record already names is not written. */
  note(id: string, lastUsedMs: number, nowMs: number): void {
    const age = nowMs - lastUsedMs;
    // A time further ahead was written by a clock that was wrong.
    if (age < WRITE_EVERY_MS && age > -WRITE_EVERY_MS) return;
    this.noted.set(id, nowMs);
    if (this.timer !== undefined) return;
    const waitMs = Math.min(WRITE_EVERY_MS, Math.max(0, this.writtenAtMs + WRITE_EVERY_MS - nowMs));
    this.timer = setTimeout(() => void this.write(), waitMs);
    this.timer.unref();
  }

  /** Writes the remaining uses. A failure is a warning. */
  async close(): Promise<void> {
    await this.write();
  }

  private async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const uses = this.noted;
    if (uses.size === 0) return;
    this.noted = new Map();
    this.writtenAtMs = this.ports.now();
    try {
      await this.store.change((draft) => {
        const keys = draft.records(KEYS);
        for (const [id, ms] of uses) {
          const key = keys.get(id);
          const time = new Date(ms).toISOString();
          const known = Date.parse(key?.last_used_at ?? "") || 0;
          // Another process may have seen a later use.
          if (key !== undefined && (known < ms || known > this.ports.now() + WRITE_EVERY_MS)) {
            keys.set(id, { ...key, last_used_at: time });
          }
        }
      });
      this.warned = false;
    } catch (error) {
      if (!this.warned) this.ports.warn(`can't write when keys were last used: ${(error as Error).message}`);
      this.warned = true;
    }
  }
}
