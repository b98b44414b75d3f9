// Recent answers by name, and lookups in progress: each question is asked once, however many callers wait for it. The store
// decides how long and how many answers are kept.

/** Keeps values by name for a time. */
export interface AnswerStore<Value> {
  get(name: string): Value | undefined;
  set(name: string, value: Value, ttlMs: number): void;
}

/** Shares kept values and lookups in progress between callers. */
export class JoiningCache<Value extends object> {
  private readonly pending = new Map<string, Promise<Value>>();

  constructor(
    private readonly store: AnswerStore<Value>,
    private readonly ttlMs: (value: Value) => number,
  ) {}

  /** Gives the value of `name`. `make` runs unless the value is kept or already being made. A failure is not kept. */
  get(name: string, make: () => Promise<Value>): Promise<Value> | Value {
    const kept = this.store.get(name);
    if (kept !== undefined) return kept;
    const known = this.pending.get(name);
    if (known !== undefined) return known;
    const made = make()
      .then((value) => {
        this.store.set(name, value, this.ttlMs(value));
        return value;
      })
      .finally(() => this.pending.delete(name));
    this.pending.set(name, made);
    return made;
  }
}
