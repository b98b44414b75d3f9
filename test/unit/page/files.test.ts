// Tests the page's own handling of files: preview, chunks, summary.

import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { quoteForShell } from "../../../src/base/format-text.ts";
import { InputBuffer } from "../../../src/bulk/reader.ts";
import { LINES, type RowLayout } from "../../../src/bulk/rows/layout.ts";
import { Api } from "../../../src/page/common/api.ts";
import { chunkAtRecords, splitSummary } from "../../../src/page/files/chunk-file.ts";
import { classifyFile, type FileProgress } from "../../../src/page/files/classify-file.ts";
import { FILE_FIELDS } from "../../../src/page/files/collect-rows.ts";
import {
  createCommandLine,
  type FileFormat,
  findDayColumn,
  previewFile,
  previewRows,
  type RunOptions,
} from "../../../src/page/files/preview.ts";
import { chunkedSource } from "../../helpers/byte-source.ts";
import { startReceiver, status } from "../../helpers/receiver.ts";

const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));
const CSV: RowLayout = { kind: "csv", delimiter: 0x2c, column: 0, width: 2 };

const OPTIONS: RunOptions = { dns: false, rejected: ["mistyped", "duplicate"], cleanHasFields: false };

const TABLE = "name,email\nJane,jane@gmail.com\nJoe,joe@mailinator.com\n";

/** Files without rows of text, each with the error message. */
const REJECTED_FILES: readonly (readonly [name: string, content: string | Uint8Array, expectedMessage: string])[] = [
  ["empty.csv", "", "it is empty."],
  ["cr.csv", TABLE.replaceAll("\n", "\r"), "the lines of the CSV seem to end in CR only: convert them first"],
  ["x.parquet", "PAR1\u0015\u0004", "it is a Parquet file: choose the output of duckdb -csv"],
  ["x.xls", "<html><table><tr><td>a@b.org</td></tr></table></html>", "it is not a text file: save it as CSV"],
  ["x.xlsx", `PK\u0003\u0004${"x".repeat(26)}list.txt`, "it is not a text file: save it as CSV"],
  [
    "x.png",
    Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
    "it is not a text file: choose a list of addresses.",
  ],
  ["x", Buffer.from("d0cf11e0a1b11ae1", "hex"), "it is a spreadsheet: save it as CSV"],
  ["x.zip", `PK\u0003\u0004${"x".repeat(26)}list.txt`, "it is a zip archive: unpack it, then choose a file"],
  ["x.pdf", "%PDF-1.4\n", "it is a PDF file: run pdftotext x.pdf - | addrsift detect --scan"],
  ["x.csv.xz", Buffer.from("fd377a585a0000", "hex"), "it is compressed with xz: choose the output of xz -dc x.csv.xz"],
  ["mails.mbox", "From jane@x.org Mon May  2 16:07:05 2005\n", "it is a mailbox of messages (mbox), not a list"],
  ["login.csv", "<!DOCTYPE html>\n<title>Log in</title>\n", "it is a web page, not a list"],
  ["cards.vcf", "BEGIN:VCARD\r\nEMAIL:a@b.org\r\n", "it is a file of contacts (vCard), not a list"],
  ["dump.sql", "INSERT INTO x VALUES ('a@b.org');\n", "it is a dump of a database (SQL), not a list"],
  ["half.csv.gz", gzipSync(TABLE.repeat(99)).subarray(0, 40), "its gzip data is damaged, truncated"],
  ["twice.gz", gzipSync(gzipSync(TABLE)), "it is packed with gzip twice"],
];

async function chunksOf(text: string, layout: RowLayout, size: number, readSize: number): Promise<string[]> {
  const chunks: string[] = [];
  const buffer = new InputBuffer(chunkedSource(bytes(text), readSize), readSize);
  for await (const chunk of chunkAtRecords(buffer, layout, () => size, 1000))
    chunks.push(Buffer.from(chunk).toString());
  return chunks;
}

it("chunkAtRecords ends chunks at line breaks, and exceeds the size only for a single longer line", async () => {
  expect(await chunksOf("aa\nbb\ncc\n", LINES, 4, 100)).toEqual(["aa\n", "bb\n", "cc\n"]);
  expect(await chunksOf("aa\nbbbbbbbbb\ncc", LINES, 4, 3)).toEqual(["aa\n", "bbbbbbbbb\n", "cc"]);
  expect(await chunksOf("", LINES, 4, 3)).toEqual([]);
});

it("chunkAtRecords splits CSV only between records, for any line breaks in fields, chunk size and read size", async () => {
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
      async (rows, size, readSize) => {
        const records = rows.map((row) => `${row.join(",")}\n`);
        const chunks = await chunksOf(records.join(""), CSV, size, readSize);
        expect(chunks.join("")).toBe(records.join(""));
        const ends = new Set<number>();
        let end = 0;
        for (const record of records) {
          end += record.length;
          ends.add(end);
        }
        end = 0;
        for (const chunk of chunks) {
          end += chunk.length;
          expect(ends).toContain(end);
        }
      },
    ),
  );
});

it("chunkAtRecords rejects an unclosed quote", async () => {
  const message = "it opens a quote that never closes";
  await expect(chunksOf(`a,b\n"x${"y".repeat(3000)}`, CSV, 100, 64)).rejects.toThrow(message);
  await expect(chunksOf('a,b\n"x\n', CSV, 100, 64)).rejects.toThrow(message);
  expect(await chunksOf('a,b\n"x"', CSV, 100, 64)).toEqual(['a,b\n"x"']);
});

it("classifyFile rejects when a chunk fails, without waiting for responses to later chunks", async () => {
  const receiver = await startReceiver((response, request, count) => {
    if (request.body.includes("first@x.org")) status(400)(response, request, count);
  });
  const preview = await previewFile(new File([`first@x.org\n${"joe@x.org\n".repeat(20_000)}`], "a.txt"));
  const job = { ...preview, ...OPTIONS, signal: new AbortController().signal, onProgress: () => {} };
  const api = new Api(`${receiver.url}/`, undefined, () => {});
  await expect(classifyFile(api, job)).rejects.toThrow("status 400");
  await receiver.close();
});

it("classifyFile reports why it sends a chunk again", async () => {
  const receiver = await startReceiver((response, request, count) => {
    response.setHeader("Retry-After", "0");
    status(count === 1 ? 503 : 400)(response, request, count);
  });
  const preview = await previewFile(new File(["joe@x.org\n"], "a.txt"));
  const reasons: (string | undefined)[] = [];
  const onProgress = ({ retryReason }: FileProgress): unknown => reasons.push(retryReason);
  const job = { ...preview, ...OPTIONS, signal: new AbortController().signal, onProgress };
  await expect(classifyFile(new Api(`${receiver.url}/`, undefined, () => {}), job)).rejects.toThrow("status 400");
  expect(reasons).toEqual(["The daemon is busy: retrying."]);
  await receiver.close();
});

it.each([
  ["lines", LINES, "joe@x.com "],
  ["CSV", CSV, "a,b,"],
])("chunkAtRecords reports a missing line break, not an unclosed quote: %s", async (_, records, text) => {
  await expect(chunksOf(text.repeat(500), records, 100, 64)).rejects.toThrow("it has no line break");
});

const openPreview = async (name: string, text: string | Uint8Array, format?: FileFormat) => {
  const preview = await previewFile(new File([text as BlobPart], name), format);
  const { layout, names } = preview.input;
  const column = layout.kind === "jsonl" ? layout.path?.join(".") : layout.kind === "csv" ? layout.column : undefined;
  return { kind: layout.kind, column, hasHeader: names !== undefined, ...preview, shownRows: previewRows(preview) };
};

it("the preview shows a file that is not UTF-8 as windows-1252, but converts it only from a chosen encoding", async () => {
  const text = Buffer.from("pr\xe9nom;email\nM\xfcller;m@x.org\n", "latin1");
  const { format, shownRows, input } = await openPreview("a.csv", text);
  expect({ format, shownRows }).toMatchObject({
    format: { kind: "csv" },
    shownRows: { names: ["pr\u00e9nom", "email"], rows: [["M\u00fcller", "m@x.org"]] },
  });
  expect(Buffer.from([...input.headerBytes, ...input.buffer.unread])).toEqual(text);
  const { shownRows: cyrillic } = await openPreview("a.csv", text, { kind: "csv", encoding: "windows-1251" });
  expect(cyrillic.rows[0]?.[0]).toBe("M\u044cller");
  expect((await openPreview("a.txt", "m\u00fcller@x.org\n")).format.encoding).toBeUndefined();
});

it.each<[string, string, object]>([
  ["list.txt", "joe@x.com\njane@y.com\n", { kind: "lines" }],
  ["list.txt", "E-Mail\njoe@x.com\n", { kind: "csv", hasHeader: true, column: 0 }],
  ["list.txt", "name,email\nJoe,joe@x.com\n", { kind: "csv", hasHeader: true, column: 1 }],
  ["a.csv", "Joe;joe@x.com\n", { kind: "csv", hasHeader: false, column: 1 }],
  ["a.tsv", "Nom\tCourriel\nJoe\tjoe@x.com\n", { kind: "csv", hasHeader: true, column: 1 }],
  ["a.csv", "sep=|\r\nwho|what\r\n1|joe@x.com\r\n", { kind: "csv", hasHeader: true, column: 1 }],
  ["a.txt", '[{"mail":"a@b.org"}]', { kind: "jsonl", column: "mail" }],
  ["a.jsonl", '{"user":{"email":"a@b.org"}}\n', { notes: ["by its values, the address is in user.email"] }],
  ["a.jsonl", '{"user":{"age":3}}\n', { kind: "jsonl", column: "email", notes: ["no key looks like email"] }],
  [
    "a.csv",
    "Title,,\na,Email,c\n1,a@b.org,2\n",
    {
      format: { skip: 1 },
      notes: [
        "row 2 looks like the header, so “Rows to skip” is 1 (without blank rows)",
        "the output leaves out the skipped rows",
      ],
    },
  ],
  ["a.csv", "E-mail 1,E-mail 2\na@b.org,c@d.org\n", { column: 0, notes: ["more than one header looks like email"] }],
  ["a.jsonl", '{"e-mail.work":"a@b.org","e-mail.home":"b@b.org"}\n', { format: { column: "e-mail\\.work" } }],
  ["a.csv", "email,role_address\na@b.org,\n", { format: { prefix: "addrsift_" } }],
  ["a.csv", "email,removed_reason\na@b.org,\n", { format: { prefix: "addrsift_" } }],
  ["a.jsonl", '{"email":"a@b.org","duplicate_of":3}\n', { format: { prefix: "addrsift_" } }],
  ["a.csv", "email,fault,addrsift_fault\na@b.org,,\n", { format: { prefix: "addrsift_addrsift_" } }],
])("previewFile() detects the format of %s: %j", async (name, text, expected) => {
  expect(await openPreview(name, text)).toMatchObject(expected);
});

it.each<[object, string[], string[][]]>([
  [{ kind: "csv" }, ["E-Mail", "a\nb"], [["x@y.com", '1"2']]],
  [
    { kind: "csv", noHeader: true, column: "1" },
    ["Column 1", "Column 2"],
    [
      ["E-Mail", "a\nb"],
      ["x@y.com", '1"2'],
    ],
  ],
  [{ kind: "lines" }, ["Address"], [['"E-Mail","a'], ['b"'], ['x@y.com,"1""2"']]],
])("the preview of a file read as %j has the column names and the first rows", async (format, names, rows) => {
  const { shownRows } = await openPreview("a.csv", '\ufeff"E-Mail","a\nb"\r\nx@y.com,"1""2"\r\n', format as FileFormat);
  expect(shownRows).toEqual({ names, rows });
});

it.each<[string, string, string[], unknown[]]>([
  ["a string", `"${"x".repeat(60_000)}"`, ["email"], [""]],
  ["an array", "[1,2,3]", ["email"], [""]],
  ["an object with the key toString", '{"toString":1}', ["email", "toString"], ["", "1"]],
])("the preview shows a row that is %s", async (_, row, names, cells) => {
  const { shownRows } = await openPreview("a.jsonl", `{"email":"a@x.de"}\n${row}\n`);
  expect(shownRows.names).toEqual(names);
  expect(shownRows.rows[1]).toEqual(cells);
  expect(shownRows.rows[0]).toEqual(["a@x.de", ...names.slice(1).map(() => "")]);
});

it("the preview accepts a row that is nested deeper than the stack", async () => {
  const row = `{"email":"b@x.de","d":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  const { shownRows } = await openPreview("a.jsonl", `{"email":"a@x.de"}\n${row}\n`);
  expect(shownRows.rows[0]?.[0]).toBe("a@x.de");
});

it("the preview shows at most 50 keys", async () => {
  const keys = Array.from({ length: 2000 }, (_, i) => `"k${i}":1`).join();
  const { shownRows } = await openPreview("a.jsonl", `{"email":"a@x.de"}\n{${keys}}\n`);
  expect(shownRows.names).toHaveLength(50);
});

it.each<[string, string, string | undefined, string]>([
  ["a b.csv", "on,email\n2026-11-03 10:00,a@x.de\n,b@x.de\n", "1", "--csv"],
  ["a.csv", "email,n\na@x.de,2026\n", undefined, "--csv"],
  ["a.csv", "email,on\na@x.de,31/01/2026\n", "2", "--csv"],
  ["a.jsonl", '{"email":"a@x.de","at.day":"3.11.2026"}\n', "at\\.day", "--jsonl"],
  ["a.csv", "Title,\nemail,on\na@x.de,\n", undefined, "--csv --skip 1"],
  ["a.csv", "email,disposable\na@x.de,\n", undefined, "--csv --prefix addrsift_"],
  ["a.txt", "a@x.de\n", undefined, "--lines --format csv"],
  ["a.tsv", "id\temail\n1\ta@x.de\n", undefined, "--csv"],
])("the preview of $0, $1, has the day column $2 and the options $3", async (name, text, day, formatOptions) => {
  const preview = await openPreview(name, text);
  expect(findDayColumn(preview)?.option).toBe(day);
  const output = (suffix: string): string => quoteForShell(name.replace(/\.[^.]+$/, suffix));
  const rows = name.endsWith(".txt") ? ".csv" : /\.\w+$/.exec(name)?.[0];
  const command = (options: string, suffix: string): string =>
    `addrsift detect ${options} --dns off --input ${quoteForShell(name)} > ${output(suffix)}`;
  const by = day === undefined ? "" : ` --by ${quoteForShell(day)}`;
  const all = `${formatOptions} --fields ${[...FILE_FIELDS, "duplicate_of"].join(",")} --report ${output("-report.html")}${by}`;
  expect(createCommandLine(preview, OPTIONS, false)).toBe(command(all, `-classified${rows}`));
  const clean = `${formatOptions} --fields ${FILE_FIELDS.join(",")} --select valid`;
  const options = { ...OPTIONS, cleanHasFields: true };
  expect(createCommandLine(preview, options, true)).toBe(
    command(`${clean} --reject mistyped,duplicate`, `-clean${rows}`),
  );
  expect(createCommandLine(preview, { ...options, rejected: [] }, true)).toBe(command(clean, `-clean${rows}`));
  const unchanged = `${formatOptions.replace(/ --(format|prefix) \w+$/, "")} --format plain --select valid --reject mistyped,duplicate`;
  const extension = name === "a.txt" ? ".txt" : rows;
  expect(createCommandLine(preview, OPTIONS, true)).toBe(command(unchanged, `-clean${extension}`));
});

it.each(REJECTED_FILES)(
  "previewFile() rejects %s in one line with the reason",
  async (name, content, expectedMessage) => {
    const message = await openPreview(name, content).then(String, (error) => error.message);
    expect(message).toMatch(/^[^\n]+\.$/);
    expect(message).toContain(expectedMessage);
  },
);

it.each<[string, FileFormat, string]>([
  [
    "Title,,\na,Email,c\n1,a@b.org,2\n",
    { kind: "csv", skip: 0 },
    "row 2 looks like the header: add 1 in “Rows to skip”.",
  ],
  ["a,Email\n1,a@b.org\n", { kind: "csv", delimiter: 0x3b }, 'add "," in “Delimiter”'],
])("the preview of %j, read as %j, names the form's fields in its error", async (text, format, expectedMessage) => {
  await expect(openPreview("a.csv", text, format)).rejects.toThrow(expectedMessage);
});

it("previewFile() rejects a column that does not exist", async () => {
  await expect(openPreview("a.csv", "a,email\n", { kind: "csv", column: "3" })).rejects.toThrow(
    'there is no column 3: use one of 1 "a", 2 "email".',
  );
  const format: FileFormat = { kind: "csv", column: "3" };
  await expect(openPreview("a.csv", "MY FILE,email\n", format)).rejects.toThrow('use one of 1 "MY FILE", 2 "email".');
});

it.each([",", ";", undefined])(
  "splitSummary() removes the summary from the last record, with the delimiter %j",
  (delimiter) => {
    const summary = { rows: 2, classes: { valid: 1, invalid: 1 }, notes: ['the columns seem to be separated by ";"'] };
    const rows = `email${delimiter}valid\r\n"a\n${delimiter}"${delimiter}true\r\nx${delimiter}false\n`;
    const json = JSON.stringify({ summary });
    const last = delimiter === undefined ? json : `"${json.replaceAll('"', '""')}"${delimiter}`;
    const split = splitSummary(bytes(`${rows}${last}\n`), delimiter?.charCodeAt(0));
    expect(Buffer.from(split.rows).toString()).toBe(rows);
    expect(split.summary).toEqual(summary);
  },
);
