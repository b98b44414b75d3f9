// How much of a day's list at Castle is known some days before, replayed from the days in data/sources. By hand, on plain Node:
//   git clone https://github.com/castle/disposable-email-domains /tmp/castle
//   node --import ./.ci/ts.mjs test/bench/replay.mjs /tmp/castle [FIRST_DAY] [CLONE:FILE...]
// The list of a day is the one that Castle published. What a list without days had is taken as known. A file in a clone of another
// list's repository is replayed by its commits.

import { execFileSync } from "node:child_process";
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
const [clone, ...others] = process.argv.slice(2);
const peers = others.filter((text) => text.includes(":"));
const lists = listsOf(clone);
const days = [...lists.keys()].sort();
const first = others.find((text) => !text.includes(":")) ?? days[Math.floor(days.length / 2)];
// Our own additions are of a later day than the lists, and some were found in them.
const variants = {
  "the other lists": knownByLists((key) => key !== "C"),
  "Castle's own days": knownByLists((key) => key === "C"),
  both: knownByLists(() => true),
  ...Object.fromEntries(peers.map((place) => [place, knownByPeer(...place.split(":"))])),
};

const after = (day, lag) => new Date(Date.parse(day) + lag * DAY_MS).toISOString().slice(0, 10);

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

/** Gives the test of a name for a day: known by itself or by a parent then. */
function knownByLists(isUsed) {
  return (day) => {
    const { disposable } = mergeDisposable(asOf(day, isUsed), [], rules, canaries);
    return withParents((name) => confidenceRank(octetOf(disposable.get(name) ?? 0)) >= LEAST_RANK);
  };
}

/** The same for a file of another list, of which the newest commit of that day or before counts. */
function knownByPeer(clone, file) {
  const commits = commitsOf(clone, file).reverse();
  return (day) => {
    const [commit] = commits.find(([, date]) => date <= day);
    const names = new Set(git(clone, "show", `${commit}:${file}`).split(/[^\w.-]+/));
    return withParents((name) => names.has(name));
  };
}

function withParents(test) {
  return (name) => test(name) || findParent(name, test) !== undefined;
}

function git(clone, ...args) {
  return execFileSync("git", ["-C", clone, ...args], { encoding: "utf8", maxBuffer: 1 << 28 });
}

/** The commits that changed a file, each with its day, the oldest first. */
function commitsOf(clone, file) {
  const log = git(clone, "log", "--first-parent", "--reverse", "--format=%H %cs", "--", file);
  return log
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
}

/** Castle's list of each day, by the commits of a clone. */
function listsOf(clone) {
  const file = "disposable-email-domains.txt";
  return new Map(
    commitsOf(clone, file).map(([commit, day]) => [day, git(clone, "show", `${commit}:${file}`).trim().split("\n")]),
  );
}

const listOn = (day) => lists.get(day).filter((name) => sinceOf.has(name) && !rules.isProtected(name));

console.log(
  `days from ${first} to ${days.at(-1)}; protected, public and relay names left out; additions of our own not used`,
);
const share = ({ known, all }) => ((100 * known) / all).toFixed(1);
for (const [title, knownOn] of Object.entries(variants)) {
  const sums = LAGS.map(() => ({ every: { known: 0, all: 0 }, fresh: { known: 0, all: 0 } }));
  const count = (sum, known) => {
    sum.all += 1;
    sum.known += known ? 1 : 0;
  };
  for (const then of days) {
    // A merge takes a second, so each serves all lags.
    const wanted = LAGS.map((lag) => after(then, lag)).filter((day) => lists.has(day) && day >= first);
    const isKnown = wanted.length === 0 ? undefined : cached(knownOn(then));
    for (const [place, lag] of LAGS.entries()) {
      const day = after(then, lag);
      if (!wanted.includes(day)) continue;
      for (const name of listOn(day)) {
        count(sums[place].every, isKnown(name));
        if (sinceOf.get(name) > then) count(sums[place].fresh, isKnown(name));
      }
    }
  }
  const shown = sums.map(
    ({ every, fresh }, place) => `${LAGS[place]} d ${share(every)} % (new names ${share(fresh)} %)`,
  );
  console.log(`${title}: ${shown.join(", ")}`);
}
