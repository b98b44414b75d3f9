// A damaged store fails only the requests that need it, and needs no restart when it is repaired.

import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, type Daemon, makeKey, type Reply, startDaemon } from "../helpers/daemon.ts";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await startDaemon(["--dns", "off"]);
});
afterAll(() => daemon.stop());

it("a damaged store ends no daemon", async () => {
  const { text: key } = await makeKey(daemon.home);
  const path = join(daemon.home, "store.json");
  const channels = "/api/v1/team/notifications/channels";
  const list = (): Promise<Reply> => ask(daemon.port, "GET", channels, { key });
  expect((await list()).status).toBe(200);
  const good = readFileSync(path);
  copyFileSync(path, join(daemon.home, "store.json.backup"));
  writeFileSync(path, '{"format":1,');
  rmSync(`${path}.previous`, { force: true });
  await expect.poll(async () => (await list()).status).toBe(503);
  const broken = await list();
  expect(broken.json).toEqual({
    code: "NOT_READY",
    message: expect.stringContaining("changes nothing until an operator"),
  });
  expect(broken.text).not.toContain(daemon.home);
  expect((await ask(daemon.port, "POST", channels, { key, body: { name: "a", type: "email" } })).status).toBe(503);
  expect((await ask(daemon.port, "GET", "/readyz")).status).toBe(503);
  expect((await ask(daemon.port, "GET", "/api/v1/emails/detect?email=a@example.org")).status).toBe(200);
  await expect.poll(() => daemon.log()).toContain("store.json is damaged");
  expect(readFileSync(path, "utf8")).toBe('{"format":1,');
  writeFileSync(path, good);
  await expect.poll(async () => (await list()).status).toBe(200);
});
