// Tests every output format, for addresses as arguments, on standard input and in a file.

import { describe, expect, it } from "vitest";
import { type DataFormat, FORMAT_FACTS, type FormatFacts } from "../../../src/bulk/render/format-facts.ts";
import { SCREEN_FORMATS } from "../../../src/cli/options/detect.ts";
import { ADDED, cellsOf, fieldsOf, INVALID } from "../../helpers/detections.ts";
import { expectRefused, fileScratch, linesOf, outputOf, run, runShell, scratch } from "../../helpers/run.ts";

const files = fileScratch();

const ADDRESSES = ["Info+eu@Mailinator.com", '"a,b"@example.org', "ada@duck.com", "ada.b@gmail.com", "ada@"];

/** The fields of each address. */
const EXPECTED_FIELDS = [
  fieldsOf("info@mailinator.com", { subaddressing: true, role_address: true, disposable: true }),
  fieldsOf('"a,b"@example.org'),
  fieldsOf("ada@duck.com", { relay_domain: true, relay_provider: "duckduckgo" }),
  fieldsOf("adab@gmail.com", { public_domain: true }),
  INVALID,
];
const OBJECTS = ADDRESSES.map((email, i) => JSON.stringify({ email, ...EXPECTED_FIELDS[i] }));
/** Returns the expected output with this delimiter. */
const rows = (delimiter: string): string =>
  [
    `email,${ADDED}`.replaceAll(",", delimiter),
    ...EXPECTED_FIELDS.map((fields, i) => `${ADDRESSES[i]}${delimiter}${cellsOf(fields, delimiter)}`),
    "",
  ].join("\n");

const NDJSON = `${OBJECTS.join("\n")}\n`;

const EXPECTED: Readonly<Record<DataFormat, string>> = {
  ndjson: NDJSON,
  json: `[\n${OBJECTS.join(",\n")}\n]\n`,
  csv: rows(",")
    .replaceAll('"a,b"@', '"""a,b""@')
    .replaceAll(/"""a,b""@example\.org/g, '$&"'),
  tsv: rows("\t"),
  plain: `${ADDRESSES.join("\n")}\n`,
};

describe.concurrent.each(Object.entries(EXPECTED))("--format %s", (format, expected) => {
  const lines = `${ADDRESSES.join("\n")}\n`;

  it.each([
    ["arguments", ADDRESSES, ""],
    ["standard input", [], lines],
    ["a file", ["-i", files.file(`in-${format}.txt`, lines)], ""],
  ])(`--format ${format} prints the expected bytes for %s`, async (_, args, stdin) => {
    expect(await outputOf(["detect", "--format", format, ...args], { stdin })).toBe(expected);
  });

  it(`--format ${format} prints no row for empty input`, async () => {
    const header = expected.replace(/\n.*/s, "\n");
    const empty: Readonly<Record<string, string>> = { json: "[]\n", csv: header, tsv: header };
    expect(await outputOf(["detect", "-f", format])).toBe(empty[format] ?? "");
  });
});

const NEEDS: readonly (readonly [option: string, fact: keyof FormatFacts])[] = [
  ["--fields tag,fault", "hasFields"],
  ["--explain", "hasExplain"],
  ["--scan", "hasLocations"],
  ["--part", "hasIndependentRows"],
];
const FORMATS: readonly (readonly [name: string, facts: FormatFacts])[] = Object.entries({
  ...FORMAT_FACTS,
  ...SCREEN_FORMATS,
});

describe.concurrent.each(FORMATS)("--format %s", (format, facts) => {
  it.each(NEEDS)(
    `--format ${format} accepts %s if it has the capability %s, and otherwise suggests other formats`,
    async (option, fact) => {
      const call = `detect --select valid -f ${format}`;
      const stdin = `${ADDRESSES.join("\n")}\n`;
      const [without, { status, stdout, stderr }] = [
        await run(call, { stdin }),
        await run(`${call} ${option}`, { stdin }),
      ];
      expect({ option, status, stderr: stderr.toString() }).toMatchObject(
        facts[fact] === undefined
          ? { status: 2, stderr: expect.stringContaining(`--format ${format} exclude each other: use `) }
          : { status: 0, stderr: "" },
      );
      // --part omits the header of formats with columns. Findings always have locations, and plain output never has.
      const hasSameLocations = facts.isFindings === true || format === "plain";
      const isSameOutput = option === "--part" ? facts.hasColumns !== true : option === "--scan" && hasSameLocations;
      if (status === 0) expect(stdout.equals(without.stdout)).toBe(isSameOutput);
    },
  );
});

it("every --format prints different output", async () => {
  const outputs = await Promise.all(
    FORMATS.map(async ([format]) => run(`detect --fail-on valid -f ${format}`, { stdin: "ada@duck.com\n" })),
  );
  expect(new Set(outputs.map(({ stdout }) => stdout.toString())).size).toBe(FORMATS.length);
});

it.each([
  ["arguments", ADDRESSES, ""],
  ["standard input", [], `${ADDRESSES.join("\n")}\n\n`],
  ["a file", ["--input", files.file("in.txt", ADDRESSES.join("\r\n"))], ""],
])("--format table shows each address of %s with its verdict and reason", async (_, args, stdin) => {
  const { status, stdout } = await run(["detect", "-f", "table", ...args], { stdin, env: { COLUMNS: "120" } });
  const rows = linesOf(stdout);
  expect(status).toBe(0);
  expect(rows[0]).toMatch(/^ADDRESS +VERDICT +WHY$/);
  for (const [address, verdict] of [
    ["Info+eu@Mailinator.com", /disposable, role, subaddressed +info@/],
    ['"a,b"@example.org', /reserved +protected: example\.org/],
    ["ada@duck.com", /relay duckduckgo +duck\.com \(exact\)/],
    ["ada.b@gmail.com", /public +gmail\.com \(exact\)/],
    ["ada@", /invalid +there is nothing after the @/],
  ] as const) {
    const row = rows.find((line) => line.startsWith(`${address} `));
    expect(row?.slice(address.length).trim()).toMatch(verdict);
  }
  // The canonical form follows in the next line if it differs from the address.
  const canonical = rows.filter((line) => line.startsWith("→ ")).map((line) => line.split(/ +/)[1]);
  expect(canonical).toEqual(["info@mailinator.com", "adab@gmail.com"]);
  expect(stdout.includes(0x1b)).toBe(false);
});

it.each([
  ["arguments", ADDRESSES, ""],
  ["arguments and --json", ["--json", ...ADDRESSES], ""],
  ["standard input and --json", ["--json"], ADDRESSES.join("\n")],
  ["standard input", [], ADDRESSES.join("\r\n")],
])("without a terminal, the default format is NDJSON, for %s", async (_, args, stdin) => {
  expect(await outputOf(["detect", ...args], { stdin })).toBe(NDJSON);
});

describe.concurrent("standard input", () => {
  it.each([
    ["a pipe", "cat in.txt | addrsift detect"],
    ["a redirected file", "addrsift detect < in.txt"],
    ["a named pipe", "mkfifo fifo; cat in.txt > fifo & addrsift detect -i fifo"],
  ])("detect reads rows from %s", async (_, script) => {
    const folder = scratch();
    folder.file("in.txt", `${ADDRESSES.join("\n")}\n`);
    const { status, stdout } = await runShell(script, { cwd: folder.path });
    folder.remove();
    expect({ status, stdout: stdout.toString() }).toEqual({ status: 0, stdout: NDJSON });
  });

  it("standard input is not read if addresses are given as arguments", async () => {
    const { stdout } = await run(["detect", "ada@duck.com"], { stdin: "bob@example.org\n" });
    expect(stdout.toString()).toBe(`${OBJECTS[2]}\n`);
  });
});

describe.concurrent("--spreadsheet-safe", () => {
  const formulas = ["=1+1@example.org", "+1@example.org", "-1@example.org", "ada@example.org", "@", '"=a,b"@x.org'];
  const stdin = formulas.join("\n");

  it("--spreadsheet-safe escapes formulas in CSV fields", async () => {
    const { stdout } = await run("detect -f csv --spreadsheet-safe", { stdin });
    const rows = linesOf(stdout).slice(1);
    expect(rows[0]).toMatch(/^'=1\+1@example\.org,true,'=1@example\.org,/);
    expect(rows[3]).toMatch(/^ada@example\.org,true,ada@example\.org,/);
    for (const field of rows.flatMap((row) => row.split(","))) expect(field).not.toMatch(/^[=+\-@\t\r]/);
  });

  it("--spreadsheet-safe escapes the file names of --scan", async () => {
    const diff = (name: string) => `diff --git a/x b/x\n--- a/x\n+++ b/${name}\n@@ -0,0 +1 @@\n+u@realco.com\n`;
    const call = "detect --scan --diff --offline -f csv --fields domain --spreadsheet-safe";
    for (const [name, field] of [
      ["=cmd|x", "'=cmd|x"],
      ["@a,b", `"'@a,b"`],
      ["x=1", "x=1"],
    ] as const) {
      const { stdout } = await run(call, { stdin: diff(name) });
      expect(linesOf(stdout)[1]).toBe(`${field},1,1,u@realco.com,realco.com`);
    }
  });

  it("--spreadsheet-safe is off by default, and rejected with --format tsv", async () => {
    const csv = await run("detect -f csv", { stdin });
    expect(linesOf(csv.stdout)[3]).toMatch(/^-1@example\.org,true,-1@example\.org,/);
    const line = "addrsift: --spreadsheet-safe and --format tsv exclude each other: use --format csv\n";
    await expectRefused("detect -f tsv --spreadsheet-safe", line, { stdin });
  });
});

it("fields with tabs and carriage returns do not break TSV and CSV rows", async () => {
  const stdin = "a\tb@example.org\na\rb@example.org\n";
  const rows = async (call: string): Promise<string[]> => linesOf((await run(call, { stdin })).stdout).slice(1);
  const [tabs, commas] = [cellsOf(INVALID, "\t"), cellsOf(INVALID)];
  expect(await rows("detect -ftsv")).toEqual([`a\\tb@example.org\t${tabs}`, `a\\rb@example.org\t${tabs}`]);
  expect(await rows("detect -fcsv")).toEqual([`a\tb@example.org,${commas}`, `"a\rb@example.org",${commas}`]);
});
