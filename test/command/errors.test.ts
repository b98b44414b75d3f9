// Failures before there is data: usage errors, unreadable inputs. One line on standard error, status 2, nothing else.

import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type RunResult, run, runProcess, runShell, scratch } from "../helpers/run.ts";
import { STRANGER, strangerMayRun } from "../helpers/stranger.ts";

const files = scratch();
afterAll(files.remove);

/** Status 2, no data, and one line `addrsift: what is wrong: how to fix it` without a trace of the code. */
function expectOneLine({ status, stdout, stderr }: RunResult, message: RegExp): void {
  const text = stderr.toString();
  expect({ status, out: stdout.toString() }).toEqual({ status: 2, out: "" });
  expect(text).toMatch(/^addrsift: [^\n]+\n$/);
  expect(text).toMatch(message);
  expect(text).not.toMatch(/ {4}at |node:internal|Error:|unexpected failure|undefined/);
}

const USAGE: readonly (readonly [args: string[], message: RegExp])[] = [
  [["--nosuch"], /unknown option '--nosuch'.*: .*--help/],
  [["nosuch"], /unknown command 'nosuch'.*: .*--help/],
  [["detect", "--nosuch", "ada@example.org"], /unknown option '--nosuch'.*: .*--help/],
  [["detect", "--format"], /--format <FORMAT>.* missing: /],
  [["detect", "-f", "yaml", "ada@example.org"], /--format does not know "yaml": choose from .*ndjson/],
  [["detect", "--select", "spam", "ada@example.org"], /--select does not know "spam": choose from .*disposable/],
  [["detect", "--fail-on", "", "ada@example.org"], /--fail-on does not know "": choose from/],
  [["detect", "--json", "--format", "csv", "ada@example.org"], /--json and --format csv exclude each other: /],
  [["detect", "-i", "-", "--input", "-"], /- is given twice: standard input is read once/],
  [["detect", "--csv", "--lines"], /--csv and --lines exclude each other: choose one/],
  [["detect", "-i", "in.txt", "ada@example.org"], /arguments and with --input: /],
  ...["0", "abc", "4001", ""].map((memory): (typeof USAGE)[number] => [
    ["detect", "--memory", memory, "ada@example.org"],
    /--memory can't be "[^"]*": give a whole number from 1 to 4000/,
  ]),
  [
    ["detect", "--delimiter", ";;", "ada@example.org"],
    /--delimiter must be one ASCII character other than a quote, or tab, not ";;"/,
  ],
  [
    ["detect", "--delimiter", ";", "ada@example.org"],
    /--delimiter is for --csv, not for lines: leave it out, or add one of them/,
  ],
  [["detect", "--delimiter", ","], /--delimiter is for --csv, not for lines: leave it out, or add one of them/],
  [["detect", "--prefix", ""], /--prefix is for --csv, --tsv or --jsonl, not for lines/],
  [["detect", "--fail-on", "unknown"], /--fail-on unknown finds no row .*: add --dns on, /],
  [["detect", "--select", "valid,no_mail"], /--select no_mail finds no row .*: add --dns on, .*leave no_mail out/],
  [["detect", "--select", "valid,unknown", "--dns", "off"], /--select unknown .*: add --dns on, /],
  [["detect", "--reject", "unknown", "--dns", "on", "--offline"], /--reject unknown .*: add --dns on instead of/],
  [["lists", "export"], /class is missing: .*disposable/],
  [["lists", "export", "--class", "spam"], /--class does not know "spam": choose from .*relay/],
  [["lists", "allow"], /missing required argument 'domain\|address': run "addrsift lists allow --help"/],
  [["lists", "status", "a.example.org"], /too many arguments/],
  [["lists", "nosuch"], /unknown command 'nosuch': run "addrsift lists --help"/],
  [["help", "nosuch"], /unknown command 'nosuch': run "addrsift --help"/],
];

describe.concurrent("a usage error", () => {
  it.each(USAGE)("%j is one line and status 2", async (args, message) => {
    expectOneLine(await run(args), message);
  });

  it("reads no input and writes no summary", async () => {
    const path = join(files.path, "never.json");
    const options = ["--summary-file", path, "--summary", "--format", "yaml"];
    expectOneLine(await run(["detect", ...options], { stdin: "ada@example.org\n" }), /--format/);
    const { status } = await runShell(`test -e '${path}'`);
    expect(status).toBe(1);
  });
});

describe.concurrent("an unreadable input", () => {
  it.each([
    ["that is not there", "no such\nfile.txt", /can't read \S+no such\\nfile\.txt: there is no such file/],
    ["that is a directory", ".", /can't read \S+: it is a directory/],
    ["below a file", "file.txt/in.txt", /can't read \S+file\.txt\/in\.txt: /],
  ])("%s is one line and status 2", async (_, name, message) => {
    files.file("file.txt", "ada@example.org\n");
    expectOneLine(await run(["detect", "--input", join(files.path, name)]), message);
  });

  it("an unreadable input that is a directory on standard input is one line and status 2", async () => {
    const result = await runShell(`addrsift detect < '${files.path}'`);
    expectOneLine(result, /can't read standard input: it is a directory/);
  });

  it.skipIf(!strangerMayRun)("an unreadable input that is not ours to read is one line and status 2", async () => {
    const path = files.file("secret.txt", "ada@example.org\n");
    chmodSync(path, 0);
    expectOneLine(
      await runProcess(["detect", "-i", path], { ...STRANGER, env: { HOME: "/dev/null" } }),
      /can't read \S+secret\.txt: permission denied/,
    );
  });

  it("leaves no half output behind, for JSON and CSV neither", async () => {
    const path = join(files.path, "nosuch.txt");
    expectOneLine(await run(["detect", "-i", path, "-f", "json"]), /no such file/);
    expectOneLine(await run(["detect", "-i", path, "-f", "csv"]), /no such file/);
  });
});

describe.concurrent("exit status", () => {
  it("exit status is 2 even where --fail-on would say 1", async () => {
    const result = await run(["detect", "--fail-on", "invalid", "-i", join(files.path, "nosuch.txt")]);
    expectOneLine(result, /no such file/);
  });

  it("stays when standard error is closed or full", async () => {
    const script = "addrsift detect --nosuch 2>&-; echo $?; addrsift detect --nosuch 2>/dev/full; echo $?";
    const { stdout, stderr } = await runShell(script);
    expect({ out: stdout.toString(), err: stderr.toString() }).toEqual({ out: "2\n2\n", err: "" });
  });
});
