// The files of src/engines in the engines themselves: each part is a program of test/engines, which compares 20,000 odd rows with one process
// of addrsift and kills processes in the middle. Engines come from PyPI, into a folder of the user's cache; a part whose engine can't be had is
// skipped by name.
//   npm run test:engines [-- PART...]

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { cacheFolder, install, missing } from "./helpers/pip.mjs";

const ROOT = join(import.meta.dirname, "..");
const PART_TIMEOUT_MS = 120_000;
/** What each part needs from PyPI and of this machine. */
const PARTS = [
  { name: "arrow", packages: ["pyarrow"], programs: [] },
  { name: "duckdb_polars", packages: ["pyarrow", "duckdb", "polars", "pytz"], programs: [] },
  { name: "warehouse", packages: ["duckdb", "chdb"], programs: [] },
  { name: "clickhouse", packages: ["chdb"], programs: [] },
  { name: "spark", packages: ["pyarrow", "pandas", "pyspark==3.5.*", "setuptools"], programs: ["java"] },
];

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !PARTS.some((part) => part.name === name));
if (unknown.length > 0) throw new Error(`unknown part ${unknown}: use ${PARTS.map(({ name }) => name).join(", ")}`);

const cache = cacheFolder("addrsift-test-engines");
const python = join(cache, "venv/bin/python");
const folder = mkdtempSync(join(tmpdir(), "addrsift-engines-"));
const parts = PARTS.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
const skipped = [];
const failed = [];
try {
  mkdirSync(join(folder, "bin"));
  symlinkSync(join(ROOT, "bin/addrsift.cjs"), join(folder, "bin/addrsift"));
  for (const part of parts) tryPart(part);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const what of skipped) console.log(`skipped: ${what}`);
for (const name of failed) console.log(`MISS: ${name}`);
console.log(
  `${parts.length - skipped.length - failed.length} passed, ${failed.length} failed, ${skipped.length} skipped`,
);
if (failed.length > 0) process.exitCode = 1;

function tryPart({ name, packages, programs }) {
  const reason = missing(["python3", ...programs]) ?? install(cache, packages);
  if (reason !== undefined) {
    skipped.push(`${name}: ${reason}`);
    return;
  }
  console.log(`== ${name}`);
  const began = Date.now();
  const env = {
    ...process.env,
    PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
    PYTHONPATH: join(ROOT, "dist/engines"),
    PYTHONDONTWRITEBYTECODE: "1",
    PYSPARK_PYTHON: python,
    ADDRSIFT_HOME: join(folder, "home"),
  };
  const args = [join(ROOT, `test/engines/${name}.py`), folder, join(ROOT, "dist/engines")];
  const { status } = spawnSync(python, args, { cwd: folder, env, stdio: "inherit", timeout: PART_TIMEOUT_MS });
  if (status !== 0)
    failed.push(`${name}: ${status === null ? `no end after ${PART_TIMEOUT_MS / 1000} s` : `status ${status}`}`);
  console.log(`   ${Math.round((Date.now() - began) / 1000)} s`);
}
