// Work of the page on a file before and after the daemon: cutting it at records, looking at its beginning, taking the counts off the answer.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvScanner, RecordScan } from "../../../src/bulk/rows/csv.ts";
import { afterRecords, cutAtRecords, LINES, type Records, takeSummary } from "../../../src/page/files/cut.ts";
import { beginningOf, guess, headerRecord, recordsOf } from "../../../src/page/files/look.ts";

const octets = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));
const COMMA = 0x2c;

function csv(): Records {
  const layout = { delimiter: COMMA, column: 0, width: 2 };
  const scanner = new CsvScanner(layout);
  return {
    boundary: (all, start, end) => scanner.boundary(all, start, end),
    endsWell: (all, start, end) => new RecordScan().scan(all, start, end, layout, true),
  };
}

async function cut(
  text: string,
  records: Records,
  partBytes: number,
  chunk: number,
  recordMax = 1000,
): Promise<string[]> {
  const all = octets(text);
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (let at = 0; at < all.length; at += chunk) controller.enqueue(all.slice(at, at + chunk));
      controller.close();
    },
  });
  const parts: string[] = [];
  for await (const part of cutAtRecords(stream, records, partBytes, recordMax))
    parts.push(Buffer.from(part).toString());
  return parts;
}

describe("a file is cut", () => {
  it("a list is cut where lines end, into parts of at most the size, or of one line", async () => {
    expect(await cut("aa\nbb\ncc\n", LINES, 4, 100)).toEqual(["aa\n", "bb\n", "cc\n"]);
    expect(await cut("aa\nbbbbbbbbb\ncc", LINES, 4, 3)).toEqual(["aa\n", "bbbbbbbbb\n", "cc"]);
    expect(await cut("", LINES, 4, 3)).toEqual([]);
  });

  it("CSV is cut where records end, also when they hold line breaks, whatever the chunks are", async () => {
    const field = fc.oneof(
      fc.stringMatching(/^[a-z@.]{0,8}$/),
      fc.stringMatching(/^[a-z,\n\r"]{0,12}$/).map((text) => `"${text.replaceAll('"', '""')}"`),
    );
    const file = fc.array(fc.array(field, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        file,
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 1, max: 30 }),
        async (rows, size, chunk) => {
          const records = rows.map((row) => `${row.join(",")}\n`);
          const parts = await cut(records.join(""), csv(), size, chunk);
          expect(parts.join("")).toBe(records.join(""));
          const ends = new Set<number>();
          let at = 0;
          for (const record of records) {
            at += record.length;
            ends.add(at);
          }
          at = 0;
          for (const part of parts) {
            at += part.length;
            expect(ends).toContain(at);
          }
        },
      ),
    );
  });

  it("a quote that never closes is an error, which shows the row", async () => {
    const wrong = 'a quote never closes in the row that begins with "\\"x';
    await expect(cut(`a,b\n"x${"y".repeat(3000)}`, csv(), 100, 64)).rejects.toThrow(wrong);
    await expect(cut('a,b\n"x\n', csv(), 100, 64)).rejects.toThrow(wrong);
    expect(await cut('a,b\n"x"', csv(), 100, 64)).toEqual(['a,b\n"x"']);
  });
});

describe("a row without a line break", () => {
  it.each([
    ["lines", LINES, "joe@x.com "],
    ["CSV", csv(), "a,b,"],
  ])("a row without a line break is not blamed for a quote: %s", async (_, records, text) => {
    const wrong = `no line break comes in the row that begins with "${text.slice(0, 4)}`;
    await expect(cut(text.repeat(500), records, 100, 64)).rejects.toThrow(wrong);
  });
});

describe("the beginning of a file", () => {
  it.each([
    ["list.txt", "joe@x.com\njane@y.com\n", { kind: "lines" }],
    ["list.txt", "name,email\nJoe,joe@x.com\n", { kind: "csv", delimiter: COMMA, hasHeader: true, column: 1 }],
    ["a.csv", "email\njoe@x.com\n", { kind: "csv", delimiter: COMMA, hasHeader: true, column: 0 }],
    ["a.csv", "Joe;joe@x.com\n", { kind: "csv", delimiter: 0x3b, hasHeader: false, column: 1 }],
    ["a.tsv", "Nom\tCourriel\nJoe\tjoe@x.com\n", { kind: "csv", delimiter: 9, hasHeader: true, column: 1 }],
    ["a.csv", "sep=|\r\nwho|what\r\n1|joe@x.com\r\n", { kind: "csv", delimiter: 0x7c, hasHeader: true, column: 1 }],
    ["a.csv.gz", "\ufeffE-Mail,n\na@b.com,1\n", { kind: "csv", delimiter: COMMA, hasHeader: true, column: 0 }],
  ])("the beginning of %s shows what it is: %j", (name, text, expected) => {
    expect(guess(name, beginningOf(octets(text)))).toEqual(expected);
  });

  it("the beginning gives the header as it stands, with a line break, and the first records", () => {
    const beginning = beginningOf(octets('\ufeff"E-Mail","a\nb"\r\nx@y.com,"1""2"\r\n'));
    expect(Buffer.from(headerRecord(beginning, COMMA)).toString()).toBe('"E-Mail","a\nb"\r\n');
    expect(recordsOf(beginning, COMMA)).toEqual([
      ["E-Mail", "a\nb"],
      ["x@y.com", '1"2'],
    ]);
    expect(Buffer.from(headerRecord(beginningOf(octets("email")), COMMA)).toString()).toBe("email\n");
  });
});

describe("an answer", () => {
  it.each([",", ";"])("an answer is cut into its rows and the counts of its last record: %j", (delimiter) => {
    const summary = { rows: 2, classes: { valid: 1, invalid: 1 }, notes: ['the columns seem to be separated by ";"'] };
    const rows = `email${delimiter}valid\r\n"a\n${delimiter}"${delimiter}true\r\nx${delimiter}false\n`;
    const last = `"${JSON.stringify({ summary }).replaceAll('"', '""')}"${delimiter}\n`;
    const taken = takeSummary(octets(rows + last), delimiter.charCodeAt(0));
    expect(Buffer.from(taken.rows).toString()).toBe(rows);
    expect(taken.summary).toEqual(summary);
    const code = delimiter.charCodeAt(0);
    expect([0, 1, 2, 9].map((count) => rows.slice(afterRecords(taken.rows, code, count)).length)).toEqual([
      rows.length,
      rows.length - 13,
      8,
      0,
    ]);
  });
});
