// Rows that are one mailbox, and rows counted by the values of a column.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { SummaryReport } from "../../../src/bulk/summary.ts";
import { linesOf, run, runShell, scratch } from "../../helpers/run.ts";

const files = scratch();
afterAll(files.remove);

const MAILS = [
  "jane.doe@gmail.com",
  "JaneDoe+x@googlemail.com",
  "bob@web.de",
  "a@@b",
  "",
  "BOB@web.de",
  "janedoe@gmail.com",
];
const FIRST = ["", "1", "", "", "", "3", "1"];
const shifted = FIRST.map((row) => (row === "" ? "" : String(Number(row) + 1)));
const out = async (stdin: string, ...args: string[]) => linesOf((await run(["detect", ...args], { stdin })).stdout);

describe.concurrent("duplicate_of", () => {
  it.each<[string, string, string[], string[]]>([
    ["lines", MAILS.join("\n"), ["-f", "csv"], FIRST],
    ["TSV", ["email", ...MAILS].join("\n"), ["--tsv"], shifted.map((row) => row || "\\N")],
    ["CSV", ["email,n", ...MAILS.map((mail) => `${mail},`)].join("\n"), ["--csv"], shifted],
    [
      "CSV whose delimiter is a digit",
      `email1n\n${MAILS.map((mail) => `${mail}1`).join("\n")}`,
      ["--csv", "--delimiter", "1"],
      [],
    ],
  ])("duplicate_of is the first row of the mailbox in %s", async (_, stdin, args, expected) => {
    const [, ...rows] = await out(`${stdin}\n`, "--fields", "duplicate_of", ...args);
    if (expected.length > 0) expect(rows.map((row) => row.split(/[,\t]/).at(-1))).toEqual(expected);
    else expect(rows.map((row) => row.endsWith('"'))).toEqual(shifted.map((row) => row.includes("1")));
  });

  it("duplicate_of is a number in JSON, and left out of the first row", async () => {
    const stdin = MAILS.map((email) => JSON.stringify({ email })).join("\n");
    const rows = (await out(stdin, "--jsonl", "--fields", "duplicate_of")).map((line) => JSON.parse(line));
    expect(rows.map((row) => row.duplicate_of ?? "")).toEqual(FIRST.map((row) => (row === "" ? "" : Number(row))));
  });

  it("duplicate_of compares all columns of addresses, and not an address with itself in its row", async () => {
    const rows = await out(
      "a,b\nx@web.de,X@web.de\ny@web.de,x@web.de\n",
      "--csv",
      "--column",
      "1",
      "--column",
      "2",
      "--fields",
      "duplicate_of",
    );
    expect(rows.slice(1)).toEqual(["x@web.de,X@web.de,,", "y@web.de,x@web.de,,2"]);
  });

  it("duplicate_of names an earlier input", async () => {
    const [one, two] = [
      files.file("one.csv", "email\na@web.de\n"),
      files.file("two.csv", "email\nb@web.de\nA@web.de\nB@web.de\n"),
    ];
    const rows = await out("", "--csv", one, two, "--fields", "duplicate_of");
    expect(rows.slice(2)).toEqual(["b@web.de,", `A@web.de,${one}:2`, "B@web.de,2"]);
  });
});

describe.concurrent("the class duplicate", () => {
  it("the class duplicate selects later rows, rejects them, and makes the status 1", async () => {
    const stdin = MAILS.join("\n");
    expect(await out(stdin, "-f", "plain", "--select", "duplicate")).toEqual([MAILS[1], MAILS[5], MAILS[6]]);
    expect(await out(stdin, "-f", "plain", "--reject", "duplicate,blank,invalid")).toEqual([MAILS[0], MAILS[2]]);
    const { status, stderr } = await run(["detect", "--fail-on", "duplicate"], { stdin });
    expect([status, stderr.toString()]).toEqual([1, "addrsift: 3 rows of 7 are duplicate (rows 2, 6, 7)\n"]);
    expect((await run(["detect", "--fail-on", "duplicate", "a@web.de", "A@web.de"])).status).toBe(1);
  });

  it("a mailbox of several rows is reported in the summary and the report by row numbers", async () => {
    const [summary, report] = [join(files.path, "s.json"), join(files.path, "r.html")];
    const options = ["--select", "duplicate", "--summary", "--summary-file", summary, "--report", report];
    const { stderr } = await run(["detect", ...options], { stdin: MAILS.join("\n") });
    expect(stderr.toString()).toContain(
      "  same mailbox: 5 rows are 2 mailboxes; the largest begin at row 1 (3 rows), row 3 (2 rows)\n",
    );
    const counts = JSON.parse(readFileSync(summary, "utf8")) as SummaryReport;
    expect(counts.classes.duplicate).toBe(3);
    const largest = [
      { first_row: 1, rows: 3 },
      { first_row: 3, rows: 2 },
    ];
    expect(counts.duplicates).toEqual({ rows: 5, mailboxes: 2, largest });
    expect(readFileSync(report, "utf8")).toContain("5 rows are 2 mailboxes.");
    expect(readFileSync(report, "utf8")).not.toContain("bob@");
  });

  it.each([
    [["--part", "--select", "duplicate"], "--part leaves out"],
    [["--part", "--fields", "duplicate_of"], "--part leaves out"],
    [["--memory", "0"], '--memory can\'t be "0": give a whole number from 1 to 4000'],
  ])("comparing rows is refused with %j", async (args, message) => {
    const { status, stderr } = await run(["detect", ...args], { stdin: "" });
    expect(status).toBe(2);
    expect(stderr.toString()).toContain(message);
  });

  it("comparing ends with status 2 where the mailboxes take more than --memory, after the rows before", async () => {
    const stdin = Array.from({ length: 50_000 }, (_, i) => `u${i}@web.de`).join("\n");
    const { status, stdout, stderr } = await run(["detect", "--memory", "1", "--fields", "duplicate_of"], { stdin });
    expect([status, linesOf(stdout).length]).toEqual([2, 41_666]);
    expect(stderr.toString()).toMatch(
      /^addrsift: the mailboxes of the first 41,666 rows fill 1 MB: [^\n]+--memory 2[^\n]+\n$/,
    );
  });
});

describe.concurrent("--by", () => {
  const CSV =
    "email,sent\na@mailinator.com,2026-11-02T10:00:00Z\nb@web.de,2026-11-02 23:59\nc@web.de,2026-11-01\nd@@,\n";

  it("--by counts classes by day, in the summary, its file and the report", async () => {
    const [summary, report] = [join(files.path, "by.json"), join(files.path, "by.html")];
    const options = ["--by", "sent", "--summary", "--summary-file", summary, "--report", report];
    const { stderr } = await run(["detect", "--csv", ...options], { stdin: CSV });
    expect(stderr.toString()).toMatch(/\n {2}2026-11-02 +2 +0\.0 % +50\.0 % /);
    const { by } = JSON.parse(readFileSync(summary, "utf8")) as SummaryReport;
    expect(by?.column).toBe("sent");
    expect(by?.values.map(({ value, rows }) => [value, rows])).toEqual([
      ["", 1],
      ["2026-11-01", 1],
      ["2026-11-02", 2],
    ]);
    expect(by?.values[2]?.classes).toMatchObject({ valid: 2, disposable: 1 });
    expect(readFileSync(report, "utf8")).toContain("<h2>By sent</h2>");
  });

  it("--by counts other values from the most frequent one on, and the rest together", async () => {
    const summary = join(files.path, "many.json");
    const rows = Array.from({ length: 3000 }, (_, i) =>
      JSON.stringify({ email: "a@web.de", c: `c${Math.max(0, i - 1000)}` }),
    );
    await run(["detect", "--jsonl", "--by", "c", "--summary-file", summary], { stdin: rows.join("\n") });
    const { by } = JSON.parse(readFileSync(summary, "utf8")) as SummaryReport;
    expect([by?.values.length, by?.values[0]?.value, by?.values[0]?.rows, by?.other?.rows]).toEqual([
      1200,
      "c0",
      1001,
      800,
    ]);
  });

  it.each([
    [["--csv", "--by", "none"], "there is no column none: use one of"],
    [["--csv", "--by", "email"], "--by email is the column of the addresses"],
    [["--by", "sent"], "--by is for --csv, --tsv or --jsonl"],
  ])("--by is refused as %j", async (args, message) => {
    const { status, stderr } = await run(["detect", ...args], { stdin: CSV });
    expect([status, stderr.toString()]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe.skipIf(process.platform !== "linux")("without address space for WebAssembly", () => {
  const rows = Array.from({ length: 3000 }, (_, i) => `jane${i}@gmail.com\n`).join("");
  const limited = (options: string) =>
    runShell(`ulimit -v 9000000; addrsift detect --quiet --offline -f csv ${options}`, { stdin: rows });

  it("rows are answered all the same", async () => {
    const { status, stdout, stderr } = await limited("");
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
    expect(linesOf(stdout)).toEqual(await out(rows, "--offline", "-f", "csv"));
  });

  it("rows are compared all the same", async () => {
    const { status, stdout, stderr } = await limited("--fields duplicate_of");
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
    expect(linesOf(stdout)).toEqual(await out(rows, "--offline", "-f", "csv", "--fields", "duplicate_of"));
  });
});
