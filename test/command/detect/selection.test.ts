// Tests the selection of rows and the exit status: --select, --reject, --fail-on, --min-confidence.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { cellsOf, INVALID } from "../../helpers/detections.ts";
import { linesOf, objectsOf, outputOf, run } from "../../helpers/run.ts";

const ROWS: Readonly<Record<string, string>> = {
  ordinary: "ada@example.org",
  tagged: "ada+x@example.org",
  role: "info@example.org",
  public: "ada@gmail.com",
  relay: "ada@duck.com",
  disposable: "ada@mailinator.com",
  mixed: "info+x@mailinator.com",
  special: "ada@host.test",
  invalid: "ada@",
  blank: "",
};
const NAMES = Object.keys(ROWS);
const NOT_BLANK = Object.values(ROWS).filter((row) => row !== "");
const INPUT = `${Object.values(ROWS).join("\n")}\n`;
const without = (...names: string[]): string[] => NAMES.filter((name) => !names.includes(name));

const SELECTIONS: readonly (readonly [string, readonly string[]])[] = [
  ["--select valid", without("special", "invalid", "blank")],
  ["--select invalid", ["special", "invalid"]],
  ["--select reserved", ["ordinary", "tagged", "role", "special"]],
  ["--reject reserved", without("ordinary", "tagged", "role", "special")],
  ["--select invalid --reject reserved", ["invalid"]],
  ["--select blank", ["blank"]],
  ["--select disposable", ["disposable", "mixed"]],
  ["--select relay,public", ["public", "relay"]],
  ["--select role --select subaddressed", ["tagged", "role", "mixed"]],
  ["--reject valid", ["special", "invalid", "blank"]],
  ["--reject blank,disposable", without("blank", "disposable", "mixed")],
  ["--select disposable --reject role", ["disposable"]],
  ["--reject disposable --select disposable,relay", ["relay"]],
];

it.each(SELECTIONS)("%s prints the rows of the selected classes", async (options, names) => {
  const output = await outputOf(`detect -f plain ${options}`, { stdin: INPUT });
  expect(linesOf(output)).toEqual(names.map((name) => ROWS[name]));
});

it("--select prints valid JSON, CSV and tables", async () => {
  const selectedRows = (format: string): Promise<string> =>
    outputOf(`detect --select invalid,relay --reject relay --format ${format}`, { stdin: INPUT });
  const objects = ["ada@host.test", "ada@"].map((email) => ({ email, syntax_validation: false }));
  expect(JSON.parse(await selectedRows("json"))).toEqual(objects);
  expect(await outputOf("detect --select role --reject role --format json", { stdin: INPUT })).toBe("[]\n");
  const cells = cellsOf(INVALID);
  expect((await selectedRows("csv")).split("\n").slice(1)).toEqual([`ada@host.test,${cells}`, `ada@,${cells}`, ""]);
  expect(linesOf(await selectedRows("table")).filter((line) => !line.startsWith(" "))).toEqual([
    expect.stringMatching(/^ADDRESS/),
    expect.stringMatching(/^ada@host.test +invalid/),
    expect.stringMatching(/^ada@ +invalid +there is nothing after the @/),
  ]);
});

it("--reject drops addresses given as arguments", async () => {
  const { status, stdout } = await run(["detect", "--reject", "invalid", "ada@", "ada@example.org"]);
  expect(status).toBe(0);
  expect(objectsOf(stdout)).toMatchObject([{ email: "ada@example.org" }]);
});

const classes = ["valid", "invalid", "disposable", "relay", "public", "role", "subaddressed", "reserved"];

it.each(classes)("--fail-on %s exits with 1 if a row has that class", async (name) => {
  const { status, stdout, stderr } = await run(["detect", "--fail-on", name, "-fplain", ...NOT_BLANK]);
  expect(status).toBe(1);
  expect(stderr.toString()).toMatch(/^addrsift: [1-7] rows? of 9 (?:is|are) [a-z]+ \(rows? [^\n]+\)\n$/);
  expect(linesOf(stdout)).toEqual(NOT_BLANK);
});

it("--fail-on blank exits with 1 if there is a blank line", async () => {
  const { status, stdout } = await run(["detect", "--fail-on", "blank", "-fplain"], { stdin: INPUT });
  expect(status).toBe(1);
  expect(stdout.toString()).toBe(INPUT);
});

it.each([
  ["reserved", "ada@example.org.uk\nada@example.de\nada@testing\n"],
  ["relay,disposable,invalid", "ada@example.org\n\ninfo+x@gmail.com\n"],
  ["invalid", "\n \n\r\n"],
  ["blank", "ada@\n"],
  ["valid,invalid,blank", ""],
])("--fail-on %s exits with 0 if no row has such a class", async (list, stdin) => {
  const { status } = await run(["detect", "--fail-on", list], { stdin });
  expect(status).toBe(0);
});

it("--fail-on counts rows that --select and --reject drop", async () => {
  const rejected = await run("detect --fail-on relay --reject relay,valid,invalid,blank", { stdin: INPUT });
  expect([rejected.status, rejected.stdout.toString()]).toEqual([1, ""]);
  const selected = await run("detect --fail-on public,invalid --fail-on role --select blank", { stdin: INPUT });
  expect([selected.status, linesOf(selected.stdout).length]).toEqual([1, 1]);
});

// An address at a domain of the shipped lists for each confidence.
const text = readFileSync(new URL("../../../data/disposable.txt", import.meta.url), "utf8");
const [legacy, single] = ["legacy", "single"].map(
  (level) => `ada@${new RegExp(`^(\\S+)\\t\\w+\\t${level}\\b`, "m").exec(text)?.[1]}`,
);

it("--min-confidence defaults to single, and applies to addresses given as arguments", async () => {
  const withLegacy = await run(`detect ${legacy} --min-confidence=legacy`);
  expect(objectsOf(withLegacy.stdout)).toMatchObject([{ disposable: true }]);
  const byDefault = await run(`detect ${legacy} ${single} --offline --explain`);
  expect(objectsOf(byDefault.stdout)).toMatchObject([
    { disposable: false, explain: { matches: [{ flag: "disposable", confidence: "legacy", counted: false }] } },
    { disposable: true },
  ]);
});
