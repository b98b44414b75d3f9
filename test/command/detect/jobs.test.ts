// `--jobs N`: the same octets and counts as on one thread, for every format, long rows in the middle included.

import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { type RunResult, run, scratch } from "../../helpers/run.ts";

const files = scratch();
afterAll(files.remove);

const ADDRESSES = [
  ...["ada.lovelace+news@gmail.com", "bob@mailinator.com", "", "broken@", "x@duck.com", '"q, ""r"@example.org'],
  ...["Info@EXAMPLE.org", Buffer.from("grüße@bücher.example").toString("latin1"), "caf\xe9@example.org"],
];

// About 3 MB with the long rows, so that there are several pieces.
const rows = Array.from({ length: 60_000 }, (_, i) => `${i % 7 === 0 ? i : ""}${ADDRESSES[i % ADDRESSES.length]}`);
rows[25_000] = `${"l".repeat(200_000)}@example.org`;
rows[25_001] = `${"m".repeat(65_537)}`;
rows[45_000] = "n".repeat(1_000_000);
rows[59_999] = "last@example.org";
const lines = files.file("lines.txt", Buffer.from(rows.join("\n"), "latin1"));
const records = rows.map((row, i) => {
  const field = /[",]/.test(row) ? `"${row.replaceAll('"', '""')}"` : row;
  return `${i},${field}${i % 1000 === 0 ? "" : i % 1001 === 0 ? ",x,y" : ',"a\r\nb"'}`;
});
const table = files.file("records.csv", Buffer.from(`id,email,note\r\n${records.join("\r\n")}`, "latin1"));

const escaped = (row: string): string => row.replaceAll("\\", "\\\\").replaceAll("\t", "\\t");
const tabbed = files.file(
  "rows.tsv",
  Buffer.from(rows.map((row, i) => `${i}\t${i % 9 === 0 ? "\\N" : escaped(row)}`).join("\n"), "latin1"),
);
const objects = rows.map((row, i) =>
  i % 11 === 0 ? `not ${i}` : JSON.stringify({ i, mail: i % 9 === 0 ? null : row, x: [{}] }),
);
const json = files.file("rows.jsonl", Buffer.from(objects.join("\n"), "latin1"));

async function withJobs(jobs: string, args: readonly string[]): Promise<RunResult & { readonly summary: unknown }> {
  const path = `${files.path}/summary-${Math.random()}.json`;
  const result = await run(["detect", ...args, "--jobs", jobs, "--summary-file", path]);
  const { duration_ms: _, ...summary } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  return { ...result, summary: JSON.stringify(summary) };
}

describe("--jobs gives the same octets", () => {
  it.each<[string, string[], string[]]>([
    ["ndjson of lines", ["-i", lines], ["3"]],
    ["json of lines", ["-i", lines, "-f", "json"], ["3"]],
    ["tsv of lines", ["-i", lines, "-f", "tsv"], ["2"]],
    ["plain of lines", ["-i", lines, "-f", "plain"], ["2", "3"]],
    ["csv of CSV", ["--csv", "-i", table], ["2", "3"]],
    ["ndjson of CSV", ["--csv", "-i", table, "-f", "ndjson"], ["2"]],
    ["plain of CSV, some rows", ["--csv", "-i", table, "-f", "plain", "--reject", "invalid,blank"], ["3"]],
    ["tsv of TSV", ["--tsv", "--part", "--column", "2", "-i", tabbed], ["2"]],
    [
      "fields of TSV",
      ["--tsv", "--no-header", "--column", "2", "--fields", "fault,normalized,tag", "-i", tabbed],
      ["2"],
    ],
    ["objects of JSON Lines", ["--jsonl", "-i", json, "--column", "mail"], ["2", "3"]],
    ["one key of JSON Lines", ["--jsonl", "--part", "-i", json, "--column", "mail", "--into", "k"], ["2"]],
    ["domains", ["--domains", "-i", lines], ["2"]],
    ["rows with their numbers", ["-i", lines, "--fields", "row,disposable"], ["2"]],
    ["csv of CSV, some rows", ["--csv", "-i", table, "--spreadsheet-safe", "--select", "valid"], ["2"]],
  ])("as one thread: %s", async (_, args, several) => {
    const [one, ...others] = await Promise.all(["1", ...several].map((jobs) => withJobs(jobs, args)));
    expect(one?.status).toBe(0);
    expect(one?.stdout.length).toBeGreaterThan(500_000);
    for (const other of others) {
      expect(other.status).toBe(0);
      expect(other.stdout.equals(one?.stdout as Buffer)).toBe(true);
      expect(other.stderr.toString()).toBe(one?.stderr.toString());
      expect(other.summary).toBe(one?.summary);
    }
  });

  it("--jobs gives the same octets of a stream whose rows come slowly, and of a table", async () => {
    const stdin = ["ada@exam", "ple.org\nbob@mail", "inator.com\n", "z"].map((piece) => Buffer.from(piece));
    const [one, two, table1, table2] = await Promise.all([
      run(["detect"], { stdin }),
      run(["detect", "--jobs", "2"], { stdin }),
      run(["detect", "-f", "table"], { stdin }),
      run(["detect", "-f", "table", "--jobs", "2"], { stdin }),
    ]);
    expect(two.stdout.equals(one.stdout)).toBe(true);
    expect(one.stdout.toString().split("\n")).toHaveLength(4);
    expect(table2.stdout.equals(table1.stdout)).toBe(true);
  });

  it("and the rows come back as they were", async () => {
    const { stdout } = await run(["detect", "-i", lines, "-f", "plain", "--jobs", "2"]);
    expect(stdout.equals(Buffer.concat([readFileSync(lines), Buffer.from("\n")]))).toBe(true);
  });

  it("with --fail-on and the row numbers of odd rows", async () => {
    const args = ["--csv", "-i", table, "--fail-on", "disposable", "-f", "plain", "--select", "relay"];
    const { status, stderr } = await run(["detect", ...args, "--jobs", "2"]);
    expect(status).toBe(1);
    // Row 1 is the header.
    expect(stderr.toString()).toMatch(/more or fewer fields [^\n]*\(rows 2, 1002, 1003, 2002, 2004, …\)\n/);
    expect(stderr.toString()).toMatch(/3 [^\n]*over 64 KiB[^\n]*\(rows 25002, 25003, 45002\)\n/);
    expect(stderr.toString()).toMatch(/not in UTF-8[^\n]*\(rows 10, 19, 28, 37, 46, …\)\n/);
  });
});

describe("--jobs refuses", () => {
  it.each(["0", "-1", "1.5", "x", "", "1000"])("--jobs must be a number of threads, not %j", async (jobs) => {
    const { status, stderr } = await run(["detect", `--jobs=${jobs}`], { stdin: "" });
    expect(stderr.toString()).toMatch(/^addrsift: --jobs [^\n]+\n$/);
    expect(status).toBe(2);
  });
});
