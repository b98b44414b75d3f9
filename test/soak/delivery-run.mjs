// Runs processes that record and deliver events and are killed with -9 at random, with a receiver that checks each
// signature and sometimes fails. Each recorded event must arrive, at a webhook under one id and at a channel of each
// chat service; channels that are paused or not subscribed must get none.

import { createHmac, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { FROM_SOURCE } from "../helpers/from-source.mjs";
import { pause, startNode } from "../helpers/programs.mjs";
import { openFileStorage } from "./storage.mjs";

const WORKER = fileURLToPath(new URL("./delivery-worker.mjs", import.meta.url));
const SECRET = randomBytes(32);
// The daemon's lease. Deliveries of a killed process are retried when it has expired.
const DAEMON_LEASE_MS = 60_000;
/** The path of each chat service's webhook, and the response with which it accepts a message. */
const CHATS = {
  slack: { path: "/hooks/x", accept: (response) => response.end("ok") },
  msteams: {
    path: "/workflows/x/triggers/manual/paths/invoke?sig=x",
    accept: (response) => response.writeHead(202).end(),
  },
  discord: {
    path: `/api/webhooks/123456789012345678/${"x".repeat(60)}`,
    accept: (response) => response.end('{"id":"1"}'),
  },
};
const CHANNELS = 1 + Object.keys(CHATS).length;

/**
 * Records `events` events while `kills` kills hit the processes in turn. `daemons` are the commands that run `serve` in
 * addition to the process that records; without one, a process that only delivers runs instead. Returns the counts and
 * the problems.
 */
export async function killDeliverers(
  home,
  { events, kills, daemons = [], leaseMs = DAEMON_LEASE_MS },
  storage = openFileStorage(home),
) {
  const receiver = await startReceiver();
  await storage.write(channelsAt(receiver.url));
  const recorded = new Map();
  const problems = [];
  const checkMessages = (text) => {
    const unexpected = text
      .trim()
      .split("\n")
      .filter((line) => !storage.isExpectedMessage(line));
    problems.push(...unexpected.map((line) => `unexpected message: ${line}`));
  };
  const actors = [
    createPublisher(home, events, leaseMs, recorded, problems, checkMessages),
    ...(daemons.length === 0
      ? [createDeliverer(home, leaseMs, checkMessages)]
      : daemons.map((command, i) => createDaemon(command, storage.homeOf(i)))),
  ];
  for (const actor of actors) actor.start();
  const victims = [...actors, ...storage.victims];
  for (let kill = 0; kill < kills; kill++) {
    await pause(150 + Math.random() * 700);
    const victim = victims[kill % victims.length];
    await victim.kill();
    victim.start?.();
  }
  const deadline = Date.now() + 2 * leaseMs + 240_000;
  while ((recorded.size < events || (await readPending(storage)).length > 0) && Date.now() < deadline) await pause(200);
  const stillPending = await readPending(storage);
  for (const actor of actors) await actor.kill();
  await receiver.close();
  check(receiver, recorded, events, stillPending, problems);
  const requests = receiver.accepted.length + receiver.failed;
  const arrived = new Set(receiver.accepted.map(({ rows }) => rows)).size;
  return { requests, arrived, repeated: receiver.repeated(), problems };
}

function check(receiver, recorded, events, stillPending, problems) {
  problems.push(...receiver.problems);
  if (recorded.size < events) problems.push(`only ${recorded.size} of ${events} events were recorded in time`);
  for (const { id, channel_id: channel, attempts, next_attempt_at: next, last_error: error } of stillPending) {
    const seconds = Math.round((next - Date.now()) / 1000);
    problems.push(`${id} to ${channel} is still pending, after ${attempts} attempts, for ${seconds} s: ${error}`);
  }
  const arrived = new Map();
  for (const { rows, id } of receiver.all) {
    const ids = arrived.get(rows) ?? arrived.set(rows, new Set()).get(rows);
    ids.add(id);
  }
  const accepted = new Set(receiver.accepted.map(({ id }) => id));
  for (const [rows, ids] of recorded) {
    if (!ids.some((id) => accepted.has(id))) problems.push(`event ${rows} (${ids}) was recorded and did not arrive`);
    // If a process dies before it prints the id that it recorded, the next one records the same number under another
    // id.
    if (!ids.some((id) => arrived.get(rows)?.has(id))) problems.push(`event ${rows} came under other ids than ${ids}`);
    for (const [chat, received] of receiver.chats) {
      if (!received.has(rows)) problems.push(`event ${rows} was recorded and ${chat} did not get it`);
    }
  }
}

/** Creates the process that records events. After a kill it continues with the next event. */
function createPublisher(home, events, leaseMs, recorded, problems, checkMessages) {
  return createActor(checkMessages, () => {
    const next = recorded.size + 1;
    const child = startNode([...FROM_SOURCE, WORKER, home, next, events, leaseMs]);
    createInterface(child.stdout).on("line", (line) => {
      const [rows, text = ""] = line.split(" ");
      const ids = text.split(",");
      if (ids.length !== CHANNELS || !ids.every((id) => /^msg_\w+$/.test(id))) {
        problems.push(`event ${rows} has the deliveries "${text}"`);
      }
      recorded.set(Number(rows), ids);
    });
    return child;
  });
}

/** Creates a process that delivers and records nothing. */
function createDeliverer(home, leaseMs, checkMessages) {
  return createActor(checkMessages, () => startNode([...FROM_SOURCE, WORKER, home, 1, 0, leaseMs]));
}

function createDaemon(command, home) {
  const options = ["--dns", "off", "--allow-private", "127.0.0.0/8", "--log-level", "error"];
  return createActor(
    () => {},
    () => startNode([command, "serve", "--home", home, "--port", "0", ...options]),
  );
}

function createActor(onMessage, spawnChild) {
  let child;
  return {
    start: () => {
      child = spawnChild();
      child.stderr.on("data", (text) => onMessage(String(text)));
    },
    kill: async () => {
      child.kill("SIGKILL");
      await child.ended;
    },
  };
}

/** Starts a receiver that answers 204, but fails one in ten first attempts and disconnects one in twenty. */
async function startReceiver() {
  const chats = new Map(Object.keys(CHATS).map((chat) => [chat, new Set()]));
  const seen = { all: [], accepted: [], chats, failed: 0, problems: [] };
  const attempts = new Map();
  const chatAttempts = new Set();
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("error", () => {});
    request.on("end", () => {
      const chat = Object.keys(CHATS).find((name) => request.url.startsWith(CHATS[name].path.split("?")[0]));
      if (chat !== undefined) {
        const rows = Number(/([0-9,]+) rows? w(?:as|ere) classified/.exec(body)?.[1].replaceAll(",", ""));
        // After four failures the next attempt is in ten minutes, so only first attempts fail, also below.
        const isFirst = !chatAttempts.has(`${chat} ${rows}`);
        chatAttempts.add(`${chat} ${rows}`);
        if (isFirst && Math.random() < 0.1) return response.writeHead(500).end();
        chats.get(chat).add(rows);
        return CHATS[chat].accept(response);
      }
      const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature } = request.headers;
      const expected = createHmac("sha256", SECRET).update(`${id}.${time}.${body}`).digest("base64");
      if (signature !== `v1,${expected}`) seen.problems.push(`a bad signature on ${id}`);
      if (request.url !== "/verified") seen.problems.push(`a request to ${request.url}`);
      const { rows } = JSON.parse(body).data;
      seen.all.push({ rows, id });
      attempts.set(id, (attempts.get(id) ?? 0) + 1);
      const luck = attempts.get(id) === 1 ? Math.random() : 1;
      if (luck < 0.15) seen.failed += 1;
      else seen.accepted.push({ rows, id });
      if (luck < 0.1) response.writeHead(500).end();
      else if (luck < 0.15) response.destroy();
      else response.writeHead(204).end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(seen, {
    url: `http://127.0.0.1:${server.address().port}`,
    repeated: () => seen.accepted.length - new Set(seen.accepted.map(({ id }) => id)).size,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  });
}

function channelsAt(url) {
  const channel = (id, overrides) => ({
    id,
    team: "default",
    name: id,
    type: "webhook",
    config: { url: `${url}/verified`, secret: `whsec_${SECRET.toString("base64")}` },
    is_verified: true,
    created_at: new Date().toISOString(),
    ...overrides,
  });
  const secret = `whsec_${SECRET.toString("base64")}`;
  return {
    ch_verified: channel("ch_verified", {}),
    ...Object.fromEntries(
      Object.entries(CHATS).map(([type, { path }]) => [
        `ch_${type}`,
        channel(`ch_${type}`, { type, config: { url: `${url}${path}` } }),
      ]),
    ),
    ch_unverified: channel("ch_unverified", { is_verified: false, config: { url: `${url}/unverified`, secret } }),
    ch_paused: channel("ch_paused", { config: { url: `${url}/paused`, secret, enabled: false } }),
    ch_other: channel("ch_other", { config: { url: `${url}/other`, secret, events: ["lists.updated"] } }),
  };
}

async function readPending(storage) {
  const { deliveries = { records: {} } } = await storage.read("deliveries");
  return Object.values(deliveries.records).filter(({ status }) => status === "pending");
}
