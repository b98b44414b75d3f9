// Checks what must work under every Node: start, one address, bulk runs, keys, the library. Each check uses a copy of
// the package.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const ADDRESSES = ["jane.doe+news@gmail.com", "joe@mailinator.com", "info@bücher.example", "broken@", "x@duck.com"];
const ROWS = 3000;

/** Runs the command under `program`. Returns its status or signal, and its outputs. */
export function runUnder(program, command, args, home) {
  const { status, signal, stdout, stderr } = spawnSync(program, [command, ...args], {
    env: { PATH: process.env.PATH, HOME: home, ADDRSIFT_HOME: join(home, "home") },
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status: signal ?? status, stdout, stderr };
}

/** Runs the calls whose results must be the same under every Node. */
export function runCalls(program, command, home) {
  const table = join(home, "rows.csv");
  writeFileSync(table, ["id,email", ...rows()].join("\n"));
  const calls = [
    ["--version"],
    ["--help"],
    ["detect", "--offline", ...ADDRESSES],
    // Again, from the compile cache of the first call.
    ["detect", "--offline", ...ADDRESSES],
    ["detect", "--csv", "--input", table],
  ];
  return calls.map((args) => {
    const answer = runUnder(program, command, args, home);
    // --version names the Node that runs it.
    return { args: args.slice(0, 2).join(" "), ...answer, stdout: answer.stdout.replace(/, Node [\d.]+$/m, "") };
  });
}

function rows() {
  return Array.from({ length: ROWS }, (_, i) => `${i},user${i}.${ADDRESSES[i % ADDRESSES.length]}`);
}

/** Creates, lists and revokes a key. Returns the problems. */
export function findKeyProblems(program, command, home) {
  const problems = [];
  const call = (...args) => {
    const result = runUnder(program, command, args, home);
    if (result.status !== 0) problems.push(`${args.join(" ")}: ${JSON.stringify(result)}`);
    return result.stdout;
  };
  const list = () => JSON.parse(call("keys", "list", "--json") || "[]");
  call("keys", "create", "--name", "check", "--scopes", "emails:detect");
  const keys = list();
  if (keys.length !== 1) problems.push(`keys list prints ${keys.length} keys, not 1`);
  else call("keys", "revoke", keys[0].id);
  if (list()[0]?.revoked_at === undefined) problems.push("the key is not revoked");
  return problems;
}

/** Loads the library from a project's node_modules by `import` and by `require`. Returns the problems. */
export function findLibraryProblems(program, project) {
  const code = "console.log(JSON.stringify(createDetector().detectMany(['joe@mailinator.com'])[0].disposable));\n";
  const programs = {
    "import.mjs": `import { createDetector } from "addrsift";\n${code}`,
    "require.cjs": `const { createDetector } = require("addrsift");\n${code}`,
  };
  return Object.entries(programs).flatMap(([name, text]) => {
    writeFileSync(join(project, name), text);
    const result = runUnder(program, join(project, name), [], project);
    const isCorrect = result.status === 0 && result.stdout === "true\n" && result.stderr === "";
    return isCorrect ? [] : [`${name}: ${JSON.stringify(result).slice(0, 500)}`];
  });
}
