// Runs the soak tests briefly: processes that change one home, or record and deliver events in it, are killed at random.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FROM_SOURCE } from "../helpers/from-source.mjs";
import { scratch } from "../helpers/run.ts";
import { killDeliverers } from "../soak/delivery-run.mjs";

it.each([
  ["keys and channels", "store.mjs", "6"],
  ["overrides", "overrides.mjs", "8"],
])("acknowledged changes survive killed processes: %s", (_, file, kills) => {
  const soak = [...FROM_SOURCE, join(import.meta.dirname, "../soak", file), kills];
  const { status, stdout, stderr } = spawnSync(process.execPath, soak, { encoding: "utf8" });
  expect([status, stderr, stdout]).toEqual([0, "", expect.stringMatching(/: ok\n$/)]);
});

it("events survive killed processes and keep their ids", async () => {
  const files = scratch();
  const run = await killDeliverers(join(files.path, "home"), { events: 60, kills: 8, leaseMs: 2000 });
  files.remove();
  expect(run.problems).toEqual([]);
  expect(run.arrived).toBe(60);
});
