// Tests JSON Lines that start with blank lines: their rows are answered before the email key is known.

import { describe, expect, it } from "vitest";
import { encodeUtf8 } from "../../../../../src/base/bytes/bytes.ts";
import { InputBuffer } from "../../../../../src/bulk/reader.ts";
import { JsonLinesScanner } from "../../../../../src/bulk/rows/json/lines.ts";
import { readJsonLinesPreamble } from "../../../../../src/bulk/rows/json/preamble.ts";
import type { RowSink } from "../../../../../src/bulk/rows/row.ts";

/** An input that has one piece, and then nothing for ever. */
function open(piece: string): InputBuffer {
  const pieces = [encodeUtf8(piece)];
  return new InputBuffer({
    read: async (target, to) => {
      const next = pieces.shift();
      if (next === undefined) return new Promise(() => {});
      target.set(next, to);
      return next.length;
    },
    close: () => {},
  });
}

/** The addresses that a scanner without a path finds, null for a blank row. */
async function addressesOf(first: string, then: string): Promise<(string | null)[]> {
  const choice = { path: undefined, prefix: "", into: undefined };
  const { layout } = await readJsonLinesPreamble(open(first), choice, false, ["normalized"], () => {});
  expect(layout.path).toBeUndefined();
  const found: (string | null)[] = [];
  const sink: Partial<RowSink> = {
    isFull: false,
    rowNumber: 3,
    warn: () => {},
    accept: ({ bytes, start, end, isNull }) => {
      found.push(isNull ? null : new TextDecoder().decode(bytes.subarray(start, end)));
      return true;
    },
  };
  const bytes = encodeUtf8(first + then);
  new JsonLinesScanner(layout).scan(bytes, 0, bytes.length, true, sink as RowSink);
  return found;
}

describe("JSON Lines that begin with blank lines", () => {
  it("emits leading blank lines immediately, and uses the key of the first object", async () => {
    const rows = '{"id":1,"e-mail":"ada@example.org"}\n{"e-mail":"bob@example.org"}\n';
    expect(await addressesOf("\n \t\r\n", rows)).toEqual([null, null, "ada@example.org", "bob@example.org"]);
  });

  it.each([
    ["x\n", "row 4 is not a JSON object"],
    ['{"id":1}\n', "no key looks like email"],
    ['{"email":"","normalized":1}\n', "already has a key"],
    [`{"a":${"[".repeat(1100)}`, "row 4 is nested deeper than"],
  ])("rejects a first object after blank lines without a usable key: %j", async (line, why) => {
    await expect(addressesOf("\n", line)).rejects.toThrow(why);
  });
});
