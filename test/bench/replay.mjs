// How much of a day's list at Castle, and of the community list's additions, is known some days before, replayed from
// the days in data/sources. By hand, on plain Node:
//   git clone https://github.com/castle/disposable-email-domains /tmp/castle
//   node --import ./.ci/ts.mjs test/bench/replay.mjs /tmp/castle [FIRST_DAY] [CLONE:FILE...]
// The list of a day is the one that Castle published. What a list without days had is taken as known. A file in a clone
// of another list's repository is replayed by its commits. With --short only addrsift with all its lists is replayed.

import { execFileSync } from "node:child_process";
import { createNameRules, readBuildInputs } from "../../src/curation/build-inputs.ts";
import { mergeDisposable } from "../../src/curation/merge.ts";
import { closestAncestor } from "../../src/curation/names.ts";
import { confidenceRank, entryFlags } from "../../src/lists/confidence.ts";
import { ROOT } from "../helpers/programs.mjs";
import { sourcesAsOf } from "../helpers/sources-as-of.ts";

const DAY_MS = 86_400_000;
const LAGS = [1, 3, 7, 14, 30, 60];
const AGES = [0, 3, 7, 14, 30, 60, 90];
// Lists end on different days, so days differ in how fresh the others are: E's on 21 July, T's on 13 April 2026.
const WINDOWS = ["2026-06-24", "2026-07-06", "2026-07-21", "2026-08-02", "2026-08-16"];
const WINDOW_LAG = 7;
const BACK_WITHIN_DAYS = 30;
// The other lists end in August 2026, the community's on 9 November.
const ADDITIONS = [
  ["2026-07-01", "2026-08-21"],
  ["2026-08-22", "2026-11-09"],
];
const [SINGLE, CONFIRMED] = [1, 3];

const inputs = readBuildInputs(ROOT);
const { snapshots, canaries } = inputs;
const packagedRules = createNameRules(inputs);
const cached = (test) => {
  const known = new Map();
  return (name) => {
    const found = known.get(name) ?? test(name);
    known.set(name, found);
    return found;
  };
};
const rules = {
  ...packagedRules,
  isFreeHost: cached(packagedRules.isFreeHost),
  isProtected: cached(packagedRules.isProtected),
};
const castle = snapshots.C;
const sinceOf = new Map(Array.from(castle.names, ([name, [since]]) => [name, since]));
const isShort = process.argv.includes("--short");
const [clone, ...others] = process.argv.slice(2).filter((text) => text !== "--short");
const peers = others.filter((text) => text.includes(":"));
const lists = listsOf(clone);
const days = [...lists.keys()].sort();
const first = others.find((text) => !text.includes(":")) ?? days[Math.floor(days.length / 2)];
// Our own additions are of a later day than the lists, and some were found in them.
const variants = {
  ...(isShort
    ? {}
    : {
        "the other lists": knownByLists((key) => key !== "C"),
        "Castle's own days": knownByLists((key) => key === "C"),
      }),
  both: knownByLists(() => true),
  ...Object.fromEntries(peers.map((place) => [place, knownByPeer(...place.split(":"))])),
};

const after = (day, lag) => new Date(Date.parse(day) + lag * DAY_MS).toISOString().slice(0, 10);

/** Returns the rank of a name on a day: its best then, or its parents'; 0 when none counts. */
function knownByLists(isUsed) {
  return (day) => {
    const { disposable } = mergeDisposable(sourcesAsOf(snapshots, day, isUsed), [], rules, canaries);
    return (name) => {
      let best = 0;
      withParents((one) => {
        best = Math.max(best, confidenceRank(entryFlags(disposable.get(one) ?? 0)));
        return best === CONFIRMED;
      })(name);
      return best;
    };
  };
}

/** The same for a file of another list, of which the newest commit of that day or before counts. */
function knownByPeer(clone, file) {
  const commits = commitsOf(clone, file).reverse();
  return (day) => {
    const [commit] = commits.find(([, date]) => date <= day);
    const names = new Set(git(clone, "show", `${commit}:${file}`).split(/[^\w.-]+/));
    const isKnown = withParents((name) => names.has(name));
    return (name) => (isKnown(name) ? SINGLE : 0);
  };
}

function withParents(test) {
  return (name) => test(name) || closestAncestor(name, test) !== undefined;
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
const share = ({ known, all }) => (all === 0 ? "–" : ((100 * known) / all).toFixed(1));
const count = (sum, known) => {
  sum.all += 1;
  sum.known += known ? 1 : 0;
};
const empty = () => ({ known: 0, all: 0 });
for (const [title, knownOn] of Object.entries(variants)) {
  const sums = LAGS.map(() => ({ counted: empty(), confirmed: empty(), fresh: empty() }));
  const windows = WINDOWS.slice(1).map(empty);
  for (const then of days) {
    // A merge takes a second, so each serves all lags.
    const isWanted = (day) => lists.has(day) && day >= (first < WINDOWS[0] ? first : WINDOWS[0]);
    if (!LAGS.some((lag) => isWanted(after(then, lag)))) continue;
    const rankOf = cached(knownOn(then));
    for (const [place, lag] of LAGS.entries()) {
      const day = after(then, lag);
      if (!isWanted(day)) continue;
      const window = WINDOWS.findIndex((from, i) => then >= from && then < (WINDOWS[i + 1] ?? ""));
      for (const name of listOn(day)) {
        const rank = rankOf(name);
        const isFresh = sinceOf.get(name) > then;
        if (isFresh && lag === WINDOW_LAG && window >= 0) count(windows[window], rank >= SINGLE);
        if (day < first) continue;
        count(sums[place].counted, rank >= SINGLE);
        count(sums[place].confirmed, rank >= CONFIRMED);
        if (isFresh) count(sums[place].fresh, rank >= SINGLE);
      }
    }
  }
  console.log(`${title}: known, of these confirmed, and of names that are new`);
  for (const [place, { counted, confirmed, fresh }] of sums.entries())
    console.log(`  ${LAGS[place]} d: ${share(counted)} % (${share(confirmed)} %), new ${share(fresh)} %`);
  const shown = windows.map((sum, i) => `from ${WINDOWS[i]} ${share(sum)} %`);
  console.log(`  new names at ${WINDOW_LAG} d by day: ${shown.join(", ")}`);
}

/** How much of what the community list adds the lists know some days before, by days on which others are fresh or not. */
for (const [from, to] of ADDITIONS) {
  const added = Array.from(snapshots.D.names, ([name, [day]]) => ({ name, day })).filter(
    ({ name, day }) => day >= from && day <= to && !rules.isProtected(name),
  );
  const sums = LAGS.map(() => ({ counted: empty(), confirmed: empty() }));
  const rankOn = cached(knownByLists(() => true));
  for (const [place, lag] of LAGS.entries()) {
    for (const { name, day } of added) {
      const rank = rankOn(after(day, -lag))(name);
      count(sums[place].counted, rank >= SINGLE);
      count(sums[place].confirmed, rank >= CONFIRMED);
    }
  }
  const shown = sums.map(({ counted, confirmed }, i) => `${LAGS[i]} d: ${share(counted)} % (${share(confirmed)} %)`);
  console.log(`the community list's ${added.length} names of ${from} to ${to}, known before: ${shown.join(", ")}`);
}

/** How often a name that Castle last had some of its days ago is back within a month. */
const back = AGES.map(empty);
for (const [place, now] of days.entries()) {
  if (!days.includes(after(now, BACK_WITHIN_DAYS))) continue;
  const lastPlace = new Map();
  for (const [i, day] of days.slice(0, place + 1).entries()) for (const name of lists.get(day)) lastPlace.set(name, i);
  const coming = days.filter((day) => day > now && day <= after(now, BACK_WITHIN_DAYS));
  const seen = new Set(coming.flatMap((day) => lists.get(day)));
  for (const [name, at] of lastPlace)
    count(back[AGES.findIndex((most) => place - at <= most)] ?? empty(), seen.has(name));
}
const ages = back.map((sum, i) => `${i === 0 ? 0 : AGES[i - 1] + 1}–${AGES[i]}: ${share(sum)} %`);
console.log(`back within ${BACK_WITHIN_DAYS} days, by the number of days since the last one: ${ages.join(", ")}`);
