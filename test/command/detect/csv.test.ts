// Tests `detect --csv`: all columns are copied byte for byte, and the added columns follow, for any valid or malformed
// file.

import { createDetector } from "addrsift";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ADDED, cellsOf, INVALID as FAULTY, fieldsOf } from "../../helpers/detections.ts";
import { expectRefused, linesOf, objectsOf, type RunResult, run } from "../../helpers/run.ts";
import { sampleSize } from "../../helpers/sampling.ts";

const VALID = cellsOf(fieldsOf("ada@example.org"));
const DISPOSABLE = cellsOf(fieldsOf("bob@mailinator.com", { disposable: true }));
const INVALID = cellsOf(FAULTY);

const csv = (stdin: string | Uint8Array, ...args: string[]): Promise<RunResult> =>
  run(["detect", "--csv", ...args], { stdin });
const bytes = (text: string): Buffer => Buffer.from(text, "latin1");

it.each<[string, string, string]>([
  ["CR LF", "id,email\r\n1,ada@example.org\r\n", `id,email,${ADDED}\r\n1,ada@example.org,${VALID}\r\n`],
  ["no last line break", "id,email\n1,ada@example.org", `id,email,${ADDED}\n1,ada@example.org,${VALID}\n`],
  ["a header alone", "id,email\n", `id,email,${ADDED}\n`],
  ["a header alone, without a line break", "id,email", `id,email,${ADDED}\n`],
  [
    "a mark, quotes",
    '\xef\xbb\xbf"email"\nada@example.org\n',
    `\xef\xbb\xbf"email",${ADDED}\nada@example.org,${VALID}\n`,
  ],
  [
    "bytes that are not UTF-8 in another column",
    "n\xe4me,email\nJos\xe9\xff,ada@example.org\n\0,ada@example.org\n",
    `n\xe4me,email,${ADDED}\nJos\xe9\xff,ada@example.org,${VALID}\n\0,ada@example.org,${VALID}\n`,
  ],
])("--csv copies columns and adds fields: %s", async (_, input, expected) => {
  const { status, stdout, stderr } = await csv(bytes(input));
  expect(stdout.toString("latin1")).toBe(expected);
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
});

it("--csv --delimiter accepts semicolons, tabs and other characters", async () => {
  const input = "id,email\n1,ada@example.org\n";
  const output = `id,email,${ADDED}\n1,ada@example.org,${VALID}\n`;
  for (const name of [";", "|", ":", "\t", "tab", "\\t"]) {
    const delimiter = name.length === 1 ? name : "\t";
    const { stdout } = await csv(input.replaceAll(",", delimiter), "--delimiter", name);
    expect(stdout.toString()).toBe(output.replaceAll(",", delimiter));
  }
});

it("--csv quotes added fields that contain the delimiter", async () => {
  const { stdout } = await csv('id.email\n1.ada+x@gmx_de.example\n1."ada@example.org"\n', "--delimiter", ".");
  expect(linesOf(stdout)[2]).toBe(`1."ada@example.org".${cellsOf(fieldsOf('"ada@example.org"'), ".")}`);
});

it("--csv accepts --prefix, --no-header and --column", async () => {
  const added = ADDED.replaceAll(/\w+/g, "as_$&");
  const [prefixed, none, byNumber, byName] = await Promise.all([
    csv("email,disposable\nada@example.org,x\n", "--prefix", "as_"),
    csv("ada@example.org\nbob@mailinator.com\n", "--no-header"),
    csv("1,ada@example.org\r\n2,bob@mailinator.com\r\n", "--no-header", "--column", "2"),
    csv("email,Kontakt\nada@example.org,bob@mailinator.com\n", "--column", "kontakt"),
  ]);
  expect(prefixed.stdout.toString()).toBe(`email,disposable,${added}\nada@example.org,x,${VALID}\n`);
  expect(none.stdout.toString()).toBe(`ada@example.org,${VALID}\nbob@mailinator.com,${DISPOSABLE}\n`);
  expect(byNumber.stdout.toString()).toBe(`1,ada@example.org,${VALID}\r\n2,bob@mailinator.com,${DISPOSABLE}\r\n`);
  expect(byName.stdout.toString()).toBe(`email,Kontakt,${ADDED}\nada@example.org,bob@mailinator.com,${DISPOSABLE}\n`);
});

it("--csv --format tsv reports that it drops the other columns", async () => {
  const { stderr } = await run(["detect", "--csv", "-f", "tsv"], { stdin: "email,n\na@b.org,1\n" });
  expect(stderr.toString()).toBe("addrsift: --format tsv drops the other columns: --format csv keeps them\n");
});

it("--csv --spreadsheet-safe puts ' before formulas in added fields, but not in copied columns", async () => {
  const { stdout } = await csv("email,f\n=ada@example.org,=1+1\nada@example.org,@x\n", "--spreadsheet-safe");
  expect(stdout.toString()).toBe(
    `email,f,${ADDED}\n=ada@example.org,=1+1,${VALID.replace("ada", "'=ada")}\nada@example.org,@x,${VALID}\n`,
  );
});

it("--csv pads short records, puts surplus fields after the added ones, and reports both", async () => {
  const input = 'id,email,x\n1,ada@example.org\n\n1\n2,ada@example.org,"y",z,"w\n",\r\n3,ada@example.org,\n';
  const { status, stdout, stderr } = await csv(input);
  expect(stdout.toString()).toBe(
    [
      `id,email,x,${ADDED}\n`,
      `1,ada@example.org,,${VALID}\n`,
      `,,,${INVALID}\n`,
      `1,,,${INVALID}\n`,
      `2,ada@example.org,"y",${VALID},z,"w\n",\r\n`,
      `3,ada@example.org,,${VALID}\n`,
    ].join(""),
  );
  expect(stderr.toString()).toMatch(
    /^addrsift: 4 records with more or fewer fields than the header: short ones are padded, long ones stay long \(rows 2, 3, 4, 5\)\n$/,
  );
  expect(status).toBe(0);
});

it("--csv reports records with rows in quotes, also before the error for an open quote", async () => {
  const input = 'id,email,x\n1,a@b.org,"a\nb"\n2,a@b.org,"oops\n3,c@b.org,x\n4,d@b.org,"y"\n5,e@b.org,"\n';
  const { status, stderr } = await csv(input);
  expect(stderr.toString()).toMatch(/^addrsift: 1 record that may contain later rows: .* \(row 3; lines 4-6\)\n/);
  expect(stderr.toString()).toMatch(
    /: row 4 opens a quote that never closes, so all rows from line 7 on are missing: /,
  );
  expect(status).toBe(2);
});

it("--csv reports addresses that are not UTF-8, and copies them unchanged as invalid", async () => {
  const input = bytes("id,email\n1,jos\xe9@example.org\n2,ada@example.org\n");
  const { status, stdout, stderr } = await csv(input);
  expect(stdout.toString("latin1")).toBe(
    `id,email,${ADDED}\n1,jos\xe9@example.org,${INVALID}\n2,ada@example.org,${VALID}\n`,
  );
  expect(stderr.toString()).toMatch(/^addrsift: 1 address not in UTF-8[^\n]*\(row 2\)\n$/);
  expect(status).toBe(0);
});

it("--csv reports addresses over 64 KiB, but not fields of that size in other columns", async () => {
  const long = "l".repeat(65_537);
  const { status, stdout, stderr } = await csv(`x,email\n${long},ada@example.org\n1,"${long}"\n2,ada@example.org\n`);
  const expected = `x,email,${ADDED}\n${long},ada@example.org,${VALID}\n1,"${long}",${INVALID}\n2,ada@example.org,${VALID}\n`;
  expect(stdout.toString() === expected).toBe(true);
  expect(stderr.toString()).toMatch(/^addrsift: 1 [^\n]*64 KiB[^\n]*\(rows? 3\)\n$/);
  expect(status).toBe(0);
});

it.each<[string, string | Buffer, string[], RegExp]>([
  ["an empty file", "", [], /the CSV is empty/],
  ["a byte-order mark alone", "\ufeff", [], /the CSV is empty/],
  ["a header that has an added column", "email,disposable\n", [], /already has a column disposable: .*--prefix/],
  ["lines that end in CR", "name,e-mail\rJ,x@gmail.com\r", [], /end in CR only: .*tr '\\r' '\\n'/],
  ["a line feed after lines that end in CR", "a,e-mail\rJ,x@gmail.com\n", [], /end in CR only: /],
  ["an open quote in the header", 'id,"email\n1,a@b.org\n', [], /row 1 .*never closes/],
  [
    "rows in the header",
    'id,email,"x\n1,a@b.org,x\n2,a@b.org,"y"\n',
    [],
    /the header has lines with addresses, as if a quote did not close: /,
  ],
  ...[",,", '"', "", "§"].map((text): [string, string, string[], RegExp] => [
    `--delimiter ${JSON.stringify(text)}`,
    "",
    ["--delimiter", text],
    /--delimiter must be one ASCII character other than a quote, or tab, not /,
  ]),
  ["an address as argument", "", ["ada@example.org"], /can't read ada@example.org: there is no such file/],
  ["--explain", "email\n", ["--explain"], /--explain and --format csv exclude each other: .*--fields fault,/],
])("--csv rejects %s", async (_, stdin, args, message) => {
  await expectRefused(["detect", "--csv", ...args], message, { stdin });
});

const input = "id,email\r\n1,ada@example.org\r\n2,ada@\r\n3,\r\n4,bob@mailinator.com\r\n";
const [header, valid, invalid, blank, disposable] = input.split("\r\n") as [string, string, string, string, string];
const full = (line: string): string =>
  `${line},${line === valid ? VALID : line === disposable ? DISPOSABLE : INVALID}\r\n`;

it.each<[string, string[], string[]]>([
  ["--reject valid", ["--reject", "valid"], [invalid, blank]],
  ["--select with --reject", ["--select", "valid,blank", "--reject", "disposable"], [valid, blank]],
])("--csv %s prints the header and the selected rows", async (_, args, selected) => {
  const [asCsv, plain] = await Promise.all([csv(input, ...args), csv(input, ...args, "-f", "plain")]);
  expect(asCsv.stdout.toString()).toBe(`${header},${ADDED}\r\n${selected.map(full).join("")}`);
  expect(plain.stdout.toString()).toBe(`${[header, ...selected].join("\r\n")}\r\n`);
  expect([asCsv.status, plain.status]).toEqual([0, 0]);
});

it("--csv --format plain echoes the input byte for byte: byte-order mark, quotes, irregular records", async () => {
  const odd = bytes('\xef\xbb\xbf"email";x\r\nada@example.org\n"a""b@example.org";1;2\r\n\n\xff;"y\n"\n');
  const { stdout } = await csv(odd, "-f", "plain", "--delimiter", ";");
  expect(stdout.toString("latin1")).toBe(odd.toString("latin1"));
});

const detector = createDetector();
const trim = (text: string): string => text.replace(/^[\t-\r ]+|[\t-\r ]+$/g, "");
const parts = [
  ...["ada", "@", "example.org", "mailinator.com", "+x", ".", " ", "\t", ",", '"', "\n", "\r\n", "é", "漢"],
  ...["info", "", "Bob.B@gmail.com", "x@duck.com"],
];
const address = fc.array(fc.constantFrom(...parts), { maxLength: 5 }).map((parts) => parts.join(""));
const rows = fc.array(fc.tuple(address, fc.constantFrom("", "1", "a,b", 'q"', "\n")), {
  minLength: 100,
  maxLength: 300,
});

it("CSV input, line input and the library have the same verdicts for random addresses", async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (generated) => {
      const quoted = (text: string): string => (/^$|[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
      const input = `note,email\n${generated.map(([email, note]) => `${quoted(note)},${quoted(email)}\n`).join("")}`;
      const single = generated.filter(([email]) => !/[\r\n]/.test(email)).map(([email]) => email);
      const [objects, asCsv, lines] = await Promise.all([
        csv(input, "-f", "ndjson"),
        csv(input),
        run(["detect"], { stdin: single.map((email) => `${email}\n`).join("") }),
      ]);
      const expected = await Promise.all(generated.map(([email]) => detector.detect(trim(email))));
      expect(objectsOf(objects.stdout)).toEqual(expected);
      expect(objectsOf(lines.stdout)).toEqual(await Promise.all(single.map((email) => detector.detect(trim(email)))));
      const full = generated.map(([email, note], i) => {
        const cells = Object.entries(expected[i] as object).map(([name, value]) => [name, quoted(String(value))]);
        return [quoted(note), quoted(email), cellsOf(Object.fromEntries(cells))].join(",");
      });
      expect(asCsv.stdout.toString()).toBe([`note,email,${ADDED}`, ...full, ""].join("\n"));
    }),
    { numRuns: sampleSize(20) },
  );
});
