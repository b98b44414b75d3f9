// Where the lock's package has no build (musl, rarer systems), nothing is written and all else works. Such a system is made of this one:
// a copy of the built package whose lock can't be loaded.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunResult, run, runShell, scratch } from "../helpers/run.ts";

const ROOT = join(import.meta.dirname, "../..");
const files = scratch();
const home = join(files.path, "home");
beforeAll(() => {
  for (const part of ["bin", "dist", "package.json"])
    cpSync(join(ROOT, part), join(files.path, part), { recursive: true });
  const modules = join(files.path, "node_modules");
  mkdirSync(join(modules, "fs-native-extensions"), { recursive: true });
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name !== "fs-native-extensions") symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  const missing = "throw Object.assign(new Error('Cannot find addon'), { code: 'ADDON_NOT_FOUND' });\n";
  writeFileSync(join(modules, "fs-native-extensions/index.js"), missing);
});
afterAll(files.remove);

const without = (command: string): Promise<RunResult> =>
  runShell(`'${process.execPath}' bin/addrsift.cjs ${command} --home '${home}'`, { cwd: files.path });

it("keys and channels are read, and refused to be written in one line", async () => {
  const made = await run(["keys", "create", "--name", "a", "--scopes", "emails:detect", "--json", "--home", home]);
  const { id } = JSON.parse(made.stdout.toString()) as { id: string };
  const before = readFileSync(join(home, "store.json"));
  const listed = await without("keys list --json");
  expect(JSON.parse(listed.stdout.toString())).toMatchObject([{ id }]);
  for (const command of [`keys revoke ${id}`, "channels create --name a --type email"]) {
    const { status, stdout, stderr } = await without(command);
    expect({ status, stdout: stdout.toString() }).toEqual({ status: 2, stdout: "" });
    expect(stderr.toString()).toMatch(
      /^addrsift: this system \([^)]+\) has no file lock [^\n]+: use macOS, Windows or [^\n]+\n$/,
    );
  }
  expect(readFileSync(join(home, "store.json")).equals(before)).toBe(true);
  expect(existsSync(join(home, "store.json.new"))).toBe(false);
});

it("detect does not notice", async () => {
  const { status, stdout } = await without("detect jane@gmail.com");
  expect(status).toBe(0);
  expect(JSON.parse(stdout.toString())).toMatchObject({ public_domain: true });
});
