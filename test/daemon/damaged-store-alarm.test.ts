// A damaged store stays as it is until a command that changes something continues from its copy, and says so.

import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ask, type Daemon, makeKey, type Reply } from "../helpers/daemon.ts";
import { type DeliveringHome, openDeliveringHome } from "../helpers/delivering-home.ts";
import { readRecords, storedChannel, storedDeliveries, writeRecords } from "../helpers/home-files.ts";
import type { Receiver } from "../helpers/receiver.ts";
import { run } from "../helpers/run.ts";

const CHANNELS = "/api/v1/team/notifications/channels";

let opened: DeliveringHome;
let home: string;
let receiver: Receiver;
beforeEach(async () => {
  opened = await openDeliveringHome();
  ({ home, receiver } = opened);
});
afterEach(() => opened.close());

const get = ({ port }: Daemon, path: string, key?: string): Promise<Reply> =>
  ask(port, "GET", path, key === undefined ? {} : { key });
const pause = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms));

it("a damaged store stays so whatever keys are used, until a command goes on from its copy and says so", async () => {
  const [good, revoked] = [await makeKey(home), await makeKey(home)];
  expect((await run(["keys", "revoke", revoked.id, "--home", home])).status).toBe(0);
  const store = join(home, "store.json");
  const at = await opened.serve();
  expect((await get(at, CHANNELS, revoked.text)).status).toBe(401);
  writeFileSync(store, "{broken");
  for (let i = 0; i < 12; i++) {
    await pause(250);
    expect((await get(at, CHANNELS, good.text)).status).toBe(200);
    const ready = await get(at, "/readyz");
    expect([ready.status, ready.json["message"]]).toEqual([
      503,
      expect.stringContaining("revoked last may work again"),
    ]);
  }
  const body = { name: "a", type: "webhook", config: { url: "https://hooks.example.com/" } };
  const refused = await ask(at.port, "POST", CHANNELS, { key: good.text, body });
  expect([refused.status, refused.json["code"]]).toEqual([503, "NOT_READY"]);
  expect(refused.text).not.toContain(home);
  // The last use of the keys is written when the daemon stops, at the latest: not now.
  await at.stop();
  expect(readFileSync(store, "utf8")).toBe("{broken");
  const again = await opened.serve();
  expect((await get(again, "/readyz")).status).toBe(503);

  const listed = await run(["keys", "list", "--home", home]);
  expect(listed.status).toBe(0);
  expect(readFileSync(store, "utf8")).toBe("{broken");
  const made = await run(["keys", "create", "--name", "n", "--scopes", "emails:detect", "--home", home]);
  expect(made.status).toBe(0);
  expect(made.stderr.toString()).toMatch(
    /store\.json, which is kept as \S+\.damaged-\S+, is replaced: this change continued from its previous copy of \S+Z: a key that was revoked after that time works again, see addrsift keys list\n$/,
  );
  const aside = readdirSync(home).filter((name) => name.includes(".damaged-"));
  expect(aside.map((name) => readFileSync(join(home, name), "utf8"))).toEqual(["{broken"]);
  expect((await get(again, "/readyz")).status).toBe(200);
  expect(readRecords(home, "store.json", "keys")[revoked.id]).not.toHaveProperty("revoked_at");
});

it("damaged deliveries are left as they are, make the daemon unready, and are sent when they are back", async () => {
  writeRecords(home, "store.json", { channels: { ch_1: storedChannel("ch_1", `${receiver.url}/in`) } });
  const path = join(home, "deliveries.json");
  const all = { deliveries: storedDeliveries("msg_", "ch_1", 3) };
  writeRecords(home, "deliveries.json", all);
  copyFileSync(path, join(opened.files.path, "backup"));
  for (const copy of [false, true]) {
    rmSync(`${path}.previous`, { force: true });
    if (copy) writeRecords(home, "deliveries.json.previous", { deliveries: storedDeliveries("msg_x", "ch_1", 3) });
    writeFileSync(path, "{broken");
    const at = await opened.serve();
    await expect.poll(at.log).toContain("deliveries.json is damaged");
    await pause(1500);
    const ready = await get(at, "/readyz");
    expect([ready.status, ready.json["code"]]).toEqual([503, "NOT_READY"]);
    expect(ready.text).not.toContain(home);
    const detected = await run(["detect", "a@example.com", "--dns", "off", "--notify", "ch_1", "--home", home]);
    expect(detected.stdout.toString()).toContain("a@example.com");
    expect(detected.stderr.toString()).toContain("deliveries.json is damaged");
    expect([readFileSync(path, "utf8"), receiver.received.length]).toEqual(["{broken", 0]);
    await at.stop();
  }
  copyFileSync(join(opened.files.path, "backup"), path);
  const at = await opened.serve();
  await expect.poll(() => receiver.received.length).toBe(3);
  expect((await get(at, "/readyz")).status).toBe(200);
});

it("a test of a channel by hand goes on from the copy of damaged deliveries, and says so", async () => {
  writeRecords(home, "store.json", { channels: { ch_1: storedChannel("ch_1", `${receiver.url}/in`) } });
  writeRecords(home, "deliveries.json.previous", { deliveries: storedDeliveries("msg_", "ch_1", 3) });
  writeFileSync(join(home, "deliveries.json"), "{broken");
  const env = { ADDRSIFT_ALLOW_PRIVATE: "127.0.0.0/8" };
  const { status, stderr } = await run(["channels", "test", "ch_1", "--home", home], { env });
  expect(status).toBe(0);
  expect(stderr.toString()).toMatch(
    /deliveries\.json, which is kept as \S+, is replaced: .*: an event that was recorded after/,
  );
  expect(Object.keys(readRecords(home, "deliveries.json", "deliveries"))).toHaveLength(4);
});
