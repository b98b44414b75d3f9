// A home that the system refuses to make is an error of one line. (Node's own recursive mkdir never returns there.)

import { existsSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { run, scratch } from "../helpers/run.ts";

const files = scratch();
afterAll(files.remove);
const KEY = ["keys", "create", "--name", "k", "--scopes", "emails:detect", "--home"];

it.skipIf(!existsSync("/proc/self"))("keys create refuses a home under /proc in one line", async () => {
  const { status, stdout, stderr } = await run([...KEY, "/proc/none/home"]);
  expect(status).toBe(2);
  expect(stdout.toString()).toBe("");
  expect(stderr.toString()).toMatch(/^addrsift: can't use \/proc\/none\/home: .+\n$/);
});

it("keys create refuses a home below a file in one line", async () => {
  const { status, stderr } = await run([...KEY, `${files.file("file", "")}/home`]);
  expect(status).toBe(2);
  expect(stderr.toString()).toContain("a part of its path is not a folder, give another --home");
});

it("keys create makes a home with all that is missing above it", async () => {
  const { status } = await run([...KEY, `${files.path}/a/b/c`]);
  expect(status).toBe(0);
});
