// Small inputs that are made to take much memory: 16 of each kind at a daemon at once, and one through `addrsift detect`. Prints the
// daemon's memory at its peak, after them and a minute later, how long /healthz was waited for meanwhile, and the command's peak memory.
//   npm run soak:bombs [-- KIND...]        Linux; the waits count on a quiet machine only

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { loadavg } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createGzip } from "node:zlib";
import { ENV, printTable, verdict } from "../bench/measure.mjs";
import { startDaemon } from "../bench/servers.mjs";
import { COMMAND, memoryMb, pause, scratchFolder, startNode } from "../helpers/programs.mjs";

const AT_ONCE = 16;
const PEAK_GOAL_MB = 250;
const REST_GOAL_MB = 150;
const REST_MS = 60_000;
const WAIT_GOAL_MS = 250;
const COMMAND_GOAL_MB = 120;
const MIB = 1024 * 1024;

/** A piece so many times in gzip, which is packed as it is made. */
async function gzipped(piece, times) {
  const gzip = createGzip({ level: 9 });
  const chunks = [];
  gzip.on("data", (chunk) => chunks.push(chunk));
  for (let i = 0; i < times; i += 1) if (!gzip.write(piece)) await once(gzip, "drain");
  gzip.end();
  await once(gzip, "end");
  return Buffer.concat(chunks);
}

const deep = (levels) => `{"email":"x@gmail.com","d":${"[".repeat(levels)}${"]".repeat(levels)}}\n`;

/** Name, media type, options of the command, content. */
const KINDS = [
  ["gzip of a", "text/plain", [], () => gzipped(Buffer.alloc(MIB, "a"), 100)],
  ["gzip of one address", "text/plain", [], () => gzipped(Buffer.from("a@gmail.com\n".repeat(87_000)), 100)],
  ["gzip of blank lines", "text/plain", [], () => gzipped(Buffer.alloc(MIB, "\n"), 300)],
  ["deep JSON", "application/x-ndjson", ["--jsonl"], () => Buffer.from(deep(7_000_000))],
  ["gzip of deep JSON", "application/x-ndjson", ["--jsonl"], () => gzipped(Buffer.from(deep(7_000_000)), 1)],
  ["columns", "text/csv", ["--csv"], () => Buffer.from(`${"a,".repeat(7_000_000)}email\nb\n`)],
  [
    "keys",
    "application/x-ndjson",
    ["--jsonl"],
    () => Buffer.from(`{${Array.from({ length: 1_000_000 }, (_, i) => `"k${i}":1`).join()},"email":"x@gmail.com"}\n`),
  ],
];

/** Sends a body and drops the answer; resolves when the connection has ended, with the status. */
function send(port, type, body, packed) {
  return new Promise((resolve) => {
    const headers = {
      "Content-Type": type,
      "Content-Length": body.length,
      ...(packed && { "Content-Encoding": "gzip" }),
    };
    const path = "/api/v1/emails/detect";
    const outgoing = request({ host: "127.0.0.1", port, method: "POST", path, headers, agent: false });
    outgoing.on("response", (incoming) => {
      const done = () => resolve(incoming.complete ? String(incoming.statusCode) : `${incoming.statusCode} cut`);
      incoming.on("close", done).on("error", done).resume();
    });
    outgoing.on("error", (error) => resolve(error.code));
    outgoing.end(body);
  });
}

/** Asks /healthz every 20 ms in a separate thread, because this one is busy; calling its result ends that and returns the longest wait. */
async function probe(port) {
  const code = `
    const { get, Agent } = require("node:http");
    const { parentPort, workerData: port } = require("node:worker_threads");
    const agent = new Agent({ keepAlive: true });
    let worst = 0;
    const ask = () => {
      const begin = performance.now();
      get({ host: "127.0.0.1", port, path: "/healthz", agent }, (answer) => answer.resume().on("end", () => {
        worst = Math.max(worst, performance.now() - begin);
        setTimeout(ask, 20);
      })).on("error", () => { worst = Infinity; });
    };
    ask();
    parentPort.postMessage("begun");
    parentPort.on("message", () => { parentPort.postMessage(worst); process.exit(); });`;
  const worker = new Worker(code, { eval: true, workerData: port });
  await once(worker, "message");
  return async () => {
    worker.postMessage("stop");
    const [worst] = await once(worker, "message");
    return worst;
  };
}

/** 16 of a kind at a new daemon. */
async function atDaemon(folder, type, body) {
  const daemon = await startDaemon(folder, ["--log-level", "error"]);
  try {
    const packed = body[0] === 0x1f;
    const stop = await probe(daemon.port);
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(daemon.port, type, body, packed)));
    const wait = await stop();
    const after = memoryMb(daemon.pid, "VmRSS");
    await pause(REST_MS);
    const [peak, rest] = ["VmHWM", "VmRSS"].map((name) => memoryMb(daemon.pid, name));
    return { peak, after, rest, wait, answers: [...new Set(answers)].join() };
  } finally {
    await daemon.stop();
  }
}

/** Peak memory of `addrsift detect` on a file. */
async function byCommand(file, options) {
  const args = [COMMAND, "detect", "--quiet", ...options, "--input", file];
  const child = startNode(args, { env: ENV, stdio: "ignore" });
  let peak = 0;
  const poll = setInterval(() => {
    peak = Math.max(peak, memoryMb(child.pid, "VmHWM"));
  }, 5);
  await child.ended;
  clearInterval(poll);
  return peak;
}

const folder = scratchFolder("bombs");
const chosen = process.argv.slice(2);
const rows = [];
for (const [name, type, options, make] of KINDS) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const body = await make();
  const file = join(folder, "bomb");
  writeFileSync(file, body);
  const { peak, after, rest, wait, answers } = await atDaemon(folder, type, body);
  const command = await byCommand(file, options);
  const good = peak <= PEAK_GOAL_MB && rest <= REST_GOAL_MB && wait <= WAIT_GOAL_MS && command <= COMMAND_GOAL_MB;
  if (!good) process.exitCode = 1;
  const cells = [peak, after, rest, wait, command].map((value) => value.toFixed(0));
  rows.push([`${name}, ${(body.length / 1000).toFixed(0)} KB`, answers, ...cells, verdict(good)]);
  console.error(rows.at(-1).join("  "));
}
console.log(`load of the machine: ${loadavg()[0].toFixed(1)}`);
printTable(
  [
    `${AT_ONCE} at once`,
    "answers",
    `MB at peak, <= ${PEAK_GOAL_MB}`,
    "MB after",
    `MB a minute later, <= ${REST_GOAL_MB}`,
    `ms for /healthz, <= ${WAIT_GOAL_MS}`,
    `MB of detect, <= ${COMMAND_GOAL_MB}`,
    "",
  ],
  rows,
);
