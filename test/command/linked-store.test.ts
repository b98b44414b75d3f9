// Tests a store.json that is a symbolic link: its target is locked and written, and a dangling link is rejected.

import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { fileScratch, run } from "../helpers/run.ts";

const files = fileScratch();

let real: string;
let homes: string[];
let tests = 0;
beforeEach(() => {
  const folder = join(files.path, String(tests++));
  mkdirSync(folder);
  real = join(folder, "real");
  homes = ["a", "b"].map((name) => join(folder, name));
  for (const home of homes) {
    mkdirSync(home, { mode: 0o700 });
    symlinkSync(join(real, "keys.json"), join(home, "store.json"));
  }
});

async function create(home: string, name: string): Promise<number> {
  return (await run(["keys", "create", "--name", name, "--scopes", "emails:detect", "--home", home])).status;
}

async function names(home: string): Promise<string[]> {
  const { stdout } = await run(["keys", "list", "--json", "--home", home]);
  return (JSON.parse(stdout.toString()) as { name: string }[]).map(({ name }) => name);
}

/** Creates a store at the target of the links. */
async function createTarget(): Promise<void> {
  expect(await create(real, "first")).toBe(0);
  renameSync(join(real, "store.json"), join(real, "keys.json"));
  for (const end of [".lock", ".previous"]) rmSync(join(real, `store.json${end}`), { force: true });
}

it("if several homes link to one store, all of them change the target of the link", async () => {
  await createTarget();
  const statuses = await Promise.all(Array.from({ length: 12 }, (_, i) => create(homes[i % 2] as string, `k${i}`)));
  expect(new Set(statuses)).toEqual(new Set([0]));
  for (const home of homes) {
    expect((await names(home)).sort()).toEqual(["first", ...Array.from({ length: 12 }, (_, i) => `k${i}`)].sort());
    expect(lstatSync(join(home, "store.json")).isSymbolicLink()).toBe(true);
    expect(readdirSync(home)).toEqual(["store.json"]);
  }
  expect(readdirSync(real).sort()).toEqual(["keys.json", "keys.json.lock", "keys.json.previous"]);
});

it("after a store's link is changed to another target, changes go to the new target", async () => {
  await createTarget();
  const [home = ""] = homes;
  expect(await create(home, "here")).toBe(0);
  const other = join(real, "../other");
  expect(await create(other, "there")).toBe(0);
  rmSync(join(home, "store.json"));
  symlinkSync(join(other, "store.json"), join(home, "store.json"));
  expect(await create(home, "again")).toBe(0);
  expect(await names(other)).toEqual(["there", "again"]);
});

it("a broken or circular link to the store causes a one-line error, and is kept", async () => {
  const [home = ""] = homes;
  const args = ["keys", "create", "--name", "k", "--scopes", "emails:detect", "--home", home];
  const { status, stdout, stderr } = await run(args);
  expect({ status, stdout: stdout.toString() }).toEqual({ status: 2, stdout: "" });
  expect(stderr.toString()).toMatch(
    /^addrsift: \S+store\.json is a dangling symbolic link: restore its target, or remove the link\n$/,
  );
  // Not rmSync, which ignores a dangling link under Node 24.0.0.
  unlinkSync(join(home, "store.json"));
  symlinkSync(join(home, "store.json"), join(home, "store.json"));
  expect((await run(args)).stderr.toString()).toMatch(
    /^addrsift: can't read \S+: its symbolic links form a loop, fix them\n$/,
  );
  expect(lstatSync(join(home, "store.json")).isSymbolicLink()).toBe(true);
});
