// Tests --tsv: rows as databases exchange them. Columns are copied byte for byte. The fields of a null are null.

import { expect, it } from "vitest";
import { ADDED, cellsOf, fieldsOf, INVALID } from "../../helpers/detections.ts";
import { expectRefused, run } from "../../helpers/run.ts";

const tsv = async (stdin: string | Uint8Array, ...args: string[]) => {
  const { status, stdout, stderr } = await run(["detect", "--quiet", "--tsv", ...args], { stdin });
  return { status, text: stdout.toString("latin1"), stderr: stderr.toString() };
};
const PART = ["--part", "--column", "2", "--fields", "syntax_validation,normalized,tag"];

it("TSV output of JSON Lines can be read back with --tsv", async () => {
  const emails = ['"a\\tb"@gmail.com', '"a\tb"@gmail.com', "\\N", '"\\\\n"@gmail.com', "a\\@b.org", "x\ry@b.org"];
  const args = ["detect", "--quiet", "--jsonl", "-f", "tsv", "--fields", "fault"];
  const { stdout } = await run(args, { stdin: emails.map((email) => `${JSON.stringify({ email })}\n`).join("") });
  const back = ["detect", "--quiet", "--tsv", "--prefix", "again_", "--fields", "fault", "-f", "ndjson"];
  const rows = (await run(back, { stdin: stdout.toString() })).stdout.toString().trimEnd().split("\n");
  expect(rows.map((row) => JSON.parse(row).email)).toEqual(emails);
});

it("--tsv copies the header and adds columns", async () => {
  const { text } = await tsv("id\temail\tnote\r\n1\tada@example.org\ta\\tb\\N\r\n2\t\\N\t\\N\n3\t\tx\n");
  const [header, ...rows] = text.split("\n");
  expect(header).toBe(`id\temail\tnote\t${ADDED.replaceAll(",", "\t")}\r`);
  expect(rows).toEqual([
    `1\tada@example.org\ta\\tb\\N\t${cellsOf(fieldsOf("ada@example.org"), "\t", "\\N")}\r`,
    `2\t\\N\t\\N\t${cellsOf({}, "\t", "\\N")}`,
    `3\t\tx\t${cellsOf(INVALID, "\t", "\\N")}`,
    "",
  ]);
});

it.each([
  ["null", "1\t\\N", "1\t\\N\t\\N\t\\N\t\\N"],
  ["a missing column", "1", "1\t\\N\t\\N\t\\N\t\\N"],
  ["an empty row", "", "\t\\N\t\\N\t\\N\t\\N"],
  ["an empty address", "1\t", "1\t\tfalse\t\\N\t\\N"],
  ["quotes", '"1"\t"a b"@b.org', '"1"\t"a b"@b.org\ttrue\t"a b"@b.org\t\\N'],
  ["a line break around the address", "1\t\\na@b.org\\r\\n", "1\t\\na@b.org\\r\\n\ttrue\ta@b.org\t\\N"],
  ["bytes that are not UTF-8", "\xff\ta@b.org", "\xff\ta@b.org\ttrue\ta@b.org\t\\N"],
  ["a carriage return", "1\ta+x@gmail.com\r", "1\ta+x@gmail.com\ttrue\ta@gmail.com\tx\r"],
])("--tsv prints one output row for %s", async (_, row, expected) => {
  expect((await tsv(Buffer.from(`0\ta@b.org\n${row}\n`, "latin1"), ...PART)).text).toBe(
    `0\ta@b.org\ttrue\ta@b.org\t\\N\n${expected}\n`,
  );
});

it("--tsv: \\N becomes null in JSON output, and --format plain echoes the rows", async () => {
  expect((await tsv("email\n\\N\na\\\\\n", "--json")).text).toBe('null\n{"email":"a\\\\","syntax_validation":false}\n');
  expect((await tsv("email\n\\N\na\\\\\n", "-f", "plain", "--reject", "blank")).text).toBe("email\na\\\\\n");
});

it.each<[string, string[], RegExp]>([
  ["email\tdisposable\n", [], /already has a column disposable: .*--prefix P/],
  ["x\ty\n", [], /no header looks like email/],
  ["", [], /the TSV is empty/],
  ["", ["--part"], /--part needs a column by its number/],
  ["", ["--delimiter", ";"], /--delimiter is for --csv, not for --tsv/],
  ["", ["--into", "x"], /--into is for --jsonl, not for --tsv/],
])("--tsv rejects the input %j with the options %j", async (stdin, args, message) => {
  await expectRefused(["detect", "--quiet", "--tsv", ...args], message, { stdin });
});

it("--tsv prints nothing for empty input", async () => {
  expect(await tsv("", ...PART)).toEqual({ status: 0, text: "", stderr: "" });
  expect(await tsv("", "--no-header")).toEqual({ status: 0, text: "", stderr: "" });
});
