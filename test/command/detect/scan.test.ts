// `--scan`: addresses in files of any kind, and in what a diff adds. What is found in a text is tested with src/bulk/rows/scan.ts.

import { afterAll, describe, expect, it } from "vitest";
import { linesOf, run, runProcess, scratch } from "../../helpers/run.ts";

const files = scratch();
afterAll(files.remove);
const scan = (...args: string[]): ReturnType<typeof runProcess> =>
  runProcess(["detect", "--scan", ...args], { cwd: files.path });

files.file(
  "a.ts",
  'const a = "jane@gmail.com";\n// joe@mailinator.com addrsift: allow\n"ä", "bob@x.test", "x@y.nosuchtld"\n',
);
files.file("b.bin", Buffer.from("\0\u0001 bin@gmail.com\n"));
files.file("c.zip", Buffer.from("PK\u0003\u0004zip@gmail.com\n"));
files.file("u.txt", Buffer.from("\ufeffann@web.de\n", "utf16le"));
files.file("allowed.txt", "# ours\nJane@gmail.com # her own\n\n@Web.de\n");

describe("--scan", () => {
  it("gives a row for each address, with its file, line and column", async () => {
    const { status, stdout } = await scan("a.ts", "u.txt", "--quiet");
    const rows = linesOf(stdout).map((line) => JSON.parse(line));
    expect([status, rows.map(({ file, line, column, email }) => [file, line, column, email])]).toEqual([
      0,
      [
        ["a.ts", 1, 12, "jane@gmail.com"],
        ["a.ts", 3, 7, "bob@x.test"],
        ["u.txt", 1, 1, "ann@web.de"],
      ],
    ]);
    expect(rows[0]).toMatchObject({ syntax_validation: true, public_domain: true });
    const csv = await scan("a.ts", "-f", "csv", "--fields", "domain");
    expect(linesOf(csv.stdout)).toEqual([
      "file,line,column,email,domain",
      "a.ts,1,12,jane@gmail.com,gmail.com",
      "a.ts,3,7,bob@x.test,",
    ]);
    const table = await scan("a.ts", "-f", "table");
    expect(table.stdout.toString()).toContain("a.ts:1:12");
  });

  it("keeps real people out of a repository", async () => {
    const args = ["-f", "lint", "--fail-on", "unreserved", "a.ts"];
    const { status, stdout, stderr } = await scan(...args);
    expect(linesOf(stdout)).toEqual([
      'a.ts:1:12: jane@gmail.com is unreserved: use a domain such as example.com, or write "addrsift: allow" in the line',
    ]);
    expect([status, stderr.toString()]).toEqual([1, "addrsift: 1 row of 3 is unreserved (row 1)\n"]);
    const { status: allowed, stdout: none } = await scan(...args, "u.txt", "--allow-file", "allowed.txt");
    expect([allowed, none.toString()]).toEqual([0, ""]);
  });

  it("shows what can't be an address when it is asked for", async () => {
    const { stdout } = await scan("a.ts", "-f", "lint", "--select", "invalid");
    expect(linesOf(stdout).map((line) => line.split(" is ")[0])).toEqual([
      "a.ts:3:7: bob@x.test",
      "a.ts:3:21: x@y.nosuchtld",
    ]);
  });

  it("passes over binary files, and counts them", async () => {
    const { status, stdout, stderr } = await scan("b.bin", "a.ts", "c.zip");
    expect([status, linesOf(stdout).length, stderr.toString()]).toEqual([
      0,
      2,
      "addrsift: 2 binary files passed over\n",
    ]);
  });

  it("reads standard input, and a diff", async () => {
    const diff = "--- a/x y.txt\n+++ b/x y.txt\n@@ -3 +3,2 @@\n-old@gmail.com\n+new@gmail.com\n+x\n";
    const { stdout } = await run(["detect", "--scan", "--diff", "-f", "lint"], { stdin: diff });
    expect(stdout.toString()).toBe("x y.txt:3:1: new@gmail.com is unreserved\n");
    const { stdout: text } = await run(["detect", "--scan", "-f", "lint", "-"], { stdin: diff });
    expect(linesOf(text).map((line) => line.split(" ")[0])).toEqual(["-:4:2:", "-:5:2:"]);
    const { status, stderr } = await run(["detect", "--scan", "--diff"], { stdin: "new@gmail.com\n" });
    expect([status, stderr.toString()]).toEqual([
      2,
      "addrsift: the input is not a unified diff: give the output of git diff, or leave --diff out\n",
    ]);
  });

  it.each([
    [["--scan", "--csv"], /--csv and --scan exclude each other/],
    [["--scan", "--part"], /--part is for lines, --csv, --tsv or --jsonl, not for --scan/],
    [["--scan", "-f", "plain"], /--scan and --format plain exclude each other/],
    [["--diff"], /--diff is for --scan, not for lines/],
    [["--scan", "--allow-file", "no-such-file"], /can't read no-such-file: there is no such file/],
    [["--scan", "."], /can't read \.: it is a directory/],
  ])("--scan is refused with %j", async (args, message) => {
    const { status, stderr } = await run(["detect", ...args]);
    expect(status).toBe(2);
    expect(stderr.toString()).toMatch(message);
  });

  it("has --select unreserved for other inputs too", async () => {
    const { stdout } = await run(["detect", "-f", "plain", "--select", "unreserved"], {
      stdin: "jane@gmail.com\na@example.com\nb@x.test\nbroken\n\n",
    });
    expect(stdout.toString()).toBe("jane@gmail.com\n");
  });
});
