// Tests the files of src/engines in the real engines. Each part is a program of test/engines, which compares the
// results of unusual rows with those of one addrsift process, by ID, and kills processes midway. Engines come from
// PyPI, into a folder of the user's cache; a part whose engine can't be installed is reported as skipped.
//   npm run test:engines [-- PART...] [-- --rows N]
//   npm run soak:engines [-- PART...]               2,000,000 rows, and each engine's rate relative to one process

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { printTable } from "./bench/measure.mjs";
import { cacheFolder, install, missing } from "./helpers/pip.mjs";
import { POSTGRES_PROGRAMS, startPostgres } from "./helpers/postgres.mjs";
import { COMMAND, ROOT, scratchFolder } from "./helpers/programs.mjs";

const ROWS = 20_000;
const PART_MS = 600_000;
const LONG_PART_MS = 3_600_000;
const PYARROW = "pyarrow==26.0.1";
const DUCKDB = "duckdb==2.0.0";
const CHDB = "chdb==4.4.0";
/** The packages and programs that each part needs. Incompatible packages are in separate venvs. */
const PARTS = {
  arrow: { packages: [PYARROW] },
  // The minimum version in the manual, and versions up to the last one whose CSV reader mishandles NUL.
  arrow_min: { file: "arrow", packages: ["pyarrow==15.0.2", "numpy<2"], venv: "venv-arrow-min" },
  arrow21: { file: "arrow", packages: ["pyarrow==21.0.0"], venv: "venv-arrow21" },
  arrow25: { file: "arrow", packages: ["pyarrow==25.0.1"], venv: "venv-arrow25" },
  duckdb_polars: { packages: [PYARROW, DUCKDB, "polars==2.1.0", "numpy", "pytz"] },
  dask_workers: { packages: [PYARROW, "dask[dataframe,distributed]==2026.8.0"] },
  warehouse: { packages: [DUCKDB, CHDB] },
  clickhouse: { packages: [PYARROW, CHDB] },
  postgresql: { programs: ["psql"], start: startDatabase },
  parallel_ssh: { programs: ["parallel", "ssh", "ssh-keygen", "/usr/sbin/sshd"], start: checkGnuParallel },
  spark: {
    packages: [PYARROW, "pandas==2.3.3", "pyspark==3.5.9", "setuptools"],
    programs: ["java"],
    venv: "venv-spark3",
  },
  spark4: {
    file: "spark",
    packages: [PYARROW, "pandas==2.3.3", "pyspark==4.3.0"],
    programs: ["java"],
    venv: "venv-spark4",
  },
};

const { values, positionals } = parseArgs({
  options: { rows: { type: "string", default: String(ROWS) } },
  allowPositionals: true,
});
const rows = Number(values.rows);
if (!(rows >= 1000)) throw new Error(`--rows must be at least 1000, not ${values.rows}`);
const unknown = positionals.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) throw new Error(`unknown part ${unknown}: use ${Object.keys(PARTS).join(", ")}`);

const cache = cacheFolder("addrsift-test-engines");
const folder = scratchFolder("engines");
const env = {
  ...process.env,
  PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
  PYTHONPATH: join(ROOT, "dist/engines"),
  PYTHONDONTWRITEBYTECODE: "1",
};
const names = positionals.length > 0 ? positionals : Object.keys(PARTS);
const skipped = [];
const failed = [];
let passed = 0;
let interrupted = false;
// The database's user needs access too.
chmodSync(folder, 0o755);
mkdirSync(join(folder, "bin"));
symlinkSync(COMMAND, join(folder, "bin/addrsift"));
for (const name of names) if (!interrupted) await tryPart(name, PARTS[name]);
if (rows > ROWS) printRates();
for (const entry of skipped) console.log(`skipped: ${entry}`);
for (const name of failed) console.log(`MISS: ${name}`);
console.log(`${passed} passed, ${failed.length} failed, ${skipped.length} skipped`);
if (failed.length > 0) process.exitCode = 1;

async function tryPart(name, part) {
  const { packages = [], programs = [], venv = "venv", start = () => ({}) } = part;
  const reason = missing(["python3", ...programs]) ?? install(cache, packages, venv);
  const engine = reason === undefined ? await start() : { reason };
  if (engine.reason !== undefined) {
    skipped.push(`${name}: ${engine.reason}`);
    return;
  }
  console.log(`== ${name}`);
  const startMs = Date.now();
  try {
    await runPart(name, part.file ?? name, venv, engine.env);
  } finally {
    await engine.remove?.();
  }
  console.log(`   ${Math.round((Date.now() - startMs) / 1000)} s`);
}

async function runPart(name, file, venv, variables) {
  const python = join(cache, venv, "bin/python");
  const args = [join(ROOT, `test/engines/${file}.py`), folder, join(ROOT, "dist/engines"), String(rows), name];
  const options = {
    cwd: folder,
    // A home for each part, so that the overrides of one don't affect the next.
    env: { ...env, ADDRSIFT_HOME: join(folder, `home-${name}`), PYSPARK_PYTHON: python, ...variables },
    stdio: ["ignore", "inherit", "inherit"],
  };
  const child = spawn(python, args, { ...options, detached: true });
  const stop = () => {
    // Kill the process group: the program and everything that it started.
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {}
  };
  const limitMs = rows > ROWS ? LONG_PART_MS : PART_MS;
  const timer = setTimeout(stop, limitMs);
  const interrupt = () => {
    interrupted = true;
    stop();
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  const [status] = await once(child, "exit");
  clearTimeout(timer);
  process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  stop();
  if (status === 0) passed += 1;
  else if (status !== null) failed.push(`${name}: status ${status}`);
  else if (interrupted) failed.push(`${name}: interrupted`);
  else failed.push(`${name}: not finished after ${limitMs / 1000} s`);
}

/** Checks that `parallel` is GNU parallel: moreutils has another program of this name. */
function checkGnuParallel() {
  const { stdout } = spawnSync("parallel", ["--version"], { encoding: "utf8" });
  return stdout.startsWith("GNU parallel ") ? {} : { reason: "parallel is not GNU parallel" };
}

/** Starts a server whose user can run addrsift. */
async function startDatabase() {
  if (POSTGRES_PROGRAMS === undefined) return { reason: "there is no PostgreSQL server" };
  // Programs that the server starts inherit these variables.
  Object.assign(process.env, { PATH: env.PATH, ADDRSIFT_HOME: join(folder, "home-postgresql") });
  const server = await startPostgres();
  const url = await server.create();
  try {
    await server.ask(url, "COPY (SELECT) TO PROGRAM 'addrsift --version > /dev/null'");
  } catch {
    await server.remove();
    return { reason: `the server's user can't run ${COMMAND}` };
  }
  const { hostname, port, username, password, pathname } = new URL(url);
  const login = { PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: decodeURIComponent(password) };
  return { env: { ...login, PGDATABASE: pathname.slice(1) }, remove: server.remove };
}

/** Prints each engine's rate, and its ratio to the rate of one process in the same part. */
function printRates() {
  const path = join(folder, "rates.jsonl");
  if (!existsSync(path)) return;
  const lines = readFileSync(path, "utf8").trim().split("\n");
  const rates = lines.map((line) => JSON.parse(line));
  const table = rates.map(({ part, setup, rows: count, seconds }) => {
    const baseline = rates.find((rate) => rate.part === part && rate.setup === "one process");
    const share = count / seconds / (baseline.rows / baseline.seconds);
    return [`${part}: ${setup}`, String(count), seconds.toFixed(1), (count / seconds).toFixed(0), share.toFixed(2)];
  });
  printTable(["engine", "rows", "seconds", "rows/s", "of one process"], table);
}
