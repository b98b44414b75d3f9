// Tests that output and counts are the same with and without the kernel, wherever a chunk ends.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SYNTAX_SWITCHES } from "../../../../src/address/options.ts";
import { MIN_ROWS } from "../../../../src/bulk/kernel/accelerator.ts";
import { ROW_CLASS } from "../../../../src/detection/classes.ts";
import { hashName, KIND } from "../../../../src/lists/format.ts";
import { createRandom } from "../../../bench/generate.mjs";
import { lists } from "../../../helpers/classify.ts";
import {
  CSV,
  JSONL,
  LINES,
  openPipeline,
  processInput,
  RUNS,
  type Run,
  reject,
  select,
  TSV,
} from "../../../helpers/rows-run.ts";
import { sampleSize, sampleThird } from "../../../helpers/sampling.ts";

const FIRST_BYTES = Math.max(10_000, sampleSize(40_000));
const ROWS = Math.max(600, sampleSize(3000));
const SPLIT_BYTES = Math.max(200, sampleSize(4096));
const FIRST_ROWS = { format: "ndjson", fields: ["duplicate_of", "normalized"], compareRows: true } as const;
const DOMAIN_FIELDS = ["normalized", "domain", "registrable_domain", "matched", "fault", "suggestion"] as const;
const { disposable, duplicate, public: publicDomain, relay, subaddressed } = ROW_CLASS;
const ALL_RUNS: Readonly<Record<string, Run>> = {
  ...RUNS,
  "lines to NDJSON with a report": { layout: LINES, format: "ndjson", hasReport: true },
  "lines to NDJSON with duplicate_of first": { layout: LINES, ...FIRST_ROWS },
  "lines to TSV with fields of the domain": { layout: LINES, format: "tsv", fields: DOMAIN_FIELDS },
  "lines with --fail-on": { layout: LINES, format: "ndjson", counts: { ...reject(relay), failOn: disposable } },
  "CSV to CSV with a report": { layout: CSV, format: "csv", hasReport: true },
  "CSV --by last column": { layout: CSV, format: "csv", counts: { ...reject(publicDomain), failOn: relay }, by: "3" },
  "TSV with --by on its first column, without duplicates": {
    ...{ layout: TSV, format: "tsv", counts: reject(duplicate), compareRows: true, by: "1" },
  },
  "JSON Lines with duplicate_of first": { layout: { ...JSONL, added: FIRST_ROWS.fields }, ...FIRST_ROWS },
  "JSON Lines to CSV": { layout: JSONL, format: "csv" },
};

const LOCALS = [
  "x".repeat(33),
  "y".repeat(64),
  "z".repeat(65),
  "a b",
  '"a b"',
  "a\u0000b",
  "",
  ...`jane.doe Joe+news info support-eu o'neil o’neil x_y no-reply A.B.C a.+x +x -_- a sales2 {a} a=b .a a. a..b "a
    żółw`.split(/\s+/),
];
const DOMAINS = [
  "",
  ...`gmail.com GoogleMail.com gmial.com www.gmail.com mailinator.com sub.mailinator.com duck.com a.mozmail.com example.org ya.ru
    proton.me yahoo.co.uk icloud.com user.fastmail.com web.de co.uk localhost bücher.de
    xn--bcher-kva.example 192.0.2.1 -b.org b..org a-domain-of-more-than-32-bytes.org .org foo.kobe.jp
    foo.city.kobe.jp foo.ac.uk users.noreply.dots.org a--b.org a_b.org b-.org b.org. b.1 b.test
    thirty-two-bytes-of-a-name1.com`.split(/\s+/),
];
const LONG_FIELDS = [300_000, 20_000, 30_000, 40_000, 60_000, 70_000];
const FIELDS = ["", "x", '"a,b"', '"a"",b"', '"say ""hi"""', '"two\nlines"', "Zürich", "=A1", "a\\tb"];
const VALUES = ['"x"', '"}"', '""', "12.5", "-0", "0", "true", "false", "null", '"Zürich, email"', '{"email":["a"]}'];
const ODD_VALUES = [
  ...['"\\n\\"""', "[[],{}]", '{"a":[1,{"email":"x"}]}', '"\\u0000"', "1e3", "1E+3", "01", "1.", ".5", "-", "tru"],
  ...["nul", "truee", "", '{"a"}', "[1,]", '"\u0001"', '"\0"', '"\\x"', '"x', "x", "'x'", "\ufeff1", "1 ", "\t1"],
];
const ODD_KEYS = [
  ...['"email":null', '"email":["a@gmail.com"]', '"email":5', '"\\u0065mail":"x"', '"e-mail":"x"', '"Email":"x"'],
  ...['"emai":"a@gmail.com"', '"email2":"x"', '"email\0":"x"', '"normalized":1', '"normalize\\u0064":1'],
  ...['"normalised":1', '"duplicate_of":1', '"email" :"a@gmail.com"', '"email":\t"a@gmail.com"', ""],
  '"email":"a\\u0040gmail.com"',
];

/** Creates an input of usual rows, with some unusual and malformed ones. */
function inputOf({ layout: { kind } }: Run, seed: number, rows: number): Buffer {
  const random = createRandom(seed);
  const pick = (from: readonly string[]): string => from[(random() * from.length) | 0] as string;
  const rare = (usual: string, odd: () => string): string => (random() < 0.95 ? usual : odd());
  const address = (): string => {
    // Without enough plain rows, the accelerator would rarely try the kernel.
    if (random() < 0.5)
      return `joe${(random() * 1e4) | 0}@${pick(["gmail.com", "mailinator.com", "WEB.de", "duck.com"])}`;
    const domain = random() < 0.2 ? `d${(random() * 200) | 0}.${pick(["com", "org", "jp", "uk"])}` : pick(DOMAINS);
    return rare(`${random() < 0.5 ? `jane${(random() * 1e4) | 0}` : pick(LOCALS)}@${domain}`, () =>
      pick(["", "@", " a@b.org ", "a@@b.org"]),
    );
  };
  const makers = {
    lines: address,
    csv: () => {
      const email = address();
      const written = random() < 0.3 || /[",]/.test(email) ? `"${email.replaceAll('"', '""')}"` : email;
      return rare(`x,${rare(written, () => `${written}x`)},${pick(FIELDS)}`, () =>
        pick(["", "a", "a,b", "a,b@gmail.com,c,d"]),
      );
    },
    tsv: () =>
      rare(`${pick(FIELDS.slice(5))}\t${address()}\ty`, () => pick(["", "a", "a\t\\N\tb", "a\tb@gmail.com\tc\td"])),
    jsonl: () => {
      const email = `"email": ${JSON.stringify(address())}`;
      const key = rare(email, () => rare(pick(ODD_KEYS), () => `${email}, ${pick([email, ...ODD_KEYS])}`));
      const usual = `{"id":1, ${key},"more":${rare(pick(VALUES), () => pick(ODD_VALUES))}}`;
      return rare(usual, () =>
        pick([
          ...["", " ", "{}", "[]", "{", "}", `{},"a":{${email}}`, `{${email}} x`, `{${email},}`, `{${email}`],
          ...[`{"a":{"b":1}, ${email} }\t`, `{${email}} \t`, `{${email}}}`, ` {${email}}`, `\ufeff{${email}}`],
          ...[`{,${email}}`, `{${email}}\r`, `{"a":{${email}}}`, `[${email}]`, `{${email};"a":1}`],
          `{${email}}{${email}}`,
          `{"long":"${"x".repeat((random() * 3000) | 0)}",${email}}`,
        ]),
      );
    },
  };
  return Buffer.from(
    Array.from({ length: rows }, () => makers[kind as keyof typeof makers]() + rare("\n", () => "\r\n")).join(""),
  );
}

/** Expects the same result with the kernel as without it. Returns the number of rows that the kernel processed. */
async function compareWithScanner(run: Run, bytes: Uint8Array, sizes: number[] = [], start?: number): Promise<number> {
  const { processedRows, ...accelerated } = await processInput(run, bytes, sizes, true, start);
  const { processedRows: none, ...scanned } = await processInput(run, bytes, [], false, start);
  expect(accelerated).toEqual(scanned);
  expect(none).toBe(0);
  return processedRows;
}

describe.each(Object.entries(ALL_RUNS))("%s", (name, run) => {
  it(`output and counts are the same with and without the kernel: ${name}`, async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 40 });
    let processedRows = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), sizes, fc.nat(60), async (seed, laterSizes, rowsBefore) => {
        const whole = inputOf(run, seed, ROWS);
        // The last row may lack its line break.
        const bytes = seed % 2 === 0 ? whole : whole.subarray(0, -1);
        // The kernel is created between two chunks.
        const chunkSizes = [6 * ROWS, 6 * ROWS, ...laterSizes];
        processedRows += await compareWithScanner(run, bytes, chunkSizes, MIN_ROWS - rowsBefore);
      }),
      { numRuns: sampleSize(10) },
    );
    // If the kernel processed no row, as in inputs with many odd rows, nothing was compared: try other inputs.
    for (let seed = 0; processedRows === 0 && seed < 100; seed++) {
      processedRows += await compareWithScanner(run, inputOf(run, seed, ROWS), [6 * ROWS, 6 * ROWS], MIN_ROWS);
    }
    expect(processedRows).toBeGreaterThan(0);
  });
});

const SPLIT = Object.entries(ALL_RUNS).filter(
  ([, { layout, format, compareRows, by }]) =>
    compareRows !== true &&
    by === undefined &&
    format === (layout.kind === "csv" || layout.kind === "tsv" ? layout.kind : "ndjson"),
);
describe.each(sampleThird(SPLIT))("%s in chunks", (name, run) => {
  it(`the output is the same wherever the input is split into chunks: ${name}`, async () => {
    const bytes = inputOf(run, 1, ROWS);
    const { pipeline, accelerator, written } = openPipeline(run);
    const { output } = await processInput(run, bytes.subarray(0, endOfRow(bytes, SPLIT_BYTES)), [], false);
    accelerator?.scan(bytes, 0, endOfRow(bytes, FIRST_BYTES), true);
    await pipeline.drain();
    const end = endOfRow(bytes, SPLIT_BYTES);
    for (let split = 0; split <= end; split += 1) {
      written.length = 0;
      // A copy, so that the bytes after the chunk are not those of the next one.
      const first = Uint8Array.from(bytes.subarray(0, split));
      const consumed = accelerator?.scan(first, 0, split, false) ?? 0;
      accelerator?.scan(bytes, consumed, end, true);
      await pipeline.drain();
      expect(Buffer.concat(written).toString("latin1")).toBe(output);
    }
  });
});

const object = { id: 1, email: "jane@gmail.com", other: "joe@mailinator.com" };
it.each([
  ["JSON Lines with --into set to the key of the address", { ...JSONL, into: "email", added: ["email"] }],
  ["JSON Lines with a long added key", { ...JSONL, added: ["x".repeat(200)] }],
  ["JSON Lines with many added keys", { ...JSONL, added: Array.from({ length: 70 }, (_, i) => `${i}`.padEnd(100)) }],
] as const)("the kernel leaves all rows to the scanner: %s", async (_, layout) => {
  const bytes = Buffer.from(`${JSON.stringify(object)}\n`.repeat(50));
  expect(await compareWithScanner({ layout, format: "ndjson" }, bytes)).toBe(0);
});

it.each(Object.values(SYNTAX_SWITCHES))(
  "the kernel does not change output and counts: syntax option %s",
  async (option) => {
    const run: Run = { layout: LINES, format: "ndjson", syntax: { [option]: true } };
    await compareWithScanner(run, inputOf(run, 7, ROWS));
  },
);

/** Returns the words that are no role names, but false positives of the kernel's name filter. */
function falsePositives(words: readonly string[]): string[] {
  return words.filter((word) => {
    const bytes = Buffer.from(word);
    const hash = hashName(KIND.role, bytes, 0, bytes.length);
    return lists.mayContain(hash) && lists.lookUpRole(bytes, 0, bytes.length) === "none";
  });
}

it.each([
  [
    "processes nested values",
    100,
    ["{}", "[]", "[[],{}]", '{"a":{"b":[1,"]"]},"c":[{ "d":true}]}', "[".repeat(63) + "]".repeat(63)],
  ],
  [
    "leaves malformed, escaped and deeply nested values to the scanner",
    80,
    [
      ...["[1,]", "[,1]", "[1 2]", "[1}", '{"a":1]', '{"a"}', '{"a":}', '{"a":1,}', '{"a":1,2}', "{1:2}", "[", "]"],
      ...["[1 ]", '{"a" :1}', '["\\n"]', "[1e3]", "[01]", "[}", "[".repeat(64) + "]".repeat(64), '{"a":[1,{"b":[}]}'],
    ],
  ],
])("the kernel %s", async (_, processed, values) => {
  const row = (value: string) => `{"id":1,"x":${value},"email":"jane@gmail.com"}\n`;
  const text = values.map((value) => row("1").repeat(4) + row(value)).join("");
  const bytes = Buffer.from(text.repeat(20 / values.length));
  expect(await compareWithScanner({ layout: JSONL, format: "ndjson" }, bytes, [], MIN_ROWS)).toBe(processed);
});

it("output and counts are the same with and without the kernel if local parts evict each other from its cache", async () => {
  const endings = wordsOf([..."abcdefghijklmnopqrstuvwxyz"], 3);
  const words = falsePositives(endings.flatMap((ending) => [`info${ending}`, `sale${ending}`, `post${ending}`]));
  const roles = Array.from(lists.entries(), ({ kind, name }) => (kind === KIND.role ? Buffer.from(name) : ""))
    .map(String)
    .filter((name) => /^[a-z]{2,20}$/.test(name));
  const rows = words.flatMap((word, i) => [word, roles[i % roles.length]]).map((local) => `${local}@gmail.com\n`);
  // Three times, because a row whose domain was evicted may be left to the scanner.
  const bytes = Buffer.from(rows.join("").repeat(3));
  expect(await compareWithScanner({ layout: LINES, format: "ndjson" }, bytes)).toBeGreaterThan(rows.length);
  expect(words.length).toBeGreaterThan(100);
});

it("the kernel terminates if two words of a row hash to the same slot", async () => {
  const endings = wordsOf([..."abcdefghijklmnopqrstuvwxyz"], 3);
  const first = falsePositives(endings.map((ending) => `info${ending}`));
  const both = first.flatMap((word) => falsePositives(endings.map((ending) => `${word}.${ending}`)));
  await compareWithScanner(
    { layout: LINES, format: "ndjson" },
    Buffer.from(both.map((local) => `${local}@gmail.com\n`).join("")),
  );
  expect(both.length).toBeGreaterThan(500);
});

it.each([
  ["lines", LINES, "jane@gmail.com\r\n"],
  ["CSV", CSV, '1,"jane@gmail.com","Oslo"\r\n'],
  ["TSV", TSV, "1\tjane@gmail.com\tx\r\n"],
  ["CSV whose last column has the address", { ...CSV, column: 2 }, '1,2,"jane@gmail.com"\r\n'],
  ["JSON Lines", JSONL, '{"id": 0, "x": -1.5, "email": "jane@gmail.com", "y": "Zürich", "z": null}\r\n'],
] as const)("the kernel processes all rows that end in CR LF: %s", async (_, layout, row) => {
  const format = layout.kind === "lines" || layout.kind === "jsonl" ? "ndjson" : layout.kind;
  const by = layout.kind === "csv" && layout.column === 1 ? "3" : undefined;
  const run: Run = { layout, format, ...(by !== undefined && { by }) };
  expect(await compareWithScanner(run, Buffer.from(row.repeat(300)))).toBeGreaterThanOrEqual(299);
});

it.each([
  ["CSV", CSV, (email: string, other: string) => `${other},${email},x\n`],
  ["TSV", TSV, (email: string, other: string) => `${other}\t${email}\tx\n`],
] as const)("the kernel continues at a row that the scanner has read only in part: %s", async (_, layout, rowOf) => {
  const run: Run = { layout, format: layout.kind };
  const [first, second] = [rowOf("jane@gmail.com", "x"), rowOf("ann@gmail.com", "y".repeat(300))];
  const bytes = Buffer.from(first + second + rowOf("a@@b.org", "z").repeat(5) + first.repeat(5));
  const { pipeline, accelerator, written } = openPipeline(run, MIN_ROWS - 1);
  const consumed = accelerator?.scan(bytes, 0, first.length + 290, false) ?? 0;
  accelerator?.scan(bytes, consumed, bytes.length, true);
  await pipeline.drain();
  expect(accelerator?.processedRows).toBeGreaterThan(0);
  expect(Buffer.concat(written).toString("latin1")).toBe((await processInput(run, bytes, [], false)).output);
});

it("the kernel and the scanner write the same output for unusual JSON objects", async () => {
  const email = '"email":"ann@gmail.com"';
  const odd = [
    ...ODD_VALUES.flatMap((value) => [`{"x":${value},${email}}`, `{${email},"x":${value}}`]),
    ...ODD_KEYS.flatMap((key) => [`{${key},${email}}`, `{${email},${key}}`, `{${key},"x":"a@gmail.com"}`]),
    ...[`{${email}}x`, `{${email},}`, `{${email}`, `{ ${email} }`, `{${email} ,"x":1}`],
    `{"path":"C:\\","x":"y",${email}}`,
  ];
  const plain = '{"id":1,"email":"jane@gmail.com"}\n'.repeat(4);
  const text = odd.map((row) => `${plain}${row}\n`).join("");
  expect(await compareWithScanner({ layout: JSONL, format: "ndjson" }, Buffer.from(text))).toBeGreaterThan(100);
});

/** Returns all words of one to `length` letters. */
function wordsOf(letters: readonly string[], length: number): string[] {
  if (length === 0) return [];
  const shorter = wordsOf(letters, length - 1);
  return [...letters, ...shorter.flatMap((word) => letters.map((letter) => word + letter))];
}

const labels = wordsOf(["b", "bb", "-", "."], 3);
const names = "noreply users.noreply users.noreply.x kobe x.kobe x.x.kobe city.kobe x.city.kobe x.ac".split(" ");
const sized = (length: number): string => "u".repeat(length);
const domains = [...labels, ...names, ...[27, 28, 29].map(sized)].flatMap((name) => [`${name}.org`, `${name}.jp`]);
const marked = [...wordsOf(["a", "A", ".", "+", "-"], 3), ...wordsOf(["info", "a", ".", "+", "-"], 3)];
const locals = [
  ...marked,
  ...[31, 32, 33, 63, 64, 65].map(sized),
  "hr",
  "hr.x",
  "info.x",
  "infox",
  "admin2",
  "no-reply+x",
];
const odd = [
  ...[...domains, "AZ.ORG", "GMAIL.COM", "gmail.com\0", "[.org", "\0"].map((domain) => `jane@${domain}`),
  ...["gmail.com", "fastmail.com", "yahoo.com", "ya.ru", "unlisted.jp"].flatMap((domain) =>
    locals.map((local) => `${local}@${domain}`),
  ),
];
// Valid domains come first, so that the kernel has templates that it could use for a malformed one by mistake.
const plain = (i: number): string[] => [`joe${i}@gmail.com`, `ann@unlisted${i % 9}.org`, `ann@unlisted${i % 9}.jp`];
const mixed = [odd.map((_, i) => plain(i)), odd.map((address, i) => [...plain(i), address, address])].flat(2);
it.each<readonly [description: string, run: Run, rowOf: (address: string) => string]>([
  ["lines", { layout: LINES, format: "ndjson" }, (address) => `${address}\n`],
  ["lines with a report", { layout: LINES, format: "ndjson", hasReport: true }, (address) => `${address}\n`],
  ["lines with duplicate detection", { layout: LINES, ...FIRST_ROWS }, (address) => `${address}\n`],
  ["CSV", { layout: CSV, format: "csv" }, (address) => `"a"",b",${address},"\n"\r\n`],
  ["JSON Lines", { layout: JSONL, format: "ndjson" }, (email) => `${JSON.stringify({ email })}\n`],
])("the output of rows at the kernel's limits is the same with and without the kernel: %s", async (_, run, rowOf) => {
  const bytes = Buffer.from(mixed.map(rowOf).join(""));
  expect(await compareWithScanner(run, bytes)).toBeGreaterThan(mixed.length / 2);
});

it("the accelerator writes the rows before the row that exceeds the mailbox limit", async () => {
  const run: Run = { layout: LINES, format: "ndjson", compareRows: true, maxMailboxes: 150 };
  const bytes = Buffer.from(Array.from({ length: 400 }, (_, i) => `joe${i}@gmail.com\n`).join(""));
  const [fast, slow] = [openPipeline(run), openPipeline(run)];
  expect(() => fast.accelerator?.scan(bytes, 0, bytes.length, true)).toThrow("too many");
  expect(() => slow.scanner.scan(bytes, 0, bytes.length, true, slow.pipeline)).toThrow("too many");
  await Promise.all([fast.pipeline.drain(), slow.pipeline.drain()]);
  expect(Buffer.concat(fast.written).toString()).toBe(Buffer.concat(slow.written).toString());
  expect(fast.accelerator?.processedRows).toBeGreaterThan(150);
});

const PLAIN_RUN: Run = { layout: LINES, format: "ndjson" };
const numbered = (count: number, rowOf: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => rowOf(i)).join("");
it.each<readonly [description: string, run: Run, text: string, processedRows: number]>([
  [
    "of more domains than its memory has space for",
    { ...PLAIN_RUN, fields: DOMAIN_FIELDS },
    numbered(6000, (i) => `jane@mail.d${i}.org\n`.repeat(3)),
    1000,
  ],
  ["whose unlisted domain occurs only once", PLAIN_RUN, numbered(300, (i) => `jane@unlisted${i}.org\n`), 290],
  [
    "of a disposable domain, and leaves other rows of that domain to the scanner",
    { ...PLAIN_RUN, counts: { ...select(0), failOn: subaddressed } },
    "jane+x@mailinator.com\ninfo@mailinator.com\nsales@mailinator.com\n".repeat(50),
    50,
  ],
  ["of domains evicted from its cache", PLAIN_RUN, numbered(200, (i) => `jane@d${i}.mailinator.com\n`.repeat(4)), 300],
  [
    "that are dropped, with the same warnings about duplicates",
    { layout: LINES, format: "plain", compareRows: true, counts: reject(duplicate | subaddressed) },
    numbered(200, (i) => `joe${i}+x@gmail.com\n`) + numbered(200, (i) => `joe${i}@gmail.com\n`),
    300,
  ],
  [
    "almost as long as the output buffer, but no longer ones",
    { layout: CSV, format: "csv", fields: ["normalized", "duplicate_of"], compareRows: true },
    numbered(700, (i) => {
      const length = LONG_FIELDS[i - 100] ?? (397 * i) % 2000;
      return `${"n".repeat(length)},joe${i % 500}@gmail.com,\n`;
    }),
    600,
  ],
])("the kernel processes rows %s", async (_, run, text, processedRows) => {
  expect(await compareWithScanner(run, Buffer.from(text))).toBeGreaterThan(processedRows);
});

it("the accelerator leaves the rest of a line over 64 KiB to the scanner, even if the line spans chunks", async () => {
  const rows = "jane@gmail.com\n".repeat(100);
  const bytes = Buffer.from(`${rows}${"x".repeat(70_000)}\njoe@gmail.com\n${"x".repeat(70_000)}joe@gmail.com\n${rows}`);
  const chunkSizes = [rows.length + 69_990, 10 + 15 + 70_000];
  expect(await compareWithScanner({ layout: LINES, format: "plain" }, bytes, chunkSizes)).toBeGreaterThan(100);
});

/** Returns the index after the last row that ends before `limit`. Line breaks in quoted fields end no row. */
function endOfRow(bytes: Uint8Array, limit: number): number {
  return Buffer.from(bytes).lastIndexOf("\nx,jane", limit) + 1 || Buffer.from(bytes).lastIndexOf("\n", limit) + 1;
}
