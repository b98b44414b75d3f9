// The database's clock, which leases go by: machines that share a store may have clocks that differ.

// Answers are on their way for different times; a clock that is further back was set.
const SET_BACK_MS = 1000;

/** The clock of a database, as its answers told it. */
export class DatabaseClock {
  /** What to add to the time of `performance`. */
  private offsetMs: number | undefined;

  /** Notes the time that an answer has, which is a little late. */
  note(databaseMs: number): void {
    const offsetMs = databaseMs - performance.now();
    const known = this.offsetMs;
    // The answer that was quickest is the most exact. So it never goes back by a little.
    if (known === undefined || offsetMs > known || offsetMs < known - SET_BACK_MS) this.offsetMs = offsetMs;
  }

  /** Milliseconds since 1970; this machine's own time until the database has told its. */
  now(): number {
    return this.offsetMs === undefined ? Date.now() : Math.round(performance.now() + this.offsetMs);
  }
}
