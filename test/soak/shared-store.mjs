// Soaks three daemons with one PostgreSQL database that keeps failing, and callers that never stop: acknowledged
// records must exist, and no response may deny an existing one. The database rejects, hangs, drops connections, is
// read-only, is killed, is dropped and restored, loses its tables; its server is stopped; daemons are killed and
// paused.
//   npm run soak:shared [-- MINUTES [FOLDER]]
// FOLDER has another build, such as an earlier one.

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
// How soon daemons must be well again, and how soon they must say that they are not. A load of the machine counts too.
const HEAL_MS = 30_000;
const NOTICE_MS = 15_000;
// For so long a daemon without its database takes a key that was revoked, and a second more.
const REVOKED_MS = 6000;

const between = (low, high) => low + Math.random() * (high - low);
const any = (list) => list[Math.floor(Math.random() * list.length)];

const folder = scratchFolder("shared");
const server = await startPostgres();
const url = await server.create();
const database = new URL(url).pathname.slice(1);
const admin = url.replace(/[^/]*$/, "postgres");
// For a session that changes what is read-only to all others.
const WRITES = "?options=-c%20default_transaction_read_only%3Doff";
const proxies = await Promise.all(Array.from({ length: DAEMONS }, () => startFaultProxy(server.port)));
const seats = proxies.map((proxy, i) => ({
  i,
  proxy,
  url: url.replace(`:${server.port}/`, `:${proxy.port}/`),
  starts: 0,
}));

const counts = {};
const problems = [];
const count = (what) => {
  counts[what] = (counts[what] ?? 0) + 1;
};
const problem = (text) => {
  count("problems");
  problems.push(`${new Date().toISOString()} ${text}`);
  console.log(`  ${text}`);
};
let over = false;
let fault = "none";

// Channels that callers made: `exists` is true, false, or undefined while that is in doubt; `names` are those that it may have.
const channels = new Map();
const revoked = [];

const running = new Set();

/** Runs a command beside the daemons, straight to the database. */
function command(...args) {
  const env = { ...process.env, ADDRSIFT_STORE: url };
  const options = { env, stdio: ["ignore", "pipe", "ignore"] };
  const { ended } = startNode([COMMAND, ...args, "--home", join(folder, "home")], options);
  running.add(ended);
  ended.then(() => running.delete(ended));
  return ended;
}

async function keepRunning(seat) {
  while (!over) {
    seat.starts += 1;
    const args = ["serve", "--port", "0", "--dns", "off", "--home", join(folder, `home-${seat.i}`)];
    const env = { ...process.env, ADDRSIFT_STORE: seat.url };
    const child = startNode([COMMAND, ...args], { env, stdio: ["ignore", "ignore", "pipe"] });
    seat.child = child;
    let log = "";
    child.stderr.on("data", (chunk) => {
      log = (log + chunk).slice(-20_000);
      seat.port ??= /"msg":"listening on http:\/\/[^"]*:(\d+)"/.exec(log)?.[1];
      if (/UnhandledPromise|TypeError|ReferenceError|heap out of memory/.test(log)) problem(`a daemon says: ${log}`);
    });
    const { status, signal } = await child.ended;
    seat.port = undefined;
    if (!over && signal !== "SIGKILL")
      problem(`a daemon ended with ${status ?? signal} (${fault}): ${log.slice(-500)}`);
  }
}

/** Asks a daemon; undefined when no answer came. */
async function ask(seat, key, method, path, body) {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  try {
    const init = { method, headers, signal: AbortSignal.timeout(40_000) };
    if (body !== undefined) init.body = JSON.stringify(body);
    const answer = await fetch(`http://127.0.0.1:${seat.port}${path}`, init);
    const data = await answer.json();
    count(`${method} ${answer.status}`);
    if (answer.status === 401) problem(`false 401 (${fault}) of ${method} ${path}: ${data.message}`);
    if (answer.status === 500 && !/may have been made/.test(data.message))
      problem(`500 (${fault}) of ${method} ${path}`);
    return { status: answer.status, data };
  } catch {
    count(`${method} without an answer`);
    return undefined;
  }
}

/** Each channel has one caller, so it knows what must be so. */
async function call(key, name) {
  const own = [];
  for (let i = 0; !over; i++) {
    await pause(between(5, 60));
    const seat = any(seats.filter(({ port }) => port !== undefined));
    if (seat === undefined) continue;
    const id = any(own);
    const known = channels.get(id);
    const path = `${CHANNELS}/${id}`;
    if (Math.random() < 0.1) await ask(seat, key, "GET", DETECT);
    const deed = own.length < 5 ? 0 : own.length > 40 ? 0.9 : Math.random();
    if (deed < 0.25) {
      const config = { url: `https://hooks.example.com/${name}/${i}` };
      const made = await ask(seat, key, "POST", CHANNELS, { name: `made ${i}`, type: "webhook", config });
      if (made?.status !== 200) continue;
      count("acknowledged");
      channels.set(made.data.id, { exists: true, names: new Set([`made ${i}`]) });
      own.push(made.data.id);
    } else if (deed < 0.55) {
      const answer = await ask(seat, key, "GET", path);
      check(answer, known, id, "GET");
      if (answer?.status === 200 && !known.names.has(answer.data.name))
        problem(`stale (${fault}): ${id} is ${answer.data.name}, not ${[...known.names]}`);
    } else if (deed < 0.85) {
      const next = `named ${name} ${i}`;
      known.names.add(next);
      const answer = await ask(seat, key, "PATCH", path, { name: next });
      check(answer, known, id, "PATCH");
      if (answer?.status !== 200) continue;
      count("acknowledged");
      known.names = new Set([next]);
    } else {
      known.exists = undefined;
      const answer = await ask(seat, key, "DELETE", path);
      if (answer?.status === 200) count("acknowledged");
      if (answer?.status === 404 && known.wasTried !== true) problem(`false 404 (${fault}) of DELETE ${id}`);
      known.wasTried = true;
      if (answer?.status !== 200 && answer?.status !== 404) continue;
      known.exists = false;
      own.splice(own.indexOf(id), 1);
      const again = await ask(any(seats), key, "GET", path);
      if (again?.status === 200) problem(`undead (${fault}): ${id}`);
    }
  }
}

function check(answer, known, id, method) {
  if (answer?.status === 404 && known.exists === true) problem(`false 404 (${fault}) of ${method} ${id}`);
}

/** Makes keys, uses and revokes them. */
async function turnKeys() {
  while (!over) {
    await pause(2000);
    // Where there are no tables, a command takes the database for a new one.
    if (fault === "tables" || fault === "restored") continue;
    const made = await command("keys", "create", "--name", "soak", "--scopes", "emails:detect", "--json");
    if (made.status !== 0) continue;
    count("acknowledged");
    const { id, key } = JSON.parse(made.output);
    const seat = any(seats.filter(({ port }) => port !== undefined));
    if (seat !== undefined) await ask(seat, key, "GET", DETECT);
    if (fault === "tables" || fault === "restored") continue;
    if ((await command("keys", "revoke", id)).status !== 0) continue;
    count("acknowledged");
    revoked.push(key);
    await pause(REVOKED_MS);
    for (const seat of seats) {
      if ((await statusOf(seat, DETECT, key)) === 200) problem(`daemon ${seat.i} takes a revoked key (${fault})`);
    }
  }
}

/** The status of a daemon's answer; 0 when none came. */
async function statusOf({ port }, path, key) {
  if (port === undefined) return 0;
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const init = { headers, signal: AbortSignal.timeout(20_000) };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, init).catch(() => undefined);
  return answer?.status ?? 0;
}

/** Waits until /readyz of these daemons has a status. */
async function untilReady(which, status, limitMs, what) {
  const begun = performance.now();
  for (;;) {
    const all = await Promise.all(which.map((seat) => statusOf(seat, "/readyz")));
    if (all.every((one) => one === status)) return;
    if (performance.now() - begun > limitMs)
      return problem(`/readyz is ${all} and not ${status} (${what}) after ${limitMs} ms`);
    await pause(100);
  }
}

const readOnly = async (is) => {
  await server.ask(admin, `ALTER SYSTEM SET default_transaction_read_only = ${is ? "on" : "off"}`);
  await server.ask(admin, "SELECT pg_reload_conf()");
};
/** Ends all sessions of the database. */
const terminateBackends = () =>
  server.ask(admin, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`);
/** Ends what is under way, so that a dump has all that was acknowledged. */
const dumpWhole = async () => {
  // A command that finds no tables makes them.
  await Promise.all(running);
  await readOnly(true);
  await terminateBackends();
  await pause(300);
  const dump = execFileSync("pg_dump", ["--no-owner", url], { encoding: "utf8", maxBuffer: 1 << 30 });
  return dump.replace(/^\\(?:un)?restrict.*$/gm, "");
};
const restore = (text) =>
  execFileSync("psql", ["-q", "-v", "ON_ERROR_STOP=1", url], { input: text, stdio: ["pipe", "ignore", "inherit"] });

/** Tables first, rows later, as pg_restore does. */
const restoreSlowly = async (dump) => {
  const rows = dump.search(/^COPY /m);
  restore(dump.slice(0, rows));
  await pause(between(500, 3000));
  restore(dump.slice(rows));
};

const kill = async (seat = any(seats)) => {
  if (seat.port !== undefined) seat.child.kill("SIGKILL");
};

const restart = async (signal) => {
  await server.kill(signal);
  await pause(between(0, 7000));
  if (Math.random() < 0.3) await kill();
  await server.start();
};

const FAULTS = {
  refused: async () => {
    const cut = Math.random() < 0.5 ? seats : [any(seats)];
    for (const { proxy } of cut) proxy.set("refuse");
    await untilReady(cut, 503, NOTICE_MS, "refused");
    await pause(between(0, 8000));
    if (Math.random() < 0.5) await kill(any(cut));
    await pause(between(0, 3000));
    for (const { proxy } of cut) proxy.set("pass");
  },
  stalled: async () => {
    const cut = Math.random() < 0.5 ? seats : [any(seats)];
    for (const { proxy } of cut) proxy.set("stall");
    await untilReady(cut, 503, NOTICE_MS, "stalled");
    await pause(between(0, 6000));
    for (const { proxy } of cut) proxy.set("pass");
  },
  dropped: async () => {
    for (let i = 0; i < 20; i++) {
      any(seats).proxy.drop();
      await pause(between(0, 400));
    }
  },
  "read-only": async () => {
    await readOnly(true);
    await untilReady(seats, 503, NOTICE_MS, "read-only");
    await pause(between(0, 4000));
    if (Math.random() < 0.5) await kill();
    await readOnly(false);
  },
  tables: async () => {
    const dump = await dumpWhole();
    const drop = () =>
      server.ask(`${url}${WRITES}`, "DROP TABLE addrsift_stores, addrsift_records").catch((error) => {
        // A reader had the tables in another order.
        if (error.code === "40P01") return drop();
        throw error;
      });
    await drop();
    await readOnly(false);
    await untilReady(seats, 503, NOTICE_MS, "tables");
    if (Math.random() < 0.5) await kill();
    await pause(between(0, 8000));
    await restoreSlowly(dump);
  },
  restored: async () => {
    const dump = await dumpWhole();
    await server.ask(`${admin}${WRITES}`, `DROP DATABASE ${database} WITH (FORCE)`);
    await readOnly(false);
    await untilReady(seats, 503, NOTICE_MS, "restored");
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
    const { child } = any(seats);
    child.kill("SIGSTOP");
    await pause(between(1000, 6000));
    child.kill("SIGCONT");
  },
};

const made = await command("keys", "create", "--name", "soak", "--scopes", SCOPES);
const key = made.output.trim();
const loops = seats.map(keepRunning);
await untilReady(seats, 200, HEAL_MS, "start");
const callers = [...Array.from({ length: CALLERS * DAEMONS }, (_, i) => call(key, i)), turnKeys()];

const end = performance.now() + minutes * 60_000;
let turn = Object.keys(FAULTS);
while (performance.now() < end) {
  if (turn.length === 0) turn = Object.keys(FAULTS);
  // Each kind comes once in a round, in any order.
  [fault] = turn.splice(Math.floor(Math.random() * turn.length), 1);
  const begun = performance.now();
  await FAULTS[fault]().catch((error) => problem(`the fault itself failed (${fault}): ${error.stack}`));
  for (const { proxy } of seats) proxy.set("pass");
  await readOnly(false);
  count(`fault ${fault}`);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(
    `${fault} for ${seconds} s: ${counts["acknowledged"] ?? 0} changes acknowledged, ${problems.length} problems`,
  );
  await untilReady(seats, 200, HEAL_MS, `after ${fault}`);
  fault = "none";
  await pause(between(500, 3000));
}
over = true;
await Promise.all(callers);

const rows = await server.ask(
  url,
  "SELECT id, content FROM addrsift_records WHERE store = 'records' AND collection = 'channels' AND content IS NOT NULL",
);
const kept = new Map(rows.map(({ id, content }) => [id, JSON.parse(content).name]));
let lost = 0;
for (const [id, { exists, names }] of channels) {
  if (exists === true && !kept.has(id)) lost += 1;
  if (exists === false && kept.has(id)) problem(`not deleted: ${id}`);
  if (kept.has(id) && !names.has(kept.get(id))) problem(`not changed: ${id}`);
}
if (lost > 0) problem(`${lost} channels are lost`);
for (const seat of seats) {
  for (const one of revoked) {
    // An address may have sent too many of them.
    if ((await statusOf(seat, DETECT, one)) === 200) problem("a revoked key is taken at the end");
  }
}
for (const { child } of seats) child.kill("SIGKILL");
await Promise.all(loops);
for (const proxy of proxies) await proxy.close();
await server.remove();

const of = (pattern) => problems.filter((text) => pattern.test(text)).length;
console.log(JSON.stringify(counts, undefined, 1));
console.log(
  `${minutes} minutes: ${counts["acknowledged"]} changes acknowledged, ${lost} lost, ${of(/false 404/)} false 404, ${of(/false 401/)} false 401, ` +
    `${of(/stale|undead/)} stale, ${problems.length} problems in all: ${problems.length === 0 ? "ok" : "MISS"}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
