// Tests changes that a running daemon applies without a restart (lists, keys and channels of other processes), and its
// DNS queries.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openCheckedApi } from "../helpers/api-contract.ts";
import { lists } from "../helpers/classify.ts";
import { makeKey, type Reply, send, testDaemon } from "../helpers/daemon.ts";
import { readRecords } from "../helpers/home-files.ts";
import { startNameServer, TYPE } from "../helpers/name-server.ts";
import { compileOtherLists } from "../helpers/other-lists.ts";
import { fileScratch, run } from "../helpers/run.ts";

const DETECT = "/api/v1/emails/detect";
const CHANNELS = "/api/v1/team/notifications/channels";
const files = fileScratch();
let homes = 0;
const newHome = (): string => {
  homes += 1;
  const home = join(files.path, `home-${homes}`);
  mkdirSync(home, { mode: 0o700 });
  return home;
};

it("a running daemon loads new lists, ignores damaged lists, and uses the built-in lists if the new ones are removed", async () => {
  const home = newHome();
  const daemon = await testDaemon(["--dns", "off"], { home });
  const { port, log } = daemon;
  const isDisposable = async (): Promise<unknown> => {
    const { json } = await send(port, "GET", `${DETECT}?email=joe@new-throw-away.example.org`);
    return (json["data"] as { disposable: boolean }).disposable;
  };
  const version = async (): Promise<unknown> => (await send(port, "GET", "/readyz")).json["data_version"];
  const builtIn = await version();
  expect(await isDisposable()).toBe(false);
  const writeLists = (bytes: Uint8Array): void => {
    writeFileSync(join(home, "new"), bytes);
    renameSync(join(home, "new"), join(home, "lists.bin"));
  };
  writeLists(compileOtherLists("2030-01-01-test", "new-throw-away.example.org"));
  await expect.poll(version).toBe("2030-01-01-test");
  expect(await isDisposable()).toBe(true);
  // The log is written a moment after the lists are in use.
  await expect.poll(log).toContain("lists 2030-01-01-test are now in use");
  writeLists(new TextEncoder().encode("damaged"));
  await expect.poll(log).toContain("can't be used");
  expect(await version()).toBe("2030-01-01-test");
  expect(await isDisposable()).toBe(true);
  const state = async (): Promise<unknown[]> => {
    const [ready, metrics] = [await send(port, "GET", "/readyz"), await send(port, "GET", "/metrics")];
    const [, value] = /^addrsift_store_damaged\{file="lists.bin"\} (\d)$/m.exec(metrics.text) ?? [];
    return [ready.status, ready.json["message"], value];
  };
  const problem = "lists.bin can't be read, so older content is in effect: see the daemon's log.";
  expect(await state()).toEqual([200, `The daemon is ready. But ${problem}`, "1"]);
  rmSync(join(home, "lists.bin"));
  await expect.poll(version).toBe(builtIn);
  expect(await state()).toEqual([200, "The daemon is ready.", "0"]);
});

it("serve --data-version keeps the lists of that version, rejects other lists at start, and excludes --update-lists", async () => {
  const home = newHome();
  const { dataVersion } = lists.meta;
  const pinned = ["--dns", "off", "--data-version", dataVersion];
  const daemon = await testDaemon(pinned, { home });
  writeFileSync(join(home, "lists.bin"), compileOtherLists("2030-01-01-test", "new-throw-away.example.org"));
  const warning = `the home has lists 2030-01-01-test, but --data-version is ${dataVersion}`;
  await expect.poll(daemon.log).toContain(warning);
  expect((await send(daemon.port, "GET", "/readyz")).json["data_version"]).toBe(dataVersion);
  await daemon.stop();
  const serve = (...args: string[]) => run(["serve", "--port", "0", "--home", home, ...pinned, ...args]);
  const restarted = await serve();
  expect([restarted.status, restarted.stderr.toString()]).toEqual([
    2,
    expect.stringContaining(`--data-version is "${dataVersion}", but the lists in use have version 2030-01-01-test`),
  ]);
  const updating = await serve("--update-lists", "24h");
  expect(updating.status).toBe(2);
  expect(updating.stderr.toString()).toContain("--data-version and --update-lists exclude each other");
});

it("a daemon with a damaged store serves only detection until the store is repaired", async () => {
  const home = newHome();
  const { text: key, id } = await makeKey(home);
  const daemon = await testDaemon(["--dns", "off"], { home });
  const api = await openCheckedApi(daemon.port);
  const list = (): Promise<Reply> => api.send("GET", CHANNELS, { key });
  const path = join(home, "store.json");
  expect((await list()).status).toBe(200);
  // The daemon writes the key's last use soon, and then not again for a minute.
  await expect.poll(() => readRecords(home, "store.json", "keys")[id]).toHaveProperty("last_used_at");
  const good = readFileSync(path);
  writeFileSync(path, '{"format":1,');
  rmSync(`${path}.previous`, { force: true });
  await expect.poll(async () => (await list()).status).toBe(503);
  const broken = await list();
  expect(broken.json).toEqual({
    code: "NOT_READY",
    message: expect.stringContaining("nothing is changed until an operator"),
  });
  expect(broken.text).not.toContain(home);
  expect((await api.send("POST", CHANNELS, { key, body: { name: "a", type: "email" } })).status).toBe(503);
  const ready = await api.send("GET", "/readyz");
  expect([ready.status, ready.json["code"]]).toEqual([503, "NOT_READY"]);
  expect((await api.send("GET", `${DETECT}?email=joe@mailinator.com`)).status).toBe(200);
  expect(readFileSync(path, "utf8")).toBe('{"format":1,');
  writeFileSync(path, good);
  await expect.poll(async () => (await list()).status).toBe(200);
  await expect.poll(daemon.log).toContain('"store.json can be read again"');
  expect(daemon.log().match(/store\.json is damaged|a request failed/g)).toEqual(["store.json is damaged"]);
});

it("batches of domains with silent name servers leave DNS capacity for single lookups", async () => {
  const server = await startNameServer(({ name, type }) => {
    if (name.startsWith("silent")) return undefined;
    return type === TYPE.MX ? { mx: [[1, "mx.good-exchange.com"]] } : { a: ["8.8.4.4"] };
  });
  onTestFinished(server.stop);
  const daemon = await testDaemon(["--dns-server", server.address, "--dns-timeout", "60s"]);
  const lists = ["a", "b", "c", "d", "e"].map((name) => {
    const emails = Array.from({ length: 1000 }, (_, i) => `a@silent${i}-${name}-harbour.com`);
    return send(daemon.port, "POST", DETECT, { body: { emails } }).catch((error: Error) => error);
  });
  // Waits until the batches' lookups are running.
  await expect.poll(() => server.questions.length).toBeGreaterThanOrEqual(30);
  for (let i = 0; i < 5; i += 1) {
    const { json } = await send(daemon.port, "GET", `${DETECT}?email=a@good${i}-harbour.com&explain=true`);
    expect(json["data"]).toMatchObject({ detection_source: "live_dns", explain: { dns: { status: "ok" } } });
  }
  // The resolver runs at most 128 queries at once. Batches must not use all of them.
  const silent = new Set(server.questions.map(({ name }) => name).filter((name) => name.startsWith("silent")));
  expect(silent.size).toBeLessThan(128);
  await daemon.stop("SIGKILL");
  await Promise.all(lists);
});

it("a client that disconnects during a DNS lookup is not logged as a failure", async () => {
  const server = await startNameServer(() => undefined);
  onTestFinished(server.stop);
  const daemon = await testDaemon(["--dns-server", server.address, "--dns-timeout", "60s"]);
  const controller = new AbortController();
  const path = `${daemon.url}${DETECT}?email=a@quiet-harbour-tools.com`;
  const response = fetch(path, { signal: controller.signal }).catch(() => "aborted");
  await expect.poll(() => server.questions.length).toBeGreaterThan(0);
  controller.abort();
  expect(await response).toBe("aborted");
  await expect.poll(daemon.log).toContain("client disconnected");
  expect(daemon.log()).not.toContain("failed");
});
