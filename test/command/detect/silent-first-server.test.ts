// Tests a first name server that never responds: the command exits after the last row, and not every domain waits for
// it.

import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { type NameServer, startNameServer } from "../../helpers/name-server.ts";
import { objectsOf, type ProcessInput, type RunResult, runProcess } from "../../helpers/run.ts";

const TIMEOUT_MS = 60_000;
// Enough for a busy machine, but less than it would take to wait five seconds for each silent server.
const MAX_MS = 120_000;
const SILENT_SERVERS = 40;
const ROWS = 3000;
const EXCHANGE = { mx: [[10, "in.mail.tm"]] } as const;

let silent: NameServer[];
/** Answers only its first query, so that no later response can end a query that is still pending. */
let oneShot: NameServer;
beforeAll(async () => {
  silent = await Promise.all(Array.from({ length: SILENT_SERVERS }, () => startNameServer(() => undefined)));
  oneShot = await startNameServer(() => (oneShot.questions.length === 1 ? EXCHANGE : undefined));
});
beforeEach(() => {
  for (const { questions } of [...silent, oneShot]) questions.length = 0;
});
afterAll(() => Promise.all([...silent, oneShot].map((server) => server.stop())));

const detect = (
  servers: readonly NameServer[],
  args: readonly string[],
  input: ProcessInput = {},
): Promise<RunResult> => {
  const options = servers.flatMap(({ address }) => ["--dns-server", address]);
  return runProcess(["detect", ...options, "--dns-timeout", `${TIMEOUT_MS}`, ...args], input);
};

it("detect exits after the last row although the first name server never answers", async () => {
  const [first, ...others] = silent as [NameServer, ...NameServer[]];
  const startMs = performance.now();
  const { status, stdout } = await detect([first, oneShot, ...others], ["--explain", "a@x.quiet-harbour-tools.com"]);
  expect(performance.now() - startMs).toBeLessThan(MAX_MS);
  expect(status).toBe(0);
  expect(objectsOf(stdout)).toMatchObject([{ disposable: true, detection_source: "live_dns" }]);
  expect(first.questions.length).toBeGreaterThan(0);
});

it("bulk detect prefers the name server that has answered", async () => {
  const input = Array.from({ length: ROWS }, (_, i) => `a@n${i}.quiet-harbour-tools.com\n`).join("");
  const names = new Set<string>();
  // Without those that were only repeated there, because a busy machine answered late.
  const namesFirstSentToSilent = new Set<string>();
  const silentServer = await startNameServer(({ name }) => {
    if (!names.has(name)) namesFirstSentToSilent.add(name);
    names.add(name);
    return undefined;
  });
  onTestFinished(() => silentServer.stop());
  const answeringServer = await startNameServer(({ name }) => {
    names.add(name);
    return EXCHANGE;
  });
  onTestFinished(() => answeringServer.stop());
  const startMs = performance.now();
  const { status, stdout } = await detect([silentServer, answeringServer], ["--dns", "on"], { stdin: input });
  expect(performance.now() - startMs).toBeLessThan(MAX_MS);
  expect(status).toBe(0);
  const rows = objectsOf(stdout);
  expect(rows).toHaveLength(ROWS);
  for (const row of rows) expect(row).toMatchObject({ disposable: true, detection_source: "live_dns" });
  // 128 lookups start before the first response.
  expect(namesFirstSentToSilent.size).toBeLessThan(ROWS / 2);
});
