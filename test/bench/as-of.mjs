// The sources of disposable domains as they were on a day: without later names, and with no later last day.

import { DISPOSABLE_KEYS } from "../../src/curation/sources.ts";

export function sourcesAsOf(snapshots, day, isUsed = () => true) {
  return DISPOSABLE_KEYS.filter(isUsed).map((key) => {
    const { names, since, last, history } = snapshots[key];
    const places = names.map((_, i) => i).filter((i) => since[i] === "" || since[i] <= day);
    const column = (values) => (values.length === 0 ? [] : places.map((i) => values[i]));
    const lastThen = column(last).map((to) => (to < day ? to : day));
    return { key, names: column(names), since: column(since), last: lastThen, history };
  });
}
