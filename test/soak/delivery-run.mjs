// Runs processes that record and deliver events and are killed with -9 at random, with a receiver that checks each
// signature and sometimes fails. Each recorded event must arrive, at a webhook under one id and at a channel of each
// chat service; channels that are paused or not subscribed must get none.

import { createHmac, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { FROM_SOURCE } from "../helpers/from-source.mjs";
import { readRecords, storedChannel, writeRecords } from "../helpers/home-files.ts";
import { pause, startNode } from "../helpers/programs.mjs";

const SECRET = randomBytes(32);
const WORKER = fileURLToPath(new URL("./delivery-worker.mjs", import.meta.url));
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
// With the verified and the unverified webhook.
const CHANNELS = 2 + Object.keys(CHATS).length;

/**
 * Records `events` events while `kills` kills hit two processes in turn: the one that records, and `serve` of the command
 * `daemon`, or without it a process that only delivers. Returns the counts and the problems.
 */
export async function killDeliverers(home, { events, kills, daemon = undefined, leaseMs = DAEMON_LEASE_MS }) {
  const receiver = await startReceiver();
  writeRecords(home, "store.json", { channels: channelsAt(receiver.url) });
  const recorded = new Map();
  const problems = [];
  const onMessage = (text) => problems.push(`unexpected message: ${text.trim()}`);
  const actors = [
    createPublisher(home, events, leaseMs, recorded, problems, onMessage),
    daemon === undefined ? createDeliverer(home, leaseMs, onMessage) : createDaemon(daemon, home),
  ];
  for (const actor of actors) actor.start();
  for (let kill = 0; kill < kills; kill++) {
    await pause(150 + Math.random() * 700);
    const victim = actors[kill % actors.length];
    await victim.kill();
    victim.start();
  }
  const deadline = Date.now() + 2 * leaseMs + 240_000;
  while ((recorded.size < events || readPending(home).length > 0) && Date.now() < deadline) await pause(200);
  const stillPending = readPending(home);
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
  for (const { id, channel_id: channel, attempts, next_attempt_at: next, unsent_reason: error = "" } of stillPending) {
    const seconds = Math.round((next - Date.now()) / 1000);
    problems.push(`${id} to ${channel} is still pending, after ${attempts} attempts, for ${seconds} s: ${error}`);
  }
  const accepted = new Set(receiver.accepted.map(({ rows, id }) => `${rows} ${id}`));
  for (const [rows, ids] of recorded) {
    // If a process dies before it prints the ids that it recorded, the next one records the same number under other ids.
    if (!ids.some((id) => accepted.has(`${rows} ${id}`)))
      problems.push(`event ${rows} was recorded and did not arrive under one of the ids ${ids}`);
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
  const seen = { accepted: [], chats, failed: 0, problems: [] };
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
      if (request.url !== "/ch_verified") seen.problems.push(`a request to ${request.url}`);
      const { rows } = JSON.parse(body).data;
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
  const webhook = (id, overrides, config) => {
    const secret = `whsec_${SECRET.toString("base64")}`;
    return storedChannel(id, "", { ...overrides, config: { url: `${url}/${id}`, secret, ...config } });
  };
  const chats = Object.entries(CHATS).map(([type, { path }]) => {
    return storedChannel(`ch_${type}`, "", { type, config: { url: `${url}${path}` } });
  });
  const channels = [
    webhook("ch_verified"),
    webhook("ch_unverified", { is_verified: false }),
    webhook("ch_paused", {}, { enabled: false }),
    webhook("ch_other", {}, { events: ["lists.updated"] }),
    ...chats,
  ];
  return Object.fromEntries(channels.map((channel) => [channel.id, channel]));
}

function readPending(home) {
  if (!existsSync(join(home, "deliveries.json"))) return [];
  // The deliveries of the unverified channel wait for its verification.
  return Object.values(readRecords(home, "deliveries.json", "deliveries")).filter(
    ({ status, channel_id: channel }) => status === "pending" && channel !== "ch_unverified",
  );
}
