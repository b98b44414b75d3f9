// Tests notes about CSV outside RFC 4180, and delimiters that can occur in addresses.

import { expect, it } from "vitest";
import { encodeUtf8 } from "../../../../src/base/bytes/bytes.ts";
import { renderMessage } from "../../../../src/bulk/messages.ts";
import { sniffDelimiter } from "../../../../src/bulk/rows/csv-header.ts";
import { openRows } from "../../../../src/bulk/run/open-rows.ts";
import { HTTP_WORDING } from "../../../../src/server/routes/stream/settings.ts";
import { chunkedSource } from "../../../helpers/byte-source.ts";

/** Returns the notes about a table, in the wording of HTTP requests. */
async function notesOf(text: string, hasHeader = true): Promise<string[]> {
  const notes: string[] = [];
  const csv = { kind: "csv", column: "1", hasHeader, delimiter: undefined, prefix: "", skip: 0 } as const;
  const rows = { fields: undefined, explain: false };
  const context = {
    gunzip: (source: ReturnType<typeof chunkedSource>) => source,
    onNote: (note: Parameters<typeof renderMessage>[1]) => notes.push(renderMessage(HTTP_WORDING, note)),
  };
  const bytes = encodeUtf8(text);
  await openRows(chunkedSource(bytes, bytes.length), { csv, jsonl: undefined, part: false, rows }, context);
  return notes.filter((note) => !note.startsWith("the columns seem"));
}

const LINE = "each line is one quoted field: if it has several columns, remove the quotes around the lines first";
const SPACE = "quotes after a space are part of the field: remove the spaces before them";
const FORMULA = 'fields such as ="text" are formulas of a spreadsheet: save the table without them';
const BACKSLASH = 'quotes in fields seem to be written \\", which CSV does not have: write them as ""';
const split = (shown: string, value: string): string =>
  `the table has one column, but its rows have ${shown}: add delimiter=${value} to split them`;

it.each([
  ['"First Name,Email,Plan"\n"Jane,jane@example.com,pro"\n', LINE],
  ['"a@example.com;1"\r\n"b@example.com;2"\r\n', LINE, false],
  ['"name", "email"\n"A", "a@example.com"\n', SPACE],
  ['name;email\nA; "a@example.com"\n', SPACE],
  ['name,email\nA,="a@example.com"\n', FORMULA],
  ['="name"\t="email"\n="A"\t="a@example.com"\n', FORMULA],
  ["id*email\n1*a@example.com\n2*b@example.com\n", split('"*"', '"*"')],
  ["id:email:name\n1:a@example.com:A\n", split('":"', '":"')],
  ["name/email\nA/a@example.com\n", split('"/"', '"/"')],
  ['id,name,email\n1,"Jane \\"JJ, the\\" Doe",jane@example.com\n', BACKSLASH],
  ["contact\nA;a@example.com\nB;b@example.com\n", split('";"', '";"')],
  ["contact\nA\ta@example.com\n", split("tabs", "tab")],
  ["contact\n1~a@example.com\n2~b@example.com\n3~c", split('"~"', '"~"')],
  ["contact\n1^A^a@example.com\n2^B^b@example.com\n", split('"^"', '"^"')],
  ["contact\n1\x01a@example.com\n", split('"\\u0001"', '"\\u0001"')],
])("describeDialect returns a note about %j", async (text, note, hasHeader = true) => {
  expect(await notesOf(text, hasHeader)).toEqual([note]);
});

it.each([
  ['id,name,email\n1,"Jane ""JJ, the"" Doe",jane@example.com\n'],
  ['id,path,email\n1,"C:\\\\dir\\\\",jane@example.com\n2,"C:\\dir\\","b@example.com"\n'],
  ['"email"\n"a@example.com"\n'],
  ['email,id\na@example.com, b = "c"\n'],
  ["email\na~b@example.com\nc@example.com\n"],
  ["email\na@example.com;b@example.com\nc@example.com\n"],
  ["email\n"],
  ["email\n\n\n"],
])("describeDialect returns no note about %j", async (text) => {
  expect(await notesOf(text)).toEqual([]);
});

it.each([
  ["id~name~email", "~"],
  ["id^name^e-mail\r", "^"],
  ["1~a@example.com~x", "~"],
  ["id,a~email", ","],
  ["id;email^x", ";"],
  ["a~b@example.com", ","],
  ["1~A~a@example.com", ","],
  ["a^b~c", ","],
  ["a|b|c@x.com,1", ","],
  ["1|x, y|a@b.org", "|"],
  ["1|a@b.org|x,y", "|"],
])("sniffDelimiter splits %j at %j", (line, delimiter) => {
  expect(String.fromCharCode(sniffDelimiter(encodeUtf8(line)))).toBe(delimiter);
});

it("sniffDelimiter detects a rare delimiter if it separates the column that --column names", () => {
  expect(String.fromCharCode(sniffDelimiter(encodeUtf8("id^contact"), "contact"))).toBe("^");
});
