// How long things take, counted in buckets. Counting costs a few comparisons; `prometheus` turns the counts into text.

/** The upper bounds of the buckets in milliseconds. */
export const DURATION_BOUNDS_MS: readonly number[] = [
  0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 15_000,
];

/** Durations. */
export class Histogram {
  /** How many took at most each bound and more than the bound before; the last element is for those above all bounds. */
  readonly durations: number[] = Array<number>(DURATION_BOUNDS_MS.length + 1).fill(0);
  milliseconds = 0;
  count = 0;

  add(milliseconds: number): void {
    this.milliseconds += milliseconds;
    this.count += 1;
    let place = 0;
    while (place < DURATION_BOUNDS_MS.length && milliseconds > (DURATION_BOUNDS_MS[place] as number)) place += 1;
    (this.durations[place] as number) += 1;
  }
}
