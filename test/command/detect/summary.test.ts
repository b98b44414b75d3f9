// Tests the messages on standard error, and --summary, --summary-file and --quiet.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SummaryReport } from "../../../src/bulk/summary.ts";
import { displayWidth } from "../../../src/cli/terminal/text-table.ts";
import { expectOneLine, expectRefused, fileScratch, run, runProcess, runShell } from "../../helpers/run.ts";

const files = fileScratch();

const INPUT = [
  ...["ada@example.org", "info@example.org", "ada+x@gmail.com", "ada@duck.com", "bob@duck.com"],
  ...["ada@mailinator.com", "bob@MAILINATOR.com", "cy@sub.mailinator.com", "ada@", "a b@example.org", "", " "],
].join("\n");

const CLASSES = {
  valid: 8,
  invalid: 2,
  blank: 2,
  disposable: 3,
  relay: 2,
  public: 1,
  role: 1,
  subaddressed: 1,
  unknown: 0,
};

const count = async (stdin: string, ...args: string[]) => {
  const { stderr } = await run(["detect", "--summary", ...args], { stdin });
  const [, counts = ""] = stderr.toString().split(/^(?= {2}by )/m);
  return Array.from(counts.trim().split("\n"), (line) => line.trim().split(/ {2,}/).slice(0, 2).join(" "));
};

it("--by suggests --encoding for values that are not UTF-8, but not for a long value", async () => {
  const hint = /^addrsift: values of --by name are not in UTF-8: try --encoding windows-1252, /m;
  const stderrOf = async (stdin: Buffer) =>
    (await run("detect --offline --csv --by name --summary", { stdin })).stderr.toString();
  expect(await stderrOf(Buffer.from("email,name\na@b.de,Jörgen\n", "latin1"))).toMatch(hint);
  expect(await stderrOf(Buffer.from(`email,name\na@b.de,x${"ö".repeat(60)}\n`))).not.toMatch(hint);
});

it.each([
  ["sorce", 2, /^addrsift: the first object has no key "sorce": did you mean "source"\?$/m],
  ["utm.sorce", 0, /^addrsift: no row has a value of --by utm\.sorce$/m],
  ["country", 0, /^addrsift: no row has a value of --by country$/m],
  ["late", 0, /^(?!.*no row has a value)/s],
])("--by %s: reports a key of JSON Lines that no row has", async (key, status, message) => {
  const stdin = '{"email":"a@b.de","source":"x","utm":{"source":"y"}}\n{"email":"a@b.de","late":1}\n';
  const result = await run(["detect", "--offline", "--jsonl", "--by", key, "--summary"], { stdin });
  expect(result.status).toBe(status);
  expect(result.stderr.toString()).toMatch(message);
});

it("--by shows domains in Unicode, and the end of a long value", async () => {
  const rows = ["a@müller-maschinen.de", "b@xn--mller-maschinen-zvb.de", `c@${"x".repeat(30)}-werke.de`];
  expect(await count(rows.join("\n"), "--by", "registrable_domain", "--offline")).toEqual([
    "by registrable_domain rows",
    "müller-maschinen.de 2",
    "xxxxxxxxx…xxxxx-werke.de 1",
  ]);
  const campaigns = "email,campaign\na@x.de,Ä xn--bcher-kva.de\n";
  expect(await count(campaigns, "--csv", "--by", "campaign")).toContain("Ä xn--bcher-kva.de 1");
});

it("--summary names the days or values of --by with far more unusable rows, and its table has them, however old or rare", async () => {
  const day = (i: number): string => new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10);
  const days = Array.from({ length: 90 * 20 }, (_, i) => `u${i}@${i < 20 ? "yopmail.com" : "web.de"},${day(i / 20)}`);
  const { stderr } = await run("detect --offline --csv --by on --summary", { stdin: `email,on\n${days.join("\n")}\n` });
  expect(stderr.toString()).toContain(
    "  On 2026-01-01, 20 of 20 rows (100.0 %, all disposable) have no usable address. In the other 1,780 rows, the share is 0.0 %.\n",
  );
  expect(stderr.toString()).toMatch(/\n {2}by on +rows .*\n {2}2026-01-01 +20 .*\n {2}2026-03-01 +20 /);
  expect(stderr.toString()).toContain("\n  … 58 values more: --summary-file has all\n");
  const campaign = `x${"y".repeat(200)}`;
  const rare = [...Array(40).keys()].flatMap((i) => Array.from({ length: 21 }, () => `a@web.de,c${i}`));
  const stdin = ["email,s", ...rare, ...Array(20).fill(`a@yopmail.com,${campaign}`)].join("\n");
  const named = (await run("detect --offline --csv --by s --summary", { stdin })).stderr.toString();
  expect(named).toMatch(/\n {2}With the s “xy{10,60}…y+”, 20 of 20 rows \(100\.0 %, all disposable\)/);
  expect(named).toMatch(/\n {2}xy+…y+ +20 +20 \(100\.0 %\)/);
});

it("--by aligns the counts of domains with wide characters", async () => {
  const args = ["detect", "--summary", "--by", "registrable_domain", "--offline"];
  const { stderr } = await run(args, { stdin: "a@\u4f8b\u3048.jp\nb@example.org\n" });
  const [title = "", ...lines] = stderr.toString().trimEnd().split("\n").slice(-3);
  expect(lines.map(displayWidth)).toEqual([displayWidth(title), displayWidth(title)]);
});

it("--by NAME counts rows by the field of that name, unless a column has the name", async () => {
  const rows = "a@x.co.uk\nb@y.x.co.uk\nc@gmail.com\nbroken\n";
  expect(await count(rows, "--by", "registrable_domain")).toEqual([
    "by registrable_domain rows",
    "x.co.uk 2",
    "(empty) 1",
    "gmail.com 1",
  ]);
  expect(await count("domain,email\nq,a@gmail.com\n", "--csv", "--by", "domain")).toEqual(["by domain rows", "q 1"]);
  expect(await count("", "--scan", "--by", "domain")).toEqual(["by domain rows"]);
});

it("--summary prints counts by class on standard error", async () => {
  const [plain, counted] = await Promise.all([
    run(["detect"], { stdin: INPUT }),
    run(["detect", "--summary"], { stdin: INPUT }),
  ]);
  const text = counted.stderr.toString();
  expect(plain.stderr.toString()).toBe("");
  expect(counted.stdout.equals(plain.stdout)).toBe(true);
  expect(text).toMatch(/^addrsift: 12 rows\n/);
  for (const [name, rows] of Object.entries(CLASSES)) {
    if (rows > 0) expect(text).toMatch(new RegExp(`^ +${name} +${rows} +${((100 * rows) / 12).toFixed(1)} %$`, "m"));
  }
  expect(text).toContain("mailinator.com (2)");
  expect(text).toContain("duckduckgo (2)");
});

it("--summary says how many rows were written if not all were, and calls none dropped without --select and --reject", async () => {
  const firstLine = async (options: string, stdin = INPUT) =>
    (await run(`detect ${options} --summary`, { stdin })).stderr.toString().split("\n")[0];
  expect(await firstLine("--reject relay,invalid")).toBe("addrsift: 12 rows, 8 written");
  expect(await firstLine("--select relay,duplicate --reject public")).toBe("addrsift: 12 rows, 2 written");
  expect(await firstLine("--reject no_reply")).toBe("addrsift: 12 rows");
  const rows = "email,mail\na@duck.com,b@web.de\nc@web.de,d@web.de\n";
  expect(await firstLine("--csv --column 1 --column 2 --reject relay", rows)).toBe("addrsift: 2 rows, 1 written");
  expect(await firstLine("--scan -f lint --fail-on unreserved", "a@web.de b@example.com")).toBe(
    "addrsift: 2 rows, 1 written",
  );
});

it("--summary counts one row for an argument, and no rows for empty input", async () => {
  const [one, none] = await Promise.all([run(["detect", "--summary", "ada@duck.com"]), run(["detect", "--summary"])]);
  expect(one.stderr.toString()).toMatch(/^addrsift: 1 row\n/);
  expect(none.stderr.toString()).toMatch(/^addrsift: 0 rows\n$/);
  expect(none.stderr.toString()).not.toMatch(/NaN|Infinity|undefined/);
  expect([one.status, none.status, none.stdout.length]).toEqual([0, 0, 0]);
});

it("--summary-file contains the counts of all rows, even if --select drops some", async () => {
  const path = join(files.path, "summary.json");
  const options = ["--summary-file", path, "--select", "relay", "--reject", "relay", "--fail-on", "relay"];
  const { status, stdout, stderr } = await run(["detect", ...options], { stdin: INPUT });
  const report = JSON.parse(readFileSync(path, "utf8")) as SummaryReport;
  expect({ status, out: stdout.length }).toEqual({ status: 1, out: 0 });
  expect(stderr.toString()).toMatch(/^addrsift: [^\n]+ \(rows? [^\n]+\)\n$/);
  expect(report).toMatchObject({ rows: 12, rows_written: 0, classes: CLASSES, faults: { domain_empty: 1 } });
  expect(report.top_disposable_domains).toContainEqual({ name: "mailinator.com", rows: 2 });
  expect(report.top_relays).toEqual([{ name: "duckduckgo", rows: 2 }]);
  expect(report.data_version).toMatch(/^\d{4}-\d\d-\d\d/);
  expect(report).toMatchObject({ exit_status: 1 });
  expect(report.duration_ms).toBeGreaterThanOrEqual(0);
});

it("the summary file and the report have the records with a missing quote, also with --quiet", async () => {
  const [path, report] = [join(files.path, "irregular.json"), join(files.path, "irregular.html")];
  const joined = 'email,name\njane@x.org,Jane\njoe@x.org,"Joe\nann@x.org,Ann\nbob@x.org,"Bob"\nal@x.org,\n';
  const irregularIn = async (inputs: string) => {
    const options = `detect --csv --quiet --offline --summary-file ${path} --report ${report} ${inputs}`;
    expect((await run(options, { stdin: joined })).stderr.toString()).toBe("");
    return JSON.parse(readFileSync(path, "utf8")).irregular;
  };
  const [first, second] = [files.file("joined.csv", joined), files.file("n-a.csv", "email,name\nn/a,1\n")];
  expect(await irregularIn("-")).toEqual({ joined_rows: { rows: 1, first: [3], lines: ["3-5"] } });
  expect(readFileSync(report, "utf8")).toContain("1 record that may contain later rows: a quote seems to be missing");
  expect(await irregularIn(`- ${second} ${first}`)).toEqual({
    joined_rows: { rows: 2, first: ["-:3", `${first}:3`], lines: ["-:3-5", `${first}:3-5`] },
    placeholder: { rows: 1, first: [`${second}:2`] },
  });
  expect(await irregularIn(second)).toEqual({ placeholder: { rows: 1, first: [2] } });
});

it("--summary-file with address arguments overwrites a longer existing file", async () => {
  const path = files.file("old.json", "x".repeat(100_000));
  const { status } = await run(["detect", "--summary-file", path, "ada@duck.com", "ada@"]);
  expect(status).toBe(0);
  const expected = { rows: 2, classes: { valid: 1, invalid: 1 }, exit_status: 0 };
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject(expected);
});

it("an unwritable --summary-file is reported before the first row", async () => {
  const call = `detect --summary-file ${join(files.path, "no/such.json")} --format plain`;
  await expectRefused(call, /^addrsift: can't write the summary to /, { stdin: INPUT });
  await expectRefused(`${call} ada@duck.com`, /^addrsift: can't write the summary to /);
});

it("--summary-file can be a named pipe", async () => {
  const { stdout } = await runShell("addrsift detect --summary-file /dev/stderr 2>&1 >/dev/null | cat", {
    stdin: INPUT,
  });
  expect(JSON.parse(stdout.toString())).toMatchObject({ rows: 12, exit_status: 0 });
});

it("--summary-file - is rejected; the error suggests --summary", async () => {
  const result = await runProcess("detect --summary-file -", { cwd: files.path });
  expectOneLine(result, /^addrsift: --summary-file must be a file, not -: [^\n]* --summary\n$/);
  expect(existsSync(join(files.path, "-"))).toBe(false);
});

it.each([
  ["for bulk input", [], INPUT],
  ["for arguments", ["ada@duck.com"], ""],
])("--quiet --summary prints only the summary: %s", async (_, addresses, stdin) => {
  const { status, stderr } = await run(["detect", "--quiet", "--summary", ...addresses], { stdin });
  expect(status).toBe(0);
  expect(stderr.toString()).toMatch(/^addrsift: [0-9]+ rows?\n( {2}[^\n]+\n)+$/);
});

it("--quiet does not change output, status and errors", async () => {
  const data = await run("--quiet detect --fail-on relay", { stdin: INPUT });
  expect({ status: data.status, err: data.stderr.length }).toEqual({ status: 1, err: 0 });
  expect(data.stdout.toString().split("\n")).toHaveLength(13);
  await expectRefused(`detect --quiet --input ${join(files.path, "nosuch.txt")}`, /^addrsift: can't read /);
});

it("--summary says how many faults and disposable domains it leaves out", async () => {
  const faults = ["a", "a@", "@b.org", "a@@b.org", "a..b@c.org", "a@b_c.org", "a@-b.org"];
  const domains = Array.from({ length: 13 }, (_, i) => `a@x${i}.yopmail.com`);
  const { stderr } = await run(["detect", "--summary"], { stdin: [...faults, ...domains].join("\n") });
  expect(stderr.toString()).toMatch(/top disposable domains: (\S+ \(1\)(, )?){10} and 3 more\n/);
  expect(stderr.toString()).toMatch(/faults: (\w+ \(\d\)(, )?){5} and 2 more\n/);
});
