// A store.json that is a symbolic link stays one: a change is refused, for it would leave a plain file in the link's place and what
// the link led to without the change.

import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { run, scratch } from "../helpers/run.ts";

const files = scratch();
afterAll(files.remove);

it("a linked store is read, and not replaced", async () => {
  const [real, home] = [join(files.path, "real"), join(files.path, "home")];
  const create = ["keys", "create", "--name", "k", "--scopes", "emails:detect", "--home"];
  expect((await run([...create, real])).status).toBe(0);
  mkdirSync(home, { mode: 0o700 });
  const link = join(home, "store.json");
  symlinkSync(join(real, "store.json"), link);
  const before = readFileSync(link, "utf8");
  const { status, stdout, stderr } = await run([...create, home]);
  expect(status).toBe(2);
  expect(stdout.toString()).toBe("");
  expect(stderr.toString()).toMatch(/^addrsift: \S+store\.json is a symbolic link, [^\n]+: give [^\n]+\n$/);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(real, "store.json"), "utf8")).toBe(before);
  expect(readdirSync(home).sort()).toEqual(["store.json", "store.json.lock"]);
  expect((await run(["keys", "list", "--json", "--home", home])).stdout.toString()).toContain('"name":"k"');
});

it("a linked store that leads to nothing is not replaced", async () => {
  const home = join(files.path, "dangling");
  mkdirSync(home, { mode: 0o700 });
  symlinkSync(join(files.path, "nowhere.json"), join(home, "store.json"));
  const { status } = await run(["keys", "create", "--name", "k", "--scopes", "emails:detect", "--home", home]);
  expect(status).toBe(2);
  expect(lstatSync(join(home, "store.json")).isSymbolicLink()).toBe(true);
});
