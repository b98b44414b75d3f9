// Runs processes that record and deliver events and are killed with -9 at random, with a receiver that checks each
// signature and sometimes fails. Each recorded event must arrive, at a webhook under one id and at a channel of each
// chat service; channels that are paused or not subscribed must get none.

import { createHmac, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { FROM_SOURCE } from "../helpers/from-source.mjs";
import { pause, startNode } from "../helpers/programs.mjs";
import { fileBacking } from "./backing.mjs";

const WORKER = fileURLToPath(new URL("./delivery-worker.mjs", import.meta.url));
const SECRET = randomBytes(32);
// The daemon's own lease; a killed process's deliveries wait for its end.
const DAEMON_LEASE_MS = 60_000;
/** Each chat service: the path of its webhook, and how it says that it took a message. */
const CHATS = {
  slack: { path: "/hooks/x", takes: (response) => response.end("ok") },
  msteams: {
    path: "/workflows/x/triggers/manual/paths/invoke?sig=x",
    takes: (response) => response.writeHead(202).end(),
  },
  discord: {
    path: `/api/webhooks/123456789012345678/${"x".repeat(60)}`,
    takes: (response) => response.end('{"id":"1"}'),
  },
};
const CHANNELS = 1 + Object.keys(CHATS).length;

/**
 * Runs it: so many events, so many kills, of one process after the other. `daemons` are the files of commands that run `serve` beside
 * the process that records; without one, a process that only delivers does. Returns what was seen.
 */
export async function killDeliverers(
  home,
  { events, kills, daemons = [], leaseMs = DAEMON_LEASE_MS },
  backing = fileBacking(home),
) {
  const receiver = await startReceiver();
  await backing.write(channelsAt(receiver.url));
  const recorded = new Map();
  const problems = [];
  const say = (text) => {
    const strange = text
      .trim()
      .split("\n")
      .filter((line) => !backing.mayBeSaid(line));
    problems.push(...strange.map((line) => `said: ${line}`));
  };
  const actors = [
    publisher(home, events, leaseMs, recorded, problems, say),
    ...(daemons.length === 0
      ? [helper(home, leaseMs, say)]
      : daemons.map((command, i) => serve(command, backing.homeOf(i)))),
  ];
  for (const actor of actors) actor.start();
  const victims = [...actors, ...backing.victims];
  for (let kill = 0; kill < kills; kill++) {
    await pause(150 + Math.random() * 700);
    const victim = victims[kill % victims.length];
    await victim.kill();
    victim.start?.();
  }
  const end = Date.now() + 2 * leaseMs + 240_000;
  while ((recorded.size < events || (await pending(backing)).length > 0) && Date.now() < end) await pause(200);
  const left = await pending(backing);
  for (const actor of actors) await actor.kill();
  await receiver.close();
  check(receiver, recorded, events, left, problems);
  const requests = receiver.good.length + receiver.failed;
  return { requests, arrived: new Set(receiver.good.map(({ rows }) => rows)).size, again: receiver.again(), problems };
}

function check(receiver, recorded, events, left, problems) {
  problems.push(...receiver.problems);
  if (recorded.size < events) problems.push(`only ${recorded.size} of ${events} events were recorded in time`);
  for (const { id, channel_id: channel, attempts, next_attempt_at: next, last_error: error } of left) {
    const seconds = Math.round((next - Date.now()) / 1000);
    problems.push(`${id} to ${channel} is still pending, after ${attempts} attempts, for ${seconds} s: ${error}`);
  }
  const arrived = new Map();
  for (const { rows, id } of receiver.all) {
    const ids = arrived.get(rows) ?? arrived.set(rows, new Set()).get(rows);
    ids.add(id);
  }
  const good = new Set(receiver.good.map(({ id }) => id));
  for (const [rows, ids] of recorded) {
    if (!ids.some((id) => good.has(id))) problems.push(`event ${rows} (${ids}) was recorded and did not arrive`);
    // One that was recorded by a process that died before it could say so is another event of the same number.
    if (!ids.some((id) => arrived.get(rows)?.has(id))) problems.push(`event ${rows} came under other ids than ${ids}`);
    for (const [chat, taken] of receiver.chats) {
      if (!taken.has(rows)) problems.push(`event ${rows} was recorded and ${chat} did not get it`);
    }
  }
}

/** The process that records events from where the one before it was killed. */
function publisher(home, events, leaseMs, recorded, problems, say) {
  return actor(say, () => {
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

/** A process that delivers and records nothing. */
function helper(home, leaseMs, say) {
  return actor(say, () => startNode([...FROM_SOURCE, WORKER, home, 1, 0, leaseMs]));
}

function serve(command, home) {
  const more = ["--dns", "off", "--allow-private", "127.0.0.0/8", "--log-level", "error"];
  return actor(
    () => {},
    () => startNode([command, "serve", "--home", home, "--port", "0", ...more]),
  );
}

function actor(say, spawnChild) {
  let child;
  return {
    start: () => {
      child = spawnChild();
      child.stderr.on("data", (text) => say(String(text)));
    },
    kill: async () => {
      child.kill("SIGKILL");
      await child.ended;
    },
  };
}

/** Answers 204, fails each event's first try one time in ten, and cuts one in twenty off. */
async function startReceiver() {
  const chats = new Map(Object.keys(CHATS).map((chat) => [chat, new Set()]));
  const seen = { all: [], good: [], chats, failed: 0, problems: [] };
  const tries = new Map();
  const tried = new Set();
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
        // After four failures the next try is in ten minutes, so only first tries fail, here as below.
        const isFirst = !tried.has(`${chat} ${rows}`);
        tried.add(`${chat} ${rows}`);
        if (isFirst && Math.random() < 0.1) return response.writeHead(500).end();
        chats.get(chat).add(rows);
        return CHATS[chat].takes(response);
      }
      const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature } = request.headers;
      const wanted = createHmac("sha256", SECRET).update(`${id}.${time}.${body}`).digest("base64");
      if (signature !== `v1,${wanted}`) seen.problems.push(`a bad signature on ${id}`);
      if (request.url !== "/verified") seen.problems.push(`a request to ${request.url}`);
      const { rows } = JSON.parse(body).data;
      seen.all.push({ rows, id });
      tries.set(id, (tries.get(id) ?? 0) + 1);
      const luck = tries.get(id) === 1 ? Math.random() : 1;
      if (luck < 0.15) seen.failed += 1;
      else seen.good.push({ rows, id });
      if (luck < 0.1) response.writeHead(500).end();
      else if (luck < 0.15) response.destroy();
      else response.writeHead(204).end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(seen, {
    url: `http://127.0.0.1:${server.address().port}`,
    again: () => seen.good.length - new Set(seen.good.map(({ id }) => id)).size,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  });
}

function channelsAt(url) {
  const channel = (id, more) => ({
    id,
    team: "default",
    name: id,
    type: "webhook",
    config: { url: `${url}/verified`, secret: `whsec_${SECRET.toString("base64")}` },
    is_verified: true,
    created_at: new Date().toISOString(),
    ...more,
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
    ch_deaf: channel("ch_deaf", { config: { url: `${url}/deaf`, secret, events: ["lists.updated"] } }),
  };
}

async function pending(backing) {
  const { deliveries = { records: {} } } = await backing.read("deliveries");
  return Object.values(deliveries.records).filter(({ status }) => status === "pending");
}
