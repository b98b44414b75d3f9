// Every pair of "built and started by A, run under B": the build gives the same octets everywhere, and code that A kept does B no
// harm, not even under B's name.

import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { copyPackage, keptCode } from "../helpers/package-copy.mjs";
import { runUnder } from "./checks.mjs";

const ROOT = join(import.meta.dirname, "../..");
const DETECT = ["detect", "--offline", "joe@mailinator.com"];

/** Tries all pairs of the nodes in copies under `folder`; prints a table and gives what went wrong. */
export function tryPairs(nodes, folder) {
  const problems = [];
  const width = Math.max(...nodes.map(({ version }) => version.length)) + 2;
  console.log(["built by".padEnd(width), ...nodes.map(({ version }) => version.padEnd(width))].join(""));
  for (const builder of nodes) {
    const root = join(folder, `built-${builder.version}`);
    const command = buildUnder(builder, root, problems);
    const right = runUnder(builder.program, command, DETECT, root);
    const cells = nodes.map((runner) => runPair(builder, runner, { root, command, right }, problems).padEnd(width));
    console.log([builder.version.padEnd(width), ...cells].join(""));
  }
  return problems;
}

/** Builds the lists and the command's files in a copy; they must be those of the package. */
function buildUnder({ version, program }, root, problems) {
  const command = copyPackage(root);
  for (const name of [".ci", "src", "data", "package-lock.json", "tsconfig.json"])
    cpSync(join(ROOT, name), join(root, name), { recursive: true });
  const build = ["--import", join(root, ".ci/ts.mjs"), join(root, "src/build/build.ts"), "code", "lists"];
  execFileSync(program, build, { stdio: ["ignore", "ignore", "inherit"] });
  for (const name of readdirSync(join(root, "dist")).filter((name) => /\.(cjs|bin)$/.test(name))) {
    const same = readFileSync(join(root, "dist", name)).equals(readFileSync(join(ROOT, "dist", name)));
    if (!same) problems.push(`dist/${name} built by ${version} differs`);
  }
  return command;
}

function runPair(builder, runner, { root, command, right }, problems) {
  const own = keptCode(root).find((path) => path.includes(`v${builder.version}-`));
  if (own === undefined || right.status !== 0) {
    problems.push(`${builder.version} kept no code: ${JSON.stringify(right)}`);
    return "none";
  }
  // As it is left there, and as if it were the runner's own.
  const calls = [["--version"], ["--help"], DETECT];
  const found = calls.map((args) => runUnder(runner.program, command, args, root));
  if (runner !== builder) copyFileSync(own, own.replace(`-v${builder.version}-`, `-v${runner.version}-`));
  found.push(runUnder(runner.program, command, DETECT, root));
  const bad = found.find(({ status, stderr }) => status !== 0 || stderr !== "");
  const good = bad === undefined && found.slice(2).every(({ stdout }) => stdout === right.stdout);
  if (!good) problems.push(`built by ${builder.version}, run under ${runner.version}: ${JSON.stringify(bad ?? found)}`);
  return good ? "ok" : String(bad?.status ?? "wrong");
}
