// Tests real-world files: titles and blank lines above a header, all kinds of JSON, binary files, files without
// addresses.

import { expect, it } from "vitest";
import { expectRefused, linesOf, objectsOf, outputOf, run, runText } from "../../helpers/run.ts";

const detect = (stdin: string | Buffer, ...args: string[]) => runText(["detect", ...args], { stdin });
const TITLED = 'Export of contacts 2026,,\n\n"for, us",,\nName,Email,Phone\nJane,jane@gmail.com,1\n';

it.each([
  ["\n\r\n , ,\nname,email\nJane,jane@gmail.com\n", []],
  [TITLED, ["--skip", "2"]],
  [TITLED.replaceAll(",", ";"), ["--skip", "2"]],
  [`sep=,\n${TITLED}`, ["--skip", "3"]],
  ["\n\nTitle\nname\temail\nJane\tjane@gmail.com\n", ["--tsv", "--skip", "1"]],
  ["Title\nJane,jane@gmail.com\n", ["--no-header", "--skip", "1", "--column", "2"]],
])("rows above the header are skipped: input %j, options %j", async (text, args) => {
  const kind = args.includes("--tsv") ? [] : ["--csv"];
  const { status, stdout } = await detect(text, ...kind, ...args, "-f", "ndjson", "--fields", "public_domain");
  expect([status, stdout]).toEqual([0, '{"email":"jane@gmail.com","public_domain":true}\n']);
});

it.each([
  [TITLED, ["--skip", "2"], 5],
  ["\n \nemail\njane@gmail.com\n", [], 4],
  ["Title\njane@gmail.com\n", ["--no-header", "--skip", "1"], 2],
])("row numbers count the skipped rows: input %j, options %j", async (text, args, row) => {
  const options = ["--csv", ...args, "-f", "ndjson", "--fields", "row", "--fail-on", "public"];
  const { stdout, stderr } = await detect(text, ...options);
  expect(stdout).toBe(`{"email":"jane@gmail.com","row":${row}}\n`);
  expect(stderr).toContain(`(row ${row}`);
});

it("--skip skips a row of 500,000 bytes", async () => {
  const { status, stdout } = await detect(`${"x".repeat(500_000)}\nemail\njane@gmail.com\n`, "--csv", "--skip", "1");
  expect([status, linesOf(stdout).length]).toEqual([0, 2]);
});

it("--skip: line numbers of --format lint count the skipped rows, and the output leaves them out", async () => {
  const text = TITLED.replace("jane@gmail.com", "jane@@x.org");
  const { stdout } = await detect(text, "--csv", "--skip", "2", "-f", "lint");
  expect(stdout).toMatch(/^-:5:11: jane@@x\.org is invalid/);
  for (const format of ["csv", "plain"]) {
    const result = await detect(`sep=,\n${text}`, "--csv", "--skip", "3", "-f", format);
    expect(result.stdout).toMatch(/^Name,Email,Phone.*\nJane,jane@@x\.org,1.*\n$/);
    expect(result.stderr).toBe("addrsift: the output leaves out the skipped rows\n");
    expect(await outputOf("detect --csv --fields row", { stdin: result.stdout })).toContain(",2\n");
  }
});

it.each(["", " --column 2", " --column Email"])(
  "an error suggests --skip for rows above the header: detect --csv%s",
  (more) =>
    expectRefused(
      `detect --quiet --csv${more}`,
      "addrsift: row 4 looks like the header: add --skip 2 (without blank rows)\n",
      {
        stdin: TITLED,
      },
    ),
);

it.each([
  ["two email columns", "Title\nemail,work email\na@b.org,\n", "", "row 2 looks like the header: add --skip 1"],
  ["a title of two lines", '"A\nB"\n\nid,email\n1,a@b.org\n', "", "row 3 looks like the header: add --skip 2"],
  ["a title with an empty line in quotes", '"A\n\n"\n""\nid,email\n', "", "row 3 looks like the header: add --skip 3"],
  ["a title as wide as the header", "A,B\nid,email\n1,a@b.org\n", "", "row 2 looks like the header: add --skip 1"],
  ["a title that mentions email", "Email list\nid,email\n1,a@b.org\n", "", "row 2 looks like the header: add --skip 1"],
  ["a title with an address", "By,a@b.org\nid,email\n1,a@b.org\n", "", "row 2 looks like the header: add --skip 1"],
  ["one row too few", TITLED, " --skip 1", "row 4 looks like the header: use --skip 2 (without blank rows)"],
  ["one row too many", TITLED, " --skip 3", "--skip 3 skips the header: use --skip 2"],
  ["the only header", "id,email\n1,jane@gmail.com\n", " --skip 1", "--skip 1 skips the header: leave --skip out"],
  ["the header of TSV", 'x\n"email"\tid\njane@gmail.com\t1\n', " --skip 2", "--skip 2 skips the header: use --skip 1"],
])("a wrong --skip is rejected with the right number: %s", async (name, stdin, args, message) => {
  const kind = name.endsWith("TSV") ? "--tsv" : "--csv";
  await expectRefused(`detect --quiet ${kind}${args}`, `addrsift: ${message}\n`, { stdin });
});

it.each([
  ["id,channel\nBob,email\na@b.org,email\n", " --column 1"],
  ["id,channel\nBob,x@email\nemail,a@b.org\na@b.org,a@c.org\n", " --column Channel"],
])("a row with the word email is no header: %j", async (stdin, args) => {
  expect(await outputOf(`detect --csv --fields row${args}`, { stdin })).toMatch(/^id,channel,row\n/);
});

it.each([
  ["a title that mentions email", "E-mail\n\nname,address\nJane,jane@gmail.com\n", ["--skip", "1", "--column", "2"]],
  ["the first of two", "id,email\nid,e-mail\n1,jane@gmail.com\n", ["--skip", "1"]],
  ["a header, with --no-header", "id,email\n1,jane@gmail.com\n", "--skip 1 --no-header --column 2".split(" ")],
])("--skip can skip rows that look like a header: %s", async (_, text, args) => {
  const { status, stdout } = await detect(text, "--csv", ...args, "-f", "ndjson", "--fields", "public_domain");
  expect([status, stdout]).toEqual([0, '{"email":"jane@gmail.com","public_domain":true}\n']);
});

it("--csv does not take a data row with the word Email for a header", async () => {
  const text = "type,value\nEmail,jane@gmail.com\nEmail,none\n";
  const { status, stdout } = await detect(text, "--csv", "--column", "value");
  expect([status, linesOf(stdout).length]).toEqual([0, 3]);
});

it.each([
  ["--jsonl --skip 1", "--skip is for --csv or --tsv, not for --jsonl"],
  ["--csv --part --column 1 --skip 1", "--skip and --part exclude each other"],
])("detect %s is rejected", async (options, message) => expectRefused(`detect ${options}`, message));

it.each([
  ['[\n {"email":"jane@gmail.com"},\n {"email":null}]\n', "an array: "],
  ['["jane@gmail.com",null]', ""],
  ['{\n "email": "jane@gmail.com"\n}\n{ "email": null\n}', ""],
])("JSON input gives the same rows as JSON Lines: %j", async (text) => {
  const { status, stdout, stderr } = await detect(text, "--jsonl", "--fields", "public_domain");
  const rows = objectsOf<object>(stdout);
  const first = { email: "jane@gmail.com", public_domain: true };
  expect([status, rows]).toEqual([0, [first, { email: null, public_domain: null }]]);
  expect(stderr).toMatch(
    /^addrsift: the input is (?:a JSON array: each element|JSON over several lines: each object) is a row\n$/,
  );
});

it("truncated JSON causes an error after the complete rows", async () => {
  const options = ["--jsonl", "--fields", "role_address"];
  const { status, stdout, stderr } = await detect('[{"email":"jane@gmail.com"},{"em', ...options);
  expect([status, stdout]).toEqual([2, '{"email":"jane@gmail.com","role_address":false}\n']);
  expect(stderr).toContain("addrsift: the JSON ends in the middle: the file is cut off, get it again\n");
});

it.each(['{"email":"a@b.org"}\n', "[\n1]\n"])("JSON input without --jsonl is recognized: %j", async (text) => {
  const note = "the input looks like JSON, but each line is read as one address: if it is JSON, use --jsonl";
  expect((await detect(text)).stderr).toContain(note);
});

it.each([
  [Buffer.from("d0cf11e0a1b11ae1", "hex"), "a spreadsheet: save it as CSV, for example with libreoffice --headless"],
  [`PK\u0003\u0004${"x".repeat(26)}list.txt`, "a zip archive: run unzip -p FILE | addrsift detect"],
  ["SQLite format 3\0", "an SQLite database: run sqlite3"],
  ["From jane@x.org Mon May  2 16:07:05 2005\n", "a mailbox of messages (mbox), not a list of addresses: "],
  ["Delivered-To: jane@x.org\r\nSubject: x\r\n", "a message, not a list"],
  ["dn: cn=Jane,mail=jane@x.org\nmail: jane@x.org\n", "a file of entries (LDIF), not a list"],
  ["version: 1\n\n# an entry\ndn:: Y249SmFuZQ==\n", "a file of entries (LDIF), not a list"],
])("another file format is rejected with the command that converts it: %j", async (stdin, message) => {
  for (const call of ["detect", "detect --csv"])
    await expectRefused(call, `addrsift: the input is ${message}`, { stdin });
});

it("binary CSV is rejected as binary, not for its line breaks", async () => {
  const line = "addrsift: the CSV is not text: check that it is the right file\n";
  await expectRefused("detect --csv", line, { stdin: "x\u0001\u0002\ry" });
});

it.each([
  ["name\nJane\nJoe\n", []],
  ["email,x\nJane,1\n,2\n", ["--csv"]],
  ["\n\n\n", []],
  ['{"email":5}\nx\n', ["--jsonl"]],
])("a note says that no row has an address: input %j, options %j", async (text, args) => {
  const { status, stderr } = await detect(text, ...args);
  expect([status, stderr]).toEqual([
    0,
    expect.stringMatching(/^addrsift: none of the \d rows has an address: is this the right file or column\?$/m),
  ]);
});

it.each(["x@@y.org\nx@y.no\n", "a@b.test\n\n", "x\n"])(
  "the note that no row has an address is omitted for malformed addresses and for a single row: %j",
  async (text) => expect((await detect(text)).stderr).not.toContain("none of the"),
);

it("a note counts addresses with a name, and names the field with the addresses alone", async () => {
  const named = ["Joe <joe@x.org>", '"Joe X" <joe@x.org>', "Joe<joe@x.org>", "<joe@x.org>", "<joe>", "a@b.org"];
  const { stdout, stderr } = await detect(`${named.join("\n")}\n`, "-f", "csv", "--fields", "suggestion");
  expect(stderr).toContain(
    "4 lines or cells with a name before the address, treated as invalid: --fields suggestion has the address alone " +
      "(rows 1, 2, 3, 4)\n",
  );
  expect(stdout.match(/,joe@x.org$/gm)).toHaveLength(4);
});

it("notes count cells with several addresses, and with a word for no address", async () => {
  const words = ["n/a", "N/A", "#N/A", "NULL", "(null)", "-", "none", "k.A.", "n.a.", "nobody", "a-b"];
  const { stderr } = await detect(`email\njane@gmail.com; joe@x.org\n${words.join("\n")}\nb@gmail.com\n`, "--csv");
  expect(stderr).toContain(
    "1 line or cell with several addresses, treated as invalid: addrsift-detect(1) has a command that splits them into rows (row 2)",
  );
  expect(stderr).toMatch(/^addrsift: 9 rows with a word for no address, such as .* \(rows 3, 4, 5, 6, 7, …\)$/m);
});

it.each([
  ["--encoding latin-x", '--encoding does not know "latin-x": use a name such as windows-1252 or shift_jis'],
  ["--part --encoding latin1", "--encoding and --part exclude each other: convert the whole input first"],
])("detect %s is rejected", async (options, message) =>
  expectRefused(`detect --quiet ${options}`, `addrsift: ${message}\n`, { stdin: "" }),
);

it("a note suggests leaving out --encoding if the input looks like UTF-8", async () => {
  const { stderr, stdout } = await run("detect --csv --encoding windows-1252", { stdin: "email,city\na@b.org,Köln\n" });
  expect(stderr.toString()).toBe("addrsift: the input looks like UTF-8: if it is, leave out --encoding\n");
  expect(stdout.toString()).toContain("a@b.org,KÃ¶ln,");
});

it("a note about bytes that are not UTF-8 suggests --encoding", async () => {
  const { stderr } = await detect(Buffer.from("Jörg@x.org\nb@gmail.com\n", "latin1"));
  expect(stderr).toContain(
    "1 address not in UTF-8, treated as invalid: try --encoding windows-1252, or the encoding that the input is in (row 1)",
  );
});
