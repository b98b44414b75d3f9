// How much of a day's list at Castle is known some days before, replayed from the days in data/sources. By hand, on plain Node:
//   node --import ./.ci/ts.mjs test/bench/replay.mjs [FIRST_DAY]
// The list of a day is every name whose first and last day contain it: Castle's own lists have gaps, so this has more names, and names
// that stay count on more days. What a list without days had is taken as known.

import { join } from "node:path";
import { readIngredients } from "../../src/curation/ingredients.ts";
import { mergeDisposable } from "../../src/curation/merge.ts";
import { findParent } from "../../src/curation/names.ts";
import { nameRules } from "../../src/curation/protection.ts";
import { DISPOSABLE_KEYS } from "../../src/curation/sources.ts";
import { confidenceRank, octetOf } from "../../src/lists/confidence.ts";

const ROOT = join(import.meta.dirname, "../..");
const DAY_MS = 86_400_000;
const LAGS = [1, 3, 7];
const LEAST_RANK = 1;
// A merge takes a second, and there are nine for each day.
const EACH_DAYS = 7;

const ingredients = readIngredients(ROOT);
const { snapshots, canaries } = ingredients;
const ofIngredients = nameRules(ingredients);
const cached = (test) => {
  const known = new Map();
  return (name) => {
    const found = known.get(name) ?? test(name);
    known.set(name, found);
    return found;
  };
};
const rules = {
  ...ofIngredients,
  isFreeHost: cached(ofIngredients.isFreeHost),
  isProtected: cached(ofIngredients.isProtected),
};
const castle = snapshots.C;
const sinceOf = new Map(castle.names.map((name, i) => [name, castle.since[i]]));
const days = [...new Set(castle.since)].sort();
const first = process.argv[2] ?? days[Math.floor(days.length / 2)];
// Our own additions are of a later day than the lists, and some were found in them.
const variants = {
  "the other lists": (key) => key !== "C",
  "Castle's own days": (key) => key === "C",
  both: () => true,
};

const before = (day, lag) => new Date(Date.parse(day) - lag * DAY_MS).toISOString().slice(0, 10);

/** The sources as they were on a day. */
function asOf(day, isUsed) {
  return DISPOSABLE_KEYS.filter(isUsed).map((key) => {
    const { names, since, last, history } = snapshots[key];
    const places = names.map((_, i) => i).filter((i) => since[i] === "" || since[i] <= day);
    const column = (values) => (values.length === 0 ? [] : places.map((i) => values[i]));
    return {
      key,
      names: column(names),
      since: column(since),
      last: column(last).map((to) => (to < day ? to : day)),
      history,
    };
  });
}

/** The test of a name: known by itself or by a parent on that day. */
function knownOn(day, isUsed) {
  const { disposable } = mergeDisposable(asOf(day, isUsed), [], rules, canaries);
  const counts = (name) => confidenceRank(octetOf(disposable.get(name) ?? 0)) >= LEAST_RANK;
  return (name) => counts(name) || findParent(name, counts) !== undefined;
}

const listOn = (day) =>
  castle.names.filter((name, i) => castle.since[i] <= day && day <= castle.last[i] && !rules.isProtected(name));

console.log(
  `days from ${first} to ${days.at(-1)}; protected, public and relay names left out; additions of our own not used`,
);
for (const [title, isUsed] of Object.entries(variants)) {
  const sums = LAGS.map(() => ({ known: 0, all: 0, knownNew: 0, allNew: 0 }));
  for (const day of days.filter((one, i) => one >= first && i % EACH_DAYS === 0)) {
    const names = listOn(day);
    for (const [place, lag] of LAGS.entries()) {
      const then = before(day, lag);
      const isKnown = knownOn(then, isUsed);
      for (const name of names) {
        const isNew = sinceOf.get(name) > then;
        const known = isKnown(name);
        sums[place].all += 1;
        sums[place].known += known ? 1 : 0;
        sums[place].allNew += isNew ? 1 : 0;
        sums[place].knownNew += isNew && known ? 1 : 0;
      }
    }
  }
  const shown = sums.map(({ known, all, knownNew, allNew }, place) => {
    const share = (part, whole) => ((100 * part) / whole).toFixed(1);
    return `${LAGS[place]} d ${share(known, all)} % (new names ${share(knownNew, allNew)} %)`;
  });
  console.log(`${title}: ${shown.join(", ")}`);
}
