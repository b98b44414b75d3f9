// While the previous copy stands in for a damaged store, a key that was revoked last is good again: the daemon does not call itself
// ready then.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, type Daemon, makeKey, revokeKey, startDaemon } from "../helpers/daemon.ts";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await startDaemon(["--dns", "off"]);
});
afterAll(() => daemon.stop());

it("a store whose previous copy is used is not ready", async () => {
  const { id } = await makeKey(daemon.home);
  await revokeKey(daemon.home, id);
  const ready = async (): Promise<number> => (await ask(daemon.port, "GET", "/readyz")).status;
  expect(await ready()).toBe(200);
  const path = join(daemon.home, "store.json");
  const good = readFileSync(path);
  writeFileSync(path, good.subarray(0, good.length - 5));
  const { status, json, text } = await ask(daemon.port, "GET", "/readyz");
  expect(status).toBe(503);
  expect(json["code"]).toBe("NOT_READY");
  expect(json["message"]).toContain("damaged");
  expect(text).not.toContain(daemon.home);
  expect((await ask(daemon.port, "GET", "/healthz")).status).toBe(200);
  writeFileSync(path, good);
  expect(await ready()).toBe(200);
});
