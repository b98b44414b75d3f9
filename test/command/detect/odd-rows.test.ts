// Odd rows among many: rows that are too long, broken or not in UTF-8, of a file with several pieces.

import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { run, scratch } from "../../helpers/run.ts";

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

describe("irregular rows among many", () => {
  it("irregular rows are echoed unchanged", async () => {
    const { stdout } = await run(["detect", "-i", lines, "-f", "plain"]);
    expect(stdout.equals(Buffer.concat([readFileSync(lines), Buffer.from("\n")]))).toBe(true);
  });

  it("irregular rows are reported with their row numbers", async () => {
    const args = ["--csv", "-i", table, "--fail-on", "disposable", "-f", "plain", "--select", "relay"];
    const { status, stderr } = await run(["detect", ...args]);
    expect(status).toBe(1);
    // Row 1 is the header.
    expect(stderr.toString()).toMatch(/more or fewer fields [^\n]*\(rows 2, 1002, 1003, 2002, 2004, …\)\n/);
    expect(stderr.toString()).toMatch(/3 [^\n]*over 64 KiB[^\n]*\(rows 25002, 25003, 45002\)\n/);
    expect(stderr.toString()).toMatch(/not in UTF-8[^\n]*\(rows 10, 19, 28, 37, 46, …\)\n/);
  });
});
