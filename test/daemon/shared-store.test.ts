// Tests several daemons, each with its own home, and the command line with one PostgreSQL store.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Daemon, send, startDaemon } from "../helpers/daemon.ts";
import { PASSWORD, POSTGRES_PROGRAMS, type Postgres, startPostgres } from "../helpers/postgres.mjs";
import { SCOPES } from "../helpers/programs.mjs";
import { type Receiver, startReceiver } from "../helpers/receiver.ts";
import { expectRefused, type RunResult, run, scratch } from "../helpers/run.ts";

const CHANNELS = "/api/v1/team/notifications/channels";
const ALLOW_LOOPBACK = { ADDRSIFT_ALLOW_PRIVATE: "127.0.0.0/8" };

describe.skipIf(POSTGRES_PROGRAMS === undefined)("daemons that share a store in PostgreSQL", () => {
  let server: Postgres;
  let receiver: Receiver;
  let url: string;
  let daemons: Daemon[] = [];
  const logs: string[] = [];
  const files = scratch();

  beforeAll(async () => {
    [server, receiver] = await Promise.all([startPostgres(), startReceiver()]);
  });
  afterAll(async () => {
    await receiver.close();
    await server.remove();
    files.remove();
  });
  beforeEach(async () => {
    // A failed test may have left the server killed.
    await server.start();
    url = await server.create();
  });
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) {
      await daemon.stop();
      logs.push(daemon.log());
    }
    for (const text of logs.splice(0)) {
      expect(text).not.toContain(PASSWORD);
      expect(text).not.toContain(encodeURIComponent(PASSWORD));
    }
  });

  const env = (): Record<string, string> => ({ ADDRSIFT_STORE: url, ...ALLOW_LOOPBACK });
  async function command(...args: string[]): Promise<RunResult> {
    const result = await run([...args, "--home", join(files.path, "home")], { env: env() });
    logs.push(result.stderr.toString());
    return result;
  }
  async function start(count: number): Promise<void> {
    const args = ["--dns", "off", "--public-url", "https://addrsift.example.com", "--metrics-public"];
    const all = Array.from({ length: count }, () => startDaemon(args, { env: env() }));
    daemons = await Promise.all(all);
  }
  async function makeKey(): Promise<{ id: string; key: string }> {
    const created = await command("keys", "create", "--name", "k", "--scopes", SCOPES, "--json");
    return JSON.parse(created.stdout.toString()) as { id: string; key: string };
  }
  const detectStatus = ({ port }: Daemon, key: string): Promise<number> =>
    send(port, "GET", "/api/v1/emails/detect?email=a@example.com", { key }).then(({ status }) => status);
  const statuses = (key: string): Promise<number[]> => Promise.all(daemons.map((daemon) => detectStatus(daemon, key)));

  it("daemons accept a key that the command line created, and reject it within 1 s of its revocation", async () => {
    await start(3);
    const { id, key } = await makeKey();
    expect(await statuses(key)).toEqual([200, 200, 200]);
    expect((await command("keys", "revoke", id)).status).toBe(0);
    await expect.poll(() => statuses(key), { interval: 20 }).toEqual([401, 401, 401]);
    expect(daemons[0]?.log()).toMatch(/"store":"the database test_\d+ on 127\.0\.0\.1"/);
    expect(existsSync(join(files.path, "home/store.json"))).toBe(false);
  });

  it("daemons create one channel per Idempotency-Key, even after a restart", async () => {
    const { key } = await makeKey();
    await start(2);
    const body = { name: "once", type: "webhook", config: { url: "https://hooks.example.com/in" } };
    const create = (daemon: Daemon | undefined, name: string, requestBody: object = body): ReturnType<typeof send> =>
      send(daemon?.port as number, "POST", CHANNELS, {
        key,
        body: { ...requestBody },
        headers: { "idempotency-key": name },
      });
    for (const name of ["a", "b", "c", "d", "e"]) {
      const all = await Promise.all([...daemons, ...daemons].map((daemon) => create(daemon, name)));
      // A daemon rejects a second request during the first. Another daemon finds the channel once it is stored.
      const texts = new Set(all.filter(({ status }) => status !== 409).map(({ text }) => text));
      expect([...texts]).toEqual([expect.stringContaining('"secret":"whsec_')]);
    }
    const { text } = await create(daemons[1], "a");
    expect((await create(daemons[0], "a", { ...body, name: "other" })).json["code"]).toBe("IDEMPOTENCY_KEY_REUSED");
    await Promise.all(daemons.splice(0).map((daemon) => daemon.stop()));
    await start(1);
    expect((await create(daemons[0], "a")).text).toBe(text);
    const { json } = await send(daemons[0]?.port as number, "GET", CHANNELS, { key });
    expect(json["data"]).toHaveLength(5);
  });

  it("a daemon returns the changes of another daemon as soon as they are acknowledged", async () => {
    const { key } = await makeKey();
    await start(2);
    const [one, other] = daemons as [Daemon, Daemon];
    for (let i = 0; i < 10; i++) {
      const body = { name: `c${i}`, type: "webhook", config: { url: "https://hooks.example.com/" } };
      const { id } = (await send(one.port, "POST", CHANNELS, { key, body })).json;
      expect((await send(other.port, "GET", `${CHANNELS}/${id}`, { key })).status).toBe(200);
      const renamed = await send(other.port, "PATCH", `${CHANNELS}/${id}`, { key, body: { name: "new" } });
      expect(renamed.status).toBe(200);
      expect((await send(one.port, "GET", `${CHANNELS}/${id}`, { key })).json["name"]).toBe("new");
    }
    const listed = await command("channels", "list", "--json");
    expect(listed.stdout.toString().match(/"id":/g)).toHaveLength(10);
  });

  it("daemons deliver each event of detect --notify once", async () => {
    const config = ["--config", `url=${receiver.url}/in`];
    const created = await command("channels", "create", "--name", "ops", "--type", "webhook", ...config, "--json");
    const { id } = JSON.parse(created.stdout.toString()) as { id: string };
    expect((await command("channels", "test", id)).status).toBe(0);
    await start(3);
    // This process may not connect to loopback, so it leaves the deliveries to the daemons.
    const input = { env: { ADDRSIFT_STORE: url }, stdin: "a@example.com\n" };
    for (let i = 0; i < 5; i++) {
      const result = await run(["detect", "--dns", "off", "--notify", id], input);
      expect(result.status).toBe(0);
    }
    const events = (): string[] =>
      receiver.received
        .filter(({ body }) => JSON.parse(body.toString()).type === "detection.completed")
        .map(({ headers }) => String(headers["webhook-id"]));
    await expect.poll(() => events().length).toBe(5);
    expect(new Set(events()).size).toBe(5);
    // The receiver gets the last event before the outcome is recorded.
    const delivered = async (): Promise<unknown> =>
      (await command("channels", "deliveries", id, "--json")).stdout.toString().match(/"status":"delivered"/g);
    await expect.poll(delivered).toHaveLength(6);
  });
});

const unreachable = { ADDRSIFT_STORE: `postgresql://joe:${encodeURIComponent(PASSWORD)}@127.0.0.1:1/mail` };

it("an unreachable ADDRSIFT_STORE fails with a one-line error without the password", async () => {
  const line =
    "addrsift: the database mail on 127.0.0.1 does not answer (ECONNREFUSED): start it, or correct ADDRSIFT_STORE\n";
  for (const call of ["keys list", "keys create --name k --scopes emails:detect", "channels list"])
    await expectRefused(call, line, { env: unreachable });
});

it("an unreachable ADDRSIFT_STORE does not stop detection", async () => {
  const detected = await run(["detect", "a@example.com", "--dns", "off"], { env: unreachable });
  expect([detected.status, detected.stderr.toString()]).toEqual([0, ""]);
  const result = await run(["detect", "a@example.com", "--dns", "off", "--notify", "ch_x"], { env: unreachable });
  expect(result.status).toBe(0);
  expect(result.stderr.toString()).toMatch(
    /^addrsift: .*ch_x is not notified: the database mail on 127\.0\.0\.1 does not/,
  );
});
