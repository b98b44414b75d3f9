// Shared by the benches: medians, tables, installation of the package, and measuring the time, CPU time and peak memory
// of a program.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FROM_SOURCE } from "../helpers/from-source.mjs";
import { memoryMb, ROOT } from "../helpers/programs.mjs";

/** The children's environment. Extra certificates add 35 ms to every start of Node and would hide everything else. */
export const ENV = { ...process.env };
delete ENV.NODE_EXTRA_CA_CERTS;

/** Installs the packages that benchmarks compare with. */
export function installPeers() {
  if (existsSync(join(import.meta.dirname, "node_modules/fastify"))) return;
  execFileSync("npm", ["ci", "--ignore-scripts", "--prefix", import.meta.dirname], { stdio: "inherit" });
}

/** Packs the package and installs it below .bench/, as users do. Returns its folder. */
export function installPackage() {
  const project = join(ROOT, ".bench/installed");
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "package.json"), '{"private":true}\n');
  execFileSync(process.execPath, [...FROM_SOURCE, join(ROOT, "src/build/pack.ts"), project], { stdio: "ignore" });
  const file = join(
    project,
    readdirSync(project).find((name) => name.endsWith(".tgz")),
  );
  execFileSync("npm", ["install", "--silent", "--offline", "--ignore-scripts", file], { cwd: project });
  return join(project, "node_modules/addrsift");
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

export function verdict(isMet) {
  return isMet ? "ok" : "MISS";
}

/** Prints rows under a header. The first column is text, the others are formatted numbers. */
export function printTable(header, rows) {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  for (const line of lines) {
    const cells = line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])));
    console.log(cells.join("  "));
  }
  console.log();
}

// `times` of bash prints the CPU time of ended children to the millisecond. The child runs in the background, so that
// its process ID is known.
const SHELL = `"$@" <"$BENCH_INPUT" 3>&- & echo $! >&3; wait $!; status=$?; times >&3; exit $status`;

/**
 * Runs a program with `input` as standard input. Its output goes to /dev/null, or to a reader that discards it. Returns
 * seconds, CPU seconds and peak memory in MB (Linux).
 */
export function run(command, input = "/dev/null", output = "ignore") {
  return new Promise((resolve, reject) => {
    const env = { ...ENV, BENCH_INPUT: input };
    const begin = performance.now();
    const child = spawn("bash", ["-c", SHELL, "sh", ...command], { env, stdio: ["ignore", output, "pipe", "pipe"] });
    child.stdout?.resume();
    let [report, errors, peak] = ["", "", 0];
    child.stdio[3].on("data", (text) => {
      report += text;
    });
    child.stderr.on("data", (text) => {
      errors += text;
    });
    const poll = setInterval(() => {
      peak = Math.max(peak, memoryMb(Number.parseInt(report, 10), "VmHWM"));
    }, 10);
    child.on("error", reject);
    child.on("close", (status) => {
      clearInterval(poll);
      const seconds = (performance.now() - begin) / 1000;
      if (status === 0) resolve({ seconds, cpu: childSeconds(report), peak });
      else reject(new Error(`${command.join(" ")} ended with ${status}: ${errors}`));
    });
  });
}

/** Parses the last line of `times`: user and system time of the children, as 0m1.25s. */
function childSeconds(report) {
  const last = report.trimEnd().split("\n").at(-1);
  const times = [...last.matchAll(/(\d+)m([\d.]+)s/g)];
  return times.reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
}
