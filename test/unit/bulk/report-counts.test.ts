// Tests what the report hides without --report-addresses.

import fc from "fast-check";
import { expect, it } from "vitest";
import { redactAddresses } from "../../../src/bulk/report-counts.ts";
import { sampleSize } from "../../helpers/sampling.ts";

const hex = (char: string, digits: number): string => char.charCodeAt(0).toString(16).padStart(digits, "0");
/** Ways to write a character: as it is, and in URLs, HTML, mail and source code. */
const ESCAPES: readonly ((char: string) => string)[] = [
  (char) => char,
  (char) => `%${hex(char, 2)}`,
  (char) => `%25${hex(char, 2).toUpperCase()}`,
  (char) => `=${hex(char, 2).toUpperCase()}`,
  (char) => `&#${char.charCodeAt(0)};`,
  (char) => `&#x${hex(char, 4)};`,
  (char) => `&amp;#0${char.charCodeAt(0)};`,
  (char) => `\\u${hex(char, 4)}`,
  (char) => `\\\\u${hex(char, 4)}`,
  (char) => `\\u{${hex(char, 2)}}`,
  (char) => `\\x${hex(char, 2)}`,
];
const AT_SIGNS = [...ESCAPES.map((write) => write("@")), "&commat;", "\\@", "\uff20", "\ufe6b"];

it("redactAddresses() hides the local part, however its @ and its characters are escaped", () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z]{0,3}[./+'"=]?$/),
      fc.constantFrom("", " ", "Jane <", "mailto:", "data/", "'", "a@b.org, "),
      fc.infiniteStream(fc.constantFrom(...ESCAPES)),
      fc.constantFrom(...AT_SIGNS),
      (first, before, escapes, at) => {
        const local = Array.from(first, (char) => (escapes.next().value as (char: string) => string)(char)).join("");
        expect(redactAddresses(`${before}${local}secret${at}web.de>`)).toBe("…@web.de>");
      },
    ),
    { numRuns: sampleSize(20_000) },
  );
});

it.each([
  ["https://a.example/x?to=jane%40web.de&y=1", "https://a.example/…@web.de&y=1"],
  ["https://jane@a.example/", "…@a.example/"],
  ["https://jane%2Edoe:secret%40x.de%40a.example/?to=b%40c.de", "…@c.de"],
  ["jane https://a.example/@b", "…@b"],
])("redactAddresses() keeps only the host of a URL before an @: %j becomes %j", (text, expected) => {
  expect(redactAddresses(text)).toBe(expected);
});

it.each(["2026-11-01", "R&D", "data/100%25.csv", "a=b", "C:\\new\\x.csv", ""])("redactAddresses() keeps %j", (text) => {
  expect(redactAddresses(text)).toBe(text);
});

it("redactAddresses() returns only an ellipsis for a text longer than any path", () => {
  expect(redactAddresses(`${"jane".repeat(2000)}%2540web.de`)).toBe("…");
});
