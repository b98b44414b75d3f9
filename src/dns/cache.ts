// What was asked lately, by name, and what is being asked just now: a question is asked once, however many wait for it.

import { LRUCache } from "lru-cache";

/** Keeps values for a time of their own, and joins those who ask for what is on its way. */
export class JoiningCache<Value extends object> {
  private readonly kept: LRUCache<string, Value>;
  private readonly pending = new Map<string, Promise<Value>>();
  private readonly ttlMs: (value: Value) => number;

  constructor(entries: number, ttlMs: (value: Value) => number) {
    // Times are read when somebody asks, so no timer runs.
    this.kept = new LRUCache({ max: entries, ttl: 1, ttlResolution: 0 });
    this.ttlMs = ttlMs;
  }

  /** Gives the value of `name`, made by `make` unless it is kept or on its way. `make` must not fail. */
  get(name: string, make: () => Promise<Value>): Promise<Value> | Value {
    const kept = this.kept.get(name);
    if (kept !== undefined) return kept;
    const known = this.pending.get(name);
    if (known !== undefined) return known;
    const made = make().then((value) => {
      this.kept.set(name, value, { ttl: this.ttlMs(value) });
      this.pending.delete(name);
      return value;
    });
    this.pending.set(name, made);
    return made;
  }
}
