// Measures how much of Castle's list of a day, and of the community list's additions, was listed some days before, by
// the days in data/sources. Runs by hand:
//   git clone https://github.com/castle/disposable-email-domains /tmp/castle
//   node --import ./.ci/ts.mjs test/bench/replay.mjs /tmp/castle [FIRST_DAY] [CLONE:FILE...]
// The list of a day is the one that Castle published. Names without a day count as listed before. A file in a clone of
// another list's repository is replayed by its commits. With --short, only addrsift with all its lists is replayed.

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
// The windows separate days on which the other lists were still updated: E ends on 21 July, T on 13 April 2026.
const WINDOWS = ["2026-06-24", "2026-07-06", "2026-07-21", "2026-08-02", "2026-08-16"];
const WINDOW_LAG = 7;
const BACK_WITHIN_DAYS = 30;
// The other lists end in August 2026, the community list on 9 November.
const ADDITIONS = [
  ["2026-07-01", "2026-08-21"],
  ["2026-08-22", "2026-11-09"],
];
const [SINGLE, CONFIRMED] = [1, 3];

const inputs = readBuildInputs(ROOT);
const { snapshots, canaries } = inputs;
const packagedRules = createNameRules(inputs);
const memoizeByName = (test) => {
  const results = new Map();
  return (name) => {
    const result = results.get(name) ?? test(name);
    results.set(name, result);
    return result;
  };
};
const rules = {
  ...packagedRules,
  isFreeHost: memoizeByName(packagedRules.isFreeHost),
  isProtected: memoizeByName(packagedRules.isProtected),
};
const castle = snapshots.C;
const sinceOf = new Map(Array.from(castle.names, ([name, [since]]) => [name, since]));
const isShort = process.argv.includes("--short");
const [clone, ...others] = process.argv.slice(2).filter((text) => text !== "--short");
const peers = others.filter((text) => text.includes(":"));
const lists = listsOf(clone);
const days = [...lists.keys()].sort();
const first = others.find((text) => !text.includes(":")) ?? days[Math.floor(days.length / 2)];
// Without our own additions: they are newer than the lists, and some were found in them.
const variants = {
  ...(isShort
    ? {}
    : { "the other lists": rankByLists((key) => key !== "C"), "Castle's own days": rankByLists((key) => key === "C") }),
  both: rankByLists(() => true),
  ...Object.fromEntries(peers.map((peer) => [peer, rankByPeer(...peer.split(":"))])),
};

const addDays = (day, lag) => new Date(Date.parse(day) + lag * DAY_MS).toISOString().slice(0, 10);

/** Returns a function that ranks a name by the lists of a day: its best rank or its parents'; 0 if none counts. */
function rankByLists(isUsed) {
  return (day) => {
    const { disposable } = mergeDisposable(sourcesAsOf(snapshots, day, isUsed), [], rules, canaries);
    return (name) => {
      let best = 0;
      withParents((candidate) => {
        best = Math.max(best, confidenceRank(entryFlags(disposable.get(candidate) ?? 0)));
        return best === CONFIRMED;
      })(name);
      return best;
    };
  };
}

/** Does the same for a file of another list, in the newest commit up to that day. */
function rankByPeer(clone, file) {
  const commits = commitsOf(clone, file).reverse();
  return (day) => {
    const [commit] = commits.find(([, date]) => date <= day);
    const names = new Set(git(clone, "show", `${commit}:${file}`).split(/[^\w.-]+/));
    const isListed = withParents((name) => names.has(name));
    return (name) => (isListed(name) ? SINGLE : 0);
  };
}

function withParents(test) {
  return (name) => test(name) || closestAncestor(name, test) !== undefined;
}

function git(clone, ...args) {
  return execFileSync("git", ["-C", clone, ...args], { encoding: "utf8", maxBuffer: 1 << 28 });
}

/** Returns the commits that changed a file with their days, oldest first. */
function commitsOf(clone, file) {
  const log = git(clone, "log", "--first-parent", "--reverse", "--format=%H %cs", "--", file);
  return log
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
}

/** Returns Castle's list of each day, from the commits of a clone. */
function listsOf(clone) {
  const file = "disposable-email-domains.txt";
  return new Map(
    commitsOf(clone, file).map(([commit, day]) => [day, git(clone, "show", `${commit}:${file}`).trim().split("\n")]),
  );
}

const listOn = (day) => lists.get(day).filter((name) => sinceOf.has(name) && !rules.isProtected(name));

console.log(
  `days from ${first} to ${days.at(-1)}; without protected, public and relay names, and without our own additions`,
);
const share = ({ listed, all }) => (all === 0 ? "–" : ((100 * listed) / all).toFixed(1));
const count = (sum, isListed) => {
  sum.all += 1;
  sum.listed += isListed ? 1 : 0;
};
const empty = () => ({ listed: 0, all: 0 });
for (const [title, rankOn] of Object.entries(variants)) {
  const sums = LAGS.map(() => ({ counted: empty(), confirmed: empty(), fresh: empty() }));
  const windows = WINDOWS.slice(1).map(empty);
  for (const earlierDay of days) {
    // A merge takes a second, so each is used for all lags.
    const isWanted = (day) => lists.has(day) && day >= (first < WINDOWS[0] ? first : WINDOWS[0]);
    if (!LAGS.some((lag) => isWanted(addDays(earlierDay, lag)))) continue;
    const rankOf = memoizeByName(rankOn(earlierDay));
    for (const [index, lag] of LAGS.entries()) {
      const day = addDays(earlierDay, lag);
      if (!isWanted(day)) continue;
      const window = WINDOWS.findIndex((from, i) => earlierDay >= from && earlierDay < (WINDOWS[i + 1] ?? ""));
      for (const name of listOn(day)) {
        const rank = rankOf(name);
        const isFresh = sinceOf.get(name) > earlierDay;
        if (isFresh && lag === WINDOW_LAG && window >= 0) count(windows[window], rank >= SINGLE);
        if (day < first) continue;
        count(sums[index].counted, rank >= SINGLE);
        count(sums[index].confirmed, rank >= CONFIRMED);
        if (isFresh) count(sums[index].fresh, rank >= SINGLE);
      }
    }
  }
  console.log(`${title}: listed (confirmed), and listed among new names`);
  for (const [index, { counted, confirmed, fresh }] of sums.entries())
    console.log(`  ${LAGS[index]} d: ${share(counted)} % (${share(confirmed)} %), new ${share(fresh)} %`);
  const windowTexts = windows.map((sum, i) => `from ${WINDOWS[i]} ${share(sum)} %`);
  console.log(`  new names at ${WINDOW_LAG} d by day: ${windowTexts.join(", ")}`);
}

// Measures how many additions of the community list were listed some days before, in periods with and without other
// fresh lists.
for (const [from, to] of ADDITIONS) {
  const added = Array.from(snapshots.D.names, ([name, [day]]) => ({ name, day })).filter(
    ({ name, day }) => day >= from && day <= to && !rules.isProtected(name),
  );
  const sums = LAGS.map(() => ({ counted: empty(), confirmed: empty() }));
  const rankOn = memoizeByName(rankByLists(() => true));
  for (const [index, lag] of LAGS.entries()) {
    for (const { name, day } of added) {
      const rank = rankOn(addDays(day, -lag))(name);
      count(sums[index].counted, rank >= SINGLE);
      count(sums[index].confirmed, rank >= CONFIRMED);
    }
  }
  const lagTexts = sums.map(({ counted, confirmed }, i) => `${LAGS[i]} d: ${share(counted)} % (${share(confirmed)} %)`);
  console.log(`the community list's ${added.length} names of ${from} to ${to}, listed before: ${lagTexts.join(", ")}`);
}

// Measures how often a name returns within a month, by the number of Castle's last editions that lack it.
const back = AGES.map(empty);
for (const [index, today] of days.entries()) {
  if (!days.includes(addDays(today, BACK_WITHIN_DAYS))) continue;
  const lastIndex = new Map();
  for (const [i, day] of days.slice(0, index + 1).entries()) for (const name of lists.get(day)) lastIndex.set(name, i);
  const nextDays = days.filter((day) => day > today && day <= addDays(today, BACK_WITHIN_DAYS));
  const nextNames = new Set(nextDays.flatMap((day) => lists.get(day)));
  for (const [name, last] of lastIndex)
    count(back[AGES.findIndex((maxAge) => index - last <= maxAge)] ?? empty(), nextNames.has(name));
}
const ages = back.map((sum, i) => `${i === 0 ? 0 : AGES[i - 1] + 1}–${AGES[i]}: ${share(sum)} %`);
console.log(`back within ${BACK_WITHIN_DAYS} days, by the number of missed editions: ${ages.join(", ")}`);
