// Tests repeated --column: each address of a row has its own fields, and a row has the classes of all its addresses.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { expectRefused, fileScratch, linesOf, objectsOf, runText } from "../../helpers/run.ts";

const files = fileScratch();
const detect = async (stdin: string, ...args: string[]) => {
  const { stdout: text, ...result } = await runText(["detect", ...args], { stdin });
  return { text, ...result };
};
const BOTH = ["--column", "work", "--column", "home"];
const SHORT = [...BOTH, "--fields", "disposable,fault"];
const CSV = [
  "id,work,x,home,z",
  "1,ada@example.org,,joe@mailinator.com,",
  '2,"""a b""@example.org","q,\n",,surplus,more',
  "3,x@@y.org",
  "4, bob@mailinator.com ,,eve@example.org,",
  "5,,,,",
  "",
].join("\n");

it("unless --column is given, a note names further columns whose name mentions email", async () => {
  const { stderr } = await detect("id,email,email_backup\n1,jane@gmail.com,j@mailinator.com\n", "--csv");
  expect(stderr).toBe('addrsift: the address is in column 2, "email" (not checked: "email_backup")\n');
  expect((await detect("email,email_backup\n", "--csv", "--column", "1")).stderr).toBe("");
});

it("several columns: CSV output has the fields of each address column, prefixed with the column's name", async () => {
  const { status, text, stderr } = await detect(CSV, "--csv", ...SHORT);
  expect(linesOf(text)).toEqual([
    "id,work,x,home,z,work_disposable,work_fault,home_disposable,home_fault",
    "1,ada@example.org,,joe@mailinator.com,,false,,true,",
    '2,"""a b""@example.org","q,',
    '",,surplus,false,,,empty,more',
    "3,x@@y.org,,,,,multiple_at,,empty",
    "4, bob@mailinator.com ,,eve@example.org,,true,,false,",
    "5,,,,,,empty,,empty",
  ]);
  expect(status).toBe(0);
  expect(stderr).toBe(
    "addrsift: 2 records with more or fewer fields than the header: short ones are padded, long ones stay long (rows 3, 4)\n",
  );
});

it("several columns: TSV output has the fields of each address column, and \\N for null addresses", async () => {
  const stdin = "work\thome\nada@example.org\t\\N\n\\N\ta\\tb@x.org\nada@example.org\n";
  expect((await detect(stdin, "--quiet", "--tsv", ...SHORT)).text).toBe(
    "work\thome\twork_disposable\twork_fault\thome_disposable\thome_fault\n" +
      "ada@example.org\t\\N\tfalse\t\\N\t\\N\t\\N\n" +
      "\\N\ta\\tb@x.org\t\\N\t\\N\t\\N\twhite_space\n" +
      "ada@example.org\t\\N\tfalse\t\\N\t\\N\t\\N\n",
  );
});

it("several columns: JSON Lines have a key for each field of each path", async () => {
  const stdin =
    '{"work":"ada@example.org","o":{"home":"j\\u006fe@mailinator.com"}}\n{"work":null}\n{"o":{"home":5}}\nbroken\n\n';
  const args = ["--quiet", "--jsonl", "--column", "work", "--column", "o.home", "--fields", "disposable,fault"];
  const { text } = await detect(stdin, ...args, "--prefix", "p_");
  const nullWork = { p_work_disposable: null, p_work_fault: null };
  const nullHome = { "p_o.home_disposable": null, "p_o.home_fault": null };
  expect(objectsOf<object>(text)).toEqual([
    {
      work: "ada@example.org",
      o: { home: "joe@mailinator.com" },
      p_work_disposable: false,
      "p_o.home_disposable": true,
    },
    { work: null, ...nullWork, ...nullHome },
    { o: { home: 5 }, ...nullWork, "p_o.home_fault": "missing_at" },
    { broken_line: "broken", p_work_fault: "not_an_object", "p_o.home_fault": "not_an_object" },
    { ...nullWork, ...nullHome },
  ]);
  expect((await detect(stdin, ...args, "--into", "said")).text).toBe(
    '{"work":"ada@example.org","o":{"home":"j\\u006fe@mailinator.com"},"said":{"work":{"disposable":false},"o.home":{"disposable":true}}}\n' +
      '{"work":null,"said":{"work":{"disposable":null,"fault":null},"o.home":{"disposable":null,"fault":null}}}\n' +
      '{"o":{"home":5},"said":{"work":{"disposable":null,"fault":null},"o.home":{"fault":"missing_at"}}}\n' +
      '{"broken_line":"broken","said":{"work":{"fault":"not_an_object"},"o.home":{"fault":"not_an_object"}}}\n' +
      '{"said":{"work":{"disposable":null,"fault":null},"o.home":{"disposable":null,"fault":null}}}\n',
  );
});

it("several columns: --explain adds evidence for each address to JSON Lines and JSON", async () => {
  const stdin = '{"a":"x@mailinator.com","b":"y@gmail.com"}\n{"a":"x@x.org","b":"y@duck.com"}\n';
  const args = ["--jsonl", "--column", "a", "--column", "b", "--explain", "-f", "json"];
  const rows = JSON.parse((await detect(stdin, ...args)).text);
  expect(rows).toMatchObject([{ a_explain: { domain: "mailinator.com" }, b_explain: { domain: "gmail.com" } }, {}]);
  const [selected] = JSON.parse((await detect(stdin, ...args, "--select", "relay")).text);
  expect(selected).toMatchObject({ a: "x@x.org", b_relay_domain: true });
});

it.each<[string, string[], string]>([
  ["--select disposable", ["--select", "disposable"], "1 4"],
  ["--reject disposable", ["--reject", "disposable"], "2 3 5"],
  ["--select invalid", ["--select", "invalid"], "3"],
  ["--select blank, if all are blank", ["--select", "blank"], "5"],
  ["--select valid --reject invalid", ["--select", "valid", "--reject", "invalid"], "1 2 4"],
])("several columns: a row has the classes of each of its addresses: %s", async (_, args, expected) => {
  const { text } = await detect(CSV, "--quiet", "--csv", ...BOTH, "-f", "plain", ...args);
  const ids = Array.from(text.matchAll(/^(\d),/gm), ([, id]) => id).join(" ");
  expect(ids).toBe(expected);
});

it("several columns: --summary and --fail-on count rows, not addresses", async () => {
  const path = `${files.path}/summary.json`;
  const { status, stderr } = await detect(CSV, "--csv", ...BOTH, "--fail-on", "disposable", "--summary-file", path);
  expect(status).toBe(1);
  expect(stderr).toContain("addrsift: 2 rows of 5 are disposable (rows 2, 5, counting the header)\n");
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
    rows: 5,
    classes: { valid: 3, invalid: 1, blank: 1, disposable: 2 },
    faults: { multiple_at: 1 },
    top_disposable_domains: [{ name: "mailinator.com", rows: 2 }],
  });
});

it("several columns: --format lint locates each address", async () => {
  const call = "--csv --column a --column b -f lint --fail-on invalid,disposable --quiet";
  const { text } = await detect("a,b\nx@@y.org,joe@mailinator.com\nada@x.org,z@\n", ...call.split(" "));
  expect(linesOf(text)).toEqual([
    "-:2:3: x@@y.org is invalid: there is more than one @ (did you mean x@y.org?)",
    "-:2:10: joe@mailinator.com is disposable (mailinator.com)",
    expect.stringMatching(/^-:3:\d+: z@ is invalid: /),
  ]);
});

it("several columns: columns of the same name are named by number", async () => {
  const columns = "--csv --column 1 --column 2 --column 3 --fields fault".split(" ");
  const { text } = await detect("mail,mail,\na@x.org,b@x.org,c@x.org\n", ...columns);
  expect(linesOf(text)[0]).toBe("mail,mail,,mail_1_fault,mail_2_fault,3_fault");
});

it.each([
  ["a,b\n", "--csv --column a --column a", /--column a is repeated: give it once/],
  ["a,b\n", "--csv --column a --column 1", /--column names column 1 \("a"\) twice: name it once/],
  ["a,b\n", "--csv --column a --column c", /there is no column c: use one of 1 "a", 2 "b"/],
  ["a,b,a_fault\n", "--csv --column a --column b --fields fault", /already has a column a_fault: /],
  ['{"a":1,"b":2,"b_fault":3}', "--jsonl --column a --column b --fields fault", /key "b_fault"/],
  [
    "a,b\n",
    "--csv --column a --column b -f ndjson",
    /a second --column and --format ndjson .*: use --format csv, plain, lint/,
  ],
  ['{"a":1}', "--jsonl --column a --column b -f table", /a second --column and --format table exclude each other/],
  ["a,b\n", "--csv --part --column 1 --column b", /--part needs a column by its number: add --column N/],
])("several columns: the input %j is rejected with the options %s", async (stdin, options, message) => {
  await expectRefused(`detect ${options}`, message, { stdin });
});
