// Returns the sources of disposable domains as they were on a day: without later names and later dates.

import type { Snapshot } from "../../src/curation/snapshot.ts";
import { DISPOSABLE_KEYS, type DisposableKey } from "../../src/curation/sources.ts";

export function sourcesAsOf(
  snapshots: Readonly<Record<DisposableKey, Snapshot>>,
  day: string,
  isUsed: (key: DisposableKey) => boolean = () => true,
) {
  return DISPOSABLE_KEYS.filter(isUsed).map((key) => {
    const { names, history } = snapshots[key];
    const listed = [...names].filter(([, [since = ""]]) => since <= day);
    // In a daily list, each name also has a last day.
    const daysOf = (days: readonly string[]) => days.map((date) => (date < day ? date : day));
    return { key, names: new Map(listed.map(([name, days]) => [name, daysOf(days)])), history };
  });
}
