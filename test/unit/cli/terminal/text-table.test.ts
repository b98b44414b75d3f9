// Tests that tables fit the screen: no line is wider, no character is lost, and words are split only if they must be.

import { stripVTControlCharacters } from "node:util";
import { Chalk } from "chalk";
import { describe, expect, it } from "vitest";
import {
  type Cell,
  type Column,
  displayWidth,
  formatRecords,
  loadColors,
  TextTable,
  wrapLine,
} from "../../../../src/cli/terminal/text-table.ts";
import { sampleTwentieth } from "../../../helpers/sampling.ts";

const colors = await loadColors({ env: {} }, false);

const DETECTION: readonly Column[] = [
  { title: "ADDRESS", preserveSpaces: true },
  { title: "VERDICT" },
  { title: "WHY", minWidth: 30, untitled: true },
];
const RECORDS: readonly Column[] = ["ID", "NAME", "SCOPES", "STATE", "CREATED", "USED"].map((title) => ({ title }));

const TEXTS: readonly (readonly [description: string, text: string])[] = [
  ["a short address", "joe@mailinator.com"],
  ["a long address", `${"very.long.local.part".repeat(3)}@${"sub.domain.".repeat(6)}example.org`],
  ["an address with spaces", '"a  b   c"@example.org'],
  ["wide characters", `${"田中太郎".repeat(8)}@${"例え".repeat(10)}.jp`],
  ["Hangul", `${"한국어".repeat(12)}@example.kr`],
  ["emoji in sequences", `${"👩‍👩‍👧‍👦👍🏽🇩🇪❤️".repeat(9)}@example.org`],
  ["new emoji", `${"🫠🫡🪿".repeat(14)}@example.org`],
  ["combining marks", `${"e\u0301a\u0323\u0302".repeat(30)}@example.org`],
  ["Devanagari", `${"नमस्ते".repeat(12)}@example.org`],
  ["Arabic with marks", `${"مُحَمَّد".repeat(12)}@example.org`],
  ["Thai with vowels that terminals count", `${"กำลัง".repeat(20)}@example.org`],
  ["decomposed Hangul", `${"한국어".normalize("NFD").repeat(12)}@example.kr`],
  ["a mark alone", "\u0301"],
  ["nothing", ""],
  ["150 equal letters", "x".repeat(150)],
];
const WIDTHS = sampleTwentieth([40, 20, 80, 200]);
const REASON = "disposable: sub.mailinator.example (parent, corroborated) by wildcard lists and others, at 24";

/** Returns the lines of a table, without their line breaks. */
function linesOf(columns: readonly Column[], rows: readonly (readonly Cell[])[], width: number): string[] {
  const text =
    columns[0] === RECORDS[0]
      ? formatRecords(columns, rows, width, colors)
      : new TextTable(columns, width, colors).format(rows);
  expect(text.endsWith("\n")).toBe(true);
  return text.slice(0, -1).split("\n");
}

const removeSpace = (text: string): string => text.normalize().replace(/\s+/g, "");

const CLUSTERS = new Intl.Segmenter();
const WIDTHS_OF_CLUSTERS = new Map<string, number>();

/** Caches widths, because a few clusters are measured a hundred thousand times. */
function clusterWidth(cluster: string): number {
  const width = WIDTHS_OF_CLUSTERS.get(cluster) ?? displayWidth(cluster);
  WIDTHS_OF_CLUSTERS.set(cluster, width);
  return width;
}

/** Returns the text in each column and the text below the row, for a table with one row, without white space. */
function cellsOf([head = "", ...lines]: readonly string[], columns: readonly Column[]): string[] {
  const starts = columns
    .map(({ title }) => head.search(new RegExp(`(^|  )${title.split(" ")[0]}`)))
    .filter((at) => at >= 0);
  const cells = starts.map(() => "");
  let below = "";
  for (const line of lines) {
    if (/^ {2}\S/.test(line)) {
      below += line;
      continue;
    }
    let column = 0;
    for (const { segment } of CLUSTERS.segment(line)) {
      const index = starts.findLastIndex((start) => start <= column);
      cells[index] += segment;
      column += clusterWidth(segment);
    }
  }
  return [...cells, below].map(removeSpace);
}

it("a table of 60,000 records has the layout of a short one, and takes seconds, not minutes", () => {
  const rows = Array.from({ length: 60_000 }, (_, i) => [
    [`d${String(i).padStart(5, "0")}.example`],
    ["deny"],
    ["kim"],
  ]);
  const columns = RECORDS.slice(0, 3);
  expect(linesOf(columns, rows, 80).slice(0, 21)).toEqual(linesOf(columns, rows.slice(0, 20), 80));
});

describe.each(WIDTHS)("at %i columns", (width) => {
  it.each(TEXTS)("a table of detections fits the width of the screen and loses no text: %s", (_, text) => {
    const lines = linesOf(DETECTION, [[[text, `→ ${text}`], ["disposable, role, tag"], [REASON]]], width);
    for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(width);
    const all = cellsOf(lines, DETECTION);
    expect(all[0]).toBe(removeSpace(`${text}→ ${text}`));
    expect(all.slice(1).join("")).toContain(removeSpace(REASON));
    expect(lines.join("")).not.toContain("…");
  });

  it.each(TEXTS)("a table of records shows every field, in its column or below its row: %s", (_, text) => {
    const row = [
      ["key_4mXb0Qz1LrT9sUwA"],
      [text],
      ["emails:detect", "notifications:create"],
      ["active"],
      ["2026-11-22 05:00"],
      ["never"],
    ];
    const lines = linesOf(RECORDS, [row], width);
    for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(width);
    const all = cellsOf(lines, RECORDS);
    const below = all.at(-1) as string;
    for (const [i, cell] of row.entries()) {
      if (i < all.length - 1) expect(all[i]).toBe(removeSpace(cell.join("")));
      else expect(below).toContain(removeSpace(cell.join(", ")));
    }
  });

  it("wrapLine keeps the words of a line and its margin, and fits it to the width of the screen", () => {
    const text =
      `mailinator.com: disposable by mailinator.com (exact, confirmed) from ${"a list of domains, ".repeat(6)}`.trim();
    const lines = wrapLine(`   ${text}`, width).split("\n");
    expect(lines[0]).toMatch(/^ {3}m/);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    expect(lines.map((line) => line.trim()).join(" ")).toBe(text);
  });
});

const row = [
  ["jane.doe+news@gmail.com", "→ janedoe@gmail.com"],
  ["public, tag"],
  ["public: gmail.com (exact)", 'tag "news"'],
];

it("the columns of a table are side by side if there is room", () => {
  expect(linesOf(DETECTION, [row], 80)).toEqual([
    "ADDRESS                  VERDICT      WHY",
    "jane.doe+news@gmail.com  public, tag  public: gmail.com (exact)",
    '→ janedoe@gmail.com                   tag "news"',
  ]);
});

it("table columns for which there is no room are printed below their row", () => {
  const reasons = ["disposable: mailinator.com (exact, confirmed)", 'tag "news"'];
  const row = [["jane+news@mailinator.com", "→ jane@mailinator.com"], ["disposable, tag"], reasons];
  const lines = ["jane+news@mailinator.com  disposable, tag", "→ jane@mailinator.com"];
  const below = reasons.map((reason) => `  ${reason}`);
  expect(linesOf(DETECTION, [row, row], 60)).toEqual([
    "ADDRESS                   VERDICT",
    ...[...lines, ...below],
    ...[...lines, ...below],
  ]);
});

it.each([40, 80])("at %i columns, later table rows are aligned with the first, with room for longer texts", (width) => {
  const table = new TextTable(
    [{ title: "ADDRESS", preserveSpaces: true, preferredWidth: 30 }, { title: "VERDICT" }],
    width,
    colors,
  );
  const batches = [
    [[["a@b.example"], ["ok"]]],
    [
      [["jane.doe+news@a.domain.example"], ["invalid"]],
      [["例え@例え.example", "→ x"], ["a verdict of many words"]],
    ],
  ];
  const lines = batches
    .map((batch) => table.format(batch, true))
    .join("")
    .trimEnd()
    .split("\n");
  expect(lines.slice(0, 5)).toEqual([
    "ADDRESS                         VERDICT",
    "a@b.example                     ok",
    "jane.doe+news@a.domain.example  invalid",
    "例え@例え.example               a",
    "→ x                             verdict",
  ]);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
});

it("an address that is too long for its table column breaks before its @", () => {
  const address = "someone.with.a.long.name@department.example.org";
  expect(linesOf(DETECTION, [[[address], ["ok"], []]], 40).slice(1)).toEqual([
    "someone.with.a.long.name    ok",
    "@department.example.org",
  ]);
});

it("a table does not break a word that fits on a line", () => {
  for (const width of [60, 80, 120]) {
    const words = linesOf(DETECTION, [[["joe@mailinator.com"], ["disposable"], [REASON]]], width).flatMap((line) =>
      line.split(/ +/),
    );
    expect(words).toEqual(expect.arrayContaining(REASON.split(" ")));
  }
});

it("a color in a wrapped table cell ends with each line and starts again on the next", () => {
  const colors = new Chalk({ level: 1 });
  const text = `${colors.red("disposable")}, ${colors.yellow("did you mean someone@a.long.domain.example?")}`;
  const lines = new TextTable([{ title: "WHY" }], 24, colors)
    .format([[[text]]])
    .trimEnd()
    .split("\n");
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) expect(line).toMatch(/^(?:[^\x1b]*\x1b\[\d+m[^\x1b]*\x1b\[(?:39|22)m)+$/);
  expect(stripVTControlCharacters(lines.slice(1).join(" "))).toBe(
    "disposable, did you mean someone @a.long.domain.example?",
  );
});

it("a wrapped address keeps its spaces", () => {
  const address = `"${"a ".repeat(30)}"@b.example`;
  const lines = linesOf([{ title: "ADDRESS", preserveSpaces: true }], [[[address]]], 40).slice(1);
  expect(lines.join("")).toBe(address);
});
