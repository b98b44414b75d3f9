// Runs the command, and the test suite, under other versions of Node than the installed one, from the npm registry. The
// short form runs unit and command tests only under the newest; under the others it checks the command and both ways to
// load the library. Status 3: the registry is unreachable, nothing was checked.
//   npm run test:nodes [-- --short] [-- --no-refused] [-- 20.19.0 24]

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { copyPackage } from "./helpers/package-copy.mjs";
import { COMMAND, ROOT, scratchFolder } from "./helpers/programs.mjs";
import { differingBuilds } from "./nodes/builds.mjs";
import { answersUnder, keyProblems, libraryProblems, runUnder } from "./nodes/checks.mjs";
import { fetchNodes, Unreachable } from "./nodes/registry.mjs";

/** The oldest and the newest of each line that is promised; 26 is the newest of all. */
const VERSIONS = ["20.19.0", "20", "22.12.0", "22", "24.0.0", "24", "26"];
const REFUSED = ["12.22.12", "20.18.3", "22.2.0", "22.11.0"];

const options = { short: { type: "boolean" }, "no-refused": { type: "boolean" } };
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const folder = scratchFolder("nodes");
chmodSync(folder, 0o755);
const problems = [];
try {
  const nodes = await fetchNodes(positionals.length > 0 ? positionals : VERSIONS);
  checkCommand(nodes);
  if (!values["no-refused"]) await checkRefused();
  if (values.short) runSuite(nodes.at(-1), ["unit", "command"]);
  else {
    problems.push(...differingBuilds(nodes, folder));
    for (const node of nodes) runSuite(node, ["unit", "command", "daemon"]);
  }
  for (const problem of problems) console.log(`MISS: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof Unreachable)) throw error;
  console.log(`skipped: ${error.message}`);
  process.exitCode = 3;
}

/** All in one copy of the package, so that each finds what the others left there. */
function checkCommand(nodes) {
  const project = join(folder, "project");
  const command = copyPackage(join(project, "node_modules/addrsift"));
  let right;
  for (const { version, program } of nodes) {
    const home = join(folder, `home-${version}`);
    mkdirSync(home);
    const answers = answersUnder(program, command, home);
    right ??= answers;
    const wrong = answers.filter(({ status, stdout, stderr }, i) => {
      return status !== 0 || stdout !== right[i].stdout || stderr !== right[i].stderr;
    });
    const found = [
      ...wrong.map((answer) => JSON.stringify(answer).slice(0, 500)),
      ...keyProblems(program, command, home),
      ...libraryProblems(program, project),
    ];
    problems.push(...found.map((problem) => `Node ${version}: ${problem}`));
    console.log(
      `Node ${version}: start, address, bulk work, keys, import, require: ${found.length === 0 ? "ok" : "MISS"}`,
    );
  }
}

async function checkRefused() {
  for (const { version, program } of await fetchNodes(REFUSED)) {
    const wanted = `addrsift: Node must be 20.19+, 22.12+ or 24+, not ${version}\n`;
    const found = runUnder(program, COMMAND, ["detect", "joe@mailinator.com"], folder);
    const good = found.status === 2 && found.stdout === "" && found.stderr === wanted;
    if (!good) problems.push(`Node ${version} is not refused: ${JSON.stringify(found)}`);
    console.log(`Node ${version}: refused in one line: ${good ? "ok" : "MISS"}`);
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
