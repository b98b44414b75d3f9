// Finds approximate heavy hitters: counts rows by name, such as a domain, and drops the rarer half of too many names.
// A dropped name that comes back has too low a count, but frequent names are never dropped.

const MAX_NAMES = 20_000;

export interface NameCount {
  readonly name: string;
  readonly rows: number;
}

export function increment<Name>(counts: Map<Name, number>, name: Name, rows = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + rows);
}

export class NameCounts {
  private counts = new Map<string, number>();

  add(name: string, rows = 1): void {
    increment(this.counts, name, rows);
    if (this.counts.size <= MAX_NAMES) return;
    this.counts = new Map([...this.counts].sort(([, a], [, b]) => b - a).slice(0, MAX_NAMES / 2));
  }

  /** Number of different names, without dropped ones. */
  get size(): number {
    return this.counts.size;
  }

  /** Returns the `limit` names with the most rows. */
  top(limit: number): NameCount[] {
    return [...this.counts]
      .map(([name, rows]) => ({ name, rows }))
      .sort((a, b) => b.rows - a.rows || (a.name < b.name ? -1 : 1))
      .slice(0, limit);
  }
}
