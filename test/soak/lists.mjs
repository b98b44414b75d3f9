// Kills `addrsift lists update` at random points, and looks each time whether the lists are the old or the new ones and whole.
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
const provide = (round) => writeFileSync(join(from, "D.txt"), `${base}soak-throw-away-${round}.com\n`);
const update = ["lists", "update", "--json", "--home", home, "--from", from];

const run = (args) => spawnSync(process.execPath, [COMMAND, ...args], { encoding: "utf8" });
const version = () => {
  const { status, stdout, stderr } = run(["lists", "status", "--json", "--home", home]);
  if (status !== 0 || stderr !== "") throw new Error(`lists status gave ${status}: ${stderr}`);
  return JSON.parse(stdout).data_version;
};
const knows = (round) => {
  const { stdout } = run(["detect", "--offline", "--home", home, `a@soak-throw-away-${round}.com`]);
  return JSON.parse(stdout).disposable;
};

provide(0);
const started = performance.now();
const first = run(update);
const wholeMs = performance.now() - started;
if (first.status !== 0) throw new Error(first.stderr);
let current = version();
let kept = 0;
let replaced = 0;
let last = 0;
for (let round = 1; round <= rounds; round += 1) {
  provide(round);
  const child = startNode([COMMAND, ...update], { stdio: "ignore" });
  const timer = setTimeout(() => child.kill("SIGKILL"), Math.random() * 1.1 * wholeMs);
  await child.ended;
  clearTimeout(timer);
  const now = version();
  // The verdict and the version go together: no mixture.
  const wanted = now === current ? last : round;
  for (const one of new Set([last, round])) {
    if (knows(one) !== (one === wanted)) throw new Error(`round ${round}: ${now} is a mixture at ${one}`);
  }
  if (now === current) kept += 1;
  else replaced += 1;
  current = now;
  last = wanted;
}
provide(rounds + 1);
const { status, stderr } = run(update);
if (status !== 0 || !knows(rounds + 1)) throw new Error(`the last update gave ${status}: ${stderr}`);
const left = readdirSync(join(home, "lists")).filter((name) => name.endsWith(".bin")).length;
if (left > 3) throw new Error(`${left} versions are kept`);
console.log(`${rounds} kills: ${kept} left the old lists, ${replaced} the new ones; every look found them whole`);
