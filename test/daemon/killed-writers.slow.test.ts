// Short runs of the soaks: several writers and daemons over one home, one of them killed with -9 at random.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FROM_SOURCE } from "../helpers/from-source.mjs";

it("nothing that was acknowledged is lost when a writer is killed", () => {
  const soak = join(import.meta.dirname, "../soak/store.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [...FROM_SOURCE, soak, "6"], { encoding: "utf8" });
  expect({ status, stdout, stderr }).toMatchObject({
    status: 0,
    stderr: "",
    stdout: expect.stringMatching(/: ok\n$/),
  });
});

it("no override that was acknowledged is lost or torn when a command is killed", () => {
  const soak = join(import.meta.dirname, "../soak/overrides.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [soak, "8"], { encoding: "utf8" });
  expect({ status, stdout, stderr }).toMatchObject({
    status: 0,
    stderr: "",
    stdout: expect.stringMatching(/: ok\n$/),
  });
});
