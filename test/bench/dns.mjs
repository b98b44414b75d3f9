// Measures live DNS against nsd on loopback: lookups per second by concurrency, compared with Node's own resolver; a
// single call with and without DNS; bulk runs over distinct domains. Requires nsd.
//   npm run bench:dns [-- --lookups N]

import { spawnSync } from "node:child_process";
import { Resolver } from "node:dns";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createDnsResolver } from "../../src/dns/resolver.ts";
import { hasNsd, startNsd } from "../helpers/nsd.mjs";
import { COMMAND, ROOT } from "../helpers/programs.mjs";
import { ENV, median, printTable, run, verdict } from "./measure.mjs";

const { values } = parseArgs({ options: { lookups: { type: "string", default: "200000" } } });
const LOOKUPS = Number(values.lookups);
if (!Number.isInteger(LOOKUPS) || LOOKUPS < 1000) throw new Error(`--lookups ${values.lookups}: no number of lookups`);

const ROUNDS = 3;
const IN_FLIGHT = [16, 64, 128, 256];
const STARTS = 31;
const DOMAIN = "quiet-harbour-tools.com";
const ZONE = `$TTL 3600
@ IN SOA ns hostmaster 1 3600 600 86400 60
@ IN NS ns
ns IN A 127.0.0.1
* IN MX 10 aspmx.l.google.com.
*.bad IN MX 10 in.mail.tm.
`;

if (!hasNsd) {
  console.log("skipped: nsd is not installed (Debian: apt-get install nsd)");
  process.exit(0);
}
const nsd = await startNsd({ [DOMAIN]: ZONE });
try {
  await reportLookups();
  await reportSteady();
  reportStart();
  await reportBulk();
} finally {
  await nsd.stop();
}

/**
 * Looks up `count` different domains, `inFlight` at a time. Returns the rate, percentiles in ms, CPU time of each, and
 * counts of the statuses.
 */
async function measure(count, inFlight, lookUp) {
  const times = new Float64Array(count);
  const statuses = {};
  let next = 0;
  const cpu = process.cpuUsage();
  const begin = performance.now();
  const worker = async () => {
    while (next < count) {
      const i = next++;
      const startMs = performance.now();
      const status = await lookUp(`d${i}.${DOMAIN}`);
      times[i] = performance.now() - startMs;
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  times.sort();
  const at = (share) => times[Math.floor((count - 1) * share)];
  return { rate: count / seconds, p50: at(0.5), p99: at(0.99), cpu: (user + system) / count, statuses };
}

function createNodeLookup() {
  const resolver = new Resolver({ timeout: 2000, tries: 1 });
  resolver.setServers([nsd.address]);
  return (name) => new Promise((done) => resolver.resolveMx(name, (error) => done(error === null ? "ok" : error.code)));
}

function createOurLookup(maxQueriesInFlight) {
  const resolver = createDnsResolver({ servers: [nsd.address], maxQueriesInFlight });
  return async (name) => (await resolver.route(name)).status;
}

async function reportLookups() {
  const count = Math.round(LOOKUPS / 4);
  const programs = [
    ["node:dns alone, 128", 128, createNodeLookup],
    ...IN_FLIGHT.map((inFlight) => [`${inFlight} in flight`, inFlight, () => createOurLookup(inFlight)]),
  ];
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push([]);
    for (const [, inFlight, make] of programs) rounds.at(-1).push(await measure(count, inFlight, make()));
  }
  const rows = programs.map(([name, inFlight], i) => {
    const medianOf = (key) => median(rounds.map((round) => round[i][key]));
    const ratio = median(rounds.map((round) => round[i].rate / round[0].rate));
    const hasGoal = inFlight === 128 && i > 0;
    const isMet = medianOf("rate") >= 25_000 && medianOf("p99") < 50;
    const figures = [
      Math.round(medianOf("rate")).toLocaleString("en-US"),
      medianOf("p50").toFixed(1),
      medianOf("p99").toFixed(1),
    ];
    const goal = hasGoal ? [">= 25,000/s, p99 < 50", verdict(isMet)] : ["", ""];
    return [name, ...figures, medianOf("cpu").toFixed(1), ratio.toFixed(2), ...goal];
  });
  printTable(["lookups against nsd", "a second", "p50 ms", "p99 ms", "CPU us", "to node:dns", "goal", ""], rows);
}

/** Checks that many lookups in one resolver lose no answer, and that memory does not grow. */
async function reportSteady() {
  const lookUp = createOurLookup(128);
  const memory = [];
  const statuses = {};
  for (let part = 0; part < 4; part += 1) {
    const result = await measure(LOOKUPS / 4, 128, (name) => lookUp(`p${part}.${name}`));
    for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
    memory.push(process.memoryUsage().rss / 1e6);
  }
  const lost = LOOKUPS - (statuses.ok ?? 0);
  const growth = memory[3] - memory[1];
  printTable(
    [`${LOOKUPS.toLocaleString("en-US")} lookups in one resolver`, "", "goal", ""],
    [
      ["answers other than ok", String(lost), "0", lost === 0 ? "ok" : `MISS ${JSON.stringify(statuses)}`],
      ["memory by quarter, MB", memory.map((mb) => mb.toFixed(0)).join(" "), "flat", verdict(growth < 30)],
    ],
  );
}

function reportStart() {
  const address = `jane.doe@start.${DOMAIN}`;
  const programs = [
    ["detect --offline, unlisted", ["--offline", address]],
    ["detect with live DNS, unlisted", ["--dns-server", nsd.address, address]],
  ];
  const rounds = Array.from({ length: STARTS + 3 }, () => programs.map(([, args]) => startOnce(args))).slice(3);
  const [offline, live] = programs.map((_, i) => median(rounds.map((round) => round[i])));
  const difference = median(rounds.map(([without, withDns]) => withDns - without));
  printTable(
    ["single call", "median ms", "difference", "goal", ""],
    [
      [programs[0][0], offline.toFixed(1), "", "", ""],
      [programs[1][0], live.toFixed(1), difference.toFixed(1), "< 15", verdict(difference < 15)],
    ],
  );
}

function startOnce(args) {
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, "detect", ...args], { env: ENV, encoding: "utf8" });
  if (status !== 0) throw new Error(`detect ended with ${status}: ${stderr}`);
  return performance.now() - begin;
}

async function reportBulk() {
  mkdirSync(join(ROOT, ".bench"), { recursive: true });
  const rows = [];
  for (const count of [LOOKUPS, 4 * LOOKUPS]) {
    const input = join(ROOT, ".bench", "dns.txt");
    writeDomains(input, count);
    const command = [process.execPath, COMMAND, "detect", "--quiet", "--fail-on", "unknown", "--dns", "on"];
    const { seconds, cpu, peak } = await run([...command, "--dns-server", nsd.address], input);
    const figures = [count, count / seconds, count / cpu].map((n) => Math.round(n).toLocaleString("en-US"));
    rows.push([...figures, peak.toFixed(0), "no row unknown: ok"]);
    rmSync(input);
  }
  printTable(["bulk, all domains different", "rows/s", "rows/s/core", "peak MB", ""], rows);
}

function writeDomains(file, count) {
  const descriptor = openSync(file, "w");
  for (let i = 0; i < count; i += 1000) {
    const lines = Array.from({ length: Math.min(1000, count - i) }, (_, j) => {
      const n = i + j;
      return `u${n}@${n % 10 === 0 ? `d${n}.bad` : `d${n}`}.${DOMAIN}\n`;
    });
    writeSync(descriptor, lines.join(""));
  }
  closeSync(descriptor);
}
