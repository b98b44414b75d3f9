// Tests that the accelerator processes rows only if the tables of options, fields and formats allow it, and that output
// and counts are the same as without it. The cases are generated from the tables, so they include each new option, field
// and class.

import { expect, it, vi } from "vitest";
import { Duplicates, KEY_WORDS } from "../../../../src/bulk/duplicates.ts";
import { RowAccelerator } from "../../../../src/bulk/kernel/accelerator.ts";
import { DATA_FORMATS, type DataFormat, FORMAT_FACTS } from "../../../../src/bulk/render/format-facts.ts";
import { createDataOutput } from "../../../../src/bulk/render/formats.ts";
import { ReportCounts } from "../../../../src/bulk/report-counts.ts";
import { createCountsBy } from "../../../../src/bulk/run/columns.ts";
import { openRows } from "../../../../src/bulk/run/open-rows.ts";
import { openRun } from "../../../../src/bulk/run/open-run.ts";
import {
  BY,
  CLASSES,
  INPUT_OPTIONS,
  MIN_CONFIDENCE,
  OUTPUT_OPTIONS,
  SYNTAX_OPTIONS,
} from "../../../../src/bulk/run/option-table.ts";
import { processInput } from "../../../../src/bulk/run/process-rows.ts";
import type { ByteSource } from "../../../../src/bulk/streams.ts";
import { Summary } from "../../../../src/bulk/summary.ts";
import { FIELDS, scopeOfField } from "../../../../src/detection/fields.ts";
import { indexOverrides, type OverrideIndex } from "../../../../src/lists/overrides.ts";
import { chunkedSource } from "../../../helpers/byte-source.ts";
import { lists } from "../../../helpers/classify.ts";
import { detectSettings } from "../../../helpers/in-process.ts";

const LOCALS =
  "jane Joe+news info noreply support-eu JANE.DOE =x +x o'neil a..b joe.at.gmail.com x=y a,b j-a.n-e pаypal иван o’neil".split(
    " ",
  );
const DOMAINS =
  `gmail.com GoogleMail.com mailinator.com sub.mailinator.com duck.com example.org ya.ru yandex.com user.fastmail.com
    localhost bücher.de pаypal.com [192.0.2.1] co.uk a.test gmial.com firm.com realco.com realco.de users.noreply.github.com
    new.newtld uni-bonn.de`.split(/\s+/);
const ODD_LOCALS = [..."a. .a a.+x info+x infox +a.+b a+b+c .".split(" "), "x".repeat(64), "x".repeat(65)];
const ODD_DOMAINS =
  `firm.org gmail.com -b.org b-.org a.-b.org b..org b.org. b.org- a_b.org foo.kobe.jp city.kobe.jp users.noreply.b.org
    user.noreply.b.org x.free.fr x.blogspot.com x.co.uk gmail.com.b.org ${"b".repeat(28)}.org ${"b".repeat(29)}.org`.split(
    /\s+/,
  );

/** Returns each local part at each domain, twice, with plain rows in between. */
function combine(locals: readonly string[], domains: readonly string[]): string[] {
  return [...locals, ...locals]
    .flatMap((local) => domains.map((domain) => `${local}@${domain}`))
    .concat(" ", "", "x", "a..b@blurme.net", "a..b@blurme.net")
    .flatMap((odd, i) => [odd, `joe.${i}@gmail.com`, `ann.lee${i % 50}@mailinator.com`, "the.same@duck.com"]);
}

/** Addresses of at least 32 KB, so that a kernel is created, which can process most of them. */
const ADDRESSES = combine(LOCALS, DOMAINS);

const quoted = (text: string): string => (/[",|]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
/** Notes with line feeds and quotes. In few of them, a quote is missing. */
const NOTES = [
  ...Array(12)
    .fill(['"a"', '"a\nb\r\nc"\r', '""', '"a ""b"" c"', '"x\n""y"', "a", '"a"\r', '"\n\n\n"', '"a,\nb"'])
    .flat(),
  ...['"a "b" c"', '"a\njoe@x.com, b"', '"a\n9,joe@x.com,b\n"', '"a"\r,b', '"a\nb" c', '"a" '],
];
const INPUTS = {
  lines: ADDRESSES,
  odd: combine([...ODD_LOCALS, ...LOCALS], [...ODD_DOMAINS, ...DOMAINS]),
  csv: ["id,email,other", ...ADDRESSES.map((each, i) => `${i % 7},${quoted(each)},joe${i}@mailinator.com`)],
  tsv: ["id\temail\tother", ...ADDRESSES.map((each, i) => `${i % 7}\t${each}\tjoe${i}@mailinator.com`)],
  jsonl: ADDRESSES.map((email, i) => JSON.stringify({ id: i % 7, email, other: `joe${i}@gmail.com`, a: "b" })),
  quotes: [
    "id,email,note",
    ...ADDRESSES.map((each, i) => `${i % 7},"${each.replaceAll('"', '""')}",${NOTES[i % NOTES.length]}`),
  ],
  pipes: ["id|email|other", ...ADDRESSES.map((each, i) => `${i}|${quoted(`x|${each}`)}|joe${i}@mailinator.com`)],
  nested: ADDRESSES.map((email, i) =>
    JSON.stringify({ email: "jane@gmail.com", ...(i > 9 && i % 3 === 0 && { a: { email } }) }),
  ),
};

type RawOptions = Readonly<Record<string, true | string | readonly string[]>>;

interface TestCase {
  readonly options?: RawOptions;
  readonly input?: keyof typeof INPUTS;
  readonly format?: DataFormat;
  readonly overrides?: OverrideIndex;
  /** Number of inputs, which all have the same rows. */
  readonly inputs?: number;
}

const KINDS = { lines: {}, csv: { csv: true }, tsv: { tsv: true }, jsonl: { jsonl: true } } as const;

/** Formats options as arguments of a command line. */
function formatArguments(options: RawOptions): string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [value].flat().map((text) => `--${name}=${text}`),
  );
}

/** Returns the output and the counts of a run. */
async function runCase(
  { options = {}, input = "lines", format = "ndjson", overrides, inputs = 1 }: TestCase,
  usesAccelerator: boolean,
) {
  const kind = { ...KINDS, odd: {}, quotes: KINDS.csv, pipes: KINDS.csv, nested: KINDS.jsonl }[input];
  const settings = detectSettings(...formatArguments({ ...kind, ...options }));
  const { rows } = settings;
  const setup = { lists, ...rows.policy, cacheEntries: 64, ...(overrides && { overrides }) };
  const bytes = Buffer.from(`${INPUTS[input].join("\n")}\n`);
  const context = { gunzip: (source: ByteSource) => source, onNote: () => {} };
  const opened = await openRows(chunkedSource(bytes, bytes.length), settings, context);
  const output = createDataOutput(format, rows);
  const by = rows.by === undefined ? undefined : createCountsBy(rows.by, opened, setup, false);
  const duplicates = rows.duplicates ? new Duplicates(new Int32Array(KEY_WORDS), 1e6, () => new Error()) : undefined;
  const summary = new Summary(true);
  // Only without a report do the unlisted domains of a top-level domain share an entry of the kernel.
  const report = input === "lines" || input === "odd" ? undefined : new ReportCounts(true);
  const written: Buffer[] = [];
  const sink = { write: async (bytes: Uint8Array) => void written.push(Buffer.from(bytes)) };
  const pipeline = openRun({ setup, rows, output, opened, summary, report, sink, duplicates, by });
  pipeline.begin();
  const scope = usesAccelerator ? rows.scope : "address";
  const run = { pipeline, format: output.format, scope, dns: undefined, shouldStop: () => false };
  for (let i = 0; i < inputs; i += 1) {
    const next = i === 0 ? opened : await openRows(chunkedSource(bytes, bytes.length), settings, context);
    await processInput(`input ${i}`, next, run);
  }
  await pipeline.end();
  const { duration_ms: _, ...counts } = summary.report(0, "");
  const names = report?.domains.top(1e5).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const warnings = [...pipeline.warnings.byKind];
  return {
    output: Buffer.concat(written).toString("latin1"),
    counts,
    names,
    samples: [...(report?.samples ?? [])],
    warnings,
  };
}

/** Expects the same result with and without the accelerator. `isAccelerated`: whether the kernel must process rows. */
async function expectSame(testCase: TestCase, isAccelerated?: boolean): Promise<void> {
  const addCounts = vi.spyOn(RowAccelerator.prototype, "addCounts");
  const accelerated = await runCase(testCase, true);
  const accelerators = addCounts.mock.contexts as RowAccelerator[];
  const processedRows = accelerators.reduce((sum, each) => sum + each.processedRows, 0);
  addCounts.mockRestore();
  expect(accelerated).toEqual(await runCase(testCase, false));
  if (isAccelerated === true) expect(processedRows).toBeGreaterThan(100);
  if (isAccelerated === false) expect(processedRows).toBe(0);
}

const ROW_OPTIONS = [...INPUT_OPTIONS, ...OUTPUT_OPTIONS, ...SYNTAX_OPTIONS, MIN_CONFIDENCE, BY];
type RowOption = (typeof ROW_OPTIONS)[number]["name"];
type Sample = TestCase["options"] | readonly [options: RawOptions, input: keyof typeof INPUTS, format?: DataFormat];

/** A value of each option, and an input that it is for. */
const SAMPLES: Readonly<Record<RowOption, Sample>> = {
  domains: { domains: true },
  column: [{ column: ["2"] }, "csv", "csv"],
  delimiter: [{ delimiter: "," }, "csv", "csv"],
  "no-header": [{ "no-header": true, column: ["2"] }, "csv", "csv"],
  skip: [{ skip: "1", "no-header": true, column: ["2"] }, "csv", "csv"],
  encoding: [{ encoding: "windows-1252" }, "csv", "csv"],
  part: { part: true },
  prefix: [{ prefix: "x_" }, "csv", "csv"],
  into: [{ into: "found" }, "jsonl"],
  fields: { fields: ["normalized"] },
  explain: { explain: true },
  "spreadsheet-safe": [{ "spreadsheet-safe": true }, "csv", "csv"],
  select: { select: ["public"] },
  reject: { reject: ["invalid"] },
  "no-quoted-local": { "no-quoted-local": true },
  "ascii-only": { "ascii-only": true },
  "allow-domain-literal": { "allow-domain-literal": true },
  "allow-unknown-tld": { "allow-unknown-tld": true },
  "allow-reserved": { "allow-reserved": true },
  "min-confidence": { "min-confidence": "confirmed" },
  by: [{ by: ["id"] }, "csv", "csv"],
};

function caseOf(sample: Sample): TestCase {
  if (!Array.isArray(sample)) return { options: sample as RawOptions };
  const [options, input, format] = sample;
  return { options, input, format };
}

it.each(ROW_OPTIONS)("the accelerator does not change the output: option $name", async ({ name, accelerated }) => {
  await expectSame(caseOf(SAMPLES[name]), accelerated);
});

it.each(FIELDS)("the accelerator does not change the output: field %s", async (name) => {
  const isAccelerated = scopeOfField(name) !== "address";
  await expectSame({ options: { fields: [name] } }, isAccelerated);
});

it.each(CLASSES.filter((name) => !["no_mail", "unknown", "known"].includes(name)))(
  "the accelerator does not change the output: class %s",
  async (name) => {
    for (const option of ["select", "reject", "fail-on"]) {
      await expectSame({ options: { [option]: [name], fields: ["normalized", "duplicate_of"] } });
    }
    const { counts } = await runCase({ options: { fields: ["duplicate_of"] } }, true);
    expect(counts.classes[name]).toBeGreaterThan(1);
  },
);

it.each(DATA_FORMATS)("the accelerator does not change the output: format %s", async (format) => {
  await expectSame({ format }, FORMAT_FACTS[format].hasIndependentRows === true);
});

it.each<readonly [name: string, isAccelerated: boolean, testCase: TestCase]>([
  ["lines", true, {}],
  ["unusual lines", true, { input: "odd" }],
  ["unusual lines with domains", true, { options: { fields: ["normalized", "domain", "fault"] }, input: "odd" }],
  ["CSV", true, { input: "csv", format: "csv" }],
  ["CSV with quotes and line feeds", true, { input: "quotes", format: "csv" }],
  ["TSV", true, { input: "tsv", format: "tsv" }],
  ["JSON Lines", true, { input: "jsonl" }],
  ["JSON Lines with the address in a nested key", false, { options: { column: ["a.email"] }, input: "nested" }],
  ["CSV with two address columns", false, { options: { column: ["email", "other"] }, input: "csv", format: "csv" }],
  ["JSON Lines with two address keys", false, { options: { column: ["email", "other"] }, input: "jsonl" }],
  ["a delimiter allowed in addresses", false, { options: { delimiter: "|" }, input: "pipes", format: "csv" }],
  ["CSV with --part", false, { options: { part: true, column: ["2"] }, input: "csv", format: "csv" }],
  ["JSON Lines with --by and a key", false, { options: { by: ["id"] }, input: "jsonl" }],
  ["lines with --by domain", false, { options: { by: ["domain"] } }],
  ["CSV with --by, without duplicates", true, { options: { by: ["id"], reject: ["duplicate"] }, input: "csv" }],
  ["lines with an override of a mailbox", true, { overrides: indexOverrides(new Map([["jane@realco.com", true]])) }],
])("the accelerator does not change the output: %s", async (_, isAccelerated, testCase) => {
  await expectSame(testCase, isAccelerated);
});

it("the accelerator does not change the output: a second input with the same mailboxes", async () => {
  await expectSame({ options: { fields: ["duplicate_of"] }, inputs: 2 }, true);
});
