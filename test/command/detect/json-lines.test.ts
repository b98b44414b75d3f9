// Tests --jsonl: each object is copied with added fields. Malformed lines, missing fields and nulls have rows, too.

import { expect, it } from "vitest";
import { ADDED, fieldsOf } from "../../helpers/detections.ts";
import { expectRefused, fileScratch, linesOf, objectsOf, run, runText } from "../../helpers/run.ts";

const jsonl = async (stdin: string, ...args: string[]) => {
  const { stdout: text, ...result } = await runText(["detect", "--quiet", "--jsonl", ...args], { stdin });
  return { text, ...result };
};
const NULLS = Object.fromEntries(ADDED.split(",").map((name) => [name, null]));

const files = fileScratch();

const ROWS = '[{"email":"jane@gmail.com"},{"email":"b@x.de"}]';
const LINES = ['{"email":"jane@gmail.com","public_domain":true}', '{"email":"b@x.de","public_domain":false}'];
const detect = (stdin: string, ...args: string[]) =>
  run(["detect", "--jsonl", "--fields", "public_domain", ...args], { stdin });

it.each([
  ["a line", `{"data":${ROWS},"total":2}\n`, []],
  ["a line without a line break", `\ufeff{"page":{"owner":"me@x.de","data":${ROWS}}}`, []],
  ["many lines", JSON.stringify({ data: JSON.parse(ROWS) }, null, 2), []],
  ["an array after two megabytes", `{"x":"${"y".repeat(2e6)}","data":${ROWS}}`, []],
  ["one of several arrays", `{"data":[{"a":1}],"users":${ROWS}}`, ["--column", "users.*.email"]],
])("--jsonl: the elements of an array in a JSON object are rows: %s", async (_, text, args) => {
  const { status, stdout } = await detect(text, ...args);
  expect([status, objectsOf(stdout)]).toEqual([0, LINES.map((line) => JSON.parse(line))]);
});

it("--jsonl: an empty array in a JSON object has no rows, and further files are read at the key of the first file's array", async () => {
  const texts = ['{"data":[]}', `{"data":${ROWS}}`, `{"n":1,"data":${ROWS}}`];
  const [empty, first, second] = texts.map((text, i) => files.file(`${i}.json`, text)) as [string, string, string];
  expect((await detect("", empty)).stdout.toString()).toBe("");
  expect(linesOf((await detect("", first, second)).stdout)).toEqual([...LINES, ...LINES]);
});

it.each([
  ['{"user":{"email":"jane@gmail.com","name":"J"}}\n{"user":{"email":"b@x.de"}}\n', "user.email"],
  ['{"id":1,"contact":"jane@gmail.com","tags":[{"a":1}]}\n{"id":2,"contact":""}\n', "contact"],
  ['{"backup_email":"jane@gmail.com","email":[]}\n', "backup_email"],
])("--jsonl detects the key of the address by its values in %j", async (text, path) => {
  const { stdout, stderr } = await detect(text);
  expect(stderr.toString()).toBe(`addrsift: by its values, the address is in ${path}\n`);
  expect(linesOf(stdout)[0]).toMatch(/"public_domain":true\}$/);
});

const NESTED = '{"id":"a@x.de","user":{"email":"a@x.de"},"to":["a@x.de"]}';

it.each<[string, string[], RegExp]>([
  ['{"a":[{"x":1}],"b":[{"y":2}]}', [], /choose --column 'a\.\*\.KEY' or --column 'b\.\*\.KEY'$/],
  ['{"user":{"a":"a@x.de","b":"b@x.de"}}', [], /choose --column "user\.a" or --column "user\.b"$/],
  [`{"users":${ROWS}}`, ["--column", "user.*.email"], /there is no array user in the object: check --column$/],
  [`{"users":${ROWS}}`, ["--column", "users.*.mail"], /no element of users has mail: check --column$/],
  [`{"users":${ROWS}}`, ["--column", "users.*.email", "--column", "email"], /must name keys of one array: users/],
  [`{"users":${ROWS}}\n{"users":${ROWS}}\n`, ["--column", "users.*.email"], /run jq -c '\.users\[\]' FILE \| add/],
  ['{"data":[{"email":"a@x.de"},{"em', [], /the JSON ends in the middle: the file is cut off/],
  ['{"data":[{"email":"a@x.de"},{"em', ["--column", "data.*.email"], /the JSON ends in the middle: the file is cut/],
  ['{"data":[[{"email":"a@x.de"}]]}', [], /no key looks like email/],
  ['{"u":{"work_email":"a@x.de"},"emails":["b@x.de"]}', [], /--column "u\.work_email" or --column "emails\.0"$/],
  ['{"emails":["a@x.de"]}', [], /"emails" has arrays or objects: add --column with a path such as emails\.0 or /],
  ['{"email":{}}', [], /"email" has arrays or objects: /],
  [`{"data":${ROWS}}\0`, [], /row 1 is not a JSON object/],
  [NESTED, ["--column", "user"], /"user" has arrays or objects: choose --column "user\.email"$/],
  [NESTED, ["--column", "id", "--column", "to"], /"to" has arrays or objects: choose --column "to\.0"$/],
  [`{"users":[${NESTED}]}`, ["--column", "users.*.user"], /choose --column "users\.\*\.user\.email"$/],
  [
    '{"to":null}\n{"to":[{"at":"a@x.de"}]}\n',
    ["--column", "to"],
    /"to" has arrays or objects: add --column with a path/,
  ],
  ["id,email\n1,a@x.de\n", [], /the input looks like CSV: use --csv in place of --jsonl$/],
])("--jsonl rejects the input %j with the options %j in one line", async (stdin, args, message) => {
  const multiline = new RegExp(message, "m");
  await expectRefused(["detect", "--jsonl", "--fields", "public_domain", ...args], multiline, { stdin });
});

it("--jsonl: one array in place of an address does not select another key", async () => {
  const text = '{"email":[],"backup_email":"a@x.de"}\n{"email":"jane@gmail.com","backup_email":"b@x.de"}\n';
  const rows = objectsOf<{ public_domain?: boolean }>((await detect(text)).stdout);
  expect(rows.map((row) => row.public_domain)).toEqual([undefined, true]);
});

it("an error suggests --jsonl for JSON that is read as CSV", async () => {
  const line = "addrsift: the input looks like JSON: use --jsonl in place of --csv\n";
  await expectRefused("detect --csv", line, { stdin: '{"id":1,"email":"a@x.de"}\n' });
});

it("--jsonl copies each object byte for byte and appends the fields", async () => {
  const rows = ['{ "id" : 1.0, "e-mail":"ada@example.org" }\t', '{"e-mail":" bob@mailinator.com\\n","x":[{}]}\r'];
  const { status, text } = await jsonl(rows.join("\n"));
  expect(status).toBe(0);
  expect(text.split("\n")).toEqual([
    `{ "id" : 1.0, "e-mail":"ada@example.org" ,${JSON.stringify(fieldsOf("ada@example.org")).slice(1)}\t`,
    expect.stringMatching(/^\{"e-mail":" bob@mailinator\.com\\n","x":\[\{\}\],"syntax_validation":true,.*\}\r$/),
    "",
  ]);
});

it.each<[string, string, object | null]>([
  ["null", '{"email":null}', { email: null, ...NULLS }],
  ["a missing key", '{"id":1}', { id: 1, ...NULLS }],
  ["an object without keys", "{}", NULLS],
  ["a blank line", "", NULLS],
  ["white space", " \t\r", NULLS],
  ["an empty string", '{"email":""}', { email: "", syntax_validation: false }],
  ["a number", '{"email":5}', { email: 5, syntax_validation: false }],
  ["an array", '{"email":["ada@example.org"]}', { email: ["ada@example.org"], syntax_validation: false }],
  ["text that is not JSON", 'ada@"example".org', { broken_line: 'ada@"example".org', syntax_validation: false }],
  ["half an object", '{"email":"a', { broken_line: '{"email":"a', syntax_validation: false }],
  ["a line that is an array", "[1]", { broken_line: "[1]", syntax_validation: false }],
  ["an added key", '{"email":"x","disposable":1}', { email: "x", disposable: 1, syntax_validation: false }],
])("--jsonl prints one output row for %s", async (_, row, expected) => {
  const { status, text } = await jsonl(`{"email":"first@example.org"}\n${row}\n`, "--column", "email");
  const [, ...rows] = objectsOf<object>(text);
  expect([status, rows]).toEqual([0, [expected]]);
});

it("--jsonl: broken_line excludes the CR of a line break, but includes a final CR of the input", async () => {
  const { text } = await jsonl("nope\r\nno\r\r\n[1]\r", "--column", "email", "--fields", "fault");
  expect(objectsOf(text)).toMatchObject(["nope", "no\r", "[1]\r"].map((broken_line) => ({ broken_line })));
  const plain = await jsonl("nope\r\n{}\r\n", "--column", "email", "--format", "plain");
  expect(plain.text).toBe("nope\r\n{}\r\n");
});

it("--into adds one key, which is null if the address is null", async () => {
  const stdin = '{"email":"ada@example.org"}\n{"email":null}\n{}\nx\n\n';
  const { text } = await jsonl(stdin, "--column", "email", "--into", "said", "--fields", "normalized,fault");
  expect(text).toBe(
    '{"email":"ada@example.org","said":{"normalized":"ada@example.org"}}\n{"email":null,"said":null}\n{"said":null}\n' +
      '{"broken_line":"x","said":{"fault":"not_an_object"}}\n{"said":null}\n',
  );
});

it("--fields classes,row: a row without an address is blank, and has its number", async () => {
  const stdin = '{"email":"ada@example.org"}\n{"email":null}\n{}\n\n';
  const { text } = await jsonl(stdin, "--column", "email", "--fields", "fault,classes,row", "--select", "blank");
  const rest = (row: number): string => `"fault":null,"classes":["blank"],"row":${row}}\n`;
  expect(text).toBe(`{"email":null,${rest(2)}{${rest(3)}{${rest(4)}`);
});

it("--into adds an empty object if all fields are absent", async () => {
  const tags = async (...args: string[]): Promise<string> =>
    (await jsonl('{"email":"ada@example.org"}\n{}\n', "--column", "email", "--fields", "tag", ...args)).text;
  expect(await tags()).toBe('{"email":"ada@example.org"}\n{"tag":null}\n');
  expect(await tags("--into", "k")).toBe('{"email":"ada@example.org","k":{}}\n{"k":null}\n');
});

it("--jsonl --column accepts a path with array indexes and escaped dots", async () => {
  const stdin = '{"user":{"mails":["x","ada@example.org"]},"a.b":"bob@example.org"}\n';
  const normalized = async (path: string) =>
    JSON.parse((await jsonl(stdin, "--column", path, "--prefix", "p_", "--fields", "normalized")).text).p_normalized;
  expect(await normalized("user.mails.1")).toBe("ada@example.org");
  expect(await normalized("a\\.b")).toBe("bob@example.org");
});

it("--jsonl: --format plain prints the line, other formats only the address", async () => {
  const stdin = '{"email":"a\\"b@example.org"}\r\n{"email":null}\n';
  const csv = await jsonl(stdin, "-f", "csv", "--fields", "fault");
  expect(csv.text).toBe('email,fault\n"a""b@example.org",quoted_misplaced\n,\n');
  expect((await jsonl(stdin, "-f", "plain", "--reject", "blank")).text).toBe('{"email":"a\\"b@example.org"}\r\n');
});

it("--jsonl --column accepts a key that the first object lacks", async () => {
  const stdin = '{"emails":[]}\n{"email":"ada@example.org"}\n';
  const { status, text } = await jsonl(stdin, "--column", "email", "--fields", "normalized");
  const row = '{"email":"ada@example.org","normalized":"ada@example.org"}';
  expect([status, linesOf(text)[1]]).toEqual([0, row]);
});

it("--jsonl reports lines that are not objects, and objects that already have an added key", async () => {
  const stdin = '{"email":"a@b.org"}\nx\n{"email":"a@b.org","tag":1}\n';
  const { stderr } = await run(["detect", "--jsonl", "--fields", "tag"], { stdin });
  expect(stderr.toString()).toBe(
    "addrsift: 1 line not a JSON object, treated as invalid (row 2)\n" +
      "addrsift: 1 object with an added key already: the added one comes last, or is renamed with --prefix or --into (row 3)\n",
  );
});

it("--jsonl reports arrays and objects in place of an address, also in other columns", async () => {
  const stdin = '{"a":"a@b.org","b":"a@b.org"}\n{"a":{"x":1},"b":"{x"}\n{"a":null,"b":["a@b.org"]}\nx\n';
  const { stderr, stdout } = await run("detect --jsonl --column a --column b --fields fault", { stdin });
  expect(linesOf(stdout)).toHaveLength(4);
  const problem = "with an object or array in place of the address, treated as invalid: name a path into it, such as";
  expect(stderr.toString()).toContain(`addrsift: 2 rows ${problem} emails.0 (rows 2, 3)\n`);
});

it("--jsonl drops a byte-order mark, and prints nothing for empty input", async () => {
  const marked = await jsonl('\ufeff{"email":"a@b.org"}', "--fields", "normalized");
  expect(marked.text).toBe('{"email":"a@b.org","normalized":"a@b.org"}\n');
  expect(await jsonl("")).toEqual({ status: 0, text: "", stderr: "" });
  expect(await jsonl("", "--part", "--column", "email")).toEqual({ status: 0, text: "", stderr: "" });
});

it("--jsonl counts null as blank and a broken line as invalid", async () => {
  const stdin = '{"email":null}\nx\n{"email":"a@b.org"}\n';
  expect((await jsonl(stdin, "--column", "email", "--select", "blank", "-f", "plain")).text).toBe('{"email":null}\n');
  expect((await jsonl(stdin, "--column", "email", "--select", "invalid", "-f", "plain")).text).toBe("x\n");
});

it.each<[string, string[], RegExp]>([
  ['{"email":"a","disposable":1}', [], /the first object already has a key "disposable": .*--prefix P.*--into KEY/],
  ['{"email":"a","r":1}', ["--into", "r"], /already has a key "r": choose another --into/],
  ['{"name":"a","x":1}', [], /no key looks like email: add --column with one of "name", "x"/],
  ['{"email a":1,"email b":2}', [], /more than one key .*: choose --column "email a" or --column "email b"/],
  ['{"email":"a"}', ["--column", "emial"], /no key "emial": did you mean "email"\?/],
  ["x", [], /row 1 is not a JSON object.*add --column KEY/],
  ["", ["--part"], /--part needs the key of the address: add --column PATH/],
  ["", ["--into", "a", "--prefix", "b"], /--into and --prefix exclude each other/],
  ["", ["--no-header"], /--no-header is for --csv or --tsv, not for --jsonl/],
])("--jsonl rejects the input %j with the options %j", async (stdin, args, message) => {
  await expectRefused(["detect", "--quiet", "--jsonl", ...args], message, { stdin });
});
