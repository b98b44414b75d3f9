// A short run of the soak: real processes that record and deliver events over one home, killed with -9 at random.

import { join } from "node:path";
import { expect, it } from "vitest";
import { scratch } from "../helpers/run.ts";
import { killDeliverers } from "../soak/delivery-run.mjs";

it("loses no event, and keeps each under its id, when processes are killed", async () => {
  const files = scratch();
  const run = await killDeliverers(join(files.path, "home"), { events: 60, kills: 8, leaseMs: 2000 });
  files.remove();
  expect(run.problems).toEqual([]);
  expect(run.arrived).toBe(60);
});
