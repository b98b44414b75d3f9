// Tests how the command starts without a build, with cached compiled code, and with damaged files, in copies of the
// package.

import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { copyPackage } from "../helpers/package-copy.mjs";
import { COMMAND, cleanEnvironment, fileScratch } from "../helpers/run.ts";
import { flipLists } from "../soak/flip-run.mjs";

const folder = fileScratch();
const ADDRESS = "joe@mailinator.com";

function runCopy(command: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const env = cleanEnvironment({ ADDRSIFT_HOME: join(folder.path, "home") });
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { env, encoding: "utf8" });
  return { status, stdout, stderr };
}

it("in a clone that is not built, the command prints a one-line error", () => {
  const command = join(folder.path, "bare/bin/addrsift.cjs");
  cpSync(COMMAND, command);
  expect(runCopy(command, "detect", ADDRESS)).toEqual({
    status: 2,
    stdout: "",
    stderr: "addrsift: not built: run npm ci, or npm run build\n",
  });
});

const compiled = (root: string): string => join(root, "dist/.compiled");

it.skipIf(!("enableCompileCache" in module))(
  "the compile cache is in the package's folder, and ignored if damaged",
  () => {
    const root = join(folder.path, "compiled");
    const command = copyPackage(root);
    const expected = runCopy(command, "detect", ADDRESS);
    expect(JSON.parse(expected.stdout)).toMatchObject({ disposable: true });
    const cached = readdirSync(compiled(root), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(cached).not.toEqual([]);
    for (const { parentPath, name } of cached) truncateSync(join(parentPath, name), 100);
    expect(runCopy(command, "detect", ADDRESS)).toEqual(expected);
  },
);

it("a flipped bit in the lists gives the right verdict or a one-line error (a sample; npm run soak:flips has more)", () => {
  const { problems, correct, rejected } = flipLists(join(folder.path, "flips"), 4);
  expect({ problems, runs: correct + rejected }).toEqual({ problems: [], runs: 4 });
  rmSync(join(folder.path, "flips"), { recursive: true });
});

it("every command that reads damaged lists fails with a one-line error", () => {
  const root = join(folder.path, "lists");
  const command = copyPackage(root);
  const path = join(root, "dist/lists.bin");
  writeFileSync(
    path,
    readFileSync(path).map((byte, i) => (i > 4096 ? byte ^ 1 : byte)),
  );
  for (const args of [
    ["detect", ADDRESS],
    ["lists", "lookup", "mailinator.com"],
    ["channels", "create", "--type", "email", "--name", "x", "--config", "address=joe@gmail.com"],
  ]) {
    const { status, stdout, stderr } = runCopy(command, ...args);
    expect({ args, status, stdout }).toEqual({ args, status: 2, stdout: "" });
    expect(stderr).toMatch(/^addrsift: the lists in \S+ can't be used \([^)]+\): install addrsift again\n$/);
  }
});
