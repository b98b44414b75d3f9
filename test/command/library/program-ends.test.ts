// Tests the resolver in a separate program: it exits when its work is done, because an idle resolver does not keep it
// alive.

import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROOT } from "../../helpers/classify.ts";
import { type NameServer, startNameServer } from "../../helpers/name-server.ts";
import { type RunResult, runShell, scratch } from "../../helpers/run.ts";

const folder = scratch();
let server: NameServer;
beforeAll(async () => {
  server = await startNameServer(({ name }) => (name.startsWith("silent") ? undefined : { mx: [[1, "in.mail.tm"]] }));
});
afterAll(async () => {
  folder.remove();
  await server.stop();
});

function program(timeoutMs: number, lines: string): Promise<RunResult> {
  const head = `import { createDetector, createDnsResolver } from ${JSON.stringify(`${ROOT}dist/lib/index.js`)};
const resolver = createDnsResolver({ servers: [${JSON.stringify(server.address)}], timeoutMs: ${timeoutMs} });
const detector = createDetector({ resolver });
const started = performance.now();
process.on("exit", () => console.log(Math.round(performance.now() - started)));
`;
  return runShell(`'${process.execPath}' '${folder.file("program.mjs", head + lines)}'`);
}

it("a program that uses the library exits after its last DNS answer", async () => {
  const code = 'console.log((await detector.detect("a@quiet-harbour-tools.com")).detection_source)';
  const { status, stdout, stderr } = await program(600_000, code);
  expect([status, stderr.toString()]).toEqual([0, ""]);
  // Waiting for the deadline would fail the test.
  expect(stdout.toString()).toMatch(/^live_dns\n/);
});

it("a program that uses the library exits at the last deadline if no name server answers", async () => {
  const detection = 'await detector.detect("a@silent.quiet-harbour-tools.com", { explain: true })';
  const { status, stdout } = await program(600, `console.log((${detection}).explain.dns.status)`);
  expect(status).toBe(0);
  const [result, ms] = stdout.toString().trim().split("\n");
  expect(result).toBe("timeout");
  expect(Number(ms)).toBeGreaterThanOrEqual(595);
});

it("a program that only creates a DNS resolver exits immediately", async () => {
  const { status } = await program(600_000, "");
  expect(status).toBe(0);
});

it("no line of the library that throws has more than 500 characters, because Node prints it for an uncaught error", () => {
  const files = ["library.cjs", ...readdirSync(`${ROOT}dist/lib`).map((name) => `lib/${name}`)];
  const lines = files.flatMap((name) => readFileSync(`${ROOT}dist/${name}`, "utf8").split("\n"));
  const lengths = lines.filter((line) => /\bthrow\b/.test(line)).map((line) => line.length);
  expect(lengths.length).toBeGreaterThan(0);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(500);
});
