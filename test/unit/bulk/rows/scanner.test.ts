// Tests CSV records and TSV rows, and their fields. chunks.test.ts tests how they are split into chunks.

import fc from "fast-check";
import { expect, it } from "vitest";
import { CsvScanner, hasBareCr, parseFields } from "../../../../src/bulk/rows/csv.ts";
import { JsonLinesScanner } from "../../../../src/bulk/rows/json/lines.ts";
import { MAX_RECORD_BYTES, type Scanner } from "../../../../src/bulk/rows/row.ts";
import { parseTsvFields, TsvScanner } from "../../../../src/bulk/rows/tsv.ts";
import { scanRows } from "../../../helpers/rows-of.ts";
import { sampleSize } from "../../../helpers/sampling.ts";

const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");
const csv = (column: number, width: number): Scanner => new CsvScanner({ delimiter: 0x2c, column, width });

/** Returns the first address of each row. */
const addressesOf = (scanner: Scanner, text: string): (string | null | undefined)[] =>
  scanRows(scanner, bytesOf(text)).rows.map(({ addresses }) => addresses[0]);

/** Reference implementation: splits a text into records, whose fields keep their quotes. Undefined for an open quote. */
function splitRecords(text: string, delimiter: string): { fields: string[]; crlf: boolean }[] | undefined {
  const records: { fields: string[]; crlf: boolean }[] = [];
  for (let at = 0; at < text.length; ) {
    const fields: string[] = [];
    for (;;) {
      const quoted = /^"(?:[^"]|"")*"(?!")/.exec(text.slice(at))?.[0];
      if (quoted === undefined && text[at] === '"') return undefined;
      let end = at + (quoted ?? "").length;
      while (end < text.length && text[end] !== delimiter && text[end] !== "\n") end += 1;
      fields.push(text.slice(at, end));
      at = end + 1;
      if (text[end] !== delimiter) break;
    }
    const crlf = text[at - 1] === "\n" && (fields.at(-1) as string).endsWith("\r");
    if (crlf) fields.push((fields.pop() as string).slice(0, -1));
    records.push({ fields, crlf });
  }
  return records;
}

const trim = (text: string): string => text.replace(/^[\t-\r ]+|[\t-\r ]+$/g, "");
const unquoted = (text: string): string =>
  text.startsWith('"') ? text.replace(/^"|"$/g, "").replaceAll('""', '"') : text;

// Generated RFC 4180 files: the content of each field, and the text of the file.
const field = fc
  .array(fc.constantFrom(...'a|ada@example.org|"|,|;|\t|\r|\n| |\xe9|\xff|'.split("|")), { maxLength: 4 })
  .map((parts) => parts.join(""));
const formatField = (text: string, delimiter: string): string =>
  /["\r\n ]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
const record = fc.tuple(fc.array(field, { minLength: 1, maxLength: 5 }), fc.constantFrom("\n", "\r\n"));
const file = fc
  .tuple(fc.array(record, { maxLength: 8 }), fc.constantFrom(",", ";", "\t"))
  .map(([records, delimiter]) => ({
    contents: records.map(([fields]) => fields),
    delimiter,
    text: records
      .map(([fields, end]) => fields.map((text) => formatField(text, delimiter)).join(delimiter) + end)
      .join(""),
  }));
const malformed = fc
  .array(fc.constantFrom('"', '""', ",", "\n", "\r\n", "\r", "a", "b@example.org", "\xff", " "), { maxLength: 24 })
  .map((parts) => ({ contents: undefined, delimiter: ",", text: parts.join("") }));

it.each([
  ["a valid file", file],
  ["malformed text", malformed],
])("CsvScanner finds the same records and fields as the reference implementation in %s", (_, inputs) => {
  const column = fc.integer({ min: 0, max: 5 });
  fc.assert(
    fc.property(inputs, column, column, fc.integer({ min: 1, max: 5 }), (generated, column, other, width) => {
      const { contents, delimiter, text } = generated;
      const records = splitRecords(text, delimiter);
      if (contents !== undefined) expect(records?.map(({ fields }) => fields.map(unquoted))).toEqual(contents);
      const layout = { delimiter: delimiter.charCodeAt(0), column, additionalColumns: [other], width };
      const { rows, warnings, error } = scanRows(new CsvScanner(layout), bytesOf(text));
      const warned = warnings.filter(([, kind]) => kind !== "ragged");
      // A valid file has a warning only for a field that contains another address in a later line.
      if (contents !== undefined) {
        const hasLines = contents.map((fields) => fields.some((field) => /\n.*@/s.test(field)));
        expect(warned.filter(([row, kind]) => kind !== "joined_rows" || hasLines[row] !== true)).toEqual([]);
      }
      if (records === undefined) return void expect(error?.message).toContain("opens a quote that never closes");
      expect(error).toBeUndefined();
      expect(rows).toMatchObject(
        records.map(({ fields, crlf }) => ({
          line: fields.join(delimiter),
          addresses: [column, other].map((index) => trim(unquoted(fields[index] ?? ""))),
          hasCrlf: crlf,
          missingFields: Math.max(0, width - fields.length),
          surplus: fields
            .slice(width)
            .map((each) => delimiter + each)
            .join(""),
        })),
      );
    }),
    { numRuns: sampleSize(1000) },
  );
});

it("CsvScanner warns of each record with several rows if a file lacks a quote", () => {
  // No delimiter follows a quote or begins a field: then an opening quote would look like a closing one.
  const parts = fc.array(fc.constantFrom("a", '"', ",", " "), { maxLength: 3 });
  const text = parts.map((each) => each.join("").replace(/(?<=^|"),+/g, ""));
  const row = fc.tuple(text, text, fc.boolean());
  const rows = fc.array(row, { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(rows, fc.integer({ min: 0, max: 2 }), fc.nat(), (rows, column, nth) => {
      const lines = rows.map(([a, b, isQuoted], i) => {
        const fields = [a, b].map((each) => (isQuoted ? `"${each.replaceAll('"', '""')}"` : formatField(each, ",")));
        return `${fields.toSpliced(column, 0, `joe${i}@example.org`).join(",")}\n`;
      });
      const quotes = [...lines.join("").matchAll(/"/g)].map(({ index }) => index);
      const removed = quotes[nth % quotes.length];
      fc.pre(removed !== undefined);
      const damaged = lines.join("").slice(0, removed) + lines.join("").slice((removed as number) + 1);
      const { rows: records, warnings, error } = scanRows(csv(column, 3), bytesOf(damaged));
      const found = records.flatMap(({ line }, i) => {
        const addresses = line?.match(/joe\d@example.org/g) ?? [];
        return warnings.some(([row]) => row === i) ? addresses : addresses.slice(0, 1);
      });
      const missingFrom = Number(/from line (\d+) on are missing/.exec(error?.message ?? "")?.[1] ?? lines.length + 1);
      const addresses = lines.slice(0, missingFrom - 1).map((_, i) => `joe${i}@example.org`);
      expect(found.slice(0, addresses.length)).toEqual(addresses);
    }),
    { numRuns: sampleSize(3000) },
  );
});

it.each<[text: string, ...warnings: (readonly [rows: number, kind: string, lines: string])[]]>([
  ['1,joe@x,"open\n2,ann@x,b\n3,bob@x,"c"\n', [0, "joined_rows", "1-3"]],
  ['1,joe@x,"open\n2,ann@x,"\n3,bob@x,c\n', [0, "joined_rows", "1-2"]],
  ['1,joe@x,"a\nb"\n2,ann@x,"c "d" e"\r\n', [1, "text_after_quote", "3"]],
  ['1,joe@x,"a\nb"\r\n2,ann@x,"a"" ,\n""c,d@e,f"\n', [1, "joined_rows", "3-4"]],
  ['1,joe@x,"Dear Ann,\nann@x, as agreed"\r\n"2",ann@x,""\n'],
])("CsvScanner warns if a quote seems to be missing in %j", (text, ...warnings) => {
  for (const chunks of [undefined, [1]])
    expect(scanRows(csv(1, 3), bytesOf(text), { chunks }).warnings).toEqual(warnings);
});

it("without a header, CsvScanner puts added columns after the last field of each record", () => {
  const scanner = new CsvScanner({ delimiter: 0x2c, column: 1, width: 2, hasOpenWidth: true });
  const { rows } = scanRows(scanner, bytesOf("1,a@x,3,4\n1,b@x\n1\n"));
  expect(rows.map(({ addresses, missingFields, surplus }) => [...addresses, missingFields, surplus])).toEqual([
    ["a@x", 0, ""],
    ["b@x", 0, ""],
    ["", 1, ""],
  ]);
});

it.each<[string, () => Scanner, string, string, string]>([
  ["CSV", () => csv(1, 2), 'ada@example.org,"', '"\n', "does not end within 16 MiB"],
  ["CSV without its last line break", () => csv(1, 2), 'ada@example.org,"', '"', "does not end within 16 MiB"],
  ["TSV", () => new TsvScanner({ column: 0, width: 2 }), "ada@example.org\t", "\n", "has no line break within 16 MiB"],
  [
    "JSON Lines",
    () => new JsonLinesScanner({ path: ["e"], prefix: "", into: undefined, added: [] }),
    '{"e":"',
    '"}\n',
    "has no",
  ],
])("a row of 16 MiB is accepted, and a row with one more byte is rejected: %s", (_, scanner, begin, end, message) => {
  for (const more of [0, 1]) {
    const input = bytesOf(begin + "x".repeat(MAX_RECORD_BYTES + more - begin.length - end.length) + end);
    for (const chunks of [[input.length], [MAX_RECORD_BYTES - 1, 1], [5 << 20]]) {
      const { rows, error } = scanRows(scanner(), input, { chunks });
      expect([rows.length, error?.message.slice(0, 40)]).toEqual(
        more === 0 ? [1, undefined] : [0, expect.stringContaining(`row 1 ${message}`)],
      );
    }
  }
  // A longer row is rejected before its end arrives.
  const sink = {
    isFull: false,
    rowNumber: 0,
    lineOffset: 0,
    accept: () => true,
    warn: () => {},
    passThrough: () => {},
  };
  const endless = bytesOf(begin + "x".repeat(MAX_RECORD_BYTES));
  expect(() => scanner().scan(endless, 0, endless.length, false, sink)).toThrow(message);
});

const addresses = (text: string) => addressesOf(new TsvScanner({ column: 1, width: 2 }), text);

it.each<[string, string | null]>([
  [String.raw`a\tb\nc\rd`, "a\tb\nc\rd"],
  [String.raw`a\bb\fc\vd\0e`, "a\bb\fc\vd\0e"],
  [String.raw`a\\tb`, String.raw`a\tb`],
  [String.raw`a\\\tb`, "a\\\tb"],
  [String.raw`\a\@\N`, "a@N"],
  ["a\\", "a\\"],
  ["\\N", null],
  ["\\n", ""],
  ["\\Nx", "Nx"],
  ["plain", "plain"],
])("TsvScanner decodes the field %j as %j", (field, address) => {
  expect(addresses(`first\t${field}\n`)).toEqual([address]);
  expect(addresses(`\\t\t${field}`)).toEqual([address]);
});

it("TsvScanner returns null for a missing field, and decodes a field longer than any before", () => {
  expect(addresses(`first\nx\t${"\\\\".repeat(3000)}\n`)).toEqual([null, "\\".repeat(3000)]);
});

it("parseTsvFields splits a line at tabs and decodes its fields", () => {
  const bytes = Buffer.from("xid\te\\tmail\t\t\\\\éx");
  expect(parseTsvFields(bytes, 1, bytes.length - 1)).toEqual(["id", "e\tmail", "", "\\é"]);
});

it.each<[string, boolean]>([
  ["a,b\rc,d", true],
  ["a,b\r", false],
  ["a,b\r\r\r", false],
  ["\r", false],
  ["\ra", true],
  ["a,\rb", true],
  ["a,b", false],
  ['"a\rb",c', false],
  ['"a\rb"\rc', true],
  ['a,"b\r"",\r"\r', false],
  ['a,"b""\rc",d\re', true],
  ['a,"b\rc', false],
  ['x"a\rb"', true],
])("hasBareCr(%j) is %s", (text, expected) => {
  const bytes = bytesOf(`\r${text}\r"`);
  expect(hasBareCr(bytes, 1, 1 + text.length, 0x2c)).toBe(expected);
});

it("parseFields splits a CSV line and unquotes its fields", () => {
  fc.assert(
    fc.property(fc.array(field, { minLength: 1, maxLength: 5 }), (fields) => {
      const bytes = Buffer.from(fields.map((text) => formatField(text, ";")).join(";"));
      expect(parseFields(bytes, 0, bytes.length, 0x3b)).toEqual(fields);
    }),
  );
});
