// Soaks three daemons with one PostgreSQL database that fails repeatedly, and callers that never stop: acknowledged
// records must exist, and no response may deny an existing one. The database rejects, hangs, drops connections, is
// read-only, is killed, is dropped and restored, loses its tables; its server is stopped; daemons are killed and
// paused.
//   npm run soak:shared [-- MINUTES [FOLDER]]
// FOLDER contains another build, such as an earlier one.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { startFaultProxy } from "../helpers/fault-proxy.mjs";
import { startPostgres } from "../helpers/postgres.mjs";
import { pause, ROOT, SCOPES, scratchFolder, startNode } from "../helpers/programs.mjs";

const minutes = Number(process.argv[2] ?? 20);
const COMMAND = join(process.argv[3] ?? ROOT, "bin/addrsift.cjs");
const DAEMONS = 3;
const CALLERS = 2;
const CHANNELS = "/api/v1/team/notifications/channels";
const DETECT = "/api/v1/emails/detect?email=a@example.com";
// How soon daemons must be ready after a fault, and how soon they must report one. Includes delays of a busy machine.
const RECOVERY_LIMIT_MS = 30_000;
const REPORT_LIMIT_MS = 15_000;
// How long a daemon without its database may accept a revoked key, plus a second.
const REVOKED_MS = 6000;

const between = (low, high) => low + Math.random() * (high - low);
const pick = (list) => list[Math.floor(Math.random() * list.length)];

const folder = scratchFolder("shared");
const server = await startPostgres();
const url = await server.create();
const database = new URL(url).pathname.slice(1);
const admin = url.replace(/[^/]*$/, "postgres");
// Query of the URL for a session that can write while the database is read-only for others.
const WRITABLE_SESSION = "?options=-c%20default_transaction_read_only%3Doff";
const proxies = await Promise.all(Array.from({ length: DAEMONS }, () => startFaultProxy(server.port)));
const daemons = proxies.map((proxy, i) => ({
  i,
  proxy,
  url: url.replace(`:${server.port}/`, `:${proxy.port}/`),
  starts: 0,
}));

const counts = {};
const problems = [];
const count = (name) => {
  counts[name] = (counts[name] ?? 0) + 1;
};
const reportProblem = (text) => {
  count("problems");
  problems.push(`${new Date().toISOString()} ${text}`);
  console.log(`  ${text}`);
};
let isOver = false;
let fault = "none";

// Channels that callers created. `exists` is undefined while a deletion is unacknowledged; `names` are all possible
// names.
const channels = new Map();
const revoked = [];

const running = new Set();

/** Runs a command that uses the database directly. */
function command(...args) {
  const env = { ...process.env, ADDRSIFT_STORE: url };
  const options = { env, stdio: ["ignore", "pipe", "ignore"] };
  const { ended } = startNode([COMMAND, ...args, "--home", join(folder, "home")], options);
  running.add(ended);
  ended.then(() => running.delete(ended));
  return ended;
}

async function keepRunning(daemon) {
  while (!isOver) {
    daemon.starts += 1;
    const args = ["serve", "--port", "0", "--dns", "off", "--home", join(folder, `home-${daemon.i}`)];
    const env = { ...process.env, ADDRSIFT_STORE: daemon.url };
    const child = startNode([COMMAND, ...args], { env, stdio: ["ignore", "ignore", "pipe"] });
    daemon.child = child;
    let log = "";
    child.stderr.on("data", (chunk) => {
      log = (log + chunk).slice(-20_000);
      daemon.port ??= /"msg":"listening on http:\/\/[^"]*:(\d+)"/.exec(log)?.[1];
      if (/UnhandledPromise|TypeError|ReferenceError|heap out of memory/.test(log))
        reportProblem(`a daemon printed: ${log}`);
    });
    const { status, signal } = await child.ended;
    daemon.port = undefined;
    if (!isOver && signal !== "SIGKILL")
      reportProblem(`a daemon ended with ${status ?? signal} (${fault}): ${log.slice(-500)}`);
  }
}

/** Sends a request to a daemon. Returns undefined without a response. */
async function sendRequest(daemon, key, method, path, body) {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  try {
    const init = { method, headers, signal: AbortSignal.timeout(40_000) };
    if (body !== undefined) init.body = JSON.stringify(body);
    const answer = await fetch(`http://127.0.0.1:${daemon.port}${path}`, init);
    const data = await answer.json();
    count(`${method} ${answer.status}`);
    if (answer.status === 401) reportProblem(`false 401 (${fault}) of ${method} ${path}: ${data.message}`);
    if (answer.status === 500 && !/may have been made/.test(data.message))
      reportProblem(`500 (${fault}) of ${method} ${path}`);
    return { status: answer.status, data };
  } catch {
    count(`${method} without a response`);
    return undefined;
  }
}

/** Changes its own channels until the end, and checks every response. No one else changes these channels. */
async function runCaller(key, name) {
  const own = [];
  for (let i = 0; !isOver; i++) {
    await pause(between(5, 60));
    const daemon = pick(daemons.filter(({ port }) => port !== undefined));
    if (daemon === undefined) continue;
    const id = pick(own);
    const expected = channels.get(id);
    const path = `${CHANNELS}/${id}`;
    if (Math.random() < 0.1) await sendRequest(daemon, key, "GET", DETECT);
    const chance = own.length < 5 ? 0 : own.length > 40 ? 0.9 : Math.random();
    if (chance < 0.25) {
      const config = { url: `https://hooks.example.com/${name}/${i}` };
      const created = await sendRequest(daemon, key, "POST", CHANNELS, { name: `new ${i}`, type: "webhook", config });
      if (created?.status !== 200) continue;
      count("acknowledged");
      channels.set(created.data.id, { exists: true, names: new Set([`new ${i}`]) });
      own.push(created.data.id);
    } else if (chance < 0.55) {
      const answer = await sendRequest(daemon, key, "GET", path);
      check(answer, expected, id, "GET");
      if (answer?.status === 200 && !expected.names.has(answer.data.name))
        reportProblem(`stale (${fault}): ${id} is ${answer.data.name}, not ${[...expected.names]}`);
    } else if (chance < 0.85) {
      const newName = `renamed ${name} ${i}`;
      expected.names.add(newName);
      const answer = await sendRequest(daemon, key, "PATCH", path, { name: newName });
      check(answer, expected, id, "PATCH");
      if (answer?.status !== 200) continue;
      count("acknowledged");
      expected.names = new Set([newName]);
    } else {
      expected.exists = undefined;
      const answer = await sendRequest(daemon, key, "DELETE", path);
      if (answer?.status === 200) count("acknowledged");
      if (answer?.status === 404 && expected.deletionWasSent !== true)
        reportProblem(`false 404 (${fault}) of DELETE ${id}`);
      expected.deletionWasSent = true;
      if (answer?.status !== 200 && answer?.status !== 404) continue;
      expected.exists = false;
      own.splice(own.indexOf(id), 1);
      const again = await sendRequest(pick(daemons), key, "GET", path);
      if (again?.status === 200) reportProblem(`still there (${fault}): ${id}`);
    }
  }
}

function check(answer, expected, id, method) {
  if (answer?.status === 404 && expected.exists === true) reportProblem(`false 404 (${fault}) of ${method} ${id}`);
}

/** Creates, uses and revokes keys until the end. */
async function rotateKeys() {
  while (!isOver) {
    await pause(2000);
    // Without tables, a command would treat the database as a new one.
    if (fault === "tables" || fault === "restored") continue;
    const created = await command("keys", "create", "--name", "soak", "--scopes", "emails:detect", "--json");
    if (created.status !== 0) continue;
    count("acknowledged");
    const { id, key } = JSON.parse(created.output);
    const daemon = pick(daemons.filter(({ port }) => port !== undefined));
    if (daemon !== undefined) await sendRequest(daemon, key, "GET", DETECT);
    if (fault === "tables" || fault === "restored") continue;
    if ((await command("keys", "revoke", id)).status !== 0) continue;
    count("acknowledged");
    revoked.push(key);
    await pause(REVOKED_MS);
    for (const daemon of daemons) {
      if ((await statusOf(daemon, DETECT, key)) === 200)
        reportProblem(`daemon ${daemon.i} accepts a revoked key (${fault})`);
    }
  }
}

/** Returns the status of a daemon's response; 0 without a response. */
async function statusOf({ port }, path, key) {
  if (port === undefined) return 0;
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const init = { headers, signal: AbortSignal.timeout(20_000) };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, init).catch(() => undefined);
  return answer?.status ?? 0;
}

/** Waits until /readyz of these daemons has a status. */
async function waitForReadiness(targets, status, limitMs, description) {
  const startMs = performance.now();
  for (;;) {
    const statuses = await Promise.all(targets.map((daemon) => statusOf(daemon, "/readyz")));
    if (statuses.every((value) => value === status)) return;
    if (performance.now() - startMs > limitMs)
      return reportProblem(`/readyz is ${statuses} and not ${status} (${description}) after ${limitMs} ms`);
    await pause(100);
  }
}

const setReadOnly = async (isReadOnly) => {
  await server.ask(admin, `ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
  await server.ask(admin, "SELECT pg_reload_conf()");
};
/** Ends all sessions of the database. */
const terminateBackends = () =>
  server.ask(admin, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`);
/** Dumps the database after ending running transactions, so that the dump has all acknowledged changes. */
const dumpDatabase = async () => {
  // Commands that find no tables would create them.
  await Promise.all(running);
  await setReadOnly(true);
  await terminateBackends();
  await pause(300);
  const dump = execFileSync("pg_dump", ["--no-owner", url], { encoding: "utf8", maxBuffer: 1 << 30 });
  return dump.replace(/^\\(?:un)?restrict.*$/gm, "");
};
const restore = (text) =>
  execFileSync("psql", ["-q", "-v", "ON_ERROR_STOP=1", url], { input: text, stdio: ["pipe", "ignore", "inherit"] });

/** Restores the tables first and the rows later, as pg_restore does. */
const restoreSlowly = async (dump) => {
  const rows = dump.search(/^COPY /m);
  restore(dump.slice(0, rows));
  await pause(between(500, 3000));
  restore(dump.slice(rows));
};

const kill = async (daemon = pick(daemons)) => {
  if (daemon.port !== undefined) daemon.child.kill("SIGKILL");
};

const restart = async (signal) => {
  await server.kill(signal);
  await pause(between(0, 7000));
  if (Math.random() < 0.3) await kill();
  await server.start();
};

const FAULTS = {
  refused: async () => {
    const affected = Math.random() < 0.5 ? daemons : [pick(daemons)];
    for (const { proxy } of affected) proxy.set("refuse");
    await waitForReadiness(affected, 503, REPORT_LIMIT_MS, "refused");
    await pause(between(0, 8000));
    if (Math.random() < 0.5) await kill(pick(affected));
    await pause(between(0, 3000));
    for (const { proxy } of affected) proxy.set("pass");
  },
  stalled: async () => {
    const affected = Math.random() < 0.5 ? daemons : [pick(daemons)];
    for (const { proxy } of affected) proxy.set("stall");
    await waitForReadiness(affected, 503, REPORT_LIMIT_MS, "stalled");
    await pause(between(0, 6000));
    for (const { proxy } of affected) proxy.set("pass");
  },
  dropped: async () => {
    for (let i = 0; i < 20; i++) {
      pick(daemons).proxy.drop();
      await pause(between(0, 400));
    }
  },
  "read-only": async () => {
    await setReadOnly(true);
    await waitForReadiness(daemons, 503, REPORT_LIMIT_MS, "read-only");
    await pause(between(0, 4000));
    if (Math.random() < 0.5) await kill();
    await setReadOnly(false);
  },
  tables: async () => {
    const dump = await dumpDatabase();
    const drop = () =>
      server.ask(`${url}${WRITABLE_SESSION}`, "DROP TABLE addrsift_stores, addrsift_records").catch((error) => {
        // A deadlock with a reader that locked the tables in another order.
        if (error.code === "40P01") return drop();
        throw error;
      });
    await drop();
    await setReadOnly(false);
    await waitForReadiness(daemons, 503, REPORT_LIMIT_MS, "tables");
    if (Math.random() < 0.5) await kill();
    await pause(between(0, 8000));
    await restoreSlowly(dump);
  },
  restored: async () => {
    const dump = await dumpDatabase();
    await server.ask(`${admin}${WRITABLE_SESSION}`, `DROP DATABASE ${database} WITH (FORCE)`);
    await setReadOnly(false);
    await waitForReadiness(daemons, 503, REPORT_LIMIT_MS, "restored");
    if (Math.random() < 0.5) await kill();
    await pause(between(0, 5000));
    await server.ask(admin, `CREATE DATABASE ${database}`);
    await pause(between(0, 3000));
    await restoreSlowly(dump);
  },
  terminated: async () => {
    for (let i = 0; i < 5; i++) {
      await terminateBackends();
      await pause(between(0, 1500));
    }
  },
  "postgres killed": () => restart("SIGKILL"),
  "postgres stopped fast": () => restart("SIGINT"),
  "postgres stopped at once": () => restart("SIGQUIT"),
  "daemon killed": async () => {
    for (let i = 0; i < 3; i++) {
      await kill();
      await pause(between(200, 1500));
    }
  },
  "daemon stopped": async () => {
    const { child } = pick(daemons);
    child.kill("SIGSTOP");
    await pause(between(1000, 6000));
    child.kill("SIGCONT");
  },
};

const created = await command("keys", "create", "--name", "soak", "--scopes", SCOPES);
const key = created.output.trim();
const loops = daemons.map(keepRunning);
await waitForReadiness(daemons, 200, RECOVERY_LIMIT_MS, "start");
const callers = [...Array.from({ length: CALLERS * DAEMONS }, (_, i) => runCaller(key, i)), rotateKeys()];

const end = performance.now() + minutes * 60_000;
let remainingFaults = Object.keys(FAULTS);
while (performance.now() < end) {
  if (remainingFaults.length === 0) remainingFaults = Object.keys(FAULTS);
  // Each fault occurs once in a round, in random order.
  [fault] = remainingFaults.splice(Math.floor(Math.random() * remainingFaults.length), 1);
  const startMs = performance.now();
  await FAULTS[fault]().catch((error) => reportProblem(`the fault itself failed (${fault}): ${error.stack}`));
  for (const { proxy } of daemons) proxy.set("pass");
  await setReadOnly(false);
  count(`fault ${fault}`);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(
    `${fault} for ${seconds} s: ${counts["acknowledged"] ?? 0} changes acknowledged, ${problems.length} problems`,
  );
  await waitForReadiness(daemons, 200, RECOVERY_LIMIT_MS, `after ${fault}`);
  fault = "none";
  await pause(between(500, 3000));
}
isOver = true;
await Promise.all(callers);

const rows = await server.ask(
  url,
  "SELECT id, content FROM addrsift_records WHERE store = 'records' AND collection = 'channels' AND content IS NOT NULL",
);
const stored = new Map(rows.map(({ id, content }) => [id, JSON.parse(content).name]));
let lost = 0;
for (const [id, { exists, names }] of channels) {
  if (exists === true && !stored.has(id)) lost += 1;
  if (exists === false && stored.has(id)) reportProblem(`not deleted: ${id}`);
  if (stored.has(id) && !names.has(stored.get(id))) reportProblem(`not changed: ${id}`);
}
if (lost > 0) reportProblem(`${lost} channels are lost`);
for (const daemon of daemons) {
  for (const revokedKey of revoked) {
    // The status may also be 429, after too many wrong keys from one address.
    if ((await statusOf(daemon, DETECT, revokedKey)) === 200) reportProblem("a revoked key is accepted at the end");
  }
}
for (const { child } of daemons) child.kill("SIGKILL");
await Promise.all(loops);
for (const proxy of proxies) await proxy.close();
await server.remove();

const countProblems = (pattern) => problems.filter((text) => pattern.test(text)).length;
console.log(JSON.stringify(counts, undefined, 1));
console.log(
  `${minutes} minutes: ${counts["acknowledged"]} changes acknowledged, ${lost} lost, ${countProblems(/false 404/)} false 404, ${countProblems(/false 401/)} false 401, ` +
    `${countProblems(/stale|still there/)} stale, ${problems.length} problems in all: ${problems.length === 0 ? "ok" : "MISS"}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
