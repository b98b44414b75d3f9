// Short runs of the soaks: several writers and daemons over one home, one of them killed with -9 at random.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FROM_SOURCE } from "../helpers/from-source.mjs";

it.each([
  ["keys and channels, whose writers", "store.mjs", "6"],
  ["overrides, whose commands", "overrides.mjs", "8"],
])("nothing that was acknowledged is lost or torn of %s are killed", (_, file, kills) => {
  const soak = [...FROM_SOURCE, join(import.meta.dirname, "../soak", file), kills];
  const { status, stdout, stderr } = spawnSync(process.execPath, soak, { encoding: "utf8" });
  expect([status, stderr, stdout]).toEqual([0, "", expect.stringMatching(/: ok\n$/)]);
});
