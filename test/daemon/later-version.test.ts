// A home that a later version has written to as well: what this version does not know is carried along, shown as it is and not used.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkedApi } from "../helpers/api-contract.ts";
import { ask, makeKey } from "../helpers/daemon.ts";
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

const channel = (id: string, more = {}): ReturnType<typeof storedChannel> =>
  storedChannel(id, `${receiver.url}/${id}`, more);
const stored = (file: string, collection: string): ReturnType<typeof readRecords> =>
  readRecords(home, file, collection);
const LATER_CHANNEL = storedChannel("ch_later", "", {
  type: "pager",
  config: { number: "SECRET", deep: { token: "SECRET" } },
});

async function command(...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await run([...args, "--home", home]);
  expect([status, stderr.toString()]).toEqual([0, ""]);
  return stdout.toString();
}

describe("a delivery", () => {
  it("with an unknown event waits untouched, is shown, and keeps no other from being sent", async () => {
    writeRecords(home, "store.json", { channels: { ch_1: channel("ch_1") } });
    const all = storedDeliveries("msg_", "ch_1", 50);
    const unknown = { ...all["msg_7"], event: "key.created", extra: { a: [1] } };
    writeRecords(home, "deliveries.json", { deliveries: { ...all, msg_7: unknown } });
    const { text: key } = await makeKey(home);
    const at = await opened.serve();
    const done = (): number =>
      Object.values(stored("deliveries.json", "deliveries")).filter(({ status }) => status === "delivered").length;
    await expect.poll(done).toBe(49);
    const kept = stored("deliveries.json", "deliveries");
    expect(kept["msg_7"]).toEqual(unknown);
    expect(Object.keys(kept)).toEqual(Object.keys(all));
    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).not.toContain("msg_7");
    expect((await ask(at.port, "GET", "/readyz")).status).toBe(200);
    const shown = await ask(at.port, "GET", `${CHANNELS}/ch_1/deliveries`, { key });
    const found = (shown.json["data"] as { readonly id: string }[]).find(({ id }) => id === "msg_7");
    expect(found).toMatchObject({ event: "key.created", status: "pending", attempts: 0 });
    expect(await command("channels", "deliveries", "ch_1")).toMatch(/msg_7\s+key\.created\s+pending\s+0/);
  });

  it("to a channel of unknown type waits, whatever its event and its age", async () => {
    writeRecords(home, "store.json", { channels: { ch_1: channel("ch_1"), ch_later: LATER_CHANNEL } });
    const old = Object.values(storedDeliveries("msg_old", "ch_later", 1))[0] as Readonly<Record<string, unknown>>;
    const ancient = { ...old, created_at: Date.now() - 40 * 86_400_000 };
    writeRecords(home, "deliveries.json", {
      deliveries: { ...storedDeliveries("msg_", "ch_1", 2), msg_old0: ancient },
    });
    await opened.serve();
    await expect.poll(() => receiver.received.length).toBe(2);
    expect(stored("deliveries.json", "deliveries")["msg_old0"]).toEqual(ancient);
  });
});

describe("a channel of unknown type", () => {
  it("is listed without its secrets, is not used or changed, and survives every other change", async () => {
    writeRecords(home, "store.json", { channels: { ch_later: LATER_CHANNEL, ch_1: channel("ch_1") } });
    const listed = JSON.parse(await command("channels", "list", "--json")) as { readonly id: string }[];
    expect(listed.map(({ id }) => id)).toEqual(["ch_1", "ch_later"]);
    const table = await command("channels", "list");
    const shown = await command("channels", "get", "ch_later");
    expect(`${table}${shown}`).not.toContain("SECRET");
    expect(table).toMatch(/ch_later +ch_later +pager/);
    expect(shown).toMatch(/number +\[redacted\]\n/);
    for (const args of [
      ["update", "ch_later", "--name", "n"],
      ["test", "ch_later"],
    ]) {
      const { status, stderr } = await run(["channels", ...args, "--home", home]);
      expect([status, stderr.toString()]).toEqual([
        2,
        "addrsift: type pager is from a later addrsift: use that version for this channel\n",
      ]);
    }
    const notified = await run(["detect", "a@example.com", "--dns", "off", "--notify", "ch_later", "--home", home]);
    expect(notified.stderr.toString()).toContain("ch_later is not notified: type pager is from a later addrsift");
    await command("channels", "update", "ch_1", "--name", "n");
    await command("keys", "create", "--name", "k", "--scopes", "emails:detect");
    expect(stored("store.json", "channels")["ch_later"]).toEqual(LATER_CHANNEL);
    expect(receiver.received).toEqual([]);
  });

  it("is an answer of the API as its document says, and can be deleted with its deliveries", async () => {
    writeRecords(home, "store.json", { channels: { ch_later: LATER_CHANNEL, ch_1: channel("ch_1") } });
    const later = Object.entries(storedDeliveries("msg_l", "ch_later", 2)).map(([id, one]) => [
      id,
      { ...one, event: "new" },
    ]);
    writeRecords(home, "deliveries.json", { deliveries: Object.fromEntries(later) });
    const { text: key } = await makeKey(home);
    const { ask: api } = await checkedApi((await opened.serve()).port);
    const one = await api("GET", `${CHANNELS}/ch_later`, { key });
    expect(one.json).toMatchObject({ type: "pager", config: { number: "[redacted]", deep: "[redacted]" } });
    expect((await api("GET", CHANNELS, { key })).json["data"]).toHaveLength(2);
    expect((await api("GET", `${CHANNELS}/ch_later/deliveries`, { key })).json["data"]).toHaveLength(2);
    for (const [method, path] of [
      ["POST", "/test"],
      ["POST", "/verification"],
      ["PATCH", ""],
    ] as const) {
      const body = method === "PATCH" ? { body: { name: "n" } } : {};
      const refused = await api(method, `${CHANNELS}/ch_later${path}`, { key, ...body });
      expect([refused.status, refused.json["code"]]).toEqual([400, "INVALID_BODY"]);
    }
    expect((await api("DELETE", `${CHANNELS}/ch_later`, { key })).status).toBe(200);
    expect(Object.keys(stored("store.json", "channels"))).toEqual(["ch_1"]);
    expect(stored("deliveries.json", "deliveries")).toEqual({});
  });
});

describe("fields and values that this version does not know", () => {
  const KEY = {
    id: "key_1",
    name: "k",
    team: "default",
    scopes: ["emails:detect", "lists:write"],
    digest: "0".repeat(64),
  };
  const TIMES = { created_at: "2026-11-21T12:00:00.000Z" };

  it("survive every rewrite of their records", async () => {
    const config = {
      ...(channel("ch_1")["config"] as object),
      enabled: true,
      events: ["detection.completed", "key.used"],
    };
    const key = { ...KEY, ...TIMES, note: { a: 1 } };
    const verification = { channel_id: "ch_1", address: "a@example.org", expires_at: 9e12, state: "paused" };
    writeRecords(home, "store.json", {
      keys: { key_1: key },
      channels: { ch_1: channel("ch_1", { config, labels: ["x"] }) },
      verifications: { abc: verification },
      verification_mails: { def: { sent_at: [1], reason: "x" } },
    });
    const [delivery] = Object.values(storedDeliveries("msg_", "ch_1", 1));
    writeRecords(home, "deliveries.json", { deliveries: { msg_0: { ...delivery, trace: "t" } } });
    await opened.serve();
    await expect
      .poll(() => stored("deliveries.json", "deliveries")["msg_0"])
      .toMatchObject({ status: "delivered", trace: "t" });
    await command(
      "channels",
      "update",
      "ch_1",
      "--name",
      "n",
      "--config",
      `headers.X-A=@${opened.files.file("header", "v")}`,
    );
    await command("keys", "revoke", "key_1");
    const after = stored("store.json", "channels")["ch_1"];
    expect(after).toMatchObject({ name: "n", labels: ["x"], config: { ...config, headers: { "X-A": "v" } } });
    expect(stored("store.json", "keys")["key_1"]).toEqual({ ...key, revoked_at: expect.any(String) });
    expect(stored("store.json", "verifications")).toEqual({ abc: verification });
    expect(stored("store.json", "verification_mails")).toEqual({ def: { sent_at: [1], reason: "x" } });
    expect(await command("keys", "list")).toContain("lists:write");
  });

  it("go to no other origin", async () => {
    const config = { ...(channel("ch_1")["config"] as object), certificate: "SECRET" };
    writeRecords(home, "store.json", { channels: { ch_1: channel("ch_1", { config }) } });
    const args = ["channels", "update", "ch_1", "--config", "url=https://other.example.com/", "--home", home];
    const { status, stderr } = await run(args);
    expect([status, stderr.toString()]).toEqual([
      2,
      "addrsift: config.url can't move to another origin: the channel has fields of a later addrsift, use that version\n",
    ]);
    expect(await command("channels", "get", "ch_1")).not.toContain("SECRET");
    expect(stored("store.json", "channels")["ch_1"]).toMatchObject({ config });
  });
});
