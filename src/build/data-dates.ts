// Maintainers' program: dates the names of the community list (D) by the commits in a clone of its repository and,
// after the last commit, by the daily releases of its package.
//   npm run data:dates -- CLONE

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestNames, formatSnapshot, parseSnapshot } from "../curation/snapshot.ts";
import { CurationError, readNames, snapshotPath } from "../curation/sources.ts";
import { runProgram } from "./generated.ts";
import { downloadRelease, run } from "./pypi.ts";

const FILE = join(import.meta.dirname, "../../data", snapshotPath("D"));
const PACKAGE = "disposable-email-domains";
// The file's name until 2020, and its name since then.
const LISTS = ["disposable_email_blacklist.conf", "disposable_email_blocklist.conf"];

await runProgram(() => {
  const [clone] = process.argv.slice(2);
  if (clone === undefined) throw new CurationError(`no clone: git clone https://github.com/${PACKAGE}/${PACKAGE}`);
  const snapshot = parseSnapshot(readFileSync(FILE, "utf8"), FILE);
  let names = new Map<string, readonly [string]>();
  let history = "";
  const addList = (day: string, list: readonly string[]): void => {
    history ||= day;
    names = new Map(list.map((name) => [name, names.get(name) ?? [day]]));
  };
  const git = (...args: string[]): string => run("git", ["-C", clone, ...args]);
  const commits = git("log", "--first-parent", "--reverse", "--format=%H %cs", "--", ...LISTS)
    .trim()
    .split("\n");
  for (const [commit = "", day = ""] of commits.map((line) => line.split(" "))) {
    const file = git("ls-tree", "--name-only", commit, ...LISTS).trim();
    addList(
      day,
      readNames(git("show", `${commit}:${file}`)).map((name) => name.toLowerCase()),
    );
  }
  const newest = commits.at(-1)?.split(" ")[1] ?? "";
  for (const [day, list] of releasesAfter(newest, snapshot.version)) addList(day, list);
  const mismatch = [...names.keys(), ...snapshot.names.keys()].find(
    (name) => names.has(name) !== snapshot.names.has(name),
  );
  if (mismatch !== undefined) throw new CurationError(`${mismatch} is not in both the history and ${FILE}`);
  const datedNames = new Map([...names].sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, formatSnapshot({ ...snapshot, history, names: datedNames, digest: digestNames(datedNames) }));
  console.log(`data:dates: ${datedNames.size} names, the first of ${history}`);
});

/** Returns the package's releases after a day, up to a version, with the days on which they were packed. */
function releasesAfter(day: string, version: string): (readonly [day: string, names: string[]])[] {
  const versions = /^Available versions: (.*)$/m.exec(run("python3", ["-m", "pip", "index", "versions", PACKAGE]))?.[1];
  const newestFirst = versions?.split(", ") ?? [];
  const releases: (readonly [string, string[]])[] = [];
  for (const release of newestFirst.slice(newestFirst.indexOf(version))) {
    const wheel = downloadRelease(`${PACKAGE}==${release}`, "disposable_email_domains/__init__.py");
    if (wheel.day <= day) break;
    releases.unshift([wheel.day, readNames(wheel.text)]);
  }
  return releases;
}
