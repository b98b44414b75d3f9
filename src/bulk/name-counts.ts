// The rows of each name, such as a domain, and which names have the most. Memory is bounded: when there are too many
// names, the rarer half is forgotten. So the count of a name that came back is too low, but names that are frequent
// enough to be shown stay.

import { increment } from "./classes.ts";

const MAX_NAMES = 20_000;

export interface NameCount {
  readonly name: string;
  readonly rows: number;
}

export class NameCounts {
  private counts = new Map<string, number>();

  add(name: string, rows = 1): void {
    increment(this.counts, name, rows);
    if (this.counts.size <= MAX_NAMES) return;
    this.counts = new Map([...this.counts].sort(([, a], [, b]) => b - a).slice(0, MAX_NAMES / 2));
  }

  /** The names with the most rows, at most `limit`. */
  top(limit: number): NameCount[] {
    return [...this.counts]
      .map(([name, rows]) => ({ name, rows }))
      .sort((a, b) => b.rows - a.rows || (a.name < b.name ? -1 : 1))
      .slice(0, limit);
  }
}
