// Runs tests repeatedly under adverse conditions, and lists the failures by title. Linux only.
//   npm run test:stress -- [--one-core] [--stalls] [--times N] [arguments of `vitest run`: files, --project NAME]
// --one-core pins the tests to one core, together with four busy loops. --stalls repeatedly stops (SIGSTOP) a worker,
// one of its children or all processes for half a second. The log of a run with failures is kept.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pause, ROOT } from "./helpers/programs.mjs";

const BUSY_LOOPS = 4;
const STALL_MS = 500;
const BETWEEN_STALLS_MS = 4000;

const rest = process.argv.slice(2);
const [isPinned] = option("--one-core", 0);
const [isStalled] = option("--stalls", 0);
const [, times = "1"] = option("--times", 1);
const tests = rest.length > 0 ? rest : ["unit", "command", "daemon"].flatMap((name) => ["--project", name]);
const pin = isPinned ? ["taskset", "-c", `${availableParallelism() - 1}`] : [];
const folder = mkdtempSync(join(tmpdir(), "addrsift-stress-"));
const failures = new Map();
const stopped = new Set();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));
process.on("exit", resume);

// Each loop ends when this process ends, even if it is killed.
const loop = "for (const parent = process.ppid; process.ppid === parent; );";
const loops = Array.from({ length: isPinned ? BUSY_LOOPS : 0 }, () => start([process.execPath, "-e", loop], "ignore"));
process.on("exit", () => loops.forEach((child) => void child.kill("SIGKILL")));

for (let run = 1; run <= Number(times); run++) await runOnce(run, join(folder, `${run}`));
if (failures.size === 0) rmSync(folder, { recursive: true });
else console.log(`logs: ${folder}`);
for (const [title, count] of failures) console.log(`${count} of ${times}: ${title}`);
process.exit(failures.size === 0 ? 0 : 1);

/** Removes an option from the arguments: its name and its values, or nothing. */
function option(name, values) {
  const at = rest.indexOf(name);
  return at < 0 ? [] : rest.splice(at, 1 + values);
}

function start(command, stdio) {
  const [program, ...args] = [...pin, ...command];
  return spawn(program, args, { cwd: ROOT, stdio });
}

async function runOnce(run, path) {
  mkdirSync(path);
  const [log, report] = [openSync(join(path, "log"), "w"), join(path, "report.json")];
  const count = "--reporter=./test/helpers/count-reporter.ts";
  const reporters = ["--reporter=default", count, "--reporter=json", `--outputFile.json=${report}`];
  const vitest = [process.execPath, join(ROOT, "node_modules/vitest/vitest.mjs"), "run", ...tests, ...reporters];
  const startMs = Date.now();
  const child = start(vitest, ["ignore", log, log]);
  const kill = () => child.kill("SIGTERM");
  process.on("exit", kill);
  const ended = new Promise((resolve) => child.on("close", resolve));
  const hasEnded = ended.then(() => true);
  while (isStalled && !(await Promise.race([hasEnded, pause(Math.random() * BETWEEN_STALLS_MS)])))
    await stall(child.pid);
  const status = await ended;
  process.off("exit", kill);
  const failed = status === 0 ? [] : readFailedTests(report);
  const seconds = Math.round((Date.now() - startMs) / 1000);
  console.log(`run ${run}: ${failed.length} failed in ${seconds} s`);
  for (const { title, message } of failed) {
    failures.set(title, (failures.get(title) ?? 0) + 1);
    console.log(`  ${title}\n    ${message}`);
  }
  if (failed.length === 0) rmSync(path, { recursive: true });
}

function readFailedTests(report) {
  try {
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    const failed = testResults.flatMap(({ name, status, message, assertionResults }) => {
      const file = relative(ROOT, name);
      const tests = assertionResults
        .filter((result) => result.status === "failed")
        .map(({ fullName, failureMessages: [text = ""] }) => ({
          title: `${file}: ${fullName}`,
          message: firstLine(text),
        }));
      return tests.length > 0 || status !== "failed" ? tests : [{ title: file, message: firstLine(message) }];
    });
    if (failed.length > 0) return failed;
  } catch {
    // Vitest itself failed, and wrote no report.
  }
  return [{ title: "the run failed without a failed test", message: "see its log" }];
}

function firstLine(text) {
  return text.split("\n", 1)[0].slice(0, 300);
}

/** Stops all descendants of a process, or one of them, except those that a test has stopped. */
async function stall(root) {
  const all = findDescendants(root);
  // `script` of util-linux stops itself when its child is stopped, and does not continue by itself.
  for (const { pid, name, state } of all) if (name === "script" && state === "T") signal(pid, "SIGCONT");
  const running = all.filter(({ state }) => state !== "T");
  const at = Math.floor(Math.random() * running.length);
  const chosen = Math.random() < 0.3 ? running : running.slice(at, at + 1);
  for (const { pid } of chosen) if (signal(pid, "SIGSTOP")) stopped.add(pid);
  await pause(STALL_MS);
  resume();
}

function resume() {
  for (const pid of stopped) signal(pid, "SIGCONT");
  stopped.clear();
}

function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    // The process has ended.
    return false;
  }
}

function findDescendants(root) {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess);
  const tree = [{ pid: root }];
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree.slice(1);
}

function readProcess(pid) {
  try {
    // The program's name is in parentheses, and may itself contain parentheses.
    const [, name, state, parent] = /\((.*)\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"));
    return [{ pid: Number(pid), parent: Number(parent), name, state }];
  } catch {
    return [];
  }
}
