// A command line run inside the test's process returns what the real command returns.

import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runInProcess } from "../helpers/in-process.ts";
import { runProcess } from "../helpers/run.ts";
import { NO_DATA_HOME } from "../helpers/run-input.ts";

const CALLS: readonly (readonly [args: readonly string[], stdin: string])[] = [
  [["detect", "--offline", "jane.doe+news@gmail.com", "broken@"], ""],
  [["detect", "--explain", "-f", "json"], "a@mailinator.com\n\nb@duck.com\n"],
  [["detect", "--csv", "--summary"], "id,email\n1,info@web.de\n"],
  [["detect", "--fail-on", "invalid"], "no address\n"],
  [["detect", "--memory", "x"], ""],
  [["keys", "create", "--name", "a", "--scopes", "emails:detect"], ""],
  [["lists", "lookup", "mailinator.com", "--json"], ""],
  [["channels", "list"], ""],
  [["nonsense"], ""],
];

describe.concurrent("a command line", () => {
  it.each(CALLS)("%j has the same status, output and notes in the test's process", async (args, stdin) => {
    const timeless = (bytes: Buffer): string => bytes.toString().replace(/in [\d.]+ s \([\d,]+ rows\/s\)/, "");
    const [here, real] = await Promise.all([runInProcess(args, { stdin }), runProcess(args, { stdin })]);
    expect(here.status).toBe(real.status);
    expect(here.stdout.toString()).toBe(real.stdout.toString());
    expect(timeless(here.stderr)).toBe(timeless(real.stderr));
  });

  it("makes no home that the test did not give", async () => {
    const { status } = await runInProcess(["keys", "create", "--name", "a", "--scopes", "emails:detect"]);
    expect(status).toBe(2);
    expect(existsSync(NO_DATA_HOME)).toBe(false);
  });
});
