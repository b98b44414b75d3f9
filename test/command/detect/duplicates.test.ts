// Tests duplicate rows, and counts by the values of a column.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { SummaryReport } from "../../../src/bulk/summary.ts";
import { expectRefused, fileScratch, linesOf, outputOf, run, runShell } from "../../helpers/run.ts";

const files = fileScratch();

const EMAILS = "jane.doe@gmail.com JaneDoe+x@googlemail.com bob@web.de a@@b  BOB@web.de janedoe@gmail.com".split(" ");
const FIRST_ROWS = ["", "1", "", "", "", "3", "1"];
const firstRowsAfterHeader = FIRST_ROWS.map((row) => (row === "" ? "" : String(Number(row) + 1)));
const detect = async (stdin: string, ...args: string[]) => linesOf((await run(["detect", ...args], { stdin })).stdout);

describe.concurrent("--known", () => {
  const INPUT = "name,email\nA,janedoe@gmail.com\nB,BOB@web.de\nC,new@web.de\nD,New@web.de\nE,nokey@web.de\nF,bad\n";
  const MAILBOXES = ["Jane.Doe+a@googlemail.com", "bob@web.de", "bob@web.de", "nokey@web.de"];
  const KEYS = ["C-1", "C-2", "C-3", ""];
  const table = (delimiter: string) =>
    [["id", "mail"], ...KEYS.map((key, i) => [key, MAILBOXES[i]])].map((row) => row.join(delimiter)).join("\n");
  const objects = MAILBOXES.map((mail, i) => ({ id: KEYS[i], mail }));
  it.each([
    ["crm.csv", table(";"), ["C-1", "C-2", "", "-:4", "crm.csv:5", ""]],
    ["crm.tsv", table("\t"), ["C-1", "C-2", "", "-:4", "crm.tsv:5", ""]],
    ["crm.csv.gz", gzipSync(table(",")), ["C-1", "C-2", "", "-:4", "crm.csv.gz:5", ""]],
    ["crm.jsonl", objects.map((each) => JSON.stringify(each)).join("\n"), ["C-1", "C-2", "", "-:4", "crm.jsonl:4", ""]],
    ["crm.json", JSON.stringify(objects, null, 1), ["C-1", "C-2", "", "-:4", "crm.json:4", ""]],
    ["crm", `\ufeff${table(",")}`, ["C-1", "C-2", "", "-:4", "crm:5", ""]],
  ])("--known %s --key: duplicate_of is the key of the matching known row", async (name, text, expected) => {
    const known = files.file(name, text);
    const options = ["--csv", "--known", known, "--key", "id", "--fields", "duplicate_of"];
    const [, ...rows] = await detect(INPUT, ...options);
    expect(rows.map((row) => row.split(",").at(-1)?.replace(`${files.path}/`, ""))).toEqual(expected);
  });

  it("--known without --key: duplicate_of has the number of the known row, and only rows of the input are counted", async () => {
    const known = files.file("known.txt", "bob@web.de\nBob@web.de\n");
    const report = join(files.path, "known.html");
    const call = `detect --csv --known ${known} --select duplicate --fields duplicate_of --summary --report ${report}`;
    const { stderr, stdout } = await run(call, { stdin: INPUT });
    expect(linesOf(stdout)).toEqual(["name,email,duplicate_of", `B,BOB@web.de,${known}:1`, "D,New@web.de,4"]);
    expect(stderr.toString()).toMatch(
      /^addrsift: 6 rows, 2 written\n.*duplicate +2 .*\n {2}same mailbox: 3 rows share 2 mailboxes with another row or --known, 1 row with --known; .* row 4 \(2 rows\), row \S+:1 \(1 row\)\n/s,
    );
    expect(readFileSync(report, "utf8")).toContain('1 row has a mailbox of <span class="whole">--known</span>.');
  });

  it("--known: the class known has all rows whose mailbox is in the file, and only these", async () => {
    const call = ["--csv", "--known", files.file("b.csv", "mail\nbob@web.de\nnew@web.de\n"), "-f", "plain"];
    const input = `${INPUT}G,bob@web.de\nH,nokey@web.de\n`;
    const [header, ...rows] = linesOf(Buffer.from(input));
    const isKnown = (row: string) => /bob|new/i.test(row);
    expect(await detect(input, ...call, "--select", "known")).toEqual([header, ...rows.filter(isKnown)]);
    expect(await detect(input, ...call, "--reject", "known")).toEqual([header, ...rows.filter((row) => !isKnown(row))]);
    const { status, stderr } = await run(["detect", ...call, "--fail-on", "known", "--summary"], { stdin: input });
    expect(stderr.toString()).toMatch(/duplicate +5 .*\n +known +4 /);
    expect(status).toBe(1);
  });

  it.each([
    ["CSV", "work.csv", "id,email,work mail\n1,x@web.de,bob@web.de\n", "3"],
    ["CSV without a header", "none.csv", "1,x@web.de,bob@web.de\n", "3"],
    ["CSV without a header that looks like email", "crm.txt", "id|contact\n1|bob@web.de\n", "contact"],
    ["JSON Lines", "work.jsonl", '{"email":"x@web.de","work":{"mail":"bob@web.de"}}\n', "work.mail"],
  ])("--known-column chooses the column of addresses in %s", async (_, name, text, column) => {
    const call = `detect --csv --known ${files.file(name, text)} --known-column ${column} --select duplicate -f plain`;
    expect((await detect(INPUT, ...call.split(" ").slice(1))).slice(0, 2)).toEqual(["name,email", "B,BOB@web.de"]);
  });

  it.each([
    ["with a byte-order mark", "\ufeffSchlüssel,mail\nMüller,jörg@web.de\n"],
    ["without a byte-order mark", "Schlüssel,mail\nMüller,jörg@web.de\n"],
    ["whose first half megabyte is ASCII", `Key,mail\n${"a,b@web.de\n".repeat(50_000)}Müller,jörg@web.de\n`],
  ])("--encoding does not change a --known file in UTF-8 %s", async (_, text) => {
    const known = files.file(`utf8-${crypto.randomUUID()}.csv`, text);
    const options = ["--encoding", "windows-1252", "--known", known, "--key", "1", "--fields", "duplicate_of"];
    const { stdout, stderr } = await run(["detect", ...options], { stdin: Buffer.from("jörg@web.de\n", "latin1") });
    expect(JSON.parse(stdout.toString()).duplicate_of).toBe("Müller");
    expect(stderr.toString()).not.toContain("UTF-8");
  });

  it("--encoding converts the --known file to UTF-8", async () => {
    const known = files.file("latin1.csv", Buffer.from("Schlüssel;mail\nMüller;bob@web.de\n", "latin1"));
    const options = ["--encoding", "windows-1252", "--known", known, "--key", "Schlüssel", "--fields", "duplicate_of"];
    expect((await detect("bob@web.de\n", ...options)).map((line) => JSON.parse(line).duplicate_of)).toEqual(["Müller"]);
  });

  it.each([
    ["--lines", "jane+a@gmail.com\nbob@web.de\njane@gmail.com\nBOB@web.de\njane+b@gmail.com\n"],
    ["--csv --column a --column b", "a,b\nx+y@gmail.com,bob@web.de\nann@web.de,bob@web.de\nann@web.de,\n"],
  ])("%s: a note names rows that are dropped only as duplicates of a dropped row", async (options, stdin) => {
    const { stderr } = await run(`detect ${options} -f plain --reject subaddressed,duplicate`, { stdin });
    expect(stderr.toString()).toBe(
      "addrsift: 1 row dropped as duplicate of a dropped row: to keep one, use --reject duplicate only in a second run " +
        "(row 3)\n",
    );
    expect((await run(`detect ${options} -f plain --reject duplicate`, { stdin })).stderr.toString()).toBe("");
  });

  it.each([
    ["a title", "title.csv", "Customers\nid,mail\nb,bob@web.de\nc,no\n", 2, 4],
    ["a title of blank lines and lines in quotes", "lines.csv", '"A\nB"\n\n,\nid,mail\nb,bob@web.de\nc,no\n', 4, 6],
    [
      "a title, in UTF-16 with tabs",
      "title.txt",
      "\ufeffCustomers\n\nid\tmail\nb\tbob@web.de\nd\tx@y.de\nc\tno\n",
      3,
      6,
    ],
  ])("--known reads the rows below %s", async (_, name, text, header, invalid) => {
    const known = files.file(`below-${name}`, Buffer.from(text, name.endsWith(".txt") ? "utf16le" : "utf8"));
    const options = ["--csv", "--known", known, "--key", "id", "--fields", "duplicate_of", "--select", "known"];
    const { stdout, stderr } = await run(["detect", ...options], { stdin: INPUT });
    expect(stdout.toString()).toBe("name,email,duplicate_of\nB,BOB@web.de,b\n");
    expect(stderr.toString()).toContain(`: row ${header} looks like the header: the rows above it are left out\n`);
    expect(stderr.toString()).toContain(`: 1 row without a valid address, not compared (row ${invalid})\n`);
  });

  it("a note has the numbers of the rows of a --known file without a valid address", async () => {
    const known = files.file("malformed.csv", "id,mail\n1,x@@web.de\n2,bob@web.de\n3,\n4,a@web.de; new@web.de\n");
    const { stderr } = await run(`detect --csv --known ${known} --select duplicate`, { stdin: INPUT });
    expect(stderr.toString()).toBe(`addrsift: ${known}: 2 rows without a valid address, not compared (rows 2, 5)\n`);
  });

  it("a note names the records of a --known file that contain later rows", async () => {
    const known = files.file("joined.csv", 'mail,x\nbob@web.de,"x\nnew@web.de,"\n');
    const { stderr } = await run(`detect --csv --known ${known} --select known`, { stdin: INPUT });
    expect(stderr.toString()).toMatch(
      /^addrsift: \S+: 1 record that may contain later rows: .* \(row 2; lines 2-3\)\n$/,
    );
  });

  it("a note names the rows whose --key is not UTF-8", async () => {
    const stdin = Buffer.from("name,email\nJörg,j@web.de\nAda,J@web.de\nAda,a@web.de\nBo,a@web.de\n", "latin1");
    const { stderr } = await run("detect --csv --key name --fields duplicate_of", { stdin });
    expect(stderr.toString()).toBe(
      "addrsift: 1 row with a --key not in UTF-8: try --encoding windows-1252, or the encoding that the input is in (row 3)\n",
    );
  });

  it("the summary counts addresses with shared mailboxes if rows have several", async () => {
    const stdin = "a,b\nann@x.org,bob@x.org\nbob@x.org,ann@x.org\nann@x.org,\nal@x.org,jo@x.org\n";
    const [one, two] = ["a,b", "a"].map((columns) => columns.split(",").flatMap((column) => ["--column", column]));
    const summaryOf = async (columns: readonly string[] = []) =>
      (await run(["detect", "--csv", "--summary", "--select", "duplicate", ...columns], { stdin })).stderr.toString();
    expect(await summaryOf(one)).toContain(
      "same mailbox: 5 addresses share 2 mailboxes; the largest begin at row 2 (3 addresses), row 2 (2 addresses)\n",
    );
    expect(await summaryOf(two)).toContain(
      "same mailbox: 2 rows share 1 mailbox; the largest begin at row 2 (2 rows)\n",
    );
  });

  it("--known may be repeated, and --known-column applies to all files", async () => {
    const known = [
      files.file("first.csv", "mail,other\nnone@web.de,x@web.de\nx@web.de,bob@web.de\n"),
      files.file("second.jsonl", '{"other":"new@web.de"}\n{"other":"bob@web.de"}\n'),
    ];
    const options = [...known.flatMap((file) => ["--known", file]), "--known-column", "other", "--summary"];
    const { stdout, stderr } = await run(["detect", "--csv", ...options, "--select", "duplicate"], { stdin: INPUT });
    expect(
      linesOf(stdout)
        .slice(1)
        .map((line) => line.split(",", 1)[0]),
    ).toEqual(["B", "C", "D"]);
    expect(stderr.toString()).toContain("3 rows share 2 mailboxes with another row or --known, 3 rows with --known;");
    const { stdout: rows } = await run(
      ["detect", "--csv", ...options, "--fields", "duplicate_of", "--select", "duplicate"],
      { stdin: INPUT },
    );
    expect(
      linesOf(rows)
        .slice(1)
        .map((line) => line.split(",").at(-1)),
    ).toEqual([`${known[0]}:3`, `${known[1]}:1`, `${known[1]}:1`]);
  });

  it("--known counts addresses that are not UTF-8 on standard error", async () => {
    const known = files.file("other.csv", Buffer.from("id;mail\n1;jörg@web.de\n2;bob@web.de\n", "latin1"));
    const options = ["--known", known, "--key", "id", "--fields", "duplicate_of"];
    const { stdout, stderr } = await run(["detect", "--csv", ...options], {
      stdin: "email\njörg@web.de\nbob@web.de\n",
    });
    expect(linesOf(stdout.toString())).toEqual(["email,duplicate_of", "jörg@web.de,", "bob@web.de,2"]);
    expect(stderr.toString()).toContain(
      "other.csv: 1 row without a valid address, not compared (row 2): if it is not in UTF-8, use iconv",
    );
  });

  it("--key without --known: duplicate_of has the key of the first row", async () => {
    const [, ...rows] = await detect(INPUT, "--csv", "--key", "name", "--fields", "duplicate_of");
    expect(rows.map((row) => row.split(",").at(-1))).toEqual(["", "", "", "C", "", ""]);
  });

  it.each([
    ["CSV", "--csv", (mail: string) => mail, "email\n", (line: string) => line.split(",")[1] || undefined],
    [
      "TSV",
      "--tsv",
      (mail: string) => mail,
      "email\n",
      (line: string) => line.split("\t")[1]?.replace("\\N", "") || undefined,
    ],
    ["lines", "--lines", (mail: string) => mail, "", (line: string) => JSON.parse(line).duplicate_of],
    [
      "JSON",
      "--jsonl",
      (email: string) => JSON.stringify({ email }),
      "",
      (line: string) => JSON.parse(line).duplicate_of,
    ],
  ] as const)(
    "--key: duplicate_of is file and row number if the first row, in %s input, has no key",
    async (_, options, write, head, read) => {
      const known = files.file("numbered.csv", "id,email\n3,jane@gmail.com\n");
      const mails = ["new@x.com", "ann@x.com", "jane@gmail.com", "ann@x.com"];
      const input = files.file(
        `unnumbered-${crypto.randomUUID()}`,
        head + mails.map((mail) => `${write(mail)}\n`).join(""),
      );
      const summary = `${input}.json`;
      const call = `detect ${options} --known ${known} --key id --fields duplicate_of --offline --summary-file ${summary}`;
      const first = `${input}:${head === "" ? 2 : 3}`;
      const rows = linesOf((await run(`${call} -i ${input}`)).stdout).filter((line) => line.includes("@"));
      expect(rows.map(read)).toEqual([undefined, undefined, "3", first]);
      const { duplicates } = JSON.parse(readFileSync(summary, "utf8")) as SummaryReport;
      expect(duplicates?.largest.map(({ first_row }) => first_row)).toEqual([first, `${known}:2`]);
    },
  );

  it("--known marks exactly the rows whose mailbox is in a table of 20,000 rows", async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `user${i}@example${i % 7}.de`);
    const table = ["id,note,mail", ...rows.map((mail, i) => `K${i},"a, b",${mail}`)].join("\n");
    const stdin = rows.map((mail, i) => (i % 100 === 0 ? mail.toUpperCase() : `other.${mail}`)).join("\n");
    const options = `--known ${files.file("large.csv", table)} --key id --select duplicate --fields duplicate_of`;
    const found = (await detect(stdin, ...options.split(" "))).map((line) => JSON.parse(line).duplicate_of);
    expect(found).toEqual(Array.from({ length: 200 }, (_, i) => `K${100 * i}`));
  });

  it.each([
    ["--known FILE", "id,mail\n", /^addrsift: --known is for duplicates: add --fields duplicate_of/],
    ["--key name", "", /^addrsift: --key is for duplicates/],
    ["--known /no/file", "", /^addrsift: can't read \/no\/file: there is no such file/],
    ["--known -", "", /^addrsift: --known must be a file, not -/],
    [
      "--known FILE",
      "a,b\n1,2\n",
      /--known \S+: no header looks like email: add --known-column with one of 1 "a", 2 "b"$/m,
    ],
    ["--known FILE --key no", "id,mail\n1,a@b.de\n", /no is not a column of \S+: use one of "id", "mail"$/m],
    ["--known FILE --key no", '{"id":1,"mail":"a@b.de"}', /no is not a column of \S+: use one of "id", "mail"$/m],
    ["--known FILE --key no", "a@b.de\n", /no is not a column of \S+: it has no columns, leave --key out$/m],
    ["--known FILE", "mail,x\nj\xf6rg@web.de,x\n", /: if it is not in UTF-8, use iconv -f windows-1252 -t utf-8 \S+$/m],
    ["--known FILE", "nothing\nhere\n", /--known \S+: no row has a valid address: is this the right file\?/],
    [
      "--known FILE",
      "email private,email work\na@b.de,c@d.de\n",
      /choose --known-column 1 \("email private"\) or --known-column 2 \("email work"\)$/m,
    ],
    [
      "--known FILE",
      '{"email_a":"a@b.de","email_b":"c@d.de"}',
      /choose --known-column "email_a" or --known-column "email_b"$/m,
    ],
    ["--known FILE --known-column no", "id,mail\n1,a@b.de\n", /there is no column no: use one of 1 "id", 2 "mail"$/m],
    ["--known-column mail", "", /--known-column needs --known: add --known FILE$/m],
    ["--known FILE", "PK\x03\x04 of a zip archive", /--known \S+: .* zip archive: use the output of unzip -p \/\S+$/m],
    ["--known FILE", `PK\x03\x04${".".repeat(26)}xl/`, /--known \S+: the input is a spreadsheet: save it/],
    ["--known FILE", ",", /--known \S+: the CSV is empty/],
    ["--known FILE", 'id,mail\n1,"open', /--known \S+: row 2 opens a quote that never closes/],
    ["--known FILE", '[{"mail":"a@b.de"},{"mail', /--known \S+: the JSON ends in the middle/],
    ["--key no", "", /--key no is not a column of the input: use one of "name", "email"/],
  ])("detect %s is rejected in one line if FILE contains %j", async (options, text, message) => {
    const ending = /^[[{]/.test(text) ? ".json" : text.includes(",") ? ".csv" : "";
    const file = files.file(`known-${crypto.randomUUID()}${ending}`, Buffer.from(text, "latin1"));
    const extraOptions = /is for/.test(message.source) ? "" : " --fields duplicate_of --quiet";
    await expectRefused(`detect --csv ${options.replace("FILE", file)}${extraOptions}`, message, { stdin: INPUT });
  });
});

describe.concurrent("duplicate_of", () => {
  it.each<[string, string, string[], string[]]>([
    ["lines", EMAILS.join("\n"), ["-f", "csv"], FIRST_ROWS],
    ["TSV", ["email", ...EMAILS].join("\n"), ["--tsv"], firstRowsAfterHeader.map((row) => row || "\\N")],
    ["CSV", ["email,n", ...EMAILS.map((mail) => `${mail},`)].join("\n"), ["--csv"], firstRowsAfterHeader],
    [
      "CSV whose delimiter is a digit",
      `email1n\n${EMAILS.map((mail) => `${mail}1`).join("\n")}`,
      ["--csv", "--delimiter", "1"],
      [],
    ],
  ])("duplicate_of is the number of the mailbox's first row in %s", async (_, stdin, args, expected) => {
    const [, ...rows] = await detect(`${stdin}\n`, "--fields", "duplicate_of", ...args);
    if (expected.length > 0) expect(rows.map((row) => row.split(/[,\t]/).at(-1))).toEqual(expected);
    else expect(rows.map((row) => row.endsWith('"'))).toEqual(firstRowsAfterHeader.map((row) => row.includes("1")));
  });

  it("duplicate_of is a number in JSON, and absent in the mailbox's first row", async () => {
    const stdin = EMAILS.map((email) => JSON.stringify({ email })).join("\n");
    const rows = (await detect(stdin, "--jsonl", "--fields", "duplicate_of")).map((line) => JSON.parse(line));
    expect(rows.map((row) => row.duplicate_of ?? "")).toEqual(FIRST_ROWS.map((row) => (row === "" ? "" : Number(row))));
  });

  it("duplicate_of compares the address columns of different rows, but not of the same row", async () => {
    const call = "--csv --column 1 --column 2 --fields duplicate_of";
    const [, ...rows] = await detect("a,b\nx@web.de,X@web.de\ny@web.de,x@web.de\n", ...call.split(" "));
    expect(rows).toEqual(["x@web.de,X@web.de,,", "y@web.de,x@web.de,,2"]);
  });

  it("duplicate_of has the file name if the first row is in an earlier input", async () => {
    const one = files.file("one.csv", "email\na@web.de\n");
    const two = files.file("two.csv", "email\nb@web.de\nA@web.de\nB@web.de\n");
    const rows = await detect("", "--csv", one, two, "--fields", "duplicate_of");
    expect(rows.slice(2)).toEqual(["b@web.de,", `A@web.de,${one}:2`, "B@web.de,2"]);
  });
});

describe.concurrent("the class duplicate", () => {
  it("--select, --reject and --fail-on accept the class duplicate", async () => {
    const stdin = EMAILS.join("\n");
    expect(await detect(stdin, "-f", "plain", "--select", "duplicate")).toEqual([EMAILS[1], EMAILS[5], EMAILS[6]]);
    expect(await detect(stdin, "-f", "plain", "--reject", "duplicate,blank,invalid")).toEqual([EMAILS[0], EMAILS[2]]);
    const { status, stderr } = await run(["detect", "--fail-on", "duplicate"], { stdin });
    expect([status, stderr.toString()]).toEqual([1, "addrsift: 3 rows of 7 are duplicate (rows 2, 6, 7)\n"]);
    expect((await run(["detect", "--fail-on", "duplicate", "a@web.de", "A@web.de"])).status).toBe(1);
  });

  it("the summary names the first rows of mailboxes with several rows, and the report counts these mailboxes", async () => {
    const [summary, report] = [join(files.path, "s.json"), join(files.path, "r.html")];
    const options = ["--select", "duplicate", "--summary", "--summary-file", summary, "--report", report];
    const { stderr } = await run(["detect", ...options], { stdin: EMAILS.join("\n") });
    expect(stderr.toString()).toContain(
      "  same mailbox: 5 rows share 2 mailboxes; the largest begin at row 1 (3 rows), row 3 (2 rows)\n",
    );
    const counts = JSON.parse(readFileSync(summary, "utf8")) as SummaryReport;
    expect(counts.classes.duplicate).toBe(3);
    const largest = [1, 3].map((row, i) => ({ first_row: row, rows: 3 - i }));
    expect(counts.duplicates).toEqual({ rows: 5, mailboxes: 2, largest });
    expect(readFileSync(report, "utf8")).toContain("5 rows share 2 mailboxes. The first row");
    expect(readFileSync(report, "utf8")).toContain(">7 rows, 3 written, ");
    expect(readFileSync(report, "utf8")).not.toContain("bob@");
  });

  it.each<readonly [string, string]>([
    ["--part --select duplicate", "duplicate detection does not work with --part"],
    ["--part --fields duplicate_of", "duplicate detection does not work with --part"],
    ...["0", "abc", "4001", ""].map((mb) => [`--memory ${mb}`, `"${mb}": give a whole number from 1 to 4000`] as const),
  ])("duplicate detection rejects %s", async (options, message) => expectRefused(`detect ${options}`, message));

  it("if mailboxes exceed --memory, duplicate detection prints the rows so far and exits with 2", async () => {
    const stdin = Array.from({ length: 30_000 }, (_, i) => `u${i}@web.de`).join("\n");
    const { status, stdout, stderr } = await run(["detect", "--memory", "1", "--fields", "duplicate_of"], { stdin });
    expect([status, linesOf(stdout).length]).toEqual([2, 20_833]);
    expect(stderr.toString()).toMatch(
      /^addrsift: --memory \(1 MB\) is full after 20,833 rows: [^\n]+--memory 2[^\n]+\n$/,
    );
  });
});

describe.concurrent("--by", () => {
  const CSV =
    "email,sent\na@mailinator.com,2026-11-02T10:00:00Z\nb@web.de,2026-11-02 23:59\nc@web.de,2026-11-01\nd@@,\n";

  it("--by counts classes by day in the summary, the summary file and the report", async () => {
    const [summary, report] = [join(files.path, "by.json"), join(files.path, "by.html")];
    const options = ["--by", "sent", "--summary", "--summary-file", summary, "--report", report];
    const { stderr } = await run(["detect", "--csv", ...options], { stdin: CSV });
    expect(stderr.toString()).toMatch(/\n {2}2026-11-02 +2 +1 \(50\.0 %\) +0 \(0\.0 %\) +1 \(50\.0 %\)\n/);
    const { by } = JSON.parse(readFileSync(summary, "utf8")) as SummaryReport;
    expect(by?.column).toBe("sent");
    expect(by?.values.map(({ value, rows }) => [value, rows])).toEqual([
      ["2026-11-01", 1],
      ["2026-11-02", 2],
      ["", 1],
    ]);
    expect(by?.values[1]?.classes).toMatchObject({ valid: 2, disposable: 1 });
    const html = readFileSync(report, "utf8");
    expect(html).toContain("<h2>Rows by “sent”</h2>");
    expect(html).toContain("1 <small>50.0 %</small>");
  });

  it.each([
    ["--csv --by none", "there is no column none: use one of"],
    ["--csv --by email", "--by email is the column of the addresses"],
    ["--csv --column email --column sent --by sent", "--by sent is the column of the addresses"],
    ["--jsonl --column a --column b.c --by b.c", "--by b.c names the addresses: name another key"],
    ["--by note", /--by is for --csv, --tsv or --jsonl, or takes a field: exchange, domain, reg.* or mail_provider$/m],
    ["--by exchange", "--by exchange needs DNS: add --dns on"],
    ["--by domain --by exchange", "--by is given more than once: run once for each column"],
    ["--by domain a@b.org", "--by is for rows of a file or standard input: name files with --csv"],
  ])("detect %s is rejected", async (options, message) =>
    expectRefused(`detect --quiet --summary ${options}`, message, { stdin: CSV }),
  );

  it.each([
    ["", "addrsift: the counts of --by are not shown: add --summary, --summary-file FILE or --report FILE\n"],
    [" --quiet", ""],
  ])("detect --by domain%s without a summary or a report prints a note unless it is quiet", async (option, note) => {
    const { status, stderr } = await run(`detect --by domain${option}`, { stdin: "a@web.de\n" });
    expect([status, stderr.toString()]).toEqual([0, note]);
  });
});

it.skipIf(process.platform !== "linux")("detect prints the same without address space for WebAssembly", async () => {
  const stdin = Array.from({ length: 3000 }, (_, i) => `jane${i}@gmail.com\n`).join("");
  const call = "detect --quiet --offline -f csv --fields duplicate_of";
  const { status, stdout, stderr } = await runShell(`ulimit -v 9000000; addrsift ${call}`, { stdin });
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
  expect(stdout.toString()).toBe(await outputOf(call, { stdin }));
});
