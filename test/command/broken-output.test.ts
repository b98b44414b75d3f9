// The output breaks: its reader leaves (which is not a failure), its device is full (which is), a signal comes.

import { existsSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { run, runShell, scratch, start } from "../helpers/run.ts";

const files = scratch();
afterAll(files.remove);
// More than any pipe holds, for every format.
const many = files.file("many.txt", "ada@example.org\n".repeat(12_000));

describe.concurrent("a reader that leaves", () => {
  it.each([
    ["a file, NDJSON", `addrsift detect -i '${many}'`],
    ["a file, plain", `addrsift detect --format plain -i '${many}'`],
    ["a file, table", `head -n 1200 '${many}' | addrsift detect --format table`],
    ["a pipe that never ends", "yes ada@example.org 2>&- | addrsift detect"],
    ["lists export", "addrsift lists export --class disposable"],
  ])("a reader that leaves is not a failure: %s", async (_, command) => {
    const { status, stdout, stderr } = await runShell(`{ ${command}; echo "status $?" >&2; } | head -n 1`);
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "status 0\n" });
    expect(stdout.toString().split("\n")).toHaveLength(2);
  });

  it.each(["detect ada@example.org", "lists status", "--help", "detect --help", "--version"])(
    "a reader that leaves before the first byte is not a failure: %s",
    async (command) => {
      // The pause lets `true` end first.
      const { stderr } = await runShell(`{ sleep 0.2; addrsift ${command}; echo "status $?" >&2; } | true`);
      expect(stderr.toString()).toBe("status 0\n");
    },
  );

  it("does not hide what --fail-on saw", async () => {
    const command = `addrsift detect --fail-on valid -i '${many}'`;
    const { stderr } = await runShell(`{ ${command}; echo "status $?" >&2; } | head -n 1`);
    expect(stderr.toString()).toMatch(/^status [01]\n$/);
  });
});

describe.concurrent("a standard output that is closed", () => {
  it.each(["detect ada@example.org", `detect -i '${many}'`, "lists export --class tld", "--version"])(
    "a standard output that is closed is not a failure: %s",
    async (command) => {
      const { status, stderr } = await runShell(`addrsift ${command} >&-`);
      expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
    },
  );
});

describe.skipIf(!existsSync("/dev/full"))("a full device (needs /dev/full)", { concurrent: true }, () => {
  it.each([
    "detect ada@example.org",
    "detect --format table ada@example.org",
    `detect -i '${many}'`,
    "lists export --class tld",
    "lists lookup duck.com",
    "--help",
    "--version",
  ])("a full device is one line and status 2: %s", async (command) => {
    const { status, stderr } = await runShell(`addrsift ${command} >/dev/full`);
    expect(stderr.toString()).toMatch(/^addrsift: can't write to standard output: [^\n]+\n$/);
    expect(status).toBe(2);
  });
});

describe.concurrent("a signal", () => {
  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("%s ends a run that waits for input, with %i", async (signal, expected) => {
    const child = start(["detect"]);
    const ended = new Promise<number>((resolve) => {
      // The shell shows an end by signal as 128 + n.
      child.on("close", (code, by) => resolve(code ?? (by === signal ? expected : -1)));
    });
    let errors = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      errors += chunk.toString();
    });
    child.stdin?.write("ada@example.org\n");
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    child.kill(signal);
    expect({ status: await ended, errors }).toEqual({ status: expected, errors: "" });
  });
});

describe.concurrent("results", () => {
  it("come while the input is still open", async () => {
    const child = start(["detect"]);
    child.stdin?.write("ada@example.org\n");
    const first = await new Promise<Buffer>((resolve) => child.stdout?.once("data", resolve));
    child.stdin?.end();
    expect(JSON.parse(first.toString())).toMatchObject({ email: "ada@example.org" });
    await new Promise((resolve) => child.on("close", resolve));
  });

  it("results are the same to a slow and to a quick reader", async () => {
    const [quick, slow] = await Promise.all([
      run(["detect", "-i", many]),
      runShell(`addrsift detect -i '${many}' | { sleep 0.5; cat; }`),
    ]);
    expect(quick.stdout.equals(slow.stdout)).toBe(true);
  });
});
