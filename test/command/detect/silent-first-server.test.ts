// Tests a first name server that never responds: the command exits after its last row, and not every domain waits for
// it.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type NameServer, startNameServer } from "../../helpers/name-server.ts";
import { objectsOf, type ProcessInput, type RunResult, runProcess } from "../../helpers/run.ts";

const TIMEOUT_MS = 60_000;
// Far above what a busy machine needs, and below the time that a forgotten question takes: five seconds for each server.
const SOON_MS = 120_000;
const SILENT_SERVERS = 40;
const ROWS = 3000;

let silent: NameServer[];
let well: NameServer;
/** Answers whatever it is asked first, so that no forgotten question is ended by a late answer. */
let once: NameServer;
beforeAll(async () => {
  const exchange = { mx: [[10, "in.mail.tm"]] } as const;
  silent = await Promise.all(Array.from({ length: SILENT_SERVERS }, () => startNameServer(() => undefined)));
  well = await startNameServer(() => exchange);
  once = await startNameServer(() => (once.questions.length === 1 ? exchange : undefined));
});
beforeEach(() => {
  for (const { questions } of [...silent, once]) questions.length = 0;
});
afterAll(() => Promise.all([...silent, well, once].map((server) => server.stop())));

const asking = (
  servers: readonly NameServer[],
  args: readonly string[],
  input: ProcessInput = {},
): Promise<RunResult> => {
  const options = servers.flatMap(({ address }) => ["--dns-server", address]);
  return runProcess(["detect", ...options, "--dns-timeout", `${TIMEOUT_MS}`, ...args], input);
};

describe("with a silent first name server", () => {
  it("exits after the last row although the first server is silent", async () => {
    const [first, ...others] = silent as [NameServer, ...NameServer[]];
    const begin = performance.now();
    const { status, stdout } = await asking([first, once, ...others], ["--explain", "a@one.quiet-harbour-tools.com"]);
    expect(performance.now() - begin).toBeLessThan(SOON_MS);
    expect(status).toBe(0);
    expect(objectsOf(stdout)).toMatchObject([{ disposable: true, detection_source: "live_dns" }]);
    expect(first.questions.length).toBeGreaterThan(0);
  });

  it("bulk input prefers the server that has answered", async () => {
    const input = Array.from({ length: ROWS }, (_, i) => `a@n${i}.quiet-harbour-tools.com\n`).join("");
    const [first] = silent as [NameServer];
    const begin = performance.now();
    const { status, stdout } = await asking([first, well], ["--dns", "on"], { stdin: input });
    expect(performance.now() - begin).toBeLessThan(SOON_MS);
    expect(status).toBe(0);
    const rows = objectsOf(stdout);
    expect(rows).toHaveLength(ROWS);
    for (const row of rows) expect(row).toMatchObject({ disposable: true, detection_source: "live_dns" });
    // 128 are on their way before any answer has come; a busy machine sends some of them again.
    expect(new Set(first.questions.map(({ name }) => name)).size).toBeLessThan(ROWS / 2);
  });
});
