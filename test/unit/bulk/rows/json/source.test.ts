// Tests the conversion of JSON arrays and multi-line JSON to JSON Lines, for any formatting and chunks.

import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonLinesSource } from "../../../../../src/bulk/rows/json/source.ts";
import { anyText } from "../../../../helpers/any-text.ts";
import { chunkedSource } from "../../../../helpers/byte-source.ts";
import { sampleSize } from "../../../../helpers/sampling.ts";

/** Converts a text. Returns the lines, and a note if they differ from the text. */
async function lines(text: string, chunkSize = 64 * 1024): Promise<{ text: string; notes: string[] }> {
  const notes: string[] = [];
  const source = jsonLinesSource(chunkedSource(Buffer.from(text), chunkSize), () => notes.push("converted"));
  const target = new Uint8Array(1000);
  const parts: Buffer[] = [];
  for (;;) {
    const count = await source.read(target, 0);
    if (count === 0) return { text: Buffer.concat(parts).toString(), notes };
    parts.push(Buffer.from(target.subarray(0, count)));
  }
}

it("jsonLinesSource writes each array element or multi-line object on one line", async () => {
  const json = fc.array(fc.dictionary(anyText(), fc.jsonValue()));
  const formats = [
    (values: unknown[]) => JSON.stringify(values),
    (values: unknown[]) => `\n ${JSON.stringify(values, undefined, 2)}\r\n`,
    (values: unknown[]) => values.map((value) => `{\n${JSON.stringify(value).slice(1)}\n`).join(""),
  ];
  await fc.assert(
    fc.asyncProperty(
      json,
      fc.constantFrom(...formats),
      fc.integer({ min: 1, max: 50 }),
      async (values, write, chunkSize) => {
        const { text } = await lines(write(values), chunkSize);
        const rows = text.split("\n").filter((line) => line.trim() !== "");
        expect(rows.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(values)));
      },
    ),
    { numRuns: sampleSize(200) },
  );
});

it.each([
  ['["a@b.org", null ,"c\\"d"]', '{"email":"a@b.org"}\n{"email":null}\n{"email":"c\\"d"}\n'],
  ['[1,[2, "a@b.org"], [],true]', '1\n[2, "a@b.org"]\n[]\ntrue\n'],
  ["[]", ""],
  ['[{"a":"x\ny"}]', '{"a":"x y"}\n'],
  ['{"a":1},\n{"a":2}\n', '{"a":1}\n{"a":2}\n'],
])("jsonLinesSource converts %s to %s", async (text, expected) => {
  expect(await lines(text)).toEqual({ text: expected, notes: ["converted"] });
});

it.each(['{"a":1}\n{"a":2}', "", "\n\n", "x", '{"a":1}\nx\n{'])(
  "jsonLinesSource does not change JSON Lines or other text: %j",
  async (text) => {
    expect(await lines(text)).toEqual({ text, notes: [] });
  },
);

it("jsonLinesSource rejects truncated JSON", async () => {
  for (const text of ['[{"a":1},', '[{"a":1}', '["a', '{\n"a":[1']) {
    await expect(lines(text)).rejects.toThrow("the JSON ends in the middle: the file is cut off, get it again");
  }
});
