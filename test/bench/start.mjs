// Measures CPU time of single calls of the installed package as multiples of Node's own start, alternately; also with
// lists of ten times the size. Ratios are medians of the ratios within a round.
//   npm run bench:start [-- --turns N]

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FROM_SOURCE } from "../helpers/from-source.mjs";
import { scratchFolder } from "../helpers/programs.mjs";
import { ENV, installPackage, median, printTable, run, verdict } from "./measure.mjs";

const WARM_UP = 2;
const { values } = parseArgs({ options: { turns: { type: "string", default: "15" } } });

const folder = scratchFolder("bench");
ENV.ADDRSIFT_HOME = join(folder, "home");
const LISTED = ["detect", "jane.doe@mailinator.com"];
const UNLISTED = ["detect", "--offline", "jane.doe@quiet-harbour-tools.com"];
/** Title, arguments, maximum ratio, and destination of the output if it is not a pipe. */
const CALLS = [
  ["detect, listed", LISTED, 1.4],
  ["detect --offline, unlisted", UNLISTED, 1.5],
  ["detect --offline --json", ["detect", "--offline", "--json", "jane.doe@mailinator.com"], 1.8],
  ["detect, listed > /dev/null", LISTED, 1.4, "ignore"],
  ["detect --format table", ["detect", "--format", "table", "jane.doe@mailinator.com"], 3],
  ["detect, internationalized", ["detect", "--offline", "jane@bücher.de"], 1.9],
  ["lists lookup", ["lists", "lookup", "mailinator.com"], 4],
  ["lists status", ["lists", "status"], 4],
  ["keys list", ["keys", "list"], 2.8],
  ["--help", ["--help"], 2.2],
];

await reportStart(installPackage(), makeTenfold());

async function reportStart(installed, tenfold) {
  const empty = join(folder, "empty.cjs");
  writeFileSync(empty, "");
  const command = (root, args) => [process.execPath, join(root, "bin/addrsift.cjs"), ...args];
  const programs = [
    { name: "node empty.cjs", program: [process.execPath, empty], output: "pipe", base: 0 },
    ...CALLS.map(([name, args, goal, output = "pipe"]) => {
      return { name, program: command(installed, args), output, base: 0, goal };
    }),
    ...[LISTED, UNLISTED].map((args, i) => {
      const name = `${CALLS[i][0]}, lists x 10, compared with normal lists`;
      return { name, program: command(tenfold, args), output: "pipe", base: i + 1, goal: 1.1 };
    }),
  ];
  const turns = [];
  for (let turn = 0; turn < WARM_UP + Number(values.turns); turn += 1) {
    const runs = [];
    for (const { program, output } of programs) runs.push(await run(program, "/dev/null", output));
    if (turn >= WARM_UP) turns.push(runs);
  }
  const rows = programs.map(({ name, base, goal }, i) => {
    const [ms, peak] = ["cpu", "peak"].map((key) => median(turns.map((turn) => turn[i][key])));
    const ratio = median(turns.map((turn) => turn[i].cpu / turn[base].cpu));
    const goalCells = goal === undefined ? ["", ""] : [`<= ${goal}`, verdict(ratio <= goal)];
    return [name, (ms * 1000).toFixed(0), ratio.toFixed(2), peak.toFixed(0), ...goalCells];
  });
  printTable(["single call", "CPU ms", "ratio", "peak MB", "goal", ""], rows);
}

/** Creates the package in another process: a larger heap here would slow down every start. */
function makeTenfold() {
  const root = join(folder, "tenfold");
  const program = join(import.meta.dirname, "tenfold.mjs");
  execFileSync(process.execPath, [...FROM_SOURCE, program, root], { env: ENV, stdio: "inherit" });
  return root;
}
