// Tests bulk input with DNS in the real command: order, streaming, a clean exit, and the summary.

import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { SummaryReport } from "../../../src/bulk/summary.ts";
import { type NameServer, startNameServer } from "../../helpers/name-server.ts";
import { linesOf, type RunResult, run, runShell, scratch, start } from "../../helpers/run.ts";

let server: NameServer;
const folder = scratch();
beforeAll(async () => {
  server = await startNameServer(({ name, type }) => {
    if (name.startsWith("silent")) return undefined;
    if (name.startsWith("lame")) return { rcode: 2 };
    if (type !== 15) return {};
    if (name.startsWith("late")) return { mx: [[1, "in.mail.tm"]], delayMs: 300 };
    if (name.startsWith("bad")) return { mx: [[1, "in.mail.tm"]] };
    return name.startsWith("fine") ? { mx: [[1, "aspmx.l.google.com"]] } : { rcode: 3 };
  });
});
beforeEach(() => {
  server.questions.length = 0;
});
afterAll(async () => {
  folder.remove();
  await server.stop();
});

// A long timeout: the name server runs in this process, and on a busy machine it must not look silent.
const dnsOptions = (): string[] => ["--dns", "on", "--dns-server", server.address, "--dns-timeout", "60000"];
const detectWithDns = (stdin: string, ...args: string[]): Promise<RunResult> =>
  run(["detect", ...dnsOptions(), ...args], { stdin });

const domains = Array.from({ length: 500 }, (_, i) => {
  const kind = ["bad", "fine", "late", "nowhere"][i % 4] as string;
  return i % 9 === 0 ? "gmail.com" : `${kind}${i % 150}.quiet-harbour-tools.com`;
});
const input = domains.map((domain, i) => `u${i}@${domain}\n`).join("");

it("--dns on looks up all addresses of a row", async () => {
  const rows = Array.from({ length: 200 }, (_, i) => [
    `u${i}@${domains[i]}`,
    i % 5 === 0 ? "x@@" : `v@${domains[i + 203]}`,
  ]);
  const csv = `a,b\n${rows.map((row) => row.join(",")).join("\n")}\n`;
  const columns = (name: string): string[] => ["--csv", "--fields", "disposable,dns_status", "--column", name];
  const [both, a, b] = await Promise.all([
    detectWithDns(csv, ...columns("a"), "--column", "b"),
    detectWithDns(csv, ...columns("a")),
    detectWithDns(csv, ...columns("b")),
  ]);
  const added = (result: RunResult): string[] =>
    linesOf(result.stdout)
      .slice(1)
      .map((line) => line.split(",").slice(2).join());
  const expected = added(a).map((fields, i) => `${fields},${added(b)[i]}`);
  expect(added(both)).toEqual(expected);
  expect(expected.filter((fields) => fields.startsWith("true,ok,false,nxdomain")).length).toBeGreaterThan(5);
});

it("--reject and --fail-on use the verdicts of --dns on", async () => {
  const lines = "a@bad1.quiet-harbour-tools.com\nb@fine1.quiet-harbour-tools.com\nc@lame1.quiet-harbour-tools.com\n";
  const output = await detectWithDns(lines, "-f", "plain", "--reject", "disposable,unknown");
  expect(linesOf(output.stdout)).toEqual(["b@fine1.quiet-harbour-tools.com"]);
  expect((await detectWithDns(lines, "--fail-on", "unknown")).status).toBe(1);
});

it("with --dns on, the summary counts the rows decided by lists and by DNS", async () => {
  const lines = `${input}x@lame1.quiet-harbour-tools.com\nx@lame2.quiet-harbour-tools.com\n`;
  const file = join(folder.path, "summary.json");
  const { stderr } = await detectWithDns(lines, "--summary", "--summary-file", file);
  const { settled_by: counts } = JSON.parse(readFileSync(file, "utf8")) as SummaryReport;
  const listed = domains.filter((domain) => domain === "gmail.com").length;
  const live = domains.length - listed;
  expect(counts).toEqual({ lists: listed, live, unknown: 2, unsettled: 0 });
  expect(stderr.toString()).toContain(`  ${live} rows decided by DNS\n  2 rows unknown: DNS did not answer\n`);
});

it("without --dns on, the summary counts the rows at unlisted domains", async () => {
  const { stderr } = await run(["detect", "--summary"], { stdin: input });
  const listed = domains.filter((domain) => domain === "gmail.com").length;
  const unsettled = domains.length - listed;
  expect(stderr.toString()).toContain(`  ${unsettled} rows at unlisted domains (--dns on looks them up)\n`);
  expect(server.questions).toEqual([]);
});

/** Waits for the first lines of a running command's output. */
function waitForLines(child: ChildProcess, count: number): Promise<string[]> {
  return new Promise((resolve) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const lines = text.split("\n").slice(0, -1);
      if (lines.length >= count) resolve(lines);
    });
  });
}

const exitCode = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => child.on("close", resolve));

const startDetect = (...args: string[]): ChildProcess => start(["detect", ...dnsOptions(), ...args]);

it("a signal during a DNS lookup ends the run after the finished rows", async () => {
  const child = startDetect("--summary");
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const first = waitForLines(child, 1);
  child.stdin?.write("a@gmail.com\nc@silent2.quiet-harbour-tools.com\nb@gmail.com\n");
  await first;
  const closed = exitCode(child);
  child.kill("SIGTERM");
  expect(await closed).toBe(143);
  expect(stdout.split("\n")).toHaveLength(2);
  expect(stderr).toMatch(/^addrsift: interrupted after 1 row\n/);
});

it("a closed output ends a run with pending DNS lookups", async () => {
  // The lookups of all rows would take more than ten minutes.
  const file = folder.file(
    "many.txt",
    `a@gmail.com\n${Array.from({ length: 50_000 }, (_, i) => `u@silent${i}.quiet-harbour-tools.com\n`).join("")}`,
  );
  const { status, stdout } = await runShell(
    `addrsift detect --dns on --dns-server ${server.address} --dns-timeout 2000 -i '${file}' | head -1`,
  );
  expect([status, linesOf(stdout).length]).toEqual([0, 1]);
});
