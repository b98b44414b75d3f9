// Tests that no response denies that a channel or key exists while the database fails, the disk is full or the home
// read-only.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Daemon, makeKey, type Reply, send, startDaemon } from "../helpers/daemon.ts";
import { startFaultProxy } from "../helpers/fault-proxy.mjs";
import { POSTGRES_PROGRAMS, type Postgres, startPostgres } from "../helpers/postgres.mjs";
import { SCOPES } from "../helpers/programs.mjs";
import { run } from "../helpers/run.ts";

const CHANNELS = "/api/v1/team/notifications/channels";
const BODY = { name: "c", type: "webhook", config: { url: "https://hooks.example.com/" } };

describe.skipIf(POSTGRES_PROGRAMS === undefined)("a daemon whose database has a fault", () => {
  let server: Postgres;
  let proxy: Awaited<ReturnType<typeof startFaultProxy>>;
  let url: string;
  let key: string;
  const daemons: Daemon[] = [];

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await server.remove();
  });
  beforeEach(async () => {
    url = await server.create();
    proxy = await startFaultProxy(server.port);
    const created = await run(["keys", "create", "--name", "k", "--scopes", SCOPES], { env: { ADDRSIFT_STORE: url } });
    key = created.stdout.toString().trim();
  });
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) await daemon.stop();
    await proxy.close();
    await setReadOnly(false);
  });

  const start = async (databaseUrl: string): Promise<Daemon> => {
    const args = ["--dns", "off", "--metrics-public"];
    const daemon = await startDaemon(args, { env: { ADDRSIFT_STORE: databaseUrl } });
    daemons.push(daemon);
    return daemon;
  };
  const setReadOnly = async (isReadOnly: boolean): Promise<void> => {
    await server.ask(url, `ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
    await server.ask(url, "SELECT pg_reload_conf()");
  };
  const proxiedUrl = (): string => url.replace(`:${server.port}/`, `:${proxy.port}/`);
  const readiness = async ({ port }: Daemon): Promise<Reply> => send(port, "GET", "/readyz");
  const create = async ({ port }: Daemon): Promise<string> =>
    String((await send(port, "POST", CHANNELS, { key, body: BODY })).json["id"]);
  const detectStatus = async ({ port }: Daemon): Promise<number> =>
    (await send(port, "GET", "/api/v1/emails/detect?email=a@example.com", { key })).status;
  /** Expects a cached key to work without the database, unless this machine is too slow to check that in time. */
  const expectCachedKey = async (daemon: Daemon, disconnectedMs: number): Promise<void> => {
    const status = await detectStatus(daemon);
    if (performance.now() - disconnectedMs < 3000) expect(status).toBe(200);
  };

  it("a daemon without its database answers 503, not 404, for a channel that another daemon created", async () => {
    const [disconnected, other] = [await start(proxiedUrl()), await start(url)];
    expect(await detectStatus(disconnected)).toBe(200);
    const disconnectedMs = performance.now();
    proxy.set("refuse");
    const id = await create(other);
    const replies = ["GET", "PATCH", "DELETE"].map((method) => {
      const body = method === "PATCH" ? { body: { name: "d" } } : {};
      return send(disconnected.port, method, `${CHANNELS}/${id}`, { key, ...body });
    });
    replies.push(send(disconnected.port, "POST", `${CHANNELS}/${id}/test`, { key }));
    for (const { status, json, headers } of await Promise.all(replies))
      expect([status, json["code"], headers["retry-after"]]).toEqual([503, "NOT_READY", "5"]);
    const created = await run(["keys", "create", "--name", "k", "--scopes", SCOPES], { env: { ADDRSIFT_STORE: url } });
    const newKey = { key: created.stdout.toString().trim() };
    expect((await send(disconnected.port, "GET", CHANNELS, newKey)).status).toBe(503);
    await expect.poll(async () => (await readiness(disconnected)).status).toBe(503);
    await expectCachedKey(disconnected, disconnectedMs);
    const pending = /^addrsift_deliveries_pending \d/m;
    const metrics = async (): Promise<string> => (await send(disconnected.port, "GET", "/metrics")).text;
    // The daemon's two stores lose their cached records at different times.
    await expect.poll(metrics).not.toMatch(pending);
    proxy.set("pass");
    await expect.poll(async () => (await readiness(disconnected)).status).toBe(200);
    expect(await metrics()).toMatch(pending);
    expect((await send(disconnected.port, "GET", `${CHANNELS}/${id}`, { key })).status).toBe(200);
  });

  it("a daemon whose tables are missing answers 503, not 401", async () => {
    const daemon = await start(url);
    const id = await create(daemon);
    const dump = execFileSync("pg_dump", ["--no-owner", url], { encoding: "utf8" });
    // The dump creates the tables before it copies their rows.
    const rows = dump.search(/^COPY /m);
    const restore = (input: string): Buffer =>
      execFileSync("psql", ["-q", url], { input, stdio: ["pipe", "ignore", "inherit"] });
    const disconnectedMs = performance.now();
    await server.ask(url, "DROP TABLE addrsift_records, addrsift_stores");
    await expect.poll(async () => (await readiness(daemon)).status).toBe(503);
    await expectCachedKey(daemon, disconnectedMs);
    expect((await send(daemon.port, "GET", `${CHANNELS}/${id}`, { key })).status).toBe(503);
    expect((await send(daemon.port, "POST", CHANNELS, { key, body: BODY })).status).toBe(503);
    await expect.poll(() => detectStatus(daemon)).toBe(503);
    const late = await start(url);
    expect([(await readiness(late)).status, await detectStatus(late)]).toEqual([503, 503]);
    await expect
      .poll(daemon.log)
      .toMatch(/has no addrsift tables: create a key first, or restore the tables from a backup/);
    restore(dump.slice(0, rows));
    expect([await detectStatus(daemon), await detectStatus(late)]).toEqual([503, 503]);
    restore(dump.slice(rows));
    await expect.poll(async () => [await detectStatus(daemon), await detectStatus(late)]).toEqual([200, 200]);
    expect((await send(late.port, "GET", `${CHANNELS}/${id}`, { key })).status).toBe(200);
  });

  it("a read-only database makes the daemon unready and rejects each change", async () => {
    const daemon = await start(url);
    const id = await create(daemon);
    await setReadOnly(true);
    await expect.poll(async () => (await readiness(daemon)).status).toBe(503);
    expect((await readiness(daemon)).json["message"]).toMatch(/read-only, so nothing can be changed/);
    const rejected = await send(daemon.port, "POST", CHANNELS, { key, body: BODY });
    expect([rejected.status, rejected.json["code"]]).toEqual([503, "NOT_READY"]);
    expect(rejected.json["message"]).toMatch(/store is read-only/);
    expect((await send(daemon.port, "GET", `${CHANNELS}/${id}`, { key })).status).toBe(200);
    expect((await send(daemon.port, "GET", "/metrics")).text).toMatch(/addrsift_store_writable\{file="store.json"\} 0/);
    await setReadOnly(false);
    await expect.poll(async () => (await readiness(daemon)).status).toBe(200);
    await create(daemon);
    await expect.poll(daemon.log).toMatch(/is read-only: name the primary server/);
    await expect.poll(daemon.log).toMatch(/is writable again/);
    expect(daemon.log().match(/is writable again/g)).toHaveLength(1);
  });

  it("a daemon can start before its database, and answers once the database is available", async () => {
    proxy.set("refuse");
    const daemon = await start(proxiedUrl());
    expect([await detectStatus(daemon), (await readiness(daemon)).status]).toEqual([503, 503]);
    proxy.set("pass");
    await expect.poll(async () => [await detectStatus(daemon), (await readiness(daemon)).status]).toEqual([200, 200]);
  });

  it("without a key in the database, the daemon says at start how to create one there", async () => {
    await server.ask(url, "DELETE FROM addrsift_records");
    const daemon = await startDaemon(["--dns", "off", "--host", "0.0.0.0"], { env: { ADDRSIFT_STORE: url } });
    daemons.push(daemon);
    const hint = "keys create --name NAME --scopes emails:detect, with ADDRSIFT_STORE as in the daemon's environment";
    await expect.poll(daemon.log).toContain(`${hint}"`);
  });
});

describe.skipIf(process.getuid?.() !== 0)(
  "a daemon whose home can't be written (needs root, to mount a small disk)",
  () => {
    let home: string;
    let daemon: Daemon;
    let key: string;
    let isMounted: boolean;
    const mount = (...options: string[]): boolean => spawnSync("mount", [...options, home]).status === 0;

    beforeEach(async () => {
      home = mkdtempSync(join(tmpdir(), "addrsift-full-"));
      isMounted = mount("-t", "tmpfs", "-o", "size=512k,mode=700", "tmpfs");
      if (!isMounted) return;
      ({ text: key } = await makeKey(home));
      daemon = await startDaemon(["--dns", "off"], { home });
    });
    afterEach(async () => {
      if (isMounted) {
        await daemon.stop();
        spawnSync("umount", [home]);
      }
      rmSync(home, { recursive: true });
    });

    const state = async (): Promise<readonly unknown[]> => {
      const { port } = daemon;
      const [ready, created] = [
        await send(port, "GET", "/readyz"),
        await send(port, "POST", CHANNELS, { key, body: BODY }),
      ];
      const { text } = await send(port, "GET", "/metrics");
      const [, writable] = /^addrsift_store_writable\{file="store.json"\} (\d)$/m.exec(text) ?? [];
      return [ready.status, ready.json["message"], created.status, created.json["code"], writable];
    };
    const FINE = [200, "The daemon is ready.", 200, "SUCCESS", "1"];

    it("a daemon reports a full disk and recovers", async (context) => {
      if (!isMounted) context.skip("mounting is not allowed here");
      expect(await state()).toEqual(FINE);
      // Otherwise, the key's last use could be written while the disk is filled, which would free the backup's space.
      await expect.poll(() => readFileSync(join(home, "store.json"), "utf8")).toContain("last_used_at");
      expect(() => writeFileSync(join(home, "filler"), Buffer.alloc(1 << 20))).toThrow(/ENOSPC/);
      expect(await state()).toEqual([
        503,
        "the disk of the store is full or nearly full, so changes can fail: make room",
        507,
        "STORAGE_FULL",
        "0",
      ]);
      await send(daemon.port, "POST", CHANNELS, { key, body: BODY });
      rmSync(join(home, "filler"));
      expect(await state()).toEqual(FINE);
      await expect.poll(daemon.log).toMatch(/"the store can be changed again"/);
      expect(daemon.log().match(/the disk is full|can be changed again/g)).toEqual([
        "the disk is full",
        "can be changed again",
      ]);
      expect(daemon.log()).not.toContain('"level":50');
    });

    it("a daemon logs a full disk once, when /readyz first reports it", async (context) => {
      if (!isMounted) context.skip("mounting is not allowed here");
      expect(() => writeFileSync(join(home, "filler"), Buffer.alloc(1 << 20))).toThrow(/ENOSPC/);
      expect((await send(daemon.port, "GET", "/readyz")).status).toBe(503);
      await expect.poll(daemon.log).toMatch(/the disk is full/);
      // The key's last use can't be written either.
      expect((await send(daemon.port, "GET", CHANNELS, { key })).status).toBe(200);
      await daemon.stop();
      expect(daemon.log().match(/the disk is full|can be changed again|last uses/g)).toEqual(["the disk is full"]);
    });

    it("a daemon reports a read-only home and recovers", async (context) => {
      if (!isMounted) context.skip("mounting is not allowed here");
      mount("-o", "remount,ro");
      expect(await state()).toEqual([
        503,
        "the store is read-only, so nothing can be changed: make its home or database writable",
        503,
        "NOT_READY",
        "0",
      ]);
      mount("-o", "remount,rw");
      expect(await state()).toEqual(FINE);
    });
  },
);
