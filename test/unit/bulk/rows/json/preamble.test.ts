// Tests JSON Lines that start with blank lines: these are processed before the email key is known.

import { expect, it } from "vitest";
import { encodeUtf8 } from "../../../../../src/base/bytes/bytes.ts";
import { InputBuffer } from "../../../../../src/bulk/reader.ts";
import { JsonLinesScanner } from "../../../../../src/bulk/rows/json/lines.ts";
import { readJsonLinesPreamble } from "../../../../../src/bulk/rows/json/preamble.ts";
import type { RowSink } from "../../../../../src/bulk/rows/row.ts";

/** Creates an input whose first read returns `chunk`, and whose later reads never return. */
function open(chunk: string): InputBuffer {
  const chunks = [encodeUtf8(chunk)];
  return new InputBuffer({
    read: async (target, to) => {
      const next = chunks.shift();
      if (next === undefined) return new Promise(() => {});
      target.set(next, to);
      return next.length;
    },
    close: () => {},
  });
}

/** Returns the addresses that a scanner without a path finds, with null for a blank row. */
async function addressesOf(first: string, rest: string): Promise<(string | null)[]> {
  const options = { path: undefined, prefix: "", into: undefined };
  const { layout } = await readJsonLinesPreamble(open(first), options, false, ["normalized"], () => {});
  expect(layout.path).toBeUndefined();
  const addresses: (string | null)[] = [];
  const sink: Partial<RowSink> = {
    isFull: false,
    rowNumber: 3,
    warn: () => {},
    accept: ({ bytes, start, end, isNull }) => {
      addresses.push(isNull ? null : new TextDecoder().decode(bytes.subarray(start, end)));
      return true;
    },
  };
  const bytes = encodeUtf8(first + rest);
  new JsonLinesScanner(layout).scan(bytes, 0, bytes.length, true, sink as RowSink);
  return addresses;
}

it("blank lines before JSON Lines are emitted immediately, and the first object determines the key", async () => {
  const rows = '{"id":1,"e-mail":"ada@example.org"}\n{"e-mail":"bob@example.org"}\n';
  expect(await addressesOf("\n \t\r\n", rows)).toEqual([null, null, "ada@example.org", "bob@example.org"]);
});

it.each([
  ["x\n", "row 4 is not a JSON object"],
  ['{"id":1}\n', "no key looks like email"],
  ['{"email":"","normalized":1}\n', "already has a key"],
  [`{"a":${"[".repeat(1100)}`, "row 4 is nested deeper than"],
])("after blank lines, a first line of JSON Lines without a usable key is rejected: %j", async (line, message) => {
  await expect(addressesOf("\n", line)).rejects.toThrow(message);
});
