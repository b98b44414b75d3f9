// Tests outputs that fail: a closed pipe or output ends the run without an error, a full device is an error.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileScratch, runShell, WAIT_FOR_CLOSED_OUTPUT } from "../helpers/run.ts";

const files = fileScratch();
// More than any pipe holds.
const many = files.file("many.txt", "ada@example.org\n".repeat(12_000));

describe.concurrent("a reader that closes the output", () => {
  it.each([
    ["a file", `addrsift detect -i '${many}'`],
    ["a table", `head -n 1200 '${many}' | addrsift detect --format table`],
    ["a pipe that never ends", "yes ada@example.org 2>&- | addrsift detect"],
    ["lists export", "addrsift lists export --class disposable"],
  ])("a reader that closes the output early causes no error: %s", async (_, command) => {
    const { status, stdout, stderr } = await runShell(`{ ${command}; echo "status $?" >&2; } | head -n 1`);
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "status 0\n" });
    expect(stdout.toString().split("\n")).toHaveLength(2);
  });

  it.each([`-f lint '${many}'`, `-f ndjson - < '${many}'`])(
    "a reader that closes the output early does not hide a row of --fail-on: %s",
    async (inputs) => {
      const command = `addrsift detect --scan --fail-on reserved ${inputs}`;
      const { stderr } = await runShell(`{ ${command}; echo "status $?" >&2; } | head -n 1`);
      expect(stderr.toString()).toBe("status 1\n");
    },
  );

  it.each(["detect ada@example.org", "lists status", "--version"])(
    "a reader that closes the output before the first byte causes no error: %s",
    async (command) => {
      const { stderr } = await runShell(
        `{ ${WAIT_FOR_CLOSED_OUTPUT}; addrsift ${command}; echo "status $?" >&2; } | true`,
      );
      expect(stderr.toString()).toBe("status 0\n");
    },
  );
});

it("a reader that closes the output does not hide that an update failed", async () => {
  const update = `lists update --home '${join(files.path, "home")}' --json --source D=http://127.0.0.1:1/`;
  const { stderr } = await runShell(`{ ${WAIT_FOR_CLOSED_OUTPUT}; addrsift ${update}; echo "status $?" >&2; } | true`);
  expect(stderr.toString()).toMatch(/: no source could be used.*\nstatus 2\n$/);
  const status = await runShell(`addrsift lists status --home '${join(files.path, "home")}' --json`);
  expect(JSON.parse(status.stdout.toString()).failure).toMatch(/^D: port 1 /);
});

it("a reader that closes standard error early loses no output, and hides no row of --fail-on", async () => {
  const input = files.file("closed.csv", `email\n${"x@yopmail.com\n".repeat(9)}x\n`);
  const [output, summary, page] = ["o.csv", "s.json", "r.html"].map((name) => join(files.path, name));
  const outputs = `--report '${page}' --summary-file '${summary}' --summary --fail-on disposable`;
  const command = `addrsift detect --csv ${outputs} '${input}' 2>&1 >'${output}'`;
  const { stdout } = await runShell(`{ ${WAIT_FOR_CLOSED_OUTPUT}; ${command}; echo $? > '${output}.status'; } | true`);
  expect(stdout.toString()).toBe("");
  expect(readFileSync(`${output}.status`, "utf8")).toBe("1\n");
  expect(readFileSync(output as string, "utf8").split("\n")).toHaveLength(12);
  expect(readFileSync(summary as string, "utf8")).toContain('"exit_status": 1');
  expect(readFileSync(page as string, "utf8")).toContain("</html>");
});

it.each(["detect ada@example.org", `detect -i '${many}'`])(
  "a closed standard output causes no error: %s",
  async (command) => {
    const { status, stderr } = await runShell(`addrsift ${command} >&-`);
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
  },
);

describe.skipIf(!existsSync("/dev/full"))("a full device (needs /dev/full)", { concurrent: true }, () => {
  it.each([
    "detect ada@example.org",
    `detect -i '${many}'`,
    "detect -f table a@x.org",
    "lists export --class tld",
    "-V",
  ])('if the output device is full, "addrsift %s" fails with a one-line error and status 2', async (command) => {
    const { status, stderr } = await runShell(`addrsift ${command} >/dev/full`);
    expect(stderr.toString()).toMatch(/^addrsift: can't write to standard output: [^\n]+\n$/);
    expect(status).toBe(2);
  });
});
