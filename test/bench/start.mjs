// How much a one-off `detect` costs above Node's own start, with the built lists and with lists of ten times the size, and how
// long hostile input takes. Programs run in turns; ratios are medians of the ratios within a turn.
//   npm run bench:start

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FROM_SOURCE } from "../helpers/from-source.mjs";
import { ENV, median, printTable, ROOT } from "./measure.mjs";

const TURNS = 31;
const WARM_UP = 3;
const HOSTILE_LIMIT_MS = 50;
const LISTED = { args: ["detect", "jane.doe@mailinator.com"], disposable: true };
const UNLISTED = { args: ["detect", "--offline", "jane.doe@quiet-harbour-tools.com"], disposable: false };

const folder = mkdtempSync(join(tmpdir(), "addrsift-bench-"));
try {
  measureStart();
  await reportHostile();
} finally {
  rmSync(folder, { recursive: true });
}

function measureStart() {
  const empty = join(folder, "empty.cjs");
  writeFileSync(empty, "");
  const tenfold = makeTenfold();
  const programs = [
    { name: "node empty.cjs", run: () => start([empty]) },
    { name: "detect, listed", run: () => detect(ROOT, LISTED), base: 0, goal: 1.25 },
    { name: "detect --offline, unlisted", run: () => detect(ROOT, UNLISTED), base: 0, goal: 1.6 },
    { name: "listed, lists x 10, to ordinary", run: () => detect(tenfold, LISTED), base: 1, goal: 1.1 },
    { name: "unlisted, lists x 10, to ordinary", run: () => detect(tenfold, UNLISTED), base: 2, goal: 1.1 },
  ];
  const turns = Array.from({ length: WARM_UP + TURNS }, () => programs.map((program) => program.run())).slice(WARM_UP);
  const rows = programs.map(({ name, base, goal }, i) => {
    const ms = median(turns.map((turn) => turn[i])).toFixed(1);
    if (base === undefined) return [name, ms, "1.00", "", ""];
    const ratio = median(turns.map((turn) => turn[i] / turn[base]));
    return [name, ms, ratio.toFixed(2), `<= ${goal}`, ratio <= goal ? "ok" : "MISS"];
  });
  printTable(["one-off", "median ms", "ratio", "goal", ""], rows);
}

/** Milliseconds of one start of Node. Standard output is a pipe: a device might be taken for a terminal. */
function start(args, disposable) {
  const begin = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env: ENV, encoding: "utf8" });
  const ms = performance.now() - begin;
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  if (disposable !== undefined && JSON.parse(stdout).disposable !== disposable) throw new Error(`wrong: ${stdout}`);
  return ms;
}

function detect(root, { args, disposable }) {
  return start([join(root, "bin/addrsift.cjs"), ...args], disposable);
}

/** In a process of its own: with the memory that it takes, every start from here would take longer. */
function makeTenfold() {
  const root = join(folder, "tenfold");
  execFileSync(process.execPath, [...FROM_SOURCE, join(import.meta.dirname, "tenfold.mjs"), root], {
    env: ENV,
    stdio: "inherit",
  });
  return root;
}

async function reportHostile() {
  // Loaded only now: the lists in memory would slow the starts down.
  const { measureHostile } = await import("./hostile.mjs");
  const found = await measureHostile();
  const late = found.filter(([, ms]) => ms > HOSTILE_LIMIT_MS);
  const shown = late.length > 3 ? late : found.slice(0, 3);
  const rows = shown.map(([name, ms]) => {
    return [name, ms.toFixed(1), `<= ${HOSTILE_LIMIT_MS}`, ms > HOSTILE_LIMIT_MS ? "MISS" : "ok"];
  });
  printTable([`slowest of ${found.length} hostile inputs`, "ms", "goal", ""], rows);
}
