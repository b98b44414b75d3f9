// Tests each command as a real process: its output equals, byte for byte, that of the in-process run that most tests
// use.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/options/commands.ts";
import { storedChannel, storedDeliveries, storedKey, writeRecords } from "../helpers/home-files.ts";
import { fileScratch, run, runProcess } from "../helpers/run.ts";
import { NO_DATA_HOME } from "../helpers/run-input.ts";

const files = fileScratch();
const home = join(files.path, "home");
beforeAll(() => {
  mkdirSync(home, { mode: 0o700 });
  writeRecords(home, "store.json", {
    keys: { key_1: storedKey("key_1", { revoked_at: "2026-11-22T12:00:00.000Z" }) },
    channels: { ch_1: storedChannel("ch_1", "http://127.0.0.1:9/in") },
  });
  writeFileSync(join(home, "overrides.tsv"), "spam.example\tdeny\t\t\t2026-11-22T12:00:00Z\n");
  writeRecords(home, "deliveries.json", { deliveries: storedDeliveries("msg_", "ch_1", 1) });
});

const CSV = 'id,email\r\n1,ada@example.org\r\n"2\n",joe@mailinator.com,x\r\n';
const LINES = "ada@example.org\njoe@mailinator.com\n\nbroken@\n\xff\n";
// Calls whose output does not depend on the time, and is the same at a second call.
const CALLS: readonly (readonly [args: string, status: number, stdin?: string])[] = [
  ["--help", 0],
  ["--version", 0],
  ["detect joe@mailinator.com ada@", 0],
  ["detect --format table --explain Info+x@mailinator.com", 0],
  ["detect --help", 0],
  ["detect", 0, LINES],
  ["detect --csv", 0, CSV],
  ["lists export --class relay", 0],
  ["lists lookup mailinator.com", 0],
  ["lists update --source X=y", 2],
  ["lists diff --from /no/such", 2],
  ["lists rollback", 2],
  ["lists status", 0],
  ["lists allow co.uk", 2],
  ["lists deny two@@at", 2],
  ["lists overrides", 0],
  ["keys create --name a", 2],
  ["keys list", 0],
  ["keys revoke key_1 --json", 0],
  ["engines show python", 0],
  ["completion bash", 0],
  ["channels create --name a", 2],
  ["channels list --json", 0],
  ["channels get ch_1", 0],
  ["channels update ch_1 --name ch_1 --json", 0],
  ["channels delete ch_none", 2],
  ["channels deliveries ch_1", 0],
  ["channels test ch_none", 2],
  ["channels replay del_none", 2],
  ["channels verify ch_1", 2, "token\n"],
  ["serve --port 65536", 2],
];

describe.concurrent("a process", () => {
  it.each(CALLS.map(([line, status, stdin = ""]) => [line, status, stdin] as const))(
    "a separate process and an in-process call print the same: addrsift %s, status %i",
    async (line, status, stdin) => {
      const call = [...line.split(" "), "--home", home];
      const input = { stdin: Buffer.from(stdin, "latin1") };
      const result = await run(call, input);
      expect(await runProcess(call, input)).toEqual(result);
      expect(result.status).toBe(status);
      expect(result.stdout.length + result.stderr.length).toBeGreaterThan(0);
    },
  );

  it("an in-process call does not create the default home", async () => {
    expect((await run("keys create --name a --scopes emails:detect")).status).toBe(2);
    expect(existsSync(NO_DATA_HOME)).toBe(false);
  });

  it("every command has a smoke test", () => {
    for (const { name } of COMMANDS)
      expect(
        CALLS.some(([line]) => line.startsWith(name)),
        name,
      ).toBe(true);
  });
});
