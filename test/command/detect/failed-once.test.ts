// A one-off that fails is reported, not run again: DNS is asked once.

import { existsSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type NameServer, startNameServer } from "../../helpers/name-server.ts";
import { runShell } from "../../helpers/run.ts";

let server: NameServer;
beforeAll(async () => {
  server = await startNameServer(() => ({ rcode: 3 }));
});
beforeEach(() => {
  server.questions.length = 0;
});
afterAll(() => server.stop());

const DETECT = "addrsift detect --format ndjson a@quiet-harbour-tools.com --dns-server";

describe("a one-off asks DNS once", () => {
  it.skipIf(!existsSync("/dev/full"))("when its output's device is full (needs /dev/full)", async () => {
    const { status, stderr } = await runShell(`${DETECT} ${server.address} > /dev/full`);
    expect(stderr.toString()).toMatch(/^addrsift: can't write to standard output: [^\n]+\n$/);
    expect({ status, questions: server.questions.length }).toEqual({ status: 2, questions: 1 });
  });

  it("when the reader of its output has left", async () => {
    const { stderr } = await runShell(`{ sleep 0.2; ${DETECT} ${server.address}; echo $? >&2; } | true`);
    expect({ stderr: stderr.toString(), questions: server.questions.length }).toEqual({ stderr: "0\n", questions: 1 });
  });
});
