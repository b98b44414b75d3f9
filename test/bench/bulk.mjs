// Measures CPU time of bulk runs of the installed package: five input sizes, compared with scripts and packages that
// people use instead; other input and output formats, compared with plain lines; and the accelerator, compared with
// runs without it, on three lists. Programs alternate, and their output is discarded. Figures are medians over the
// rounds; ratios are medians of the ratios within a round.
//   npm run bench:bulk [-- --rounds N] [-- --rows 8000,100000] [-- --only sizes|forms|accelerator]

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../helpers/programs.mjs";
import { installPackage, installPeers, median, printTable, run, verdict } from "./measure.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    rows: { type: "string", default: "1,8000,100000,300000,3000000" },
    only: { type: "string" },
  },
});
const ROUNDS = Number(values.rounds);
const SIZES = values.rows.split(",").map(Number);
// Number of rows for formats, and for slow formats.
const [FORM_ROWS, SLOW_ROWS] = [300_000, 20_000];
const PEAK_MAX_MB = 110;
/** Inputs that the accelerator must not slow down. */
const LISTS = ["consumer", "mixed", "business"];
const LIST_FORMS = { plain: [], csv: ["--csv"], jsonl: ["--jsonl"], flat: ["--jsonl"] };
const LIST_SIZES = [8000, 100_000, 300_000, 1_000_000];
/** Maximum ratio to the CPU time without the accelerator. */
const ACCELERATOR_MAX = 1.02;

const HERE = import.meta.dirname;
const INPUTS = join(ROOT, ".bench");
installPeers();
mkdirSync(INPUTS, { recursive: true });
const installed = installPackage();
const bench = (file, ...args) => [process.execPath, join(HERE, file), ...args];
const detect = (...args) => [process.execPath, join(installed, "bin/addrsift.cjs"), "detect", "--quiet", ...args];

const LINES = "addrsift detect";
const SCRIPT = "readline, email-validator, two Sets, JSON.stringify";
/** Programs over lines of addresses. All but the last two print an object for each line. */
const PROGRAMS = [
  [LINES, detect("--format", "ndjson")],
  [SCRIPT, bench("peers.mjs", "email-validator")],
  ["the same with mailchecker in place of both", bench("peers.mjs", "mailchecker")],
  ["the same with @hapi/address", bench("peers.mjs", "hapi")],
  ["the same with validator", bench("peers.mjs", "validator")],
  ["the same with tldts, and roles and tags", bench("peers.mjs", "tldts")],
  ["readline, doing nothing", bench("baselines.mjs", "readline")],
  ["a loop over bytes", bench("baselines.mjs", "bytes")],
];
/** Maximum ratio to the script's CPU time, by number of rows. */
const GOALS = new Map([
  [8000, 1.5],
  [100_000, 1],
  [300_000, 0.7],
  [3_000_000, 0.35],
]);
// Only these run if the others would take minutes.
const QUICK = [LINES, SCRIPT, "the same with mailchecker in place of both", "readline, doing nothing"];

const CSV = ["--csv", "--format", "csv"];
/** Title, kind of input, rows, command, and index of the format that it is compared with. */
const FORMS = [
  ["lines to NDJSON", "plain", FORM_ROWS, detect()],
  ["lines to CSV", "plain", FORM_ROWS, detect("--format", "csv"), 0],
  ["lines with --report", "plain", FORM_ROWS, detect("--report", join(INPUTS, "report.html")), 0],
  ["domains", "domains", FORM_ROWS, detect("--domains"), 0],
  ["each row with its own domain", "different", FORM_ROWS, detect(), 0],
  ["JSON Lines", "jsonl", FORM_ROWS, detect("--jsonl"), 0],
  ["CSV", "csv", FORM_ROWS, detect(...CSV), 0],
  ["CSV, papaparse only parsing", "csv", FORM_ROWS, bench("baselines.mjs", "papaparse"), 6],
  ["CSV, csv-parse only parsing", "csv", FORM_ROWS, bench("baselines.mjs", "csv-parse"), 6],
  ["CSV --reject duplicate", "csv", FORM_ROWS, detect(...CSV, "--column", "email", "--reject", "duplicate"), 6],
  ["CSV --by city", "csv", FORM_ROWS, detect(...CSV, "--by", "city"), 6],
  ["--scan of the CSV", "csv", FORM_ROWS, detect("--scan"), 6],
  ["few lines to NDJSON", "plain", SLOW_ROWS, detect()],
  ["few lines --explain", "plain", SLOW_ROWS, detect("--explain"), 12],
  ["few lines to a table", "plain", SLOW_ROWS, detect("--format", "table"), 12],
];

console.log(`${ROUNDS} rounds, Node ${process.version}, processor time of the installed package\n`);
const REPORTS = { sizes: reportSizes, forms: reportForms, accelerator: reportAccelerator };
for (const [name, report] of Object.entries(REPORTS))
  if (values.only === undefined || values.only === name) await report();

/** Creates a file with `rows` rows of a kind, in another process to keep this one small. */
function makeInput(kind, rows) {
  const file = join(INPUTS, `${kind}-${rows}`);
  execFileSync(process.execPath, [join(HERE, "generate.mjs"), kind, String(rows), file]);
  return file;
}

/** Runs the commands alternately. Returns the runs of each. */
async function measureCommands(commands) {
  const runs = commands.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [i, [command, input]] of commands.entries()) runs[i].push(await run(command, input));
  return runs;
}

function seconds(runs) {
  return median(runs.map(({ cpu }) => cpu)).toFixed(3);
}

function ratio(runs, others) {
  return median(runs.map(({ cpu }, round) => cpu / others[round].cpu));
}

async function reportSizes() {
  for (const rows of SIZES) {
    const input = makeInput("plain", rows);
    const programs = PROGRAMS.filter(([name]) => rows < 1e6 || QUICK.includes(name));
    const runs = await measureCommands(programs.map(([, command]) => [command, input]));
    const script = runs[programs.findIndex(([name]) => name === SCRIPT)];
    const table = programs.map(([name], i) => {
      const peak = Math.max(...runs[i].map((run) => run.peak));
      return [name, seconds(runs[i]), ratio(runs[i], script).toFixed(2), peak.toFixed(0)];
    });
    printTable([`${rows} lines`, "CPU s", "to the script", "peak MB"], table);
    const goal = GOALS.get(rows);
    if (goal !== undefined) console.log(`goal: ${goal} ${verdict(ratio(runs[0], script) <= goal)}`);
    const peak = Math.max(...runs[0].map((run) => run.peak));
    console.log(`goal: ${PEAK_MAX_MB} MB ${verdict(peak < PEAK_MAX_MB)}\n`);
  }
}

async function reportForms() {
  const inputs = new Map();
  for (const [, kind, rows] of FORMS) inputs.set(`${kind} ${rows}`, makeInput(kind, rows));
  const runs = await measureCommands(FORMS.map(([, kind, rows, command]) => [command, inputs.get(`${kind} ${rows}`)]));
  const table = FORMS.map(([name, , rows, , base], i) => {
    const comparison = base === undefined ? ["", ""] : [ratio(runs[i], runs[base]).toFixed(2), FORMS[base][0]];
    return [name, String(rows), seconds(runs[i]), ...comparison];
  });
  printTable(["form", "rows", "CPU s", "ratio", "to"], table);
}

/** Compares with runs in a Node without WebAssembly, which the accelerator needs. */
async function reportAccelerator() {
  const [node, ...program] = detect();
  for (const [form, options] of Object.entries(LIST_FORMS)) {
    const table = [];
    for (const list of LISTS) {
      for (const rows of LIST_SIZES) {
        const input = makeInput(`${list}-${form}`, rows);
        const [on, off] = await measureCommands([
          [[node, ...program, ...options], input],
          [[node, "-r", join(HERE, "no-wasm.cjs"), ...program, ...options], input],
        ]);
        const times = ratio(on, off);
        table.push([
          list,
          String(rows),
          seconds(on),
          seconds(off),
          times.toFixed(2),
          verdict(times <= ACCELERATOR_MAX),
        ]);
      }
    }
    printTable([form, "rows", "CPU s", "without", "ratio", `goal: ${ACCELERATOR_MAX}`], table);
  }
}
