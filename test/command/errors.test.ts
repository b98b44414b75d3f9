// Tests failures before the first row, such as usage errors and unreadable inputs: one line on standard error, and
// status 2.

import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { expectOneLine as expectLine, fileScratch, type RunResult, run, runProcess, runShell } from "../helpers/run.ts";
import { canStrangerRun, STRANGER } from "../helpers/stranger.ts";

const files = fileScratch();

/** Expects status 2, no data, and one line `addrsift: PROBLEM: FIX` without a stack trace. */
function expectOneLine(result: RunResult, message: RegExp): void {
  expectLine(result, message);
  expect(result.stderr.toString()).not.toMatch(/ {4}at |node:internal|Error:|unexpected failure|undefined/);
}

const USAGE: readonly (readonly [call: string, message: RegExp])[] = [
  ["detect --json --format csv ada@example.org", /--json and --format csv exclude each other: /],
  ["detect -i - --input -", /- is repeated: standard input can be read only once/],
  ["detect -i in.txt ada@example.org", /--input is for rows of a file or standard input: name files with --csv/],
  ["detect --select known", /--select known needs addrsift detect --known FILE: use that, or leave known out/],
  ["detect --fail-on unknown", /--fail-on unknown needs DNS: add --dns on, /],
  ["detect --select valid,no_mail", /--select no_mail needs DNS: add --dns on, .*leave no_mail out/],
  ["detect --reject unknown --dns on --offline", /--reject unknown .*: add --dns on in place of --offline, /],
  ["lists export", /class is missing: .*disposable/],
  ["lists overrides --remove --help", /--remove needs a value: write --remove DOMAIN\|ADDRESS$/m],
  ["keys create --name=--help --scopes nothing", /--scopes does not know "nothing"/],
  ["--home --help detect ada@example.org", /--home needs a value: write --home DIR$/m],
  ["detect --report --summary -i seed.txt", /--report needs a value: write --report FILE$/m],
  ["detect --csv --known -f plain seed.csv", /--known needs a value: write --known FILE$/m],
  ["detect -f csv --format json ada@example.org", /--format is given more than once: give it once/],
];

it.each(USAGE)('the usage error in "%s" is reported in one line, with status 2', async (call, message) => {
  expectOneLine(await run(call), message);
});

it("after a usage error, detect reads no input and writes no summary", async () => {
  const path = join(files.path, "never.json");
  const call = `detect --summary-file ${path} --summary --format yaml`;
  expectOneLine(await run(call, { stdin: "ada@example.org\n" }), /--format/);
  expect(existsSync(path)).toBe(false);
});

it.each([
  ["that is not there", "no such\nfile.txt", /can't read \S+no such\\nfile\.txt: there is no such file/],
  ["that is a directory", ".", /can't read \S+: it is a directory/],
  ["below a file", "file.txt/in.txt", /can't read \S+file\.txt\/in\.txt: /],
])("an input %s fails with a one-line error and status 2", async (_, name, message) => {
  files.file("file.txt", "ada@example.org\n");
  expectOneLine(await run(["detect", "--input", join(files.path, name)]), message);
});

it("a directory on standard input fails with a one-line error and status 2", async () => {
  const result = await runShell(`addrsift detect < '${files.path}'`);
  expectOneLine(result, /can't read standard input: it is a directory/);
});

it.skipIf(!canStrangerRun)("an input without read permission fails with a one-line error and status 2", async () => {
  const path = files.file("secret.txt", "ada@example.org\n");
  chmodSync(path, 0);
  expectOneLine(
    await runProcess(["detect", "-i", path], { ...STRANGER, env: { HOME: "/dev/null" } }),
    /can't read \S+secret\.txt: permission denied/,
  );
});

it("the exit status is 2 for an error, even if standard error is closed or full", async () => {
  const script = "addrsift detect --nosuch 2>&-; echo $?; addrsift detect --nosuch 2>/dev/full; echo $?";
  const { stdout, stderr } = await runShell(script);
  expect({ out: stdout.toString(), err: stderr.toString() }).toEqual({ out: "2\n2\n", err: "" });
});

it.each([
  ["<&-", 0],
  ["< /dev/null", 0],
  ["--csv <&-", 2],
])(
  "if standard input is closed or the null device, a note says that no addresses are given: detect %s",
  async (input, expectedStatus) => {
    const { status, stdout, stderr } = await runShell(`addrsift detect ${input}`);
    expect([status, stdout.toString()]).toEqual([expectedStatus, ""]);
    expect(stderr.toString()).toMatch(/^addrsift: no addresses given: .*or pipe them in\n/);
    expect((await runShell(`addrsift detect --quiet ${input}`)).stderr.toString()).not.toContain("no addresses");
  },
);
