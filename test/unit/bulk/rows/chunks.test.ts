// Tests that the rows of an input don't depend on how it is split into chunks, or where the sink pauses.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AllowList } from "../../../../src/bulk/rows/allow-list.ts";
import { CsvScanner } from "../../../../src/bulk/rows/csv.ts";
import { JsonLinesScanner } from "../../../../src/bulk/rows/json/lines.ts";
import { LineScanner } from "../../../../src/bulk/rows/lines.ts";
import type { Scanner } from "../../../../src/bulk/rows/row.ts";
import { TextScanner } from "../../../../src/bulk/rows/scan.ts";
import { TsvScanner } from "../../../../src/bulk/rows/tsv.ts";
import { lists } from "../../../helpers/classify.ts";
import { type ScanOptions, scanRows } from "../../../helpers/rows-of.ts";
import { sampleSize } from "../../../helpers/sampling.ts";

const allowList = new AllowList("joe@example.org");
const columns = { column: 1, width: 2, additionalColumns: [0] };
const email = { path: ["e"], additionalColumns: [["a", "e"]], prefix: "", into: undefined, added: ["normalized"] };
const HUNK = "--- a\n+++ b\n@@ -1,2 +1,5 @@\n+jane@example.org\n";
const LONG = "x".repeat(70_000);

const split = (text: string): string[] => text.split("|");

/** For each layout: its scanner, the parts of generated inputs, and inputs that generation rarely finds. */
const LAYOUTS: Readonly<Record<string, readonly [() => Scanner, readonly string[], readonly (readonly string[])[]]>> = {
  lines: [() => new LineScanner(false), split('\n|\r\n|\r| |a|jane@example.org|\xff|"|\0'), []],
  "long lines": [
    () => new LineScanner(true),
    [...split("\n|\r\n|\r| |jane@example.org|\xff|\xe6\xbc\xa2"), " ".repeat(65_530), LONG],
    [[" ".repeat(65_534), "\xe6\xbc\xa2\n", "jane@example.org", " ".repeat(70_000), "x\r\n"]],
  ],
  CSV: [
    () => new CsvScanner({ delimiter: 0x2c, ...columns }),
    split('"|""|,"|",|,|\n|\r\n|\r|a|jane@example.org|\xff| '),
    [['a,"b""\n', "c@example.org\n", 'd"\n']],
  ],
  TSV: [() => new TsvScanner(columns), split("\t|\\t|\\|\\N|\n|\r\n|\r|a|jane@example.org|\xff| "), []],
  "JSON Lines": [
    () => new JsonLinesScanner(email),
    split('{"e":"jane@example.org"}|{"e":"\\u0061"|,"a":|{"e":1}|}|\n|\r\n|\r|"|\\|\xff|{}'),
    [],
  ],
  text: [
    () => new TextScanner({ isDiff: false, allowList }, lists),
    split('jane@example.org|joe@example.org|@|\xc3\xa4|\xff|\n|\r\n|\0|<|>|"|\\n|\t|References: |addrsift: allow| '),
    [],
  ],
  "a long text": [
    () => new TextScanner({ isDiff: false, allowList }, lists),
    [...split('jane@example.org|@|\xc3\xa4|\n|<|> <|"|References: |addrsift: allow|\t| '), LONG, LONG],
    [
      ["References: ", LONG, " ", "jane@example.org"],
      [LONG, " \xc3\xa4 jane@example.org".repeat(300), "\n", "jane@example.org"],
      [LONG, " message_id: ", "<jane@example.org> ".repeat(300)],
      [LONG, " addrsift: allow ", "jane@example.org ".repeat(300)],
    ],
  ],
  "a diff": [
    () => new TextScanner({ isDiff: true, allowList }, lists),
    [
      ...split("\n|\n+|\n-|\n |\n\\|+|-|\r\n|\r|\0|\t|jane@example.org|@|References: <|> <|\xc3\xa4|addrsift: allow"),
      ...split(
        `${HUNK}|\n@@ -1 +1 @@\n|commit ${"1".repeat(40)}\nAuthor: <jane@example.org>\n\n    |diff --git a/x b/x\n`,
      ),
    ],
    [],
  ],
  "a long diff": [
    () => new TextScanner({ isDiff: true, allowList }, lists),
    [...split("\n+|\n |\0|> <|jane@example.org|@|References: <|addrsift: allow"), LONG, LONG],
    [
      ["+", LONG, LONG, "\0 jane@example.org\n", "+jane@example.org"],
      ["\n+", "jane@example.org", "References: <", LONG, "\0"],
      ["+", LONG, " jane@example.org \0 jane@example.org\n", "+jane@example.org"],
    ],
  ],
};

/** Returns ways to split an input: at each index, and into single bytes; a long input into chunks of about `size`. */
function splitsOf(length: number, size: number): ScanOptions[] {
  if (length > 400) return [size, length - size].map((first) => ({ chunks: [first, Math.max(size, length >> 8)] }));
  const cuts = Array.from({ length: Math.max(0, length - 1) }, (_, i) => ({ chunks: [i + 1, length] }));
  return [...cuts, { chunks: [1] }, { chunks: [1, 2, 3, 2], pauses: true }];
}

describe.each(Object.entries(LAYOUTS))("%s", (name, [scanner, parts, examples]) => {
  it(`rows do not depend on chunk boundaries or pauses of the sink: ${name}`, () => {
    const preamble = name.endsWith("diff") ? HUNK : "";
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...parts), { maxLength: 24 }),
        fc.integer({ min: 1, max: 5000 }),
        (list, size) => {
          const input = Buffer.from(preamble + list.join(""), "latin1");
          const rows = (splitting?: ScanOptions): string => {
            const { error, ...result } = scanRows(scanner(), input, splitting);
            return JSON.stringify([result, error?.message]);
          };
          const whole = rows();
          for (const splitting of splitsOf(input.length, size))
            expect(rows(splitting), JSON.stringify(splitting)).toBe(whole);
          expect(rows({ pauses: true })).toBe(whole);
        },
      ),
      { numRuns: sampleSize(400), examples: examples.map((list) => [[...list], 4999]) },
    );
  });
});
