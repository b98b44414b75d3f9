// A file whose lines end in CR only is one row. That is said, with the line that corrects it.

import { afterAll, expect, it } from "vitest";
import { linesOf, run, scratch } from "../../helpers/run.ts";

const files = scratch();
afterAll(files.remove);

const NOTE =
  "1 row with CR inside, treated as invalid: if lines end in CR only, convert the input with tr '\\r' '\\n' (row 1)";

it.each([
  ["short", "ada@example.org\rbob@example.org\r"],
  ["over 64 KiB", "ada@example.org\r".repeat(10_000)],
])("lines that end in CR only are one invalid row, with a note: %s", async (_, text) => {
  const { status, stdout, stderr } = await run(["detect", "--input", files.file("bare.txt", text)]);
  expect(status).toBe(0);
  expect(linesOf(stdout)).toHaveLength(1);
  expect(linesOf(stdout)[0]).toContain('"syntax_validation":false');
  expect(stderr.toString()).toContain(NOTE);
});

it("lines that end in CRLF get no note", async () => {
  const { stderr } = await run(["detect"], { stdin: "ada@example.org\r\n\r\nbob@example.org\r\n" });
  expect(stderr.toString()).toBe("");
});
