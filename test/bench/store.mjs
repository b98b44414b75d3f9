// Measures the store: one change among 0 to 10,000 records, how long it blocks the event loop, and how fast a backlog
// of deliveries is sent to a receiver on loopback. With FOLDER, another build is measured; with "postgres" the stores
// are in a new PostgreSQL server.
//   npm run bench:store [-- FOLDER | postgres]

import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import ipaddr from "ipaddr.js";
import * as undici from "undici";
import { pg, startPostgres } from "../helpers/postgres.mjs";
import { pause, ROOT, scratchFolder } from "../helpers/programs.mjs";
import { median, printTable } from "./measure.mjs";

const COUNTS = [0, 10, 1000, 10_000];
const CHANGES = 60;
const BACKLOGS = [1000, 10_000];
// The maximum of a team, whose deliveries get eight attempts at a time.
const CHANNELS_OF_A_TEAM = 1000;
const TEAMS = 2;
// Runs in its own thread, because real receivers are other machines.
const RECEIVER = `
  const { parentPort } = require("node:worker_threads");
  const answer = (request, response) => request.resume().on("end", () => response.writeHead(204).end());
  const server = require("node:http").createServer(answer);
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

const server = process.argv[2] === "postgres" ? await startPostgres() : undefined;
const build = server === undefined ? resolve(process.argv[2] ?? ROOT) : ROOT;
const importSource = (path) => import(join(build, "src", path));
const { Store } = await importSource("store/store.ts");
const { CHANNELS } = await importSource("channels/record.ts");
const { DELIVERIES } = await importSource("channels/delivery/record.ts");
const { Outbox } = await importSource("channels/delivery/outbox.ts");
const { Deliverer } = await importSource("channels/delivery/deliverer.ts");
const { createClient } = await importSource("outbound/client.ts");
const { createGuard } = await importSource("outbound/guard.ts");
const { systemLookup } = await importSource("outbound/lookup.ts");

const SECRET = `whsec_${randomBytes(32).toString("base64")}`;
const warn = (line) => console.error(line);

await reportChanges();
await reportBacklogs();
await server?.remove();
process.exit();

/** Returns a function that opens stores: in files of a new folder, or in a new database. */
async function createStoreOpener() {
  if (server === undefined) {
    const folder = scratchFolder("bench");
    return (file, collections) => new Store({ folder, file: `${file}.json`, warn }, collections);
  }
  const { PostgresBackend } = await importSource("store/postgresql/backend.ts");
  const { Database } = await importSource("store/postgresql/database.ts");
  const url = await server.create();
  return (name, collections) => {
    const database = new Database({ url, load: () => pg, warn });
    return new Store((...parts) => new PostgresBackend(database, name, ...parts), collections);
  };
}

async function reportChanges() {
  const rows = [];
  for (const count of COUNTS) {
    const openStore = await createStoreOpener();
    const [store, other] = [openStore("deliveries", [DELIVERIES]), openStore("deliveries", [DELIVERIES])];
    await fill(store, count);
    const [changeTimes, loopDelays, readTimes] = [[], [], []];
    for (let i = 0; i < CHANGES; i++) {
      await other.refresh();
      other.records(DELIVERIES);
      const delays = monitorEventLoopDelay({ resolution: 1 });
      delays.enable();
      const begin = performance.now();
      await store.change((tx) => tx.records(DELIVERIES).set("msg_one", delivery("msg_one", i, "ch_0")));
      changeTimes.push(performance.now() - begin);
      delays.disable();
      loopDelays.push(delays.max / 1e6);
      const readStart = performance.now();
      await other.refresh();
      other.records(DELIVERIES);
      readTimes.push(performance.now() - readStart);
    }
    const medians = [median(changeTimes), percentile(changeTimes, 95), median(loopDelays), median(readTimes)];
    rows.push([String(count), ...medians.map(ms)]);
  }
  printTable(["records", "one change ms", "p95 ms", "loop blocked ms", "another process reads ms"], rows);
}

async function reportBacklogs() {
  const receiver = new Worker(RECEIVER, { eval: true });
  const port = await new Promise((listening) => receiver.once("message", listening));
  const rows = [];
  for (const count of BACKLOGS) rows.push(await measureBacklog(count, `http://127.0.0.1:${port}/`));
  await receiver.terminate();
  printTable(["deliveries", "a second", "first quarter", "last quarter", "loop blocked p99 ms", "CPU ms each"], rows);
}

async function measureBacklog(count, url) {
  const openStore = await createStoreOpener();
  const store = openStore(server === undefined ? "store" : "records", [CHANNELS]);
  const channelCount = Math.min(count, TEAMS * CHANNELS_OF_A_TEAM);
  await store.change((tx) => {
    for (let i = 0; i < channelCount; i++) tx.records(CHANNELS).set(`ch_${i}`, channel(i, url));
  });
  const deliveries = openStore("deliveries", [DELIVERIES]);
  await fill(deliveries, count, channelCount);
  const outbox = new Outbox(deliveries, store, { now: Date.now, random: randomBytes, leaseMs: 60_000 });
  const client = createClient({
    undici: () => undici,
    guard: () => createGuard(ipaddr, ["127.0.0.0/8"]),
    lookup: systemLookup,
  });
  let sent = 0;
  const quarters = [];
  const onAttempt = () => {
    sent += 1;
    if (sent % (count / 4) === 0) quarters.push(performance.now());
  };
  const sender = { now: Date.now, client, mailer: "no mail" };
  const deps = {
    now: Date.now,
    jitter: Math.random,
    sender,
    releasesUnsendable: false,
    onAttempt,
    reportFailure: warn,
  };
  const deliverer = new Deliverer(outbox, {}, deps);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const begin = performance.now();
  const cpu = process.cpuUsage();
  deliverer.start();
  while (sent < count) await pause(20);
  await deliverer.stop(60_000);
  const { user, system } = process.cpuUsage(cpu);
  delays.disable();
  const [first, , third, last] = quarters;
  const rate = (deliveries, from, to) => Math.round((deliveries * 1000) / (to - from)).toString();
  return [
    String(count),
    rate(count, begin, last),
    rate(count / 4, begin, first),
    rate(count / 4, third, last),
    ms(delays.percentile(99) / 1e6),
    ((user + system) / 1000 / count).toFixed(2),
  ];
}

async function fill(store, count, channels = 1000) {
  // In parts, because deliveries are added over time.
  for (let from = 0; from < count; from += 1000) {
    await store.change((tx) => {
      for (let i = from; i < Math.min(count, from + 1000); i++) {
        const id = `msg_${String(i).padStart(16, "0")}`;
        tx.records(DELIVERIES).set(id, delivery(id, i, `ch_${i % channels}`));
      }
    });
  }
}

function delivery(id, i, channelId) {
  const data = { rows: i, classes: { valid: i, disposable: 3 }, duration_ms: 5, exit_status: 0, data_version: "bench" };
  const at = new Date().toISOString();
  const body = JSON.stringify({ version: 1, type: "detection.completed", timestamp: at, data });
  const now = Date.now() - 1000;
  const times = { attempts: 0, created_at: now, next_attempt_at: now };
  return { id, channel_id: channelId, event: "detection.completed", status: "pending", body, ...times };
}

function channel(i, url) {
  return {
    id: `ch_${i}`,
    team: `team-${i % TEAMS}`,
    name: `channel ${i}`,
    type: "webhook",
    config: { url, secret: SECRET },
    is_verified: true,
    created_at: new Date().toISOString(),
  };
}

function percentile(values, share) {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length * share) / 100)];
}

function ms(value) {
  return value.toFixed(1);
}
