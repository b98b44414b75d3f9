// Tests `detect --report`: a self-contained page with the counts, without addresses, for any input.

import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  expectRefused,
  fileScratch,
  linesOf,
  run,
  runIn,
  runProgram,
  runShell,
  shellCommand,
} from "../../helpers/run.ts";
import { sampleSize } from "../../helpers/sampling.ts";

const files = fileScratch();
const path = join(files.path, "report.html");

const ROWS = [
  ...["ada.secret@gmail.com", "bob.secret@mailinator.com", "eve.secret@duck.com", "joe.secret@gmial.con", ""],
  ...["x@@y.org", "ann.secret@harvard.edu", "<img src=x onerror=alert(1)>@x.org"],
  ...['a@<script>alert("1")</script>', "a@\u202e\u001b.org"],
];

async function report(args: readonly string[] = [], rows: readonly string[] = ROWS) {
  const result = await run(["detect", "--report", path, ...args], { stdin: `${rows.join("\n")}\n` });
  return { ...result, page: readPage() };
}

/** Returns the report without the elements that keep options, dates and shares on one line. */
const readPage = (): string => readFileSync(path, "utf8").replaceAll(/<span class="whole">(.*?)<\/span>/g, "$1");

/** Returns the bars of a section, as NAME NUMBER. */
function barsOf(page: string, title: string): string[] {
  const [, chart = ""] = page.split(`<h2>${title}</h2>`);
  const [bars = ""] = chart.split("</ul>");
  return Array.from(
    bars.matchAll(/<li><span>([^<]*)<.*?<span class="number">([^<]*) <small>/g),
    ([, name, rows]) => `${name} ${rows}`,
  );
}

describe("--report", () => {
  it("--report shows classes, services, providers, relays, faults, typos, rows and the run", async () => {
    const { status, stdout, page } = await report(["--dns", "off"]);
    expect([status, linesOf(stdout).length]).toEqual([0, ROWS.length]);
    const titles = Array.from(page.matchAll(/<h2>(.*?)<\/h2>/g), ([, title]) => title);
    expect(titles).toEqual([
      ...["Classes", "Disposable services", "Why rows are invalid", "Probably mistyped"],
      ...["Consumer providers", "Privacy relays", "First invalid rows"],
    ]);
    const texts = [
      "mailinator.com",
      "duckduckgo",
      "; options: --dns off --report ",
      "Email addresses in standard input",
      ">10 rows, ",
      "<span>relay<small> forwards to a hidden mailbox</small></span>",
    ];
    for (const text of texts) expect(page).toContain(text);
    expect(page).not.toContain("<span>no mail<");
    expect(barsOf(page, "Probably mistyped")).toContain("gmial.con → gmail.com 1");
    expect(barsOf(page, "Classes").slice(0, 3)).toEqual(["valid 4", "invalid 5", "blank 1"]);
  });

  it("--report shows mistyped domains with non-ASCII letters", async () => {
    const { page } = await report(["--dns", "off"], ["a@gm\u00e4il.con"]);
    expect(page).toContain("<span>gm\u00e4il.con → gmail.com</span>");
  });

  it("unless --report-addresses is given, --report contains no addresses", async () => {
    expect((await report()).page).not.toContain("secret");
    const page = (await report(["--report-addresses"])).page.replaceAll("<wbr/>", "");
    expect(page).toContain("bob.secret@mailinator.com");
    expect(page).toContain("joe.secret@gmial.con");
    expect(page).not.toContain("ada.secret");
  });

  it("unless --report-addresses is given, --report hides addresses in file names and options", async () => {
    const [one, two] = ["ada.secret@gmail.com", "bob.secret@gmail.com.csv"].map((name) =>
      files.file(name, "email\nx@\n"),
    );
    const args = ["detect", "--csv", one as string, two as string, "--prefix", "eve.secret@x_", "--report", path];
    await run(args);
    expect(readFileSync(path, "utf8")).not.toContain("secret");
    expect(readFileSync(path, "utf8")).toContain("…@gmail.com.csv");
    await run([...args, "--report-addresses"]);
    expect(readFileSync(path, "utf8")).toContain("bob.secret@gmail.com.csv");
  });

  it("unless --report-addresses is given, --report hides addresses in the name and the values of --by, and in file names", async () => {
    const rows = [
      "ada.secret@x.de,",
      "eve.secret@web.de,Shop <bob.secret@shop.de>",
      "EVE.secret@web.de,joe.secret%40x.de",
      "kim@web.de,max.secret&#64;x.de",
      `kim@web.de,ken.secret@x.de`,
      `kim@web.de,A ${"ü".repeat(993)} <x.secret@x.de>`,
    ];
    const input = files.file("ann.secret@web.de.csv", `email,jim.secret@y.de\n${rows.join("\n")}\n`);
    const known = files.file("known.secret@web.de.txt", "eve.secret@web.de\n");
    const options = ["--offline", "--by", "2", "--fields", "duplicate_of", "--known", known, "--report", path];
    await run(["detect", "--csv", input, "--column", "email", ...options]);
    const page = readFileSync(path, "utf8");
    expect(page).not.toContain("secret");
    for (const text of [
      "Rows by “…@y.de”",
      "<td>…@shop.de></td>",
      '<td>…@x.de</td><td class="number">1</td>',
      '<td>…@x.de (2)</td><td class="number">1</td>',
      '<td>…@x.de (3)</td><td class="number">1</td>',
      "Values are hidden up to an @, except for the host of a URL. Those with the same rest are numbered.",
      "…@web.de.txt:1",
      "ü …</td>",
    ])
      expect(page).toContain(text);
    await run(["detect", "--csv", input, "--column", "email", ...options, "--report-addresses"]);
    expect(readFileSync(path, "utf8")).toContain("Shop &lt;bob.secret@shop.de>");
  });

  it("--report: shares of addresses are at most 100 % if rows have several addresses or are blank", async () => {
    const rows = ["a,b", "a@gmail.com,b@gmail.com", "c@gmail.com,d@unlisted.de", ",", ",", ","];
    const { page } = await report(["--offline", "--csv", "--column", "a", "--column", "b"], rows);
    const [, chart = ""] = page.split("<h2>Consumer providers</h2>");
    expect(Array.from(chart.split("</ul>")[0]?.matchAll(/<small>(.*?)</g) ?? [], ([, share]) => share)).toEqual([
      "addresses, % of all 4 addresses",
      "75.0 %",
    ]);
  });

  it("--report lists the row numbers, without separators, of the mailboxes with the most rows", async () => {
    const rows = [...Array.from({ length: 1000 }, (_, i) => `u${i}@web.de`), "a@web.de", "a@web.de"];
    const { page } = await report(["--offline"], rows);
    expect(page).toContain('<td>1001</td><td class="number">2</td>');
    expect((await report(["--offline"], ["a@web.de"])).page).not.toContain("Largest");
  });

  it.each(["--report", "--summary-file"])("a failed run does not create or change the file of %s", async (option) => {
    const output = join(files.path, `late${option}`);
    const missing = join(files.path, "missing.txt");
    expect((await run(["detect", "-i", missing, option, output])).status).toBe(2);
    expect((await run(["detect", "--csv", option, output], { stdin: "a,b\n1,2\n" })).status).toBe(2);
    expect(existsSync(output)).toBe(false);
    files.file(`late${option}`, "old");
    expect((await run(["detect", "--csv", option, output], { stdin: "a,b\n1,2\n" })).status).toBe(2);
    expect(readFileSync(output, "utf8")).toBe("old");
  });

  it("--report: a bar is as wide as the percentage beside it, which is of all rows or of a class", async () => {
    const rows = Array.from({ length: 100 }, (_, i) => (i === 0 ? "bad@@x.org" : i < 5 ? "@x.org" : `u${i}@gmail.com`));
    const { page } = await report(["--offline"], rows);
    const barsIn = (title: string): string | undefined => page.split(`<h2>${title}</h2>`)[1]?.split("</ul>")[0];
    expect(barsIn("Classes")).toMatch(/>invalid<.*<small>5\.0 %<.*?<rect width="5\.00%".*>public</);
    expect(barsIn("Why rows are invalid")).toMatch(/rows, % of invalid<.*<small>80\.0 %<.*?<rect width="80\.00%"/);
  });

  it("--report has tiles for the groups of rows, in which each row counts once", async () => {
    const rows = [
      "info@gmail.com",
      "INFO@gmail.com",
      "b@mailinator.com",
      "c@duck.com",
      "d@gmial.com",
      "x",
      "j@gmail.con",
    ];
    const { page } = await report(["--offline"], [...rows, ...rows]);
    const tiles = Array.from(
      page.matchAll(/<li class="\w+"><b>(\d+)<\/b><span>(\w+)/g),
      ([, count, name]) => `${name} ${count}`,
    );
    expect(tiles).toEqual(["clean 2", "mistyped 4", "disposable 2", "invalid 2", "duplicate 4"]);
  });

  it("--report with --domains counts providers by whole names, and a repeated domain is no duplicate", async () => {
    const { page } = await report(["--offline", "--domains"], ["gmail.com", "siemens.com", "gmail.com"]);
    expect(barsOf(page, "Consumer providers")).toEqual(["gmail.com 2"]);
    expect(page).not.toContain("duplicate");
    expect(page).toContain("<h1>Domains in standard input</h1>");
    expect(page).toMatch(/<p class="note">addrsift \d+\.\d+\.\d+, lists /);
  });

  it.each([
    ["--csv --prefix x_", "csv", 'email,on\na@web.de,1\nb@mailinator.com,2\n"x,y",3\nA@web.de,4\nc@gmial.com,5\n'],
    ["--csv --skip 1", "csv", "Export,\nemail,on\na@web.de,1\nb@mailinator.com,2\n"],
    ["--tsv", "tsv", "on\temail\n1\ta@web.de\n2\t\n3\tb@yopmail.com\n"],
    ["--jsonl", "jsonl", '{"email":"a@web.de"}\n{"email":"b@mailinator.com"}\n{"email":"a@web.de"}\n'],
    ["--domains", "txt", "web.de\nmailinator.com\n"],
    ["--csv --column a --column b --no-header", "csv", "a@web.de,b@\n,c@web.de\nx@yopmail.com,d@web.de\n"],
    ["--lines", "txt", "a@web.de\na@gmial.com\nb@gmail.con\nA@gmial.com\na@@b\n"],
  ])("--report with %s: the command for the clean list writes the promised rows", async (options, kind, content) => {
    const input = files.file("it's.input", content);
    const args = `${options.replace("a --column b", "1 --column 2")} --offline`;
    await run(["detect", ...args.split(" "), "--input", input, "--report", path]);
    const page = readPage().replaceAll("&#39;", "'");
    const [, claim, command = ""] = /To write the other (\d+) rows? .*?<p class="code">(.*?)<\/p>/.exec(page) ?? [];
    const { stdout } = await runShell(command.replace(/ > clean\.(\w+)$/, ""));
    expect(command.endsWith(` > clean.${kind}`)).toBe(true);
    const outputRows = linesOf(stdout).slice(/--[ct]sv (?!.*--no-header)/.test(command) ? 1 : 0);
    expect([String(outputRows.length), outputRows.every((row) => content.includes(row))]).toEqual([claim, true]);
  });

  it.each([
    ["--csv", 'id,"e\nmail"\n1,a@gmail.con\n2,b@gmial.com\n3,x@@y\n4,c@web.de\n', "mistyped.csv"],
    ["--lines", "a@gmail.con\nb@gmial.com\nx@@y\n", "mistyped.csv"],
    ["--jsonl", '{"email":"a@gmail.con"}\n{"email":"b@gmial.com"}\n', "mistyped.jsonl"],
  ])(
    "--report with %s: a command writes the mistyped rows with their corrections, even if names have line breaks",
    async (kind, content, output) => {
      const input = files.file("it's\na \u202efile.input", content);
      await run([
        "detect",
        kind,
        ...(kind === "--csv" ? ["--column", "e\nmail"] : []),
        "--offline",
        input,
        "--report",
        path,
      ]);
      const page = readPage().replaceAll("&#39;", "'");
      const [, command = ""] = /with their likely corrections:.*?<p class="code">(.*?)<\/p>/.exec(page) ?? [];
      expect(command.endsWith(` > ${output}`)).toBe(true);
      const script = `addrsift() { ${shellCommand()} "$@"; }\n${command.replace(/ > [^ ]+$/, "")}`;
      const { stdout } = await runProgram("bash", ["-c", script]);
      expect(stdout.toString().match(/[ab]@gmail\.com/g)).toEqual(["a@gmail.com", "b@gmail.com"]);
      expect(stdout.toString()).not.toMatch(/x@@y|web/);
    },
  );

  const SUGGESTION_CSV = "email,suggestion,x_suggestion\na@gmial.com,b,c\n";
  const SUGGESTION_JSON = '{"email":"a@gmial.com","suggestion":"b"}\n{"email":"b@web.de"}\n';
  it.each([
    ["--csv --column a --column b", "a,b\nx@web.de,a@gmial.com\n", "a_suggestion,b_suggestion\n", ",,a@gmail.com"],
    ["--csv --column a --column b", "a,b,b_suggestion\nx@web.de,a@gmial.com,\n", "new_b_suggestion\n", ",,a@gmail.com"],
    ["--csv", SUGGESTION_CSV, "new_suggestion\n", ",a@gmail.com"],
    ["--csv --prefix y_", SUGGESTION_CSV, "y_suggestion\n", ",a@gmail.com"],
    ["--csv --prefix x_ --fields fault", SUGGESTION_CSV, "x_new_suggestion\n", ",a@gmail.com"],
    ["--jsonl --fields fault", SUGGESTION_JSON, "", '"new_suggestion":"a@gmail.com"}'],
    ["--jsonl --into y --fields fault", SUGGESTION_JSON, "", '"new_suggestion":"a@gmail.com"}'],
    ["--jsonl --column email --column b", '{"email":"a@gmial.com","b":""}\n', "", '"email_suggestion":"a@gmail.com"}'],
  ])("--report with %s: the command for %j writes the corrections", async (options, content, header, correction) => {
    const input = files.file("suggestion.input", content);
    await run(["detect", ...options.split(" "), "--offline", "--input", input, "--report", path]);
    const [, command = ""] = /with their likely corrections:.*?<p class="code">(.*?) > /.exec(readPage()) ?? [];
    const { status, stdout } = await runShell(command);
    expect(status).toBe(0);
    expect(stdout.toString()).toContain(header);
    expect(stdout.toString()).toContain(correction);
  });

  /** Returns the promised numbers of rows, and the commands, of the report's page. */
  const readCommands = (page: string) => {
    const text = page.replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll("&lt;", "<");
    const commands = Array.from(text.matchAll(/<p class="code">(.*?)<\/p>/g), ([, command = ""]) => command);
    const tile = (name: string): number => Number(new RegExp(`<b>(\\d+)</b><span>${name}`).exec(page)?.[1] ?? 0);
    return { commands, clean: tile("clean") + tile("doubtful"), mistyped: tile("mistyped") };
  };

  const anyName = fc.stringMatching(/^[a-z "'$;-]{0,4}[a-z]$/);
  const anyRow = fc
    .tuple(
      fc.constantFrom("ann", "bob", "eve"),
      fc.constantFrom("web.de", "gmial.com", "yopmail.com", "x..y", "gmail.con"),
    )
    .map(([name, domain]) => `${name}@${domain}`);
  const anyRun = fc.record({
    kind: fc.constantFrom("--csv", "--tsv", "--jsonl", "--lines"),
    rows: fc.array(fc.array(fc.oneof(anyRow, fc.constant("")), { minLength: 2, maxLength: 2 }), { minLength: 1 }),
    names: fc.uniqueArray(anyName, { minLength: 1, maxLength: 2 }),
    hasTwoColumns: fc.boolean(),
    hasKnown: fc.boolean(),
    more: fc.subarray(["--no-header", "--prefix=-x_", "--domains", "--memory=9", "--fail-on=valid", "--reject=public"]),
    fields: fc.constantFrom("", "--fields=duplicate_of", "--fields=suggestion,duplicate_of"),
  });

  it("--report: each command runs, and writes the promised number of rows, for any options", async () => {
    let folders = 0;
    const check = fc.asyncProperty(anyRun, async ({ kind, rows, names, hasTwoColumns, hasKnown, more, fields }) => {
      const isTable = kind === "--csv" || kind === "--tsv";
      const hasHeader = isTable && !more.includes("--no-header");
      const format = (cells: readonly string[]): string =>
        kind === "--jsonl" ? JSON.stringify({ a: cells[0], b: cells[1] }) : cells.join(kind === "--tsv" ? "\t" : ",");
      const lines = rows.map((cells) => (kind === "--lines" ? (cells[0] as string) : format(cells)));
      const content = [...(hasHeader ? ["a,b".replace(",", kind === "--tsv" ? "\t" : ",")] : []), ...lines];
      folders += 1;
      const folder = join(files.path, `any${folders}`);
      mkdirSync(folder);
      const inputs = names.map((name) => `${name}.in`);
      for (const name of inputs) writeFileSync(join(folder, name), `${content.join("\n")}\n`);
      writeFileSync(join(folder, "--known.txt"), "ann@web.de\n");
      const columns = hasHeader || kind === "--jsonl" ? ["a", "b"] : ["1", "2"];
      const options = [
        ...(kind === "--lines" ? [] : columns.slice(0, hasTwoColumns ? 2 : 1).map((name) => `--column=${name}`)),
        ...(hasKnown && fields !== "" ? ["--known=--known.txt"] : []),
        ...more.filter((option) =>
          isTable ? true : !/header/.test(option) && (kind === "--jsonl" || !/prefix/.test(option)),
        ),
        ...(fields === "" ? [] : [fields]),
      ];
      const words = [kind, "--offline", ...options, ...inputs.map((name) => `--input=${name}`), "--report=r.html"];
      const result = await runIn(folder, ["detect", ...words]);
      expect({ words, stderr: result.status === 2 && result.stderr.toString() }).toEqual({ words, stderr: false });
      const { commands, ...promised } = readCommands(
        readFileSync(join(folder, "r.html"), "utf8").replaceAll(/<span class="whole">(.*?)<\/span>/g, "$1"),
      );
      for (const command of commands) {
        const [, script = "", stem = "clean"] = /^(.*) > (?:new-)*(clean|mistyped)\.\w+$/s.exec(command) ?? [];
        const { status, stdout, stderr } = await runShell(script, { cwd: folder });
        expect({ command, status, stderr: status === 0 || stderr.toString() }).toEqual({
          command,
          status: 0,
          stderr: true,
        });
        const isCsvOfLines = kind === "--lines" && stem === "mistyped";
        const header = hasHeader || isCsvOfLines ? 1 : 0;
        const written = stdout.toString().split("\n").length - 1 - header;
        expect({ command, written }).toEqual({ command, written: promised[stem as "clean" | "mistyped"] });
      }
    });
    await fc.assert(check, { numRuns: sampleSize(60) });
  });

  it("--report: the commands have the options that the environment sets", async () => {
    const env = { ADDRSIFT_MIN_CONFIDENCE: "confirmed" };
    const input = files.file("env.txt", "a@gmial.com\nb@web.de\n");
    await run(["detect", "--lines", input, "--report", path], { env });
    expect(readPage()).toMatch(/addrsift detect --lines .*--min-confidence confirmed .* > clean\.txt/);
    expect(readPage()).toMatch(/; options: .*--min-confidence confirmed/);
  });

  it("--report shows no command with a hidden name, and says so", async () => {
    const input = files.file("ann.secret@web.de.csv", "email\na@yopmail.com\nb@web.de\n");
    await run(["detect", "--csv", input, "--report", path]);
    expect(readPage()).not.toContain("addrsift detect");
    expect(readPage()).toContain(
      "No commands are shown, because a name in them contains an address: add --report-addresses.",
    );
    await run(["detect", "--csv", input, "--report", path, "--report-addresses"]);
    expect(readPage()).toContain("addrsift detect --csv");
  });

  it("--report counts the rows of --known, also without the class duplicate", async () => {
    const known = files.file("crm.txt", "a@web.de\n");
    const { status, page } = await report(["--offline", "--known", known], ["a@web.de", "b@web.de", "A@web.de"]);
    expect(status).toBe(0);
    expect(page).toContain("2 rows have a mailbox of --known.");
    expect(page).toMatch(/2 of 3 rows .* are duplicates/);
  });

  it("--report: duplicates of removed rows are removed too, and it says so", async () => {
    const rows = ["a,b", "x@web.de,y@yopmail.com", "x@web.de,z@web.de", "k@web.de,"];
    const { page } = await report(["--offline", "--csv", "--column", "a", "--column", "b"], rows);
    expect(page).toContain("1 disposable and 1 duplicate.");
    expect(page).toContain("A duplicate is removed even if the row that it repeats is removed too.");
  });

  it("--report lists a row with two invalid addresses once", async () => {
    const { page } = await report(
      ["--offline", "--csv", "--column", "a", "--column", "b"],
      ["a,b", "x,y", "z,v@web.de"],
    );
    const [, table = ""] = page.split("<h2>First invalid rows</h2>");
    expect(Array.from(table.matchAll(/<tr><td>(\d+)</g), ([, row]) => row)).toEqual(["2", "3"]);
  });

  it("--report first names records that may contain later rows", async () => {
    const { page } = await report(["--offline", "--csv"], ["email,x", 'a@web.de,"x', "b@web.de,y", 'c@web.de,z"']);
    expect(page).toMatch(
      /<section class="card"><p class="verdict bad"><strong>First check 1 record that may .*lines 2-4\)\.</,
    );
    expect(page.split("may contain later rows")).toHaveLength(2);
  });

  it.each([
    ["--csv", ["email", "x@"], true],
    ["--csv --no-header", ["x@"], false],
    ["--jsonl", ['{"email":"x@"}'], false],
    ["--lines", ["x@"], false],
  ])(
    "--report with %s says that row numbers count the header only if there is one",
    async (options, rows, hasHeader) => {
      const { page } = await report(["--offline", ...options.split(" ")], rows);
      expect(page.includes("Row numbers count the header.")).toBe(hasHeader);
    },
  );

  it("--report counts duplicates in --memory, and says if they don't fit", async () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => `u${i}@web.de`);
    const repeats = [...rows, "u1@web.de", "u29999@web.de"];
    expect((await report(["--offline"], repeats)).page).toContain("2 of 30,002 rows (&lt;0.1 %) are duplicates.");
    const { status, stdout, page } = await report(["--offline", "--memory", "1"], repeats);
    expect([status, linesOf(stdout).length]).toEqual([0, 30_002]);
    expect(page).toContain("No row is disposable or invalid.");
    expect(page).toContain("Not all duplicates are found, so none is removed: --memory is full.");
  });

  it("--report lists faults as sentences, and disposable rows only if it shows addresses", async () => {
    const { page } = await report(["--offline"], ["a@mailinator.com", "b@@x.org", "c@mailinator.com", "d.@x.org"]);
    expect(page).not.toContain("First disposable rows");
    expect(page).toContain("<td>4</td><td>a dot begins or ends the local part, or follows another dot</td>");
  });

  it("--report has a chart of shares by day if the column of --by has dates", async () => {
    const rows = ["email,on", "a@gmail.com,2026-11-03", "b@gmail.com,2026-11-01", "c@mailinator.com,2026-11-01"];
    const { page } = await report(["--offline", "--csv", "--by", "on"], rows);
    expect(page).toContain("Share of rows without a usable address per day, by “<bdi>on</bdi>”");
    const ticks = Array.from(page.matchAll(/<text x="-8" [^>]*>(.*?)</g), ([, tick]) => tick);
    expect(ticks).toEqual(["60 %", "30 %", "0 %", "4", "2", "0"]);
    // A dot for each day, because the day between them has no rows.
    expect(page).toContain('<polyline points="16.67,16.7 16.67,16.7"');
    expect(page).toContain('<rect x="70.00" y="75" width="26.67" height="25"');
    const dates = Array.from(page.matchAll(/<text [^>]*>(\d\d \w+)</g), ([, date]) => date);
    expect(dates).toEqual(["01 Nov", "02 Nov", "03 Nov"]);
    expect(page).toContain("2026-11-01: 1 of 2 rows, 50.0 %<");
    expect(page).toContain("Highest share: 50.0\u00a0%, 1 of 2 rows (2026-11-01).");
    const clean = rows.map((row) => row.replace("mailinator", "gmail"));
    const { page: cleanPage } = await report(["--offline", "--csv", "--by", "on"], clean);
    expect(cleanPage).toContain("2026-11-01 to 2026-11-03. All of these rows have a usable address.");
    expect(cleanPage).toContain('<rect x="70.00" y="75" width="26.67" height="25"');
    expect(page).toContain("<td>2026-11-01</td>");
    // Dots for a few adjacent days too, then a line.
    const linesOf = async (days: number): Promise<number> => {
      const daily = Array.from({ length: days }, (_, i) => `a@gmail.com,2026-11-0${1 + i}`);
      return (
        (await report(["--offline", "--csv", "--by", "on"], ["email,on", ...daily])).page.split("<polyline").length - 1
      );
    };
    expect([await linesOf(2), await linesOf(6), await linesOf(7)]).toEqual([2, 6, 1]);
    const others = rows.map((row) => row.replace(/-11-\d+$/, "-x"));
    expect((await report(["--offline", "--csv", "--by", "on"], others)).page).not.toContain("<polyline");
  });

  it("--by counts long URLs that differ in the middle separately, and each shows its difference", async () => {
    const url = (name: string): string => {
      const source = "utm_source=newsletter&utm_medium=email&utm_term=".repeat(3);
      return `https://shop.example/landing?${source}&utm_campaign=${name}&${"gclid=0123456789abcdef&".repeat(6)}`;
    };
    const names = ["brand", "retargeting", "coupon"];
    const rows = names.flatMap((name, i) =>
      Array.from({ length: 50 }, (_, row) => `${i === 2 ? "a@yopmail.com" : `u${row}@web.de`},${url(name)}`),
    );
    const { stderr, page } = await report(["--offline", "--csv", "--by", "url", "--summary"], ["email,url", ...rows]);
    for (const name of names) expect(stderr.toString()).toMatch(new RegExp(`^  https:/\\S*=${name}&\\S* +50 `, "m"));
    for (const name of names)
      expect(page).toMatch(new RegExp(`<td>https:[^<]*=${name}&amp;[^<]*</td><td class="number">50<`));
    expect(page).toMatch(/With the url “https:[^”]*=coupon&amp;[^”]*”, 50 of 50 rows/);
  });

  it("--report: the chart and the verdict show a day with many invalid rows, but not duplicates", async () => {
    const days = Array.from({ length: 60 }, (_, i) => new Date(Date.UTC(2026, 8, 1 + i)).toISOString().slice(0, 10));
    const rows = days.flatMap((day, i) => Array.from({ length: 20 }, () => `a@web.de${i === 40 ? "@@" : ""},${day}`));
    const { page } = await report(["--offline", "--csv", "--by", "created"], ["email,created", ...rows]);
    expect(page).toContain(
      "On 2026-10-11, 20 of 20 rows (100.0 %, all invalid) have no usable address. In the other 1,180 rows, the share is 0.0 %",
    );
    expect(page).toContain("Highest share: 100.0\u00a0%, 20 of 20 rows (2026-10-11).");
  });

  it("--report omits a few rows on a day far from the others from the chart, and says how many", async () => {
    const days = Array.from({ length: 100 }, (_, i) => `a@mailinator.com,2026-11-0${1 + (i % 4)}`);
    const rows = ["email,on", ...days, "a@web.de,2026-11-09", "b@web.de,2062-01-01"];
    const { page } = await report(["--offline", "--csv", "--by", "on"], rows);
    expect(page).toContain("2026-11-01 to 2026-11-09.");
    expect(page).toContain("Not drawn: 1 row on earlier or later days.");
    expect(page).toContain("<td>2062-01-01</td>");
  });

  it("--report omits many rows without a real date from the chart, but no days before a short gap", async () => {
    const day = (i: number): string => new Date(Date.UTC(2026, 8, 1 + i)).toISOString().slice(0, 10);
    const rows = Array.from({ length: 900 }, (_, i) => `u${i}@web.de,${i < 30 ? "1970-01-01" : day(i % 90)}`);
    const { page } = await report(["--offline", "--csv", "--by", "created"], ["email,created", ...rows]);
    expect(page).toContain("2026-09-01 to 2026-11-29.");
    expect(page).toContain("Not drawn: 30 rows on earlier or later days.");
    const early = Array.from({ length: 30 }, (_, i) => `e${i}@web.de,${day(-20 * i - 1)}`);
    const { page: longPage } = await report(
      ["--offline", "--csv", "--by", "created"],
      ["email,created", ...rows.slice(30), ...early],
    );
    expect(longPage).toContain(`${day(-581)} to 2026-11-29.`);
    expect(longPage).not.toContain("Not drawn");
  });

  it("--report: the table of --by has the values that the verdict names, however rare", async () => {
    const rows = Array.from({ length: 50 }, (_, i) =>
      Array.from({ length: 20 + (i === 49 ? 0 : i) }, (_, row) => `u${row}@${i < 49 ? "web.de" : "yopmail.com"},c${i}`),
    );
    const { page } = await report(["--offline", "--csv", "--by", "s"], ["email,s", ...rows.flat()]);
    expect(page).toContain("With the s “c49”, 20 of 20 rows (100.0 %, all disposable)");
    expect(page).toContain("<td>c49</td>");
    expect(page).toContain("<summary>32 values</summary>");
  });

  it("--report lists mistyped domains that are malformed", async () => {
    const rows = ["a@gmail..com", "b@gmail..com", "c@gmail,com", "d@gmail .com", "e@gmail.con"];
    const { page } = await report(["--offline"], rows);
    expect(barsOf(page, "Probably mistyped")).toEqual([
      "gmail..com → gmail.com 2",
      "gmail .com → gmail.com 1",
      "gmail,com → gmail.com 1",
      "gmail.con → gmail.com 1",
    ]);
    expect(page).not.toContain("Not shown");
  });

  it("--report draws all rows of 2,000 days, and says which days the table leaves out", async () => {
    const rows = Array.from({ length: 2000 }, (_, i) => {
      const day = new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10);
      return Array.from({ length: 20 }, () => `${i < 1999 ? "a@web.de" : "a@yopmail.com"},${day}`);
    });
    const { page } = await report(["--offline", "--csv", "--by", "on"], ["email,on", ...rows.flat()]);
    expect(page).toContain("2020-01-01 to 2025-06-22. Highest share: 4.5\u00a0%, 20 of 440 rows (2025-06).</p>");
    expect(page).toContain("On 2025-06-22, 20 of 20 rows (100.0 %, all disposable) have no usable address.");
    expect(page).toContain("The table leaves out 1,634 values: --summary-file has all.");
    const dates = Array.from(page.matchAll(/ y="328"[^>]*>(.*?)</g), ([, date]) => date);
    expect(dates).toEqual(["2020", "2021", "2022", "2023", "2024", "2025"]);
  });

  it("--report says how many rows have one of too many values of --by", async () => {
    const day = (i: number): string => new Date(Date.UTC(1990, 0, 1 + i)).toISOString().slice(0, 10);
    const rows = Array.from({ length: 10_003 }, (_, i) => `a@web.de,${i === 5 ? "" : day(i)}`);
    const { page } = await report(["--offline", "--csv", "--by", "on"], ["email,on", ...rows]);
    expect(page).toContain("1 row without a valid date, 3 rows with other values, because there are too many.");
  });

  it("--report marks a day with few rows that exceeds the chart's scale, and says so", async () => {
    const day = (number: number): string => `2026-10-${String(number).padStart(2, "0")}`;
    const rows = Array.from({ length: 20 * 29 }, (_, i) => [
      i % 20 === 0 ? "a@yopmail.com" : "a@web.de",
      day(1 + Math.floor(i / 20)),
    ]);
    const { page } = await report(
      ["--offline", "--csv", "--by", "on"],
      ["email,on", ...rows, `a@yopmail.com,${day(30)}`].map(String),
    );
    expect(page).toContain("Highest share of days with at least 2 rows: 5.0\u00a0%, 1 of 20 rows (2026-10-01).");
    expect(page).toContain("▲ Above the scale: 1 day with few rows, up to 100.0\u00a0%.");
    expect(page).toMatch(/<text class="bad" x="98\.33%" y="33" [^>]*>▲</);
    expect(page).toContain(">10 %<");
  });

  it("--report: a day with 30 of 40 unusable rows scales the chart, however many rows another day has", async () => {
    const rows = Array.from(
      { length: 640 },
      (_, i) => `a@${i < 30 ? "yopmail.com" : "web.de"},2026-10-0${i < 40 ? 1 : 2}`,
    );
    const { page } = await report(["--offline", "--csv", "--by", "on"], ["email,on", ...rows]);
    expect(page).toContain("Highest share: 75.0\u00a0%, 30 of 40 rows (2026-10-01).");
    expect(page).not.toContain("▲");
  });

  it.each([
    [0, "day", "2026-10-03"],
    [1, "week", "week of 2026-09-28"],
    [10, "week", "week of 2026-09-28"],
    [40, "month", "2026-10"],
  ])("--report groups %d months of days by %s", async (months, unit, name) => {
    const start = new Date(Date.UTC(2026, 9 - months)).toISOString().slice(0, 10);
    const rows = ["email,on", `a@web.de,${start}`, "b@yopmail.com,2026-10-03", "c@web.de,2026-10-02", "d@web.de,none"];
    const { page } = await report(["--offline", "--csv", "--by", "on"], rows);
    expect(page).toContain(`Share of rows without a usable address per ${unit}, by`);
    expect(page).toMatch(new RegExp(`Highest share: [\\d.]+\u00a0%, 1 of \\d rows? \\(${name}\\)`));
    expect(page).toContain("Not drawn: 1 row without a valid date.");
  });

  it("--report says how many rows of a class a card leaves out", async () => {
    const { page } = await report(["--offline"], ["a@gmial.com (b%40web.de)", "b@web.de"]);
    expect(page).toContain("Not shown: 1 row.");
  });

  it("--report marks the share of rows without a usable address of each value with a bar", async () => {
    const rows = ["a@web.de,x", "b@web.de,x", "c@mailinator.com,x", "d@mailinator.com,y"].flatMap((row) => [row, row]);
    const { page } = await report(["--offline", "--csv", "--by", "s"], ["email,s", ...rows]);
    const cells = page.match(/<td class="number" style="--bar: [^<]*/g);
    expect(cells).toEqual([
      '<td class="number" style="--bar: 33.3%">2 ',
      '<td class="number" style="--bar: 100.0%">2 ',
    ]);
  });

  it("--report has no tables for a file without rows", async () => {
    const { page } = await report(["--offline", "--csv", "--by", "s"], ["email,s"]);
    expect(page).toContain(">0 rows, ");
    expect(page).not.toMatch(/<table|<h2>Classes/);
  });

  it("--report quotes the options for a shell", async () => {
    const names = ["--fields", "disposable,suggestion", "--csv", "--column", "e mail", "--column", "b", "--offline"];
    const { page } = await report(names, ["e mail,b", "a@b.org,c@d.org"]);
    const [, line = ""] = /; options: (.*?)<\/p>/.exec(page) ?? [];
    expect(line).toContain("--fields disposable,suggestion");
    expect(line).toContain("--column 'e mail' --column b");
    expect(line).not.toMatch(/'--/);
  });

  it("--report escapes addresses, headers and options", async () => {
    const hostile = '"><script>alert(1)</script>';
    const csv = `id,"${hostile.replaceAll('"', '""')} email"\n${ROWS.map((row) => `1,"${row.replaceAll('"', '""')}"`).join("\n")}\n`;
    const file = files.file("<b>&.csv", csv);
    const column = `${hostile} email`;
    const options = ["--column", column, "--report", path, "--report-addresses", "--prefix", hostile];
    await run(["detect", "--csv", file, ...options]);
    const page = readFileSync(path, "utf8");
    expect(page).toContain("&lt;script>alert(1)&lt;/script>");
    expect(page).toContain("&lt;b>&amp;.csv");
    expect(page).not.toMatch(/<script|<img|<b>&|\son\w+="|javascript:|\u202e|\u001b/i);
    expect(page).not.toMatch(/\b(?:src|href)="|url\(|@import|https?:(?!\/\/www\.w3\.org\/)/);
    expect(page).toContain("default-src 'none'; style-src 'unsafe-inline'");
  });

  it("--report shows the file of each row if there are several inputs", async () => {
    const [one, two] = [files.file("one.txt", "a@\n"), files.file("two.txt", "ok@gmail.com\nb@\n")];
    await run(["detect", "--lines", one, two, "--report", path]);
    expect(readFileSync(path, "utf8").replaceAll("<wbr/>", "")).toContain(`<td>${two}</td><td>2</td>`);
    await run(["detect", "--lines", two, files.file("good.txt", "c@web.de\n"), "--report", path]);
    expect(readFileSync(path, "utf8").replaceAll("<wbr/>", "")).toContain(`<td>${two}</td><td>2</td>`);
  });

  it("--report counts 90,000 rows correctly", async () => {
    const domains = [
      ...["gmail.com", "GoogleMail.com", "mailinator.com", "MAILINATOR.com", "joe.fastmail.com", "bücher.de"],
      ...["gmial.com", "duck.com", "harvard.edu", "@y.org", "gmail.con"],
    ];
    const rows = Array.from({ length: 90_000 }, (_, i) => `u${i}@${i % 50 === 0 ? `d${i}.example` : domains[i % 11]}`);
    const input = files.file("many.txt", `${rows.join("\n")}\nlast@@`);
    await run(["detect", "-i", input, "--report", path, "--report-addresses"]);
    const page = readFileSync(path, "utf8");
    const count = (names: RegExp): string => rows.filter((row) => names.test(row)).length.toLocaleString("en-US");
    expect(barsOf(page, "Disposable services")).toContain(`mailinator.com ${count(/@mailinator\.com$/i)}`);
    const google = `gmail.com ${count(/@(?:gmail|googlemail)\.com$/i)}`;
    expect(barsOf(page, "Consumer providers")).toEqual([google, expect.stringContaining("fastmail.com ")]);
  });

  it("--report shows the twelve most frequent values, and merges the spellings of a mistyped domain", async () => {
    const typos = ["a@gmial.com", "b@gmial.com", "c@\uff47mial.com"];
    const names =
      "012.net.il gmx.de web.de yahoo.com outlook.com icloud.com aol.com mail.ru qq.com gmx.at gmx.ch 163.com";
    const providers = `${names} gmail.com`
      .split(" ")
      .flatMap((name, i) => Array.from({ length: 14 - i }, () => `a@${name}`));
    const faults = "x a@ @b.org a..b@c.org a@b.nosuch a@b.org> a@b a@-b.org a@b..org a@b_c.org a@[1] a@b.test x@@y.org";
    const { page } = await report(["--offline"], [...typos, ...providers, ...faults.split(" ")]);
    const expected = names.split(" ").map((name, i) => `${name} ${14 - i}`);
    expect(barsOf(page, "Consumer providers")).toEqual(expected);
    expect(barsOf(page, "Why rows are invalid")).toHaveLength(12);
    expect(barsOf(page, "Probably mistyped")).toContain("gmial.com → gmail.com 3");
  });

  it("--report lists mistyped domains without the text around them", async () => {
    const rows = [
      ...["a@gmial.com", "b@gmail.con", "foo@bosch.de (Jane Roe 0171-5551234)", "Max <a@gmx.net>", "c@gmx.net>"],
      ...["jane@gmial.com (jane.roe%40gmx.net)", "d@gmial.com/jane.roe", "e f@gmail.con"],
    ];
    const { page } = await report(["--offline"], rows);
    const pairs = ["gmail.con → gmail.com 1", "gmial.com → gmail.com 1"];
    expect(barsOf(page, "Probably mistyped").toSorted()).toEqual(pairs);
    expect(page).not.toMatch(/jane|0171/i);
  });

  it("--report counts one row for a blank line, and no row for empty input", async () => {
    const { page } = await report([], []);
    expect(page).toContain(">1 row, ");
    await run(["detect", "--report", path], { stdin: "" });
    expect(readFileSync(path, "utf8")).toContain(">0 rows, ");
  });

  it.each([
    [`--report ${files.path}/none/r.html`, /can't write the report to .*there is no such file or folder/],
    ["--report -", /--report must be a file, not -/],
    [
      "--report x.PDF",
      /--report writes HTML, not \.PDF: give a name such as report\.html; a browser prints it as PDF$/m,
    ],
    [`--report ${path} ada@example.org`, /--report is for rows of a file or standard input/],
    ["--report-addresses", /--report-addresses needs --report: add --report FILE/],
  ])("detect %s is rejected", async (options, message) => expectRefused(`detect ${options}`, message));

  const outputs = ["--report", "--summary-file"];
  const readers = ["-i FILE", "-i OTHER --fields duplicate_of --known FILE", "--scan --allow-file FILE OTHER"];
  const reads = outputs.flatMap((output) => readers.map((reader) => [output, reader] as const));
  it.each(reads)("%s can't overwrite a file that %s reads, not even through a link", async (output, reader) => {
    const [file, other] = [files.file("read.txt", "ada@example.org\n"), files.file("other.txt", "bob@example.org\n")];
    const [symbolic, hard] = [join(files.path, "symbolic.txt"), join(files.path, "hard.txt")];
    for (const link of [symbolic, hard]) rmSync(link, { force: true });
    symlinkSync(file, symbolic);
    linkSync(file, hard);
    for (const name of [file, symbolic, hard]) {
      const call = `detect --offline ${reader.replace("FILE", file).replace("OTHER", other)} ${output} ${name}`;
      await expectRefused(call, "is both input and output");
    }
    expect(readFileSync(file, "utf8")).toBe("ada@example.org\n");
  });
});
