// Runs NLnet Labs' name server nsd on a high port of loopback with a test's zones. Debian: apt-get install nsd.

import { spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./programs.mjs";

/** Whether nsd is installed. */
export const hasNsd = spawnSync("nsd", ["-v"]).error === undefined;

/**
 * Starts nsd and waits until it answers. `zones` has the text of each zone by name; for a zone whose text is undefined,
 * nsd answers SERVFAIL. `address` is the value for --dns-server.
 */
export async function startNsd(zones) {
  const folder = mkdtempSync(join(tmpdir(), "addrsift-nsd-"));
  mkdirSync(join(folder, "zones"));
  const port = await freePort();
  for (const [name, text] of Object.entries(zones)) {
    if (text !== undefined) writeFileSync(join(folder, "zones", name), text);
  }
  const config = join(folder, "nsd.conf");
  writeFileSync(config, configOf(folder, port, Object.keys(zones)));
  const child = spawn("nsd", ["-d", "-c", config], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (text) => {
    log += text;
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitForAnswer(port, Object.keys(zones).at(0) ?? ".");
  } catch (error) {
    await stop();
    throw new Error(`nsd does not answer: ${log}`, { cause: error });
  }
  return { address: `127.0.0.1:${port}`, port, stop };
}

function configOf(folder, port, zones) {
  const server = [
    `ip-address: 127.0.0.1@${port}`,
    'username: ""',
    'pidfile: ""',
    'xfrdfile: ""',
    'zonelistfile: ""',
    'database: ""',
    `zonesdir: "${folder}/zones"`,
    `xfrdir: "${folder}"`,
    "server-count: 1",
    "tcp-count: 50",
    "rrl-ratelimit: 0",
  ];
  return [
    "server:",
    ...server.map((line) => `  ${line}`),
    "remote-control:",
    "  control-enable: no",
    ...zones.flatMap((name) => ["zone:", `  name: "${name}"`, `  zonefile: "${name}"`]),
    "",
  ].join("\n");
}

/** Queries the zone's SOA record until there is an answer. */
async function waitForAnswer(port, zone) {
  const labels = zone.split(".").filter((label) => label !== "");
  const name = Buffer.concat([
    ...labels.map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.of(0),
  ]);
  const question = Buffer.concat([Buffer.from([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]), name, Buffer.from([0, 6, 0, 1])]);
  const socket = createSocket("udp4");
  socket.on("error", () => {});
  try {
    const answer = new Promise((resolve) => socket.once("message", resolve));
    for (let attempt = 0; attempt < 100; attempt += 1) {
      socket.send(question, port, "127.0.0.1");
      const timeout = new Promise((resolve) => setTimeout(resolve, 50, "timeout"));
      if ((await Promise.race([answer, timeout])) !== "timeout") return;
    }
    throw new Error("no answer within five seconds");
  } finally {
    socket.close();
  }
}
