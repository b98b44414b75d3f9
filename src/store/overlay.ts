// A map over another that stays as it is: what is set and deleted stands here until it is settled into the map below.

/** Is told of each change of a value. */
type Tell<V> = (before: V | undefined, after: V | undefined) => void;

/** Behaves as a copy of `base` would, and costs only what is changed. The values are never undefined. */
export class Overlay<V> implements Map<string, V> {
  /** What differs from the base, in the order of the changes; undefined is deleted. */
  private readonly touched = new Map<string, V | undefined>();
  private readonly done: { readonly id: string; readonly before: V | undefined }[] = [];
  private count: number;

  constructor(
    private readonly base: Map<string, V>,
    private readonly tell: Tell<V>,
  ) {
    this.count = base.size;
  }

  get size(): number {
    return this.count;
  }

  get [Symbol.toStringTag](): string {
    return "Overlay";
  }

  get(id: string): V | undefined {
    return this.touched.size > 0 && this.touched.has(id) ? this.touched.get(id) : this.base.get(id);
  }

  has(id: string): boolean {
    return this.get(id) !== undefined;
  }

  set(id: string, value: V): this {
    this.put(id, value);
    return this;
  }

  delete(id: string): boolean {
    return this.put(id, undefined);
  }

  clear(): void {
    for (const id of this.keys()) this.delete(id);
  }

  forEach(work: (value: V, id: string, map: Map<string, V>) => void): void {
    for (const [id, value] of this) work(value, id, this);
  }

  *entries(): Generator<[string, V], undefined> {
    for (const entry of this.base) {
      const value = this.get(entry[0]);
      if (value === entry[1]) yield entry;
      else if (value !== undefined) yield [entry[0], value];
    }
    for (const [id, value] of this.touched) if (value !== undefined && !this.base.has(id)) yield [id, value];
  }

  *keys(): Generator<string, undefined> {
    for (const [id] of this.entries()) yield id;
  }

  *values(): Generator<V, undefined> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): Generator<[string, V], undefined> {
    return this.entries();
  }

  /** What differs from the base; undefined is deleted. */
  *changes(): Generator<[string, V | undefined], undefined> {
    for (const [id, value] of this.touched) if (value !== this.base.get(id)) yield [id, value];
  }

  /** How many changes were made, to come back to with `undo`. */
  get mark(): number {
    return this.done.length;
  }

  /** Takes back all changes after a mark. */
  undo(mark: number): void {
    for (const { id, before } of this.done.splice(mark).reverse()) {
      const after = this.get(id);
      this.write(id, before);
      this.tell(after, before);
    }
  }

  /** Makes the changes in the base. Whoever is told of changes knows them already. */
  settle(): void {
    for (const [id, value] of this.changes()) {
      if (value === undefined) this.base.delete(id);
      else this.base.set(id, value);
    }
    this.touched.clear();
    this.done.length = 0;
  }

  private put(id: string, value: V | undefined): boolean {
    const before = this.get(id);
    if (before === value) return false;
    this.done.push({ id, before });
    this.write(id, value);
    this.tell(before, value);
    return before !== undefined;
  }

  private write(id: string, value: V | undefined): void {
    this.count += (value === undefined ? 0 : 1) - (this.get(id) === undefined ? 0 : 1);
    this.touched.set(id, value);
  }
}
