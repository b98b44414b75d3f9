// Checks what must work under every Node: start, one address, bulk runs, keys, the library. Each check uses a copy of
// the package.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const ADDRESSES = ["jane.doe+news@gmail.com", "joe@mailinator.com", "info@bücher.example", "broken@", "x@duck.com"];
const ROWS = 3000;

/** Runs the command under `program`: its status or signal and its outputs. */
export function runUnder(program, command, args, home) {
  const { status, signal, stdout, stderr } = spawnSync(program, [command, ...args], {
    env: { PATH: process.env.PATH, HOME: home, ADDRSIFT_HOME: join(home, "home") },
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status: signal ?? status, stdout, stderr };
}

/** What every Node must answer alike: the calls, and what they give. */
export function answersUnder(program, command, home) {
  const table = join(home, "rows.csv");
  writeFileSync(table, ["id,email", ...rows()].join("\n"));
  const calls = [
    ["--version"],
    ["--help"],
    ["detect", "--offline", ...ADDRESSES],
    // Again, by the code that the call before has kept.
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

/** Makes a key, lists it and revokes it; returns what went wrong. */
export function keyProblems(program, command, home) {
  const problems = [];
  const call = (...args) => {
    const found = runUnder(program, command, args, home);
    if (found.status !== 0) problems.push(`${args.join(" ")}: ${JSON.stringify(found)}`);
    return found.stdout;
  };
  const list = () => JSON.parse(call("keys", "list", "--json") || "[]");
  call("keys", "create", "--name", "check", "--scopes", "emails:detect");
  const made = list();
  if (made.length !== 1) problems.push(`keys list gives ${made.length} keys, not 1`);
  else call("keys", "revoke", made[0].id);
  if (list()[0]?.revoked_at === undefined) problems.push("the key is not revoked");
  return problems;
}

/** Loads the library of the package in a project's node_modules by `import` and by `require`; returns what went wrong. */
export function libraryProblems(program, project) {
  const use = "console.log(JSON.stringify(createDetector().detectMany(['joe@mailinator.com'])[0].disposable));\n";
  const programs = {
    "import.mjs": `import { createDetector } from "addrsift";\n${use}`,
    "require.cjs": `const { createDetector } = require("addrsift");\n${use}`,
  };
  return Object.entries(programs).flatMap(([name, text]) => {
    writeFileSync(join(project, name), text);
    const found = runUnder(program, join(project, name), [], project);
    const good = found.status === 0 && found.stdout === "true\n" && found.stderr === "";
    return good ? [] : [`${name}: ${JSON.stringify(found).slice(0, 500)}`];
  });
}
