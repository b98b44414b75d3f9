// Compares the daemon with bare node:http and Fastify, and a stream of rows with the command line, alternating on the
// same machine. Ratios are medians of rounds, and of CPU time where a busy machine would distort rates.
//   npm run bench:http [-- requests batch streams]     REQUESTS=20000 CONNECTIONS=32 ROUNDS=5 ROWS=2000000

import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { COMMAND, memoryMb, scratchFolder } from "../helpers/programs.mjs";
import { load } from "./load.mjs";
import { installPeers, median, printTable, run, verdict } from "./measure.mjs";
import { cpuSeconds, createKey, startDaemon, startPeer } from "./servers.mjs";

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const REQUESTS = Number(process.env.REQUESTS ?? 20_000);
const connections = Number(process.env.CONNECTIONS ?? 32);
const BATCH = 100;
const STREAM_ROWS = Number(process.env.ROWS ?? 2_000_000);
const STREAM_GOAL = 0.7;
const GENERATE = join(import.meta.dirname, "generate.mjs");
const DETECT = "/api/v1/emails/detect";

/** Addresses as in sign-up forms: providers, disposable and unlisted domains, mistakes. */
const ADDRESSES = Array.from({ length: 200 }, (_, i) => {
  const domains = ["gmail.com", "outlook.com", "mailinator.com", "yahoo.co.uk", `company-${i}.example.com`];
  return i % 50 === 0 ? `user${i}@@broken` : `first.last+${i}@${domains[i % domains.length]}`;
});
const PATHS = ADDRESSES.map((address) => `${DETECT}?email=${encodeURIComponent(address)}`);

installPeers();
const folder = scratchFolder("bench");
const REPORTS = { requests: reportRequests, batch: reportBatch, streams: reportStreams };
console.log(
  `${connections} kept-alive connections, ${ROUNDS} rounds of ${REQUESTS} requests; node ${process.version}\n`,
);
const names = process.argv.slice(2);
for (const [name, report] of Object.entries(REPORTS)) if (names.length === 0 || names.includes(name)) await report();

async function reportRequests() {
  const headers = { Authorization: `Bearer ${createKey(folder)}` };
  const fastify = await startPeer(folder, "fastify");
  const bare = await startPeer(folder, "detection");
  const fastifyLog = await startPeer(folder, "fastify-log");
  const quiet = await startDaemon(folder, ["--log-level", "warn"], "quiet");
  const logging = await startDaemon(folder, [], "logging");
  // The others are compared with the first.
  const cases = [
    { name: "Fastify", server: fastify },
    { name: "bare node:http", server: bare },
    { name: "Fastify with its log", server: fastifyLog },
    { name: "addrsift", server: quiet, goal: 1 },
    { name: "addrsift with its log", server: logging, goal: 1.15 },
    { name: "with a key", server: quiet, headers },
  ];
  const measureCase = ({ server, headers: caseHeaders }) =>
    measureServer(server, { paths: PATHS, headers: caseHeaders });
  for (const testCase of cases) await measureCase(testCase);
  const rounds = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    const round = [];
    for (const testCase of cases) round.push(await measureCase(testCase));
    rounds.push(round);
  }
  const rows = cases.map(({ name, goal, server }, i) => {
    const cpuUs = median(rounds.map((round) => round[i].cpuUs)).toFixed(1);
    const ratio = median(rounds.map((round) => round[i].cpuUs / round[0].cpuUs));
    const p99 = median(rounds.map((round) => round[i].p99Ms / round[0].p99Ms));
    const cells = [name, cpuUs, ratio.toFixed(2), p99.toFixed(2), memoryMb(server.pid, "VmRSS").toFixed(0)];
    return goal === undefined ? [...cells, "", ""] : [...cells, `<= ${goal}`, verdict(ratio <= goal)];
  });
  await Promise.all([fastify, bare, fastifyLog, quiet, logging].map((server) => server.stop()));
  printTable(["one request", "CPU us", "CPU to Fastify", "p99 to Fastify", "MB", "goal", ""], rows);
}

/** Measures the rate, p99 and CPU time per request of a server. */
async function measureServer(server, requests, count = REQUESTS) {
  const before = cpuSeconds(server.pid);
  const { rate, p99Ms } = await load(server.port, count, { ...requests, connections });
  return { rate, p99Ms, cpuUs: ((cpuSeconds(server.pid) - before) * 1e6) / count };
}

async function reportBatch() {
  const daemon = await startDaemon(folder, ["--log-level", "warn"]);
  const body = JSON.stringify({ emails: ADDRESSES.slice(0, BATCH) });
  const ratios = [];
  const cpuRatios = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    const single = await measureServer(daemon, { paths: PATHS });
    const batch = await measureServer(daemon, { paths: [DETECT], body }, REQUESTS / 20);
    ratios.push((batch.rate * BATCH) / single.rate);
    cpuRatios.push((single.cpuUs * BATCH) / batch.cpuUs);
  }
  await daemon.stop();
  const ratio = median(ratios);
  const cells = [ratio.toFixed(1), median(cpuRatios).toFixed(1), ">= 8", verdict(ratio >= 8)];
  printTable(
    [`batch of ${BATCH}`, "cheaper", "by CPU", "goal", ""],
    [["each address, compared with single requests", ...cells]],
  );
}

/** Compares streams through curl with `detect` on the same file. */
async function reportStreams() {
  if (spawnSync("curl", ["--version"]).error !== undefined) {
    console.log("skipped: streams, for which there is no curl\n");
    return;
  }
  const daemon = await startDaemon(folder, ["--log-level", "warn"], "streams");
  const rows = [];
  for (const [kind, type] of [
    ["plain", "text/plain"],
    ["csv", "text/csv"],
  ]) {
    const file = join(folder, kind);
    execFileSync(process.execPath, [GENERATE, kind, String(STREAM_ROWS), file]);
    const detect = [process.execPath, COMMAND, "detect", "--quiet", ...(kind === "csv" ? ["--csv"] : [])];
    const url = `http://127.0.0.1:${daemon.port}${DETECT}`;
    const curl = ["curl", "-sS", "--fail", "-X", "POST", "-T", "-", "-H", `Content-Type: ${type}`, url];
    await run(curl, file);
    const rounds = [];
    for (let i = 0; i < ROUNDS; i += 1) {
      const command = await run(detect, file);
      const before = cpuSeconds(daemon.pid);
      const { seconds } = await run(curl, file);
      rounds.push({ command, seconds, cpu: cpuSeconds(daemon.pid) - before });
    }
    const rate = median(rounds.map(({ seconds }) => STREAM_ROWS / seconds)).toFixed(0);
    const ratio = median(rounds.map(({ command, seconds }) => command.seconds / seconds));
    const byCpu = median(rounds.map(({ command, cpu }) => command.cpu / cpu));
    const cells = [kind, rate, ratio.toFixed(2), byCpu.toFixed(2), memoryMb(daemon.pid, "VmRSS").toFixed(0)];
    rows.push([...cells, `>= ${STREAM_GOAL}`, verdict(ratio >= STREAM_GOAL)]);
  }
  await daemon.stop();
  printTable([`stream of ${STREAM_ROWS} rows`, "rows/s", "to detect", "by CPU", "MB", "goal", ""], rows);
}
