// Lines and CSV records are found the same wherever the pieces of the input end.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ByteWriter } from "../../../../src/base/bytes/byte-writer.ts";
import { Pipeline } from "../../../../src/bulk/pipeline.ts";
import { InputBuffer, readRows } from "../../../../src/bulk/reader.ts";
import { PlainRenderer, type Renderer } from "../../../../src/bulk/render/render.ts";
import { CsvScanner, fieldsOf, holdsBareCr, RecordScan } from "../../../../src/bulk/rows/csv.ts";
import { JsonlScanner } from "../../../../src/bulk/rows/json/lines.ts";
import { LineScanner } from "../../../../src/bulk/rows/lines.ts";
import type { Row, RowTaker, Scanner } from "../../../../src/bulk/rows/row.ts";
import { TsvScanner, tsvFieldsOf } from "../../../../src/bulk/rows/tsv.ts";
import { Summary } from "../../../../src/bulk/summary.ts";
import { Classifier } from "../../../../src/detection/classifier.ts";
import { inPieces } from "../../../helpers/byte-source.ts";
import { lists } from "../../../helpers/classify.ts";
import { drawn, tries } from "../../../helpers/tries.ts";

const classifier = new Classifier({ lists });
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");
const csv = (column: number, width: number): Scanner => new CsvScanner({ delimiter: 0x2c, column, width });

interface Found {
  readonly line: string;
  readonly address: string;
  readonly crlf: boolean;
  readonly missing: number;
  /** The bytes behind the place of the added columns. */
  readonly surplus: string;
}

/** Notes the rows. Its output for each row may be made large, to fill the pipeline. */
class Recorder implements Renderer {
  readonly rows: Found[] = [];
  private readonly output: Uint8Array;
  private readonly csv: boolean;

  constructor(csv: boolean, outputBytes = 0) {
    this.csv = csv;
    this.output = new Uint8Array(outputBytes).fill(0x78);
  }

  begin(): void {}

  row(out: ByteWriter, row: Row): void {
    const { line, lineStart, lineEnd, crlf, missing, insertAt } = row;
    this.rows.push({
      line: latin1(line.subarray(lineStart, lineEnd)),
      address: latin1(row.bytes.subarray(row.start, row.end)),
      crlf,
      missing,
      surplus: this.csv ? latin1(line.subarray(insertAt, lineEnd)) : "",
    });
    out.all(this.output);
  }

  end(): void {}
}

function pipelineFor(renderer: Renderer, write: (bytes: Uint8Array) => void = () => {}): Pipeline {
  const sink = { write: async (bytes: Uint8Array) => write(bytes) };
  const summary = new Summary(false);
  return new Pipeline({ classifier, renderer, summary, sink, select: 0, reject: 0, explain: undefined });
}

/** Rows found when the input comes in pieces of these sizes, in turn; a failure's message is the last row. */
function rowsIn(make: () => Scanner, csv: boolean, input: Uint8Array, sizes: readonly number[]): Found[] {
  const recorder = new Recorder(csv);
  const pipeline = pipelineFor(recorder);
  const scanner = make();
  // Behind the end of what was read are old bytes: those that would do most harm.
  const bytes = Uint8Array.from({ length: input.length + 9 }, (_, i) => [0x0a, 0x22, 0x2c][i % 3] as number);
  let start = 0;
  try {
    for (let end = 0, turn = 0; ; turn += 1) {
      const size = Math.max(1, sizes[turn % sizes.length] as number);
      const last = end === input.length;
      if (!last) bytes.set(input.subarray(end, end + size), end);
      end = Math.min(input.length, end + size);
      start = scanner.take(bytes, start, end, last, pipeline);
      if (last) break;
    }
    expect(start).toBe(input.length);
  } catch (error) {
    recorder.rows.push({ line: (error as Error).message, address: "", crlf: false, missing: 0, surplus: "" });
  }
  return recorder.rows;
}

/** The addresses of each row. */
function addressesOf(make: () => Scanner, input: Uint8Array): string[][] {
  const found: string[][] = [];
  const taker: RowTaker = {
    full: false,
    rowNumber: 0,
    row: (row) => {
      found.push([row, ...row.others].map(({ bytes, start, end }) => latin1(bytes.subarray(start, end))));
      return true;
    },
    irregular: () => {},
    passThrough: () => {},
  };
  try {
    make().take(input, 0, input.length, true, taker);
  } catch {}
  return found;
}

/** The straightforward way: all records of a text, each as its fields with their quotes. Undefined for an open quote. */
function split(text: string, delimiter: string): { fields: string[]; crlf: boolean }[] | undefined {
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

// A generated RFC 4180 file: fields as they are meant, and as they are written.
const content = fc
  .array(fc.constantFrom("a", "ada@example.org", '"', ",", ";", "\t", "\r", "\n", " ", "\xe9", "\xff", ""), {
    maxLength: 4,
  })
  .map((parts) => parts.join(""));
const field = fc.tuple(content, fc.boolean());
const written = (text: string, quote: boolean, delimiter: string): string =>
  quote || /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
const file = fc.record({
  records: fc.array(fc.tuple(fc.array(field, { minLength: 1, maxLength: 5 }), fc.constantFrom("\n", "\r\n")), {
    maxLength: 8,
  }),
  delimiter: fc.constantFrom(",", ";", "\t"),
  lastBreak: fc.boolean(),
});
const garbage = fc
  .array(fc.constantFrom('"', '""', ",", "\n", "\r\n", "\r", "a", "b@example.org", "\xff", " "), { maxLength: 24 })
  .map((parts) => parts.join(""))
  // A last CR is half a line break.
  .filter((text) => !text.endsWith("\r"));
const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 });

describe("CsvScanner of several columns", () => {
  it.each([
    [
      "files",
      file.map(({ records, delimiter }) => ({
        delimiter,
        text: records
          .map(([fields, end]) => fields.map(([text, quote]) => written(text, quote, delimiter)).join(delimiter) + end)
          .join(""),
      })),
    ],
    ["garbage", garbage.map((text) => ({ delimiter: ",", text }))],
  ] as const)("finds the same addresses of further columns as a scanner of one column: %s", (_, inputs) => {
    fc.assert(
      fc.property(
        inputs,
        fc.integer({ min: 0, max: 4 }),
        fc.integer({ min: 0, max: 4 }),
        ({ text, delimiter }, a, b) => {
          const input = bytesOf(text);
          const layout = { delimiter: delimiter.charCodeAt(0), column: a, width: 3 };
          const addresses = (found: readonly Found[]): string[] => found.map(({ address }) => address);
          const [first, second] = [a, b].map((column) =>
            addresses(rowsIn(() => new CsvScanner({ ...layout, column }), true, input, [99])),
          );
          const both = addressesOf(() => new CsvScanner({ ...layout, others: [b] }), input);
          // Where a quote stays open, the last entry is the message.
          expect(both).toEqual((first ?? []).slice(0, both.length).map((address, i) => [address, second?.[i]]));
          expect((first ?? []).length - both.length).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

describe("CsvScanner", () => {
  it("finds the records and fields that were written", () => {
    fc.assert(
      fc.property(file, fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 5 }), (made, column, width) => {
        const { records, delimiter, lastBreak } = made;
        const lines = records.map(([fields]) => fields.map(([text, quote]) => written(text, quote, delimiter)));
        const ends = records.map(([, end], i) => (i < records.length - 1 || lastBreak ? end : ""));
        // A last record of nothing, without a line break, is none.
        fc.pre(lastBreak || lines.length === 0 || lines.at(-1)?.join(delimiter) !== "");
        const input = bytesOf(lines.map((line, i) => line.join(delimiter) + ends[i]).join(""));
        const found = rowsIn(() => new CsvScanner({ delimiter: delimiter.charCodeAt(0), column, width }), true, input, [
          input.length,
        ]);
        expect(found).toEqual(
          lines.map((line, i) => ({
            line: line.join(delimiter),
            address: trim(records[i]?.[0][column]?.[0] ?? ""),
            crlf: ends[i] === "\r\n",
            missing: Math.max(0, width - line.length),
            surplus: line
              .slice(width)
              .map((text) => delimiter + text)
              .join(""),
          })),
        );
        expect(split(latin1(input), delimiter)?.map(({ fields }) => fields)).toEqual(lines);
      }),
      { numRuns: tries(150) },
    );
  });

  it("splits what RFC 4180 does not allow as the straightforward way does", () => {
    fc.assert(
      fc.property(garbage, (text) => {
        const bytes = bytesOf(text);
        const scan = new RecordScan();
        const layout = { delimiter: 0x2c, column: 0, width: 1 };
        const records: { fields: number; record: string; crlf: boolean }[] = [];
        let at = 0;
        while (at < bytes.length && scan.scan(bytes, at, bytes.length, layout, true)) {
          const record = latin1(bytes.subarray(at, scan.end));
          records.push({ fields: scan.fields, record, crlf: scan.next - scan.end === 2 });
          at = scan.next;
        }
        const expected = split(text, ",")?.map(({ fields, crlf }) => ({
          fields: fields.length,
          record: fields.join(","),
          crlf,
        }));
        if (at < bytes.length) expect(expected).toBeUndefined();
        else expect(records).toEqual(expected);
      }),
      { numRuns: tries(150) },
    );
  });

  it("finds the same whatever the pieces are, broken quotes included", () => {
    fc.assert(
      fc.property(garbage, sizes, fc.integer({ min: 0, max: 3 }), (text, pieces, column) => {
        const input = bytesOf(text);
        const make = (): Scanner => csv(column, 2);
        expect(rowsIn(make, true, input, pieces)).toEqual(rowsIn(make, true, input, [input.length]));
      }),
      { numRuns: tries(150) },
    );
  });

  it("finds the same in pieces of every size", () => {
    const input = bytesOf('a,"x@example.org"\r\n"l\r\n""q""",b,c\n\n,"",\r\n"y ""z"" @example.org"t,d\r\nlast,1');
    const make = (): Scanner => csv(1, 2);
    const whole = rowsIn(make, true, input, [input.length]);
    expect(whole.map(({ address }) => address)).toEqual(["x@example.org", "b", "", "", "d", "1"]);
    for (let size = 1; size < input.length; size += 1) expect(rowsIn(make, true, input, [size])).toEqual(whole);
  });

  it("puts added columns behind each record's own width where no header says one", () => {
    const make = (): Scanner => new CsvScanner({ delimiter: 0x2c, column: 1, width: 2, open: true });
    const found = rowsIn(make, true, bytesOf("1,a@x,3,4\n1,b@x\n1\n"), [3]);
    expect(found.map(({ address, missing, surplus }) => [address, missing, surplus])).toEqual([
      ["a@x", 0, ""],
      ["b@x", 0, ""],
      ["", 1, ""],
    ]);
  });

  it.each([
    ['"ada@example.org"', "ada@example.org"],
    ['" ada@example.org\r\n"', "ada@example.org"],
    ['"""a b""@example.org"', '"a b"@example.org'],
    ['""""', '"'],
    ['""', ""],
    ['""""""', '""'],
    ['"a"b', 'a"b'],
    ['a"b"', 'a"b"'],
    [' "a"', '"a"'],
  ])("reads the field %j as %j", (text, address) => {
    expect(rowsIn(() => csv(1, 3), true, bytesOf(`1,${text},3\n`), [99])[0]?.address).toBe(address);
  });

  it("keeps a doubled quote in a field that is longer than any before", () => {
    const long = `${'""'.repeat(3000)}x`;
    expect(rowsIn(() => csv(0, 1), true, bytesOf(`"${long}"\n`), [999])[0]?.address).toBe(`${'"'.repeat(3000)}x`);
  });

  it("names the row whose quote never closes", () => {
    const found = rowsIn(() => csv(0, 1), true, bytesOf('a\n"b\nb"\n"c\nd\ne'), [2]);
    expect(found.map(({ line }) => line)).toEqual(["a", '"b\nb"', expect.stringMatching(/^row 3 .*never closes/)]);
  });
});

/** Takes an endless row of one byte after a beginning; returns how many bytes were read when it failed, and why. */
async function takeEndless(scanner: Scanner, beginning: string, byte: string): Promise<[number, string]> {
  let total = 0;
  const source = {
    read: async (target: Uint8Array, at: number) => {
      target.fill(byte.charCodeAt(0), at);
      if (total === 0) target.set(bytesOf(beginning), at);
      total += target.length - at;
      return target.length - at;
    },
    close: () => {},
  };
  const input = new InputBuffer(source, 1024 * 1024);
  const stop = (): boolean => total > 40 * 1024 * 1024;
  const failure = await readRows(input, scanner, pipelineFor(new Recorder(false)), stop).catch((error: Error) => error);
  return [total, failure?.message ?? ""];
}

const jsonl = new JsonlScanner({ path: ["a"], prefix: "", into: undefined, added: [] });
const ENDLESS: readonly [string, Scanner, string, string, string][] = [
  ["CsvScanner", csv(0, 1), 'a\n"b', "c", "opens a quote that never closes"],
  ["CsvScanner", csv(0, 1), "a\nb", "c", "has no line break within 16 MiB"],
  ["TsvScanner", new TsvScanner({ column: 0, width: 1 }), "a\nb", "c", "has no line break within 16 MiB"],
  ["JsonlScanner", jsonl, "{}\n[", "[", "has no line break"],
];
describe.each(drawn(ENDLESS))("%s", (_, scanner, beginning, byte, message) => {
  it(`holds at most 16 MiB of a row, which ${message}`, async () => {
    const [read, said] = await takeEndless(scanner, beginning, byte);
    expect(said).toContain(`row 2 ${message}`);
    expect(read).toBeGreaterThan(16 * 1024 * 1024);
    expect(read).toBeLessThan(40 * 1024 * 1024);
  });
});

describe("TsvScanner", () => {
  const addresses = (text: string): (string | null)[] => {
    const found: (string | null)[] = [];
    const note = (row: Row): boolean => {
      found.push(row.isNull ? null : latin1(row.bytes.subarray(row.start, row.end)));
      return true;
    };
    const taker = { full: false, rowNumber: 0, row: note };
    const bytes = bytesOf(text);
    const ignored = { irregular: () => {}, passThrough: () => {} };
    new TsvScanner({ column: 1, width: 2 }).take(bytes, 0, bytes.length, true, { ...taker, ...ignored });
    return found;
  };

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
  ])("reads the field %j as %j", (field, address) => {
    expect(addresses(`first\t${field}\n`)).toEqual([address]);
    expect(addresses(`\\t\t${field}`)).toEqual([address]);
  });

  it("has null for a missing field, and resolves escapes longer than any before", () => {
    expect(addresses(`first\nx\t${"\\\\".repeat(3000)}\n`)).toEqual([null, "\\".repeat(3000)]);
  });
});

describe("tsvFieldsOf", () => {
  it("returns the names as they were meant", () => {
    const bytes = Buffer.from("xid\te\\tmail\t\t\\\\éx");
    expect(tsvFieldsOf(bytes, 1, bytes.length - 1)).toEqual(["id", "e\tmail", "", "\\é"]);
  });
});

describe("holdsBareCr", () => {
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
  ])("the answer for %j is %s", (text, holds) => {
    const bytes = bytesOf(`\r${text}\r"`);
    expect(holdsBareCr(bytes, 1, 1 + text.length, 0x2c)).toBe(holds);
  });
});

describe("fieldsOf", () => {
  it("returns the fields as they were meant", () => {
    fc.assert(
      fc.property(fc.array(field, { minLength: 1, maxLength: 5 }), (fields) => {
        const bytes = Buffer.from(fields.map(([text, quote]) => written(text, quote, ";")).join(";"));
        expect(fieldsOf(bytes, 0, bytes.length, 0x3b)).toEqual(fields.map(([text]) => text));
      }),
    );
  });
});

describe("LineScanner", () => {
  const make = (): Scanner => new LineScanner(true);
  const text = fc
    .array(fc.constantFrom("\n", "\n", "\r\n", "\r", " ", "a", "ada@example.org", "\xff", '"'), { maxLength: 24 })
    .map((parts) => parts.join(""));

  it("finds the lines whatever the pieces are", () => {
    fc.assert(
      fc.property(text, sizes, (lines, pieces) => {
        const found = rowsIn(make, false, bytesOf(lines), pieces);
        const expected = lines.split("\n");
        if (expected.at(-1) === "") expected.pop();
        expect(found.map(({ line }) => line)).toEqual(expected);
        expect(found.map(({ address }) => address)).toEqual(expected.map(trim));
      }),
      { numRuns: tries(150) },
    );
  });

  const LIMIT = 64 * 1024;
  const long = (length: number): string => "l".repeat(length);

  it.each([1000, 4096, LIMIT - 1, LIMIT, LIMIT + 1, 250_000, 999_999])(
    "returns long lines back byte for byte, read by %i",
    async (size) => {
      const lines = [
        long(LIMIT - 1),
        "",
        long(LIMIT),
        "a@b.org",
        long(LIMIT + 1),
        long(200_000),
        "",
        "z",
        long(LIMIT * 2),
      ];
      for (const ending of ["\n", "\n\n", ""]) {
        const input = bytesOf(lines.join("\n") + ending);
        const written: Buffer[] = [];
        const summary = new Summary(false);
        const pipeline = new Pipeline({
          classifier,
          renderer: new PlainRenderer(),
          summary,
          sink: { write: async (bytes) => void written.push(Buffer.from(bytes)) },
          select: 0,
          reject: 0,
          explain: undefined,
        });
        await readRows(new InputBuffer(inPieces(input, size)), make(), pipeline, () => false);
        const whole = ending === "" ? Buffer.concat([input, Buffer.from("\n")]) : input;
        expect(Buffer.concat(written).equals(whole)).toBe(true);
        expect(summary.rows).toBe(lines.length + (ending === "\n\n" ? 1 : 0));
        expect(summary.report(0, "").faults).toMatchObject({ line_too_long: 3 });
        expect(pipeline.irregularities.byKind.get("too_long")).toEqual({ count: 3, first: [5, 6, 9] });
      }
    },
  );
});

describe.each([
  ["LineScanner", false, (): Scanner => new LineScanner(false)],
  ["CsvScanner", true, (): Scanner => csv(1, 2)],
])("%s", (_, csv, make) => {
  it("goes on where it stopped when the output was full", async () => {
    const rows = Array.from({ length: 40 }, (_, i) => `${i},a${i}@example.org`);
    for (const [size, ending] of [
      [1, ""],
      [7, "\n"],
      [9999, ""],
      [9999, "\n"],
    ] as const) {
      const recorder = new Recorder(csv, 100_000);
      let bytes = 0;
      let most = 0;
      const pipeline = pipelineFor(recorder, (piece) => {
        bytes += piece.length;
        most = Math.max(most, piece.length);
      });
      const source = inPieces(bytesOf(rows.join("\n") + ending), size);
      await readRows(new InputBuffer(source), make(), pipeline, () => false);
      expect(recorder.rows.map(({ line }) => line)).toEqual(rows);
      expect(bytes).toBe(40 * 100_000);
      expect(most).toBeLessThanOrEqual(1_200_000);
    }
  });
});
