// Tests inputs that need no options (several files, gzip, UTF-16, CSV with a detected delimiter and header), and
// rejected ones.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { cellsOf, fieldsOf } from "../../helpers/detections.ts";
import { expectOneLine, expectRefused, fileScratch, linesOf, objectsOf, run, runShell } from "../../helpers/run.ts";

const files = fileScratch();

const VALID = cellsOf(fieldsOf("ada@example.org"));
const detect = (args: readonly string[], stdin: string | Uint8Array = ""): ReturnType<typeof run> =>
  run(["detect", ...args], { stdin });
const emails = (bytes: Buffer): string[] => objectsOf(bytes).map(({ email }) => email);

const one = files.file("one.txt", "a@x.org\nb@x.org");
const two = files.file("two.txt.gz", gzipSync("c@x.org\r\n\nd@@x.org\n"));
const three = files.file("three.txt", Buffer.from("\ufeffe@x.org\n", "utf16le"));

it.each([
  ["--input again", ["-i", one, "-i", two, "-i", three]],
  ["--lines", ["--lines", one, two, three]],
  ["--lines and --input", ["--lines", "--input", one, two, three]],
])("several inputs are read one after another: %s", async (_, args) => {
  const { status, stdout, stderr } = await detect(args);
  expect(emails(stdout)).toEqual(["a@x.org", "b@x.org", "c@x.org", "", "d@@x.org", "e@x.org"]);
  expect(stderr.toString()).toBe(`addrsift: ${three}: UTF-16 is converted to UTF-8\n`);
  expect(status).toBe(0);
});

it.each([
  ["--jsonl", ['{"email":"a@x.org"}', '{"email":"b@x.org"}'], ""],
  ["--tsv", ["1\ta@x.org", "2\tb@x.org"], "id\temail\n"],
])("with %s, every argument is read as a file", async (kind, rows, head) => {
  const names = rows.map((row, i) => files.file(`kind${i}${kind}`, `${head}${row}\n`));
  const { status, stdout, stderr } = await detect([kind, ...names, "-f", "plain"]);
  expect([status, stdout.toString(), stderr.toString()]).toEqual([0, `${head}${rows.join("\n")}\n`, ""]);
});

it("standard input can be one of several inputs", async () => {
  const { stdout } = await detect(["--lines", one, "-", two, "--quiet"], "z@x.org\n");
  expect(emails(stdout)).toEqual(["a@x.org", "b@x.org", "z@x.org", "c@x.org", "", "d@@x.org"]);
});

it("several CSV inputs are printed under one header", async () => {
  const first = files.file("first.csv", "id;email\n1;ada@example.org\n");
  const second = files.file("second.csv.gz", gzipSync("\ufeffid;email\r\n2;ada@example.org\r\n"));
  const { status, stdout } = await detect(["--csv", first, second, "--quiet"]);
  const valid = VALID.replaceAll(",", ";");
  expect(linesOf(stdout).slice(1)).toEqual([`1;ada@example.org;${valid}`, `2;ada@example.org;${valid}\r`]);
  expect(status).toBe(0);
});

it("several CSV inputs with different headers cause an error that names the file and the column", async () => {
  const first = files.file("h1.csv", "id,email\n1,ada@example.org\n");
  const second = files.file("h2.csv", "id,mail\n2,ada@example.org\n");
  const { status, stdout, stderr } = await detect(["--csv", first, second]);
  expect(status).toBe(2);
  expect(linesOf(stdout)).toHaveLength(2);
  expect(stderr.toString()).toBe(
    `addrsift: ${second}: the header differs from that of the first file: column 2 is "mail", not "email": process it separately\n`,
  );
});

it("a missing input is reported before the first row of any input", async () => {
  await expectRefused(`detect --lines ${one} ${files.path}/none.txt`, "none.txt: there is no such file");
});

const NO_HEADER = "the first row has an address, so the CSV has no header";
const SEP = 'the first line says that the columns are separated by ";"; the output leaves it out';
it.each<[string, string, string[], string[], string]>([
  ["semicolons", "id;email\n1;ada@example.org\n", [], ['the columns seem to be separated by ";"'], "1;ada"],
  ["commas", "a;b;c;d,email\n1,ada@example.org\n", [], [], "1,ada"],
  ["--delimiter overrides detection", "id;email,x\n1;ada@example.org,x\n", ["--delimiter", ","], [], "1;ada"],
  ["Excel's line sep=", "sep=;\r\nid;email\r\n1;ada@example.org\r\n", [], [SEP], "1;ada"],
  ["Excel's line sep=, another delimiter", "sep=;\nid,email\n1,ada@example.org\n", ["--delimiter", ","], [], "1,ada"],
  ["no header", "1,ada@example.org\n", [], [NO_HEADER, "by its values, the address is in column 2"], "1,ada"],
  ["no header, one column by number", "1,ada@example.org\n", ["--column", "2"], [NO_HEADER], "1,ada"],
  [
    "a column by its values",
    "name,contact,x\nAda,,\nAda,ada@example.org,\n",
    [],
    ['by its values, the address is in column 2, "contact"'],
    "Ada,,",
  ],
  ["a header in Japanese", "氏名,メールアドレス\nx,ada@example.org\n", [], [], "x,ada"],
  ["a header in Russian", "имя,Электронная почта\nx,ada@example.org\n", [], [], "x,ada"],
])("--csv detects the delimiter, the header and the address column: %s", async (name, input, args, notes, first) => {
  const { status, stdout, stderr } = await detect(["--csv", ...args], input);
  expect([status, linesOf(stderr)]).toEqual([0, notes.map((note) => `addrsift: ${note}`)]);
  const shown = linesOf(stdout)[name.startsWith("no header") ? 0 : 1];
  expect(shown?.startsWith(first)).toBe(true);
  expect(stdout.toString()).toContain(name === "--delimiter overrides detection" ? "false" : "true");
});

it.each([
  ["two columns", "home email,work email\nada@x.org,bob@x.org\n", /choose --column 1 .* or --column 2/],
  ["no header and two addresses", "a@x.org,b@x.org\n", /by number: add --column N, from 1 to 2/],
])("--csv asks for --column if the address column is ambiguous: %s", async (_, stdin, message) =>
  expectRefused("detect --csv --quiet", message, { stdin }),
);

it("if an argument is a file name, the message suggests how to read the file", async () => {
  for (const [name, text, option] of [
    ["customers.csv", "email\n", "--csv"],
    ["users.json", '[{"email":"a@x.org"}]', "--jsonl"],
    ["list.txt", "a@x.org\n", "--input"],
  ] as const) {
    const path = files.file(name, text);
    const line = `addrsift: ${path} is a file: to read it, run addrsift detect ${option} ${path}\n`;
    await expectRefused(`detect ${path}`, line);
  }
  await expectRefused(
    "detect /dev/null",
    "addrsift: /dev/null is a file: to read it, run addrsift detect --input /dev/null\n",
  );
  const path = files.file("customers.xlsx", "PK");
  await expectRefused(
    `detect ${path}`,
    `addrsift: ${path} is a spreadsheet: save it as CSV, for example with libreoffice --headless --convert-to csv FILE\n`,
  );
  expect((await detect(["no-such-file"])).status).toBe(0);
  const domain = "for a domain run addrsift lists lookup mailinator.com, or add --domains";
  for (const [name, hint] of [
    [
      "nofile.csv",
      "there is no file nofile.csv, so the name was checked as an address: check its folder and its spelling",
    ],
    ["mailinator.com", `mailinator.com has no @, which an address needs: ${domain}`],
  ] as const) {
    const { status, stderr } = await detect(["--offline", name]);
    expect([status, stderr.toString()]).toEqual([0, `addrsift: ${hint}\n`]);
  }
});

it.each([
  ["id,email,name\n1,ada@example.org,Ada\n", true],
  ["1;ada@example.org;Ada\n", true],
  ["Email\nada@example.org\n", true],
  ["Export of contacts\n\n1;ada@example.org;Ada\n3;cy@example.org;Cy\n", true],
  ["Beck, Ada <ada@example.org>\nada@example.org\n1;ada@example.org;Ada\n", false],
  ["Beck, Ada <ada@example.org>\n", false],
  ['"a,b"@example.org\n', false],
  ["ada@example.org\n", false],
])("a note suggests --csv for CSV read as lines, not for addresses with commas: %j", async (input, isCsv) => {
  const { status, stderr } = await detect([], input);
  const note = "addrsift: the input looks like CSV, but each line is read as one address: if it is CSV, use --csv\n";
  expect([status, stderr.includes(note)]).toEqual([0, isCsv]);
});

it.each([
  "--summary-file out.txt > out.txt",
  "--report out.html >> out.html",
  "--report out.new --summary-file ./out.new > /dev/null",
])("two outputs to one file are rejected: %s", async (options) => {
  files.file("in.txt", "a@x.org\n");
  const line = "addrsift: the rows, the summary and the report must go to different files\n";
  expectOneLine(await runShell(`addrsift detect -i in.txt ${options}`, { cwd: files.path }), line);
});

it.each(["> own.txt", ">> own.txt"])("an input that is also the output is rejected: %s", async (redirect) => {
  const path = files.file("own.txt", "a@x.org\n");
  const result = await runShell(`addrsift detect -i own.txt ${redirect}`, { cwd: files.path });
  expectOneLine(result, /^addrsift: own\.txt is both input and output: /);
  expect(readFileSync(path, "utf8")).toBe(redirect.startsWith(">>") ? "a@x.org\n" : "");
});

const input = `${["a@x.org", "b@@x.org", "", "c@mailinator.com", "d@x.org"].join("\n")}\n`;

it.each<[string, string[], string]>([
  ["without --quiet", [], "addrsift: 2 rows of 5 are invalid or disposable (rows 2, 4)\n"],
  ["with --quiet", ["--quiet"], ""],
])("--fail-on reports the numbers of failing rows unless --quiet is given: %s", async (_, args, message) => {
  const { status, stderr } = await detect(["--fail-on", "invalid,disposable", ...args], input);
  expect([status, stderr.toString()]).toEqual([1, message]);
});

it("--fail-on reports at most five row numbers", async () => {
  const { stderr } = await detect(["--fail-on", "invalid"], "x@\n".repeat(9));
  expect(stderr.toString()).toBe("addrsift: 9 rows of 9 are invalid (rows 1, 2, 3, 4, 5, …)\n");
});

it("with several inputs, --fail-on reports the file and number of each row", async () => {
  const one = files.file("fail1.csv", "email\nada@\nada@example.org\n");
  const two = files.file("fail2.csv", "email\nada@example.org\nada@\n");
  const { stderr } = await detect(["--csv", one, two, "--fail-on", "invalid"]);
  expect(stderr.toString()).toBe(`addrsift: 2 rows of 4 are invalid (rows ${one}:2, ${two}:3, counting the header)\n`);
});

it("--fail-on reports row numbers for addresses given as arguments", async () => {
  const { status, stderr } = await detect(["--fail-on", "invalid", "ada@", "ada@example.org"]);
  expect([status, stderr.toString()]).toEqual([1, "addrsift: 1 row of 2 is invalid (row 1)\n"]);
});
