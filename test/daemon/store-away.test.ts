// Tests that no delivery is lost while a store can't be read, or is read from its backup. A damaged store stays
// unchanged until a command that changes something recovers it from the backup and reports that.

import {
  chownSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { DELIVERIES } from "../../src/channels/delivery/record.ts";
import { Store } from "../../src/store/store.ts";
import { type Daemon, makeKey, type Reply, send, testDaemon } from "../helpers/daemon.ts";
import { readRecords, storedChannel, storedDeliveries, writeRecords } from "../helpers/home-files.ts";
import { openTestNotifications, type TestNotifications } from "../helpers/notifications.ts";
import { type Receiver, startReceiver } from "../helpers/receiver.ts";
import { objectsOf, run, scratch } from "../helpers/run.ts";
import { isRoot } from "../helpers/stranger.ts";

const CHANNELS = "/api/v1/team/notifications/channels";
const ENV = { ADDRSIFT_ALLOW_PRIVATE: "127.0.0.0/8" };
const PENDING = 40;
// Time for several polls: the daemon polls for due deliveries twice a second.
const POLLS_MS = 2000;

let files: ReturnType<typeof scratch>;
let home: string;
let store: string;
let movedStore: string;
let receiver: Receiver;
beforeEach(async () => {
  files = scratch();
  // Runs after the daemons, which write into the folder, have ended.
  onTestFinished(files.remove);
  home = join(files.path, "home");
  receiver = await startReceiver();
  [store, movedStore] = [join(home, "store.json"), join(files.path, "moved.json")];
});
afterEach(async () => receiver.close());

const serve = (): Promise<Daemon> => testDaemon(["--dns", "off", "--allow-private", "127.0.0.0/8"], { home });
const channel = (id: string): ReturnType<typeof storedChannel> => storedChannel(id, `${receiver.url}/${id}`);
const deliveries = (): ReturnType<typeof readRecords> => readRecords(home, "deliveries.json", "deliveries");
const pendingCount = (): number => Object.values(deliveries()).filter(({ status }) => status === "pending").length;
const arrivedCount = (): number => new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size;
const pause = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms));
const waitForPolls = (): Promise<unknown> => pause(POLLS_MS);
const get = ({ port }: Daemon, path: string, key?: string): Promise<Reply> =>
  send(port, "GET", path, key === undefined ? {} : { key });
const readiness = async (daemon: Daemon): Promise<number> => (await get(daemon, "/readyz")).status;

it("pending deliveries are sent once a missing store is back, even if the daemon was killed meanwhile", async () => {
  writeRecords(home, "store.json", { channels: { ch_1: channel("ch_1") } });
  const daemon = await serve();
  expect(await readiness(daemon)).toBe(200);
  renameSync(store, movedStore);
  writeRecords(home, "deliveries.json", { deliveries: storedDeliveries("msg_a", "ch_1", PENDING) });
  await expect.poll(daemon.log).toMatch(/store\.json is gone/);
  await waitForPolls();
  expect(await readiness(daemon)).toBe(503);
  expect([pendingCount(), arrivedCount(), existsSync(store)]).toEqual([PENDING, 0, false]);
  await daemon.stop("SIGKILL");
  // The new daemon has never seen the store. It must not treat the deliveries as orphans either.
  await serve();
  await waitForPolls();
  expect([pendingCount(), arrivedCount()]).toEqual([PENDING, 0]);
  renameSync(movedStore, store);
  await expect.poll(pendingCount).toBe(0);
  expect(arrivedCount()).toBe(PENDING);
});

it("pending deliveries wait until a damaged store is restored, even if its backup lacks their channel", async () => {
  writeRecords(home, "store.json", { channels: { ch_1: channel("ch_1") } });
  renameSync(store, `${store}.previous`);
  writeRecords(home, "store.json", { channels: { ch_1: channel("ch_1"), ch_2: channel("ch_2") } });
  writeRecords(home, "deliveries.json", {
    deliveries: { ...storedDeliveries("msg_a", "ch_1", 5), ...storedDeliveries("msg_b", "ch_2", 5) },
  });
  renameSync(store, movedStore);
  writeFileSync(store, '{"format":1,');
  const daemon = await serve();
  await waitForPolls();
  expect(await readiness(daemon)).toBe(503);
  expect([pendingCount(), arrivedCount()]).toEqual([10, 0]);
  renameSync(movedStore, store);
  await expect.poll(pendingCount).toBe(0);
  expect(arrivedCount()).toBe(10);
  expect(await readiness(daemon)).toBe(200);
});

it("pending deliveries are sent once the store is restored, even if commands ran while it was missing", async () => {
  writeRecords(home, "deliveries.json", { deliveries: storedDeliveries("msg_a", "ch_1", 5) });
  expect((await run(["channels", "test", "ch_1", "--home", home], { env: ENV })).status).toBe(2);
  // Creates a store with another channel. Testing that channel also polls for due deliveries.
  const create = ["channels", "create", "--name", "o", "--type", "webhook", "--json", "--home", home];
  const created = await run([...create, "--config", `url=${receiver.url}/other`]);
  const { id } = JSON.parse(created.stdout.toString()) as { readonly id: string };
  expect((await run(["channels", "test", id, "--home", home], { env: ENV })).status).toBe(0);
  const notified = ["detect", "a@example.com", "--dns", "off", "--notify", id, "--home", home];
  expect((await run(notified, { env: ENV })).status).toBe(0);
  expect(pendingCount()).toBe(5);
  writeRecords(home, "store.json", { channels: { ch_1: channel("ch_1") } });
  await serve();
  await expect.poll(pendingCount).toBe(0);
  expect(receiver.received.filter(({ url }) => url === "/ch_1")).toHaveLength(5);
});

it("channels delete deletes the channel's deliveries, and no others", async () => {
  writeRecords(home, "store.json", { channels: { ch_1: channel("ch_1"), ch_2: channel("ch_2") } });
  const both = { ...storedDeliveries("msg_a", "ch_1", 3), ...storedDeliveries("msg_b", "ch_2", 3) };
  writeRecords(home, "deliveries.json", { deliveries: both });
  expect((await run(["channels", "delete", "ch_1", "--home", home])).status).toBe(0);
  expect(Object.keys(deliveries())).toEqual(["msg_b0", "msg_b1", "msg_b2"]);
});

describe("orphaned and damaged deliveries", () => {
  const DAY_MS = 86_400_000;
  let ctx: TestNotifications;
  afterEach(() => ctx.remove());

  async function createOrphans(count: number): Promise<Store> {
    ctx = openTestNotifications();
    const outbox = new Store({ folder: ctx.home, file: "deliveries.json", warn: () => {} }, [DELIVERIES]);
    await ctx.create({ name: "other", type: "webhook", config: { url: "https://hooks.example.com/" } });
    await outbox.change((transaction) => {
      const all = transaction.records(DELIVERIES);
      for (const [id, delivery] of Object.entries(storedDeliveries("msg_", "ch_gone", count))) {
        const times = { created_at: ctx.clock.nowMs, next_attempt_at: ctx.clock.nowMs };
        all.set(id, { ...delivery, ...times } as never);
      }
    });
    return outbox;
  }

  it("orphaned deliveries are not due, and are deleted after 30 days", async () => {
    const outbox = await createOrphans(3);
    expect(ctx.outbox.nextDue()).toBeUndefined();
    expect(await ctx.outbox.leaseDue(5)).toEqual([]);
    ctx.clock.nowMs += 30 * DAY_MS - 1;
    await ctx.outbox.leaseDue(5);
    expect(outbox.records(DELIVERIES).size).toBe(3);
    ctx.clock.nowMs += 1;
    await ctx.outbox.leaseDue(5);
    expect(outbox.records(DELIVERIES).size).toBe(0);
  });

  it("only the latest 1,000 orphaned deliveries are kept", async () => {
    const outbox = await createOrphans(1003);
    await ctx.outbox.leaseDue(5);
    const remaining = [...outbox.records(DELIVERIES).keys()];
    expect([remaining.length, remaining[0]]).toEqual([1000, "msg_3"]);
  });
});

it("a damaged store stays unchanged until a command recovers it from its backup", async () => {
  const [good, revoked] = [await makeKey(home), await makeKey(home)];
  expect((await run(["keys", "revoke", revoked.id, "--home", home])).status).toBe(0);
  const daemon = await serve();
  expect((await get(daemon, CHANNELS, revoked.text)).status).toBe(401);
  writeFileSync(store, "{broken");
  for (let i = 0; i < 12; i++) {
    await pause(250);
    expect((await get(daemon, CHANNELS, good.text)).status).toBe(200);
    const ready = await get(daemon, "/readyz");
    const message = expect.stringContaining("revoked last may work again");
    expect([ready.status, ready.json["message"], ready.headers["retry-after"]]).toEqual([503, message, "5"]);
  }
  const body = { name: "a", type: "webhook", config: { url: "https://hooks.example.com/" } };
  const rejected = await send(daemon.port, "POST", CHANNELS, { key: good.text, body });
  expect([rejected.status, rejected.json["code"], rejected.headers["retry-after"]]).toEqual([503, "NOT_READY", "5"]);
  expect(rejected.text).not.toContain(home);
  // When it stops, the daemon would write the last uses of keys, but not to a damaged store.
  await daemon.stop();
  expect(readFileSync(store, "utf8")).toBe("{broken");
  const restarted = await serve();
  expect((await get(restarted, "/readyz")).status).toBe(503);

  const listed = await run(["keys", "list", "--home", home]);
  expect(listed.status).toBe(0);
  expect(readFileSync(store, "utf8")).toBe("{broken");
  const created = await run(["keys", "create", "--name", "n", "--scopes", "emails:detect", "--home", home]);
  expect(created.status).toBe(0);
  expect(created.stderr.toString()).toMatch(
    /store\.json, which is kept as \S+\.damaged-\S+, is replaced: this change continued from its previous copy of \S+Z: a key that was revoked after that time works again, see addrsift keys list\n$/,
  );
  const damagedFiles = readdirSync(home).filter((name) => name.includes(".damaged-"));
  expect(damagedFiles.map((name) => readFileSync(join(home, name), "utf8"))).toEqual(["{broken"]);
  expect((await get(restarted, "/readyz")).status).toBe(200);
  expect(readRecords(home, "store.json", "keys")[revoked.id]).not.toHaveProperty("revoked_at");
});

it.skipIf(!isRoot)(
  "a store that belongs to another user gets 503, and is logged once with the fix (needs root)",
  async () => {
    const { text: key } = await makeKey(home);
    const daemon = await serve();
    expect((await get(daemon, CHANNELS, key)).status).toBe(200);
    // A later write of the key's use would replace the other user's file.
    await expect.poll(() => readFileSync(store, "utf8")).toContain("last_used_at");
    copyFileSync(store, movedStore);
    chownSync(movedStore, 12345, 12345);
    renameSync(movedStore, store);
    for (let i = 0; i < 3; i++) {
      const { status, json } = await get(daemon, CHANNELS, key);
      expect([status, json["code"], await readiness(daemon)]).toEqual([503, "NOT_READY", 503]);
    }
    chownSync(store, 0, 0);
    expect([(await get(daemon, CHANNELS, key)).status, await readiness(daemon)]).toEqual([200, 200]);
    await daemon.stop();
    const problems = objectsOf<{ level: number; msg: string }>(daemon.log()).filter(({ level }) => level > 30);
    expect(problems.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^\S+store\.json belongs to the user 12345, but addrsift runs as 0: run as that user/),
      "store.json can be read again",
    ]);
  },
);

it("a damaged deliveries.json stays unchanged and makes the daemon unready; its deliveries are sent once it is restored", async () => {
  writeRecords(home, "store.json", { channels: { ch_1: channel("ch_1") } });
  const path = join(home, "deliveries.json");
  const all = { deliveries: storedDeliveries("msg_", "ch_1", 3) };
  writeRecords(home, "deliveries.json", all);
  copyFileSync(path, join(files.path, "backup"));
  for (const hasBackup of [false, true]) {
    rmSync(`${path}.previous`, { force: true });
    if (hasBackup) writeRecords(home, "deliveries.json.previous", { deliveries: storedDeliveries("msg_x", "ch_1", 3) });
    writeFileSync(path, "{broken");
    const daemon = await serve();
    await expect.poll(daemon.log).toContain("deliveries.json is damaged");
    await waitForPolls();
    const ready = await get(daemon, "/readyz");
    expect([ready.status, ready.json["code"]]).toEqual([503, "NOT_READY"]);
    expect(ready.text).not.toContain(home);
    const detected = await run(["detect", "a@example.com", "--dns", "off", "--notify", "ch_1", "--home", home]);
    expect(detected.stdout.toString()).toContain("a@example.com");
    expect(detected.stderr.toString()).toContain("deliveries.json is damaged");
    expect([readFileSync(path, "utf8"), receiver.received.length]).toEqual(["{broken", 0]);
    await daemon.stop();
  }
  copyFileSync(join(files.path, "backup"), path);
  const daemon = await serve();
  await expect.poll(() => receiver.received.length).toBe(3);
  expect((await get(daemon, "/readyz")).status).toBe(200);
});

it("channels test recovers a damaged deliveries.json from its backup, with a warning", async () => {
  writeRecords(home, "store.json", { channels: { ch_1: channel("ch_1") } });
  writeRecords(home, "deliveries.json.previous", { deliveries: storedDeliveries("msg_", "ch_1", 3) });
  writeFileSync(join(home, "deliveries.json"), "{broken");
  const { status, stderr } = await run(["channels", "test", "ch_1", "--home", home], { env: ENV });
  expect(status).toBe(0);
  expect(stderr.toString()).toMatch(
    /deliveries\.json, which is kept as \S+, is replaced: .*: an event that was recorded after/,
  );
  expect(Object.keys(readRecords(home, "deliveries.json", "deliveries"))).toHaveLength(4);
});
