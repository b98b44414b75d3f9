// Kills `addrsift lists update` at random points, and checks each time that the lists are entirely the old or the new
// ones.
//   npm run soak:lists [-- ROUNDS]

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMAND, ROOT, scratchFolder, startNode } from "../helpers/programs.mjs";

const rounds = Number(process.argv[2] ?? 50);
const scratch = scratchFolder("soak-lists");
const from = join(scratch, "from");
const home = join(scratch, "home");
mkdirSync(from);
const base = readFileSync(join(ROOT, "data/sources/D.txt"), "utf8").replace(/^#.*\n|\t.*$/gm, "");
const writeSource = (round) => writeFileSync(join(from, "D.txt"), `${base}soak-throw-away-${round}.com\n`);
const update = ["lists", "update", "--json", "--home", home, "--from", from];

const run = (args) => spawnSync(process.execPath, [COMMAND, ...args], { encoding: "utf8" });
const readVersion = () => {
  const { status, stdout, stderr } = run(["lists", "status", "--json", "--home", home]);
  if (status !== 0 || stderr !== "") throw new Error(`lists status gave ${status}: ${stderr}`);
  return JSON.parse(stdout).data_version;
};
const isListed = (round) => {
  const { stdout } = run(["detect", "--offline", "--home", home, `a@soak-throw-away-${round}.com`]);
  return JSON.parse(stdout).disposable;
};

writeSource(0);
const startMs = performance.now();
const first = run(update);
const updateMs = performance.now() - startMs;
if (first.status !== 0) throw new Error(first.stderr);
let current = readVersion();
let unchanged = 0;
let replaced = 0;
let last = 0;
for (let round = 1; round <= rounds; round += 1) {
  writeSource(round);
  const child = startNode([COMMAND, ...update], { stdio: "ignore" });
  const timer = setTimeout(() => child.kill("SIGKILL"), Math.random() * 1.1 * updateMs);
  await child.ended;
  clearTimeout(timer);
  const version = readVersion();
  // Version and verdicts must belong to the same lists.
  const expected = version === current ? last : round;
  for (const number of new Set([last, round])) {
    if (isListed(number) !== (number === expected))
      throw new Error(`round ${round}: ${version} mixes lists, see name ${number}`);
  }
  if (version === current) unchanged += 1;
  else replaced += 1;
  current = version;
  last = expected;
}
writeSource(rounds + 1);
const { status, stderr } = run(update);
if (status !== 0 || !isListed(rounds + 1)) throw new Error(`the last update gave ${status}: ${stderr}`);
const storedVersions = readdirSync(join(home, "lists")).filter((name) => name.endsWith(".bin")).length;
if (storedVersions > 3) throw new Error(`${storedVersions} versions are stored`);
console.log(`${rounds} kills: ${unchanged} left the old lists, ${replaced} the new ones; all were complete`);
