// Runs the command and the test suite under other versions of Node, which come from the npm registry. With --short,
// unit and command tests run only under the newest version; under the others, only the command and both ways to load
// the library are checked. Status 3: the registry is unreachable, nothing was checked.
//   npm run test:nodes [-- --short] [-- --no-rejected] [-- 20.19.0 24]

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { copyPackage } from "./helpers/package-copy.mjs";
import { COMMAND, ROOT, scratchFolder } from "./helpers/programs.mjs";
import { findDifferentBuilds } from "./nodes/builds.mjs";
import { findKeyProblems, findLibraryProblems, runCalls, runUnder } from "./nodes/checks.mjs";
import { fetchNodes, Unreachable } from "./nodes/registry.mjs";

/** The oldest and the newest version of each supported line, and the newest of all. */
const VERSIONS = ["20.19.0", "20", "22.12.0", "22", "24.0.0", "24", "26"];
const REJECTED = ["12.22.12", "20.18.3", "22.2.0", "22.11.0"];

const options = { short: { type: "boolean" }, "no-rejected": { type: "boolean" } };
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const folder = scratchFolder("nodes");
chmodSync(folder, 0o755);
const problems = [];
try {
  const nodes = await fetchNodes(positionals.length > 0 ? positionals : VERSIONS);
  checkCommand(nodes);
  if (!values["no-rejected"]) await checkRejected();
  if (values.short) runSuite(nodes.at(-1), ["unit", "command"]);
  else {
    problems.push(...findDifferentBuilds(nodes, folder));
    for (const node of nodes) runSuite(node, ["unit", "command", "daemon"]);
  }
  for (const problem of problems) console.log(`MISS: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof Unreachable)) throw error;
  console.log(`skipped: ${error.message}`);
  process.exitCode = 3;
}

/** Runs all versions in one copy of the package, so that each finds the files that the others left. */
function checkCommand(nodes) {
  const project = join(folder, "project");
  const command = copyPackage(join(project, "node_modules/addrsift"));
  let expected;
  for (const { version, program } of nodes) {
    const home = join(folder, `home-${version}`);
    mkdirSync(home);
    const answers = runCalls(program, command, home);
    expected ??= answers;
    const wrong = answers.filter(({ status, stdout, stderr }, i) => {
      return status !== 0 || stdout !== expected[i].stdout || stderr !== expected[i].stderr;
    });
    const failures = [
      ...wrong.map((answer) => JSON.stringify(answer).slice(0, 500)),
      ...findKeyProblems(program, command, home),
      ...findLibraryProblems(program, project),
    ];
    problems.push(...failures.map((problem) => `Node ${version}: ${problem}`));
    console.log(
      `Node ${version}: start, address, bulk work, keys, import, require: ${failures.length === 0 ? "ok" : "MISS"}`,
    );
  }
}

async function checkRejected() {
  for (const { version, program } of await fetchNodes(REJECTED)) {
    const message = `addrsift: Node must be 20.19+, 22.12+ or 24+, not ${version}\n`;
    const result = runUnder(program, COMMAND, ["detect", "joe@mailinator.com"], folder);
    const isRejected = result.status === 2 && result.stdout === "" && result.stderr === message;
    if (!isRejected) problems.push(`Node ${version} is not rejected: ${JSON.stringify(result)}`);
    console.log(`Node ${version}: rejected in one line: ${isRejected ? "ok" : "MISS"}`);
  }
}

function runSuite({ version, program }, projects) {
  console.log(`== ${projects.join(", ")} tests under Node ${version}`);
  // Some tests start Node as an ordinary user, who can't enter root's cache folder.
  const bin = join(folder, `bin-${version}`);
  mkdirSync(bin);
  copyFileSync(program, join(bin, "node"));
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const args = [
    join(ROOT, "node_modules/vitest/vitest.mjs"),
    "run",
    ...projects.flatMap((name) => ["--project", name]),
  ];
  const { status } = spawnSync(join(bin, "node"), args, { cwd: ROOT, env, stdio: "inherit" });
  if (status !== 0) problems.push(`tests fail under Node ${version}`);
}
