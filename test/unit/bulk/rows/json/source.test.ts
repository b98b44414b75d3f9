// Tests the conversion of JSON arrays and multi-line JSON to JSON Lines, for any formatting and chunks.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonLinesSource } from "../../../../../src/bulk/rows/json/source.ts";
import { anyText } from "../../../../helpers/any-text.ts";
import { chunkedSource } from "../../../../helpers/byte-source.ts";
import { sampleSize } from "../../../../helpers/sampling.ts";

/** All that a source returns for this text, and its notes. */
async function lines(text: string, pieces = 64 * 1024): Promise<{ text: string; told: string[] }> {
  const told: string[] = [];
  const source = jsonLinesSource(chunkedSource(Buffer.from(text), pieces), () => told.push("converted"));
  const target = new Uint8Array(1000);
  const parts: Buffer[] = [];
  for (;;) {
    const count = await source.read(target, 0);
    if (count === 0) return { text: Buffer.concat(parts).toString(), told };
    parts.push(Buffer.from(target.subarray(0, count)));
  }
}

describe("jsonLinesSource", () => {
  it("converts array elements and multi-line objects to lines", async () => {
    const json = fc.array(fc.dictionary(anyText(), fc.jsonValue()));
    const writings = [
      (values: unknown[]) => JSON.stringify(values),
      (values: unknown[]) => `\n ${JSON.stringify(values, undefined, 2)}\r\n`,
      (values: unknown[]) => values.map((value) => `{\n${JSON.stringify(value).slice(1)}\n`).join(""),
    ];
    await fc.assert(
      fc.asyncProperty(
        json,
        fc.constantFrom(...writings),
        fc.integer({ min: 1, max: 50 }),
        async (values, write, pieces) => {
          const { text } = await lines(write(values), pieces);
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
  ])("converts %s to %s", async (text, wanted) => {
    expect(await lines(text)).toEqual({ text: wanted, told: ["converted"] });
  });

  it.each(['{"a":1}\n{"a":2}', "", "\n\n", "x", '{"a":1}\nx\n{'])(
    "passes JSON Lines and other text through: %j",
    async (text) => {
      expect(await lines(text)).toEqual({ text, told: [] });
    },
  );

  it("rejects truncated JSON", async () => {
    for (const text of ['[{"a":1},', '[{"a":1}', '["a', '{\n"a":[1']) {
      await expect(lines(text)).rejects.toThrow("the JSON ends in the middle: the file is cut off, get it again");
    }
  });
});
