// How fast bulk input is classified, beside programs that only read it and beside other packages, and how much memory it takes.
// Programs run in turns with standard output dropped; figures are medians, ratios are medians of the ratios within a round.
//   npm run bench:bulk [-- --rows N]

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, printTable, ROOT, run } from "./measure.mjs";

const ROUNDS = 3;
// Python, evidence and tables are so slow that they get a part of the rows.
const SLOW_PART = 25;

const { values } = parseArgs({ options: { rows: { type: "string", default: "5000000" } } });
const ROWS = Number(values.rows);
if (!Number.isInteger(ROWS) || ROWS < SLOW_PART) throw new Error(`--rows ${values.rows}: no number of rows`);

const HERE = import.meta.dirname;
const INPUTS = join(ROOT, ".bench");
const bench = (file, ...args) => [process.execPath, join(HERE, file), ...args];
const detect = (...args) => [process.execPath, join(ROOT, "bin/addrsift.cjs"), "detect", "--quiet", ...args];

const PLAIN_NDJSON = "addrsift plain -> ndjson";
const CSV_CSV = "addrsift CSV -> CSV";
const DIFFERENT = "addrsift all domains different";
const CSV_ARGS = ["--csv", "--format", "csv"];
const JSON_LINES = "addrsift JSON Lines -> JSON Lines";
const REPORT = "addrsift plain -> ndjson --report";
const FIELDS = ["--fields", "disposable,fault,suggestion,domain"];

/** Name, kind of input, command. */
const PROGRAMS = [
  ["byte loop", "plain", bench("baselines.mjs", "bytes")],
  ["readline, doing nothing", "plain", bench("baselines.mjs", "readline")],
  ["naive", "plain", bench("naive.mjs")],
  ["papaparse, only parsing", "csv", bench("baselines.mjs", "papaparse")],
  ["csv-parse, only parsing", "csv", bench("baselines.mjs", "csv-parse")],
  ["validator", "plain", bench("peers.mjs", "validator")],
  ["mailchecker", "plain", bench("peers.mjs", "mailchecker")],
  ["@hapi/address", "plain", bench("peers.mjs", "hapi")],
  ["email-validator", "plain", bench("peers.mjs", "email-validator")],
  [PLAIN_NDJSON, "plain", detect("--format", "ndjson")],
  ["addrsift plain -> csv", "plain", detect("--format", "csv")],
  [CSV_CSV, "csv", detect(...CSV_ARGS)],
  [DIFFERENT, "different", detect("--format", "ndjson")],
];

/** What rows can carry, and other forms of them; each is held against the plain form. */
const FORMS = [
  [JSON_LINES, "jsonl", detect("--jsonl")],
  ["addrsift JSON Lines, --into", "jsonl", detect("--jsonl", "--into", "said")],
  ["addrsift --domains -> ndjson", "domains", detect("--domains", "--format", "ndjson")],
  ["addrsift plain -> ndjson --fields", "plain", detect("--format", "ndjson", ...FIELDS)],
  ["addrsift CSV -> CSV --fields", "csv", detect(...CSV_ARGS, ...FIELDS)],
  ["addrsift CSV -> CSV, two columns", "csv", detect(...CSV_ARGS, "--column", "email", "--column", "name")],
  [REPORT, "plain", detect("--format", "ndjson", "--report", join(INPUTS, "report.html"))],
  ["addrsift plain -> ndjson --explain", "part", detect("--format", "ndjson", "--explain")],
  ["addrsift plain -> table", "part", detect("--format", "table")],
];
PROGRAMS.push(...FORMS);

const PYTHON = ["email-validator (Python)", "part", ["python3", join(HERE, "peers.py")]];
const hasPython = spawnSync("python3", ["-c", "import email_validator"]).status === 0;
if (hasPython) PROGRAMS.push(PYTHON);

/** Rows a second of a core. */
const RATES = [
  [PLAIN_NDJSON, 2.0e6],
  [CSV_CSV, 1.6e6],
  [DIFFERENT, 0.8e6],
  [JSON_LINES, 1.0e6],
];

/** The first as many times as fast as the second; the goal where there is one. */
const RATIOS = [
  [PLAIN_NDJSON, "naive", 4],
  [PLAIN_NDJSON, "byte loop"],
  [PLAIN_NDJSON, "readline, doing nothing"],
  [CSV_CSV, "papaparse, only parsing", 1],
  [CSV_CSV, "csv-parse, only parsing"],
  [PLAIN_NDJSON, "validator", 3],
  [PLAIN_NDJSON, "mailchecker", 1.5],
  [PLAIN_NDJSON, "@hapi/address"],
  [PLAIN_NDJSON, "email-validator"],
  ...(hasPython ? [[PLAIN_NDJSON, PYTHON[0]]] : []),
  // A report may take 15 % of a run's time.
  ...FORMS.map(([name]) => [name, PLAIN_NDJSON, ...(name === REPORT ? [0.87] : [])]),
];
const PEAK_MAX = 110;
const GROWN_MAX = 15;
const PEAK_GOAL = `< ${PEAK_MAX}, within ${GROWN_MAX}`;

await main();

async function main() {
  if (!existsSync(join(HERE, "node_modules/validator"))) {
    execFileSync("npm", ["ci", "--ignore-scripts", "--prefix", HERE], { stdio: "inherit" });
  }
  mkdirSync(INPUTS, { recursive: true });
  console.log(`${ROWS} rows, ${ROUNDS} rounds, Node ${process.version}\n`);
  const inputs = makeInputs();
  report(await measureRounds(inputs));
  await reportMemory();
}

function rowsOf(kind) {
  return kind === "part" ? Math.floor(ROWS / SLOW_PART) : ROWS;
}

/** A file with input of a kind. Made by another process, which keeps this one small. */
function makeInput(kind, rows) {
  const file = join(INPUTS, `${kind}-${rows}`);
  const written = kind === "part" ? "plain" : kind;
  execFileSync(process.execPath, [join(HERE, "generate.mjs"), written, String(rows), file]);
  return file;
}

/** A file for each kind of input that a program takes. */
function makeInputs() {
  const kinds = new Set(PROGRAMS.map(([, kind]) => kind));
  return new Map([...kinds].map((kind) => [kind, makeInput(kind, rowsOf(kind))]));
}

function programOf(name) {
  return PROGRAMS.find(([known]) => known === name);
}

/** The runs of each program by name. */
async function measureRounds(inputs) {
  const runs = new Map(PROGRAMS.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, kind, command] of PROGRAMS) {
      const { seconds, cpu, peak } = await run(command, inputs.get(kind));
      // Threads of Node's own count as well, and so does waiting: the worse of both.
      runs.get(name).push({ seconds, cpu, peak, rate: rowsOf(kind) / Math.max(seconds, cpu) });
    }
  }
  return runs;
}

function report(runs) {
  const rows = PROGRAMS.map(([name]) => {
    const middle = (key) => median(runs.get(name).map((run) => run[key]));
    const [rate, seconds, cpu, peak] = ["rate", "seconds", "cpu", "peak"].map(middle);
    return [name, millions(rate), seconds.toFixed(2), cpu.toFixed(2), peak.toFixed(0)];
  });
  printTable(["program", "M rows/s/core", "s", "CPU s", "peak MB"], rows);

  const rates = RATES.map(([name, goal]) => {
    const rate = median(runs.get(name).map((run) => run.rate));
    return [`${name}, M rows/s/core`, millions(rate), ...judged(rate >= goal, `>= ${millions(goal)}`)];
  });
  const ratios = RATIOS.map(([name, other, goal]) => {
    const ratio = ratioOf(runs, name, other, "rate");
    const beside = goal === undefined ? ["", ""] : judged(ratio >= goal, `>= ${goal}`);
    return [`${name} / ${other}`, ratio.toFixed(2), ...beside];
  });
  printTable(["figure", "", "goal", ""], [...rates, ...ratios]);
}

function ratioOf(runs, name, other, key) {
  return median(runs.get(name).map((run, round) => run[key] / runs.get(other)[round][key]));
}

function judged(met, goal) {
  return [goal, met ? "ok" : "MISS"];
}

function millions(rate) {
  return (rate / 1e6).toFixed(2);
}

/** Memory must not grow with the input: a fifth, the double and four times the rows, 1, 10 and 20 million by default. */
async function reportMemory() {
  const sizes = [Math.round(ROWS / 5), 2 * ROWS, 4 * ROWS];
  const rows = [];
  for (const name of [PLAIN_NDJSON, CSV_CSV, DIFFERENT]) {
    const [, kind, command] = programOf(name);
    const peaks = [];
    for (const size of sizes) {
      const input = makeInput(kind, size);
      peaks.push((await run(command, input)).peak);
      rmSync(input);
    }
    const grown = Math.max(...peaks) - Math.min(...peaks);
    const beside = judged(Math.max(...peaks) < PEAK_MAX && grown <= GROWN_MAX, PEAK_GOAL);
    rows.push([name, ...peaks.map((peak) => peak.toFixed(0)), ...beside]);
  }
  printTable(["peak memory, MB", ...sizes.map((size) => `${size} rows`), "goal", ""], rows);
}
