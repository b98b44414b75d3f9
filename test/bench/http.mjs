// What the daemon costs above a bare node:http server, and a stream of rows above the command line, in turns on the
// same machine. Ratios are of rounds, given as their medians. Beside the rate is the CPU time, which a busy machine
// distorts less.
//   npm run bench:http

import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { COMMAND, memoryMb, scratchFolder } from "../helpers/programs.mjs";
import { CONNECTIONS, GENERATOR, load } from "./load.mjs";
import { median, printTable, run, verdict } from "./measure.mjs";
import { cpuSeconds, createKey, firstAccept, startBare, startDaemon } from "./servers.mjs";

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 5);
const STARTS = 21;
const BATCH = 100;
const P99_GOAL = 2.5;
const STREAM_ROWS = Number(process.env.ROWS ?? 2_000_000);
const STREAM_GOAL = 0.7;
const GENERATE = join(import.meta.dirname, "generate.mjs");
const DETECT = "/api/v1/emails/detect";

/** Addresses as sign-up forms see them: known providers, disposable ones, companies that no list has, mistakes. */
const ADDRESSES = Array.from({ length: 200 }, (_, i) => {
  const domains = ["gmail.com", "outlook.com", "mailinator.com", "yahoo.co.uk", `company-${i}.example.com`];
  return i % 50 === 0 ? `user${i}@@broken` : `first.last+${i}@${domains[i % domains.length]}`;
});
const PATHS = ADDRESSES.map((address) => `${DETECT}?email=${encodeURIComponent(address)}`);

const folder = scratchFolder("bench");
console.log(
  `${GENERATOR}, ${CONNECTIONS} kept-alive connections, ${ROUNDS} rounds of ${SECONDS} s; node ${process.version}\n`,
);
await reportRates();
await reportBatch();
await reportStreams();
await reportStart();

async function reportRates() {
  const headers = { Authorization: `Bearer ${createKey(folder)}` };
  const hello = await startBare(folder, "hello");
  const alike = await startBare(folder, "alike");
  const quiet = await startDaemon(folder, ["--log-level", "warn"], "quiet");
  const logging = await startDaemon(folder, [], "logging");
  const cases = [
    { name: "bare hello", server: hello, requests: { paths: ["/"] } },
    { name: "bare, an answer alike", server: alike, requests: { paths: PATHS } },
    { name: "detect, no key", server: quiet, requests: { paths: PATHS }, goal: 0.75 },
    { name: "with a key checked", server: quiet, requests: { paths: PATHS, headers }, goal: 0.6 },
    { name: "with key and access log", server: logging, requests: { paths: PATHS, headers }, goal: 0.45 },
  ];
  for (const { server, requests } of cases) await load(folder, server.port, 1, requests);
  const rounds = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    const round = [];
    for (const { server, requests } of cases) round.push(await measured(server, requests));
    rounds.push(round);
  }
  await Promise.all([hello, alike, quiet, logging].map((server) => server.stop()));
  const rows = cases.map(({ name, goal }, i) => {
    const of = (pick) => median(rounds.map((round) => pick(round[i], round[0], round[1])));
    const rate = of((own) => own.rate);
    const ratio = of((own, base) => own.rate / base.rate);
    const cpu = of((own, base) => base.cpuUs / own.cpuUs);
    const alikeCpu = of((own, _, alikeBase) => alikeBase.cpuUs / own.cpuUs);
    const p99 = of((own, base) => own.p99Ms / base.p99Ms);
    const shown = [name, rate.toFixed(0), ...[ratio, cpu, alikeCpu, p99].map((figure) => figure.toFixed(2))];
    if (goal === undefined) return [...shown, "", ""];
    return [...shown, `>= ${goal}, p99 <= ${P99_GOAL}`, verdict(ratio >= goal && p99 <= P99_GOAL)];
  });
  printTable(["kept alive", "req/s", "rate ratio", "CPU ratio", "CPU to alike", "p99 ratio", "goal", ""], rows);
}

async function measured(server, requests) {
  const before = cpuSeconds(server.pid);
  const { rate, p99Ms } = await load(folder, server.port, SECONDS, requests);
  return { rate, p99Ms, cpuUs: ((cpuSeconds(server.pid) - before) * 1e6) / (rate * SECONDS) };
}

async function reportBatch() {
  const daemon = await startDaemon(folder, ["--log-level", "warn"]);
  const body = JSON.stringify({ emails: ADDRESSES.slice(0, BATCH) });
  const ratios = [];
  const cpuRatios = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    const one = await measured(daemon, { paths: PATHS });
    const many = await measured(daemon, { paths: [DETECT], body });
    ratios.push((many.rate * BATCH) / one.rate);
    cpuRatios.push((one.cpuUs * BATCH) / many.cpuUs);
  }
  await daemon.stop();
  const ratio = median(ratios);
  const cells = [ratio.toFixed(1), median(cpuRatios).toFixed(1), ">= 8", verdict(ratio >= 8)];
  printTable([`batch of ${BATCH}`, "cheaper", "by CPU", "goal", ""], [["each address, to one a request", ...cells]]);
}

/** Rows through curl in and out, to those of `detect` on the same file. */
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
    const turns = [];
    for (let i = 0; i < ROUNDS; i += 1) {
      const command = await run(detect, file);
      const before = cpuSeconds(daemon.pid);
      const { seconds } = await run(curl, file);
      turns.push({ command, seconds, cpu: cpuSeconds(daemon.pid) - before });
    }
    const rate = median(turns.map(({ seconds }) => STREAM_ROWS / seconds)).toFixed(0);
    const ratio = median(turns.map(({ command, seconds }) => command.seconds / seconds));
    const byCpu = median(turns.map(({ command, cpu }) => command.cpu / cpu));
    const shown = [kind, rate, ratio.toFixed(2), byCpu.toFixed(2), memoryMb(daemon.pid, "VmRSS").toFixed(0)];
    rows.push([...shown, `>= ${STREAM_GOAL}`, verdict(ratio >= STREAM_GOAL)]);
  }
  await daemon.stop();
  printTable([`stream of ${STREAM_ROWS} rows`, "rows/s", "to detect", "by CPU", "MB", "goal", ""], rows);
}

async function reportStart() {
  const turns = [];
  for (let i = 0; i < STARTS; i += 1) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    turns.push([await firstAccept("hello", folder, port), await firstAccept("daemon", folder, port + 1)]);
  }
  const row = (name, pick, goal) => {
    const ratio = median(turns.map(([hello, daemon]) => pick(daemon) / pick(hello)));
    const times = [0, 1].map((i) => median(turns.map((turn) => pick(turn[i]))).toFixed(1));
    return [
      name,
      ...times,
      ratio.toFixed(2),
      ...(goal === undefined ? ["", ""] : [`<= ${goal}`, verdict(ratio <= goal)]),
    ];
  };
  printTable(
    ["start", "bare ms", "daemon ms", "ratio", "goal", ""],
    [row("first accept", ({ accepted }) => accepted, 3.5), row("first answer", ({ answered }) => answered)],
  );
}
