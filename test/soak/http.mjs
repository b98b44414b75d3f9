// Soaks the daemon under attack and under load. During each kind of attack, the latencies of a well-behaved client are
// compared with its latencies without one; then ten minutes of load, single requests and streams, must not increase
// memory.
//   npm run soak:http            RUNS=5 SECONDS=4 MINUTES=10 by default

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { load } from "../bench/load.mjs";
import { ENV, median, printTable, verdict } from "../bench/measure.mjs";
import { createKey, startDaemon } from "../bench/servers.mjs";
import { memoryMb, scratchFolder, startNode } from "../helpers/programs.mjs";

const RUNS = Number(process.env.RUNS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 4);
const MINUTES = Number(process.env.MINUTES ?? 10);
/** Requests between two samples of the memory. */
const ROUND = 20_000;
const ONLY = process.env.ONLY;
const P99_GOAL = 3;
/** Maximum memory under attack. The lists take 5 MB, Node itself 45. */
const MEMORY_GOAL_MB = 400;
const ATTACK = join(import.meta.dirname, "http-attack.mjs");
const CLIENT = join(import.meta.dirname, "http-client.mjs");
const PIPED = { env: ENV, stdio: ["ignore", "pipe", "inherit"] };

const folder = scratchFolder("soak");
let misses = 0;
const daemon = await startDaemon(folder, ["--log-level", "warn"]);
await reportAttacks(daemon);
await daemon.stop();
if (MINUTES > 0) await reportMemory();
process.exitCode = misses > 0 ? 1 : 0;

async function reportAttacks(daemon) {
  const kinds = JSON.parse(execFileSync(process.execPath, [ATTACK], { encoding: "utf8" }));
  await runClient(daemon.port);
  const rows = [];
  for (const kind of kinds.filter((name) => ONLY === undefined || name === ONLY)) {
    const ratios = [];
    let failures = 0;
    let memory = 0;
    for (let i = 0; i < RUNS; i += 1) {
      const alone = await runClient(daemon.port);
      const attack = await startAttack(daemon.port, kind);
      const underAttack = await runClient(daemon.port);
      memory = Math.max(memory, memoryMb(daemon.pid, "VmRSS"));
      attack.kill("SIGKILL");
      await attack.ended;
      ratios.push(underAttack.p99Ms / alone.p99Ms);
      failures += alone.failures + underAttack.failures;
    }
    const ratio = median(ratios);
    const isMet = ratio <= P99_GOAL && failures === 0 && memory <= MEMORY_GOAL_MB;
    if (!isMet) misses += 1;
    rows.push([kind, ratio.toFixed(2), String(failures), memory.toFixed(0), verdict(isMet)]);
    console.error(rows.at(-1).join("  "));
  }
  const goal = `p99 <= ${P99_GOAL} x undisturbed`;
  printTable([`${goal}, no failure, <= ${MEMORY_GOAL_MB} MB`, "p99 ratio", "failed", "MB", ""], rows);
}

async function runClient(port) {
  const { output } = await startNode([CLIENT, String(port), String(SECONDS)], PIPED).ended;
  return JSON.parse(output);
}

async function startAttack(port, kind) {
  const child = startNode([ATTACK, String(port), kind], PIPED);
  await once(child.stdout, "data");
  return child;
}

async function reportMemory() {
  const headers = { Authorization: `Bearer ${createKey(folder)}` };
  const daemon = await startDaemon(folder, [], "loaded");
  const streams = await startAttack(daemon.port, "streams");
  try {
    await reportLoad(daemon, headers);
  } finally {
    streams.kill("SIGKILL");
    await streams.ended;
    await daemon.stop();
  }
}

async function reportLoad(daemon, headers) {
  const paths = Array.from({ length: 5000 }, (_, i) => `/api/v1/emails/detect?email=user${i}@host-${i}.example.com`);
  const samples = [];
  const endMs = performance.now() + MINUTES * 60_000;
  while (performance.now() < endMs) {
    await load(daemon.port, ROUND, { paths, headers });
    samples.push(memoryMb(daemon.pid, "VmRSS"));
  }
  const requests = samples.length * ROUND;
  const third = Math.max(1, Math.floor(samples.length / 3));
  const [early, late] = [median(samples.slice(third, 2 * third)), median(samples.slice(-third))];
  const isMet = late <= early * 1.05 + 2;
  if (!isMet) misses += 1;
  const name = `${MINUTES} min, ${(requests / 1e6).toFixed(1)} M requests with key and log, during two streams`;
  const cells = [name, early.toFixed(1), late.toFixed(1), "flat", verdict(isMet)];
  printTable(["long load", "MB in the middle", "MB at the end", "goal", ""], [cells]);
}
