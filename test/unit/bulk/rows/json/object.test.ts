// Tests that the scan of a JSON object agrees with JSON.parse on what is an object, and on the value at a path.

import fc from "fast-check";
import { expect, it } from "vitest";
import { ObjectScan, unescapeString } from "../../../../../src/bulk/rows/json/object.ts";
import { sampleSize } from "../../../../helpers/sampling.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** Scans a line. Returns the value at the path, as JSON.parse would return it. */
function scanValue(line: string, path: readonly string[]): unknown {
  // The bytes after the line would continue it.
  const bytes = bytesOf(`${line}","}]}0`);
  const end = bytesOf(line).length;
  const scan = new ObjectScan(path, []);
  if (!scan.scan(bytes, 0, end)) return "no object";
  if (scan.kind === "missing") return undefined;
  const value = bytes.subarray(scan.valueStart, scan.valueEnd);
  if (scan.kind !== "string") return JSON.parse(textOf(value));
  if (!scan.isEscaped) return textOf(value);
  const unescaped = new Uint8Array(value.length);
  return textOf(unescaped.subarray(0, unescapeString(bytes, scan.valueStart, scan.valueEnd, unescaped)));
}

/** Parses a line with JSON.parse. Returns the value at the path. */
function parseValue(line: string, path: readonly string[]): unknown {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "no object";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "no object";
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key) || key === "length") return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === "string" ? textOf(bytesOf(value)) : value;
}

const LINES = [
  "{}",
  " { } ",
  '{"email":"a@b.org"}',
  '{"email" : "a@b.org" , "x":1}\r',
  '{"email":"a","email":"b"}',
  '{"email":"a","email":null}',
  '{"email":{"email":"a"}}',
  '{"email":["a"]}',
  '{"user":{"email":"a"},"user":1}',
  '{"user":{"email":"a","email":"b"}}',
  '{"user":[{"email":"a"}]}',
  '{"\\u0065mail":"a"}',
  '{"email":"\\u0000\\n\\"\\\\\\/\\b\\f\\r\\t\\ud83d\\ude00\\ud83d x \\ude00\\u00e9\\u20ac"}',
  '{"email":"é€😀"}',
  '{"a":[[],{},[{"b":[1,-0.5e+3,true,false,null]}]],"email":"z"}',
  '{"email":""}',
  '{"email":-0}',
  "",
  "null",
  "[]",
  '"email"',
  "{",
  "}",
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  "{,}",
  '{"a":1}}',
  '{"a":1} x',
  '{"a":01}',
  '{"a":1.}',
  '{"a":.5}',
  '{"a":1e}',
  '{"a":+1}',
  '{"a":NaN}',
  '{"a":tru}',
  '{"a":truex}',
  "{'a':1}",
  '{"a":"\\x"}',
  '{"a":"\\u12g4"}',
  '{"a":"\\u12',
  '{"a":"\\',
  '{"a":"\t"}',
  '{"a":[1,2}',
  '{"a":{"b":1]}',
  '{"a":[1,]}',
  '{"a":[,1]}',
  '{"a":1 "b":2}',
  '\ufeff{"a":1}',
  `{"a":${"[".repeat(300)}${"]".repeat(300)}}`,
  `{"a":${"[".repeat(300)}${"]".repeat(299)}}`,
];
const PATHS = [["email"], ["user", "email"], ["user", "0", "email"], ["email", "0"], ["a", "2", "0", "b", "1"]];

it.each(LINES.map((line) => [line]))("ObjectScan finds the same values as JSON.parse in %j", (line) => {
  for (const path of PATHS) expect(scanValue(line, path), path.join(".")).toEqual(parseValue(line, path));
});

const key = fc.constantFrom("email", "user", "0", "1", "x", 'q"\\', "é");
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "grapheme" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false, "", "a@b.org"),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(key, tie("any"), { maxKeys: 4 }),
  ),
})).any;

it("ObjectScan finds the same value as JSON.parse in any object, at any path", () => {
  const path = fc.array(key, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.dictionary(key, value), path, fc.nat(3), (object, keys, indent) => {
      const line = JSON.stringify(object, null, indent).replaceAll("\n", " ");
      expect(scanValue(line, keys)).toEqual(parseValue(line, keys));
    }),
    { numRuns: sampleSize(500) },
  );
});

it("ObjectScan agrees with JSON.parse on objects with one character added or removed", () => {
  fc.assert(
    fc.property(
      fc.dictionary(key, value),
      fc.nat(),
      fc.constantFrom(...'"\\{}[],:0.-e tn\u0001x'),
      (object, at, char) => {
        const line = JSON.stringify(object);
        const index = at % (line.length + 1);
        for (const damaged of [
          line.slice(0, index) + char + line.slice(index),
          line.slice(0, index) + line.slice(index + 1),
        ]) {
          const line = textOf(bytesOf(damaged));
          expect(scanValue(line, ["email"])).toEqual(parseValue(line, ["email"]));
        }
      },
    ),
    { numRuns: sampleSize(700) },
  );
});

it.each([
  ['{"a":1}', false],
  ['{"disposable":1}', true],
  ['{"x":{"disposable":1}}', false],
  ['{"disposabl\\u0065":1}', true],
  ['{"x":"disposable"}', false],
])("ObjectScan sets hasTakenKey for %s to %s", (line, taken) => {
  const scan = new ObjectScan(["email"], ["disposable", "normalized"]);
  expect(scan.scan(bytesOf(line), 0, line.length)).toBe(true);
  expect(scan.hasTakenKey).toBe(taken);
});

it("unescapeString unescapes any string like JSON.parse, and reads no byte after its end", () => {
  const unit = fc.oneof(
    fc.constantFrom("\\ud83d", "\\uDE00", "\\n", "\\\\", "\\/", '\\"', "a", "u0041", "é😀"),
    fc.integer({ min: 0xd700, max: 0xe0ff }).map((code) => `\\u${code.toString(16)}`),
  );
  fc.assert(
    fc.property(fc.array(unit), (units) => {
      const content = bytesOf(units.join(""));
      const target = new Uint8Array(content.length);
      const bytes = Buffer.concat([content, Buffer.from("\\ude00")]);
      const length = unescapeString(bytes, 0, content.length, target);
      // Encoding turns a lone surrogate into U+FFFD.
      expect(textOf(target.subarray(0, length))).toBe(textOf(bytesOf(JSON.parse(`"${units.join("")}"`))));
    }),
    { numRuns: sampleSize(500) },
  );
});
