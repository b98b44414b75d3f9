// Escapes of JSON strings, held against JSON.parse.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unescapeString } from "../../../../../src/bulk/rows/json/object.ts";

function unescaped(content: string): string {
  const bytes = Buffer.from(`xx${content}yy`);
  const target = new Uint8Array(bytes.length);
  return Buffer.from(target.subarray(0, unescapeString(bytes, 2, bytes.length - 2, target))).toString();
}

/** Encoding makes a lone surrogate U+FFFD. */
const expected = (content: string): string => Buffer.from(JSON.parse(`"${content}"`) as string).toString();

describe("unescapeString", () => {
  it.each([
    String.raw`\ud83d\ude00`,
    String.raw`\uD800\uDC00 \udbff\udfff`,
    String.raw`\ud83d\u0041`,
    String.raw`\ud83d\ue000`,
    String.raw`\ud83d\udbff\udc00`,
    String.raw`\udbff\udbff`,
    String.raw`\udc00\ud800`,
    String.raw`\ud83d`,
    String.raw`\ud83d\n`,
    String.raw`\ud83d\\u0041`,
    String.raw`\ud83dude00`,
    String.raw`\ud7ff\ue000\u007f\u0080\u07ff\u0800\uffff`,
    String.raw`\"\\\/\b\f\n\r\t`,
    "é😀",
  ])("unescapes %s as JSON.parse does", (content) => {
    expect(unescaped(content)).toBe(expected(content));
  });

  it("unescapeString reads no byte after the end", () => {
    const bytes = Buffer.from(String.raw`\ud83d\ude00`);
    const target = new Uint8Array(bytes.length);
    expect(Buffer.from(target.subarray(0, unescapeString(bytes, 0, 6, target))).toString()).toBe("\ufffd");
  });

  it("unescapes any string as JSON.parse does", () => {
    const unit = fc.oneof(
      fc.constantFrom("\\ud83d", "\\ude00", "\\n", "\\\\", "a", "u0041", "é"),
      fc.integer({ min: 0xd700, max: 0xe0ff }).map((code) => `\\u${code.toString(16)}`),
    );
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        expect(unescaped(units.join(""))).toBe(expected(units.join("")));
      }),
    );
  });
});
