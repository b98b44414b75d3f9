// Tests inputs with several possible email columns or keys: one value may make the choice ambiguous, but never change
// it.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openRows, openWithDetectedFormat } from "../../../../src/bulk/run/open-rows.ts";
import type { InputSettings } from "../../../../src/bulk/run/options.ts";
import { chunkedSource } from "../../../helpers/byte-source.ts";
import { sampleSize } from "../../../helpers/sampling.ts";

const CONTEXT = { gunzip: (source: ReturnType<typeof chunkedSource>) => source, onNote: () => {} };
const rows = { fields: undefined, explain: false } as InputSettings["rows"];
const table = (hasHeader: boolean) =>
  ({ kind: "csv", column: undefined, hasHeader, delimiter: undefined, prefix: "", skip: 0 }) as const;
const jsonl = { path: undefined, prefix: "", into: undefined } as const;

type Table = readonly (readonly string[])[];

interface InputFormat {
  /** Creates an input of these columns or keys and values. */
  readonly text: (names: readonly string[], values: Table) => string;
  readonly settings: { readonly csv?: InputSettings["csv"]; readonly jsonl?: InputSettings["jsonl"] } | undefined;
}

const csvOf = (values: Table): string =>
  values.map((row) => `${row.map((value) => `"${value}"`).join(",")}\n`).join("");
const objectsOf = (names: readonly string[], values: Table, wrap: (name: string, value: string) => object): string =>
  values
    .map((row) => `${JSON.stringify(Object.assign({}, ...names.map((name, i) => wrap(name, row[i] ?? ""))))}\n`)
    .join("");

const INPUT_FORMATS: Readonly<Record<string, InputFormat>> = {
  "CSV with a header": { text: (names, values) => csvOf([names, ...values]), settings: { csv: table(true) } },
  "CSV with a header without the word email": {
    text: (names, values) => csvOf([names.map((_, i) => `column ${i}`), ...values]),
    settings: { csv: table(true) },
  },
  "CSV without a header": { text: (_, values) => csvOf(values), settings: { csv: table(false) } },
  "keys of JSON Lines": {
    text: (names, values) => objectsOf(names, values, (name, value) => ({ [name]: value })),
    settings: { jsonl },
  },
  "nested keys of JSON Lines": {
    text: (names, values) =>
      objectsOf(names, values, (name, value) => ({ [name.split("_")[0] as string]: { email: value } })),
    settings: { jsonl },
  },
  "nested keys of JSON Lines without the word email": {
    text: (names, values) => objectsOf(names, values, (name, value) => ({ [name.split("_")[0] as string]: { value } })),
    settings: { jsonl },
  },
  "a --known file": { text: (names, values) => csvOf([names, ...values]), settings: undefined },
};

/** Returns the chosen column or path; "?" if an error asks for --column. */
async function findChosenColumn({ settings }: InputFormat, text: string, size: number): Promise<string> {
  const source = chunkedSource(Buffer.from(text), size);
  try {
    const { layout } =
      settings === undefined
        ? await openWithDetectedFormat(source, "known.csv", undefined, CONTEXT)
        : await openRows(source, { csv: undefined, jsonl: undefined, part: false, rows, ...settings }, CONTEXT);
    return layout.kind === "jsonl" ? (layout.path ?? []).join(".") : "column" in layout ? String(layout.column) : "";
  } catch (error) {
    expect(error).toMatchObject({ code: "USAGE", message: expect.stringMatching(/--column|--no-header/) });
    return "?";
  }
}

const NAMES = ["customer_email", "agent_email", "billing_email", "reply_email"];
const VALUE = fc.constantFrom(
  "",
  "oops",
  "b@@example.com",
  "a@b",
  "Ann <ann@example.com>",
  "ann@example.org",
  "joe@example.com",
);
/** Tables whose columns have mostly valid, malformed or blank values. */
const TABLE = fc
  .integer({ min: 2, max: NAMES.length })
  .chain((width) =>
    fc.tuple(
      fc.constant(width),
      fc.array(
        fc.tuple(...Array.from({ length: width }, (_, i) => (i === 0 ? VALUE : fc.oneof(VALUE, fc.constant(""))))),
        { minLength: 1, maxLength: 12 },
      ),
      fc.array(fc.constantFrom("good", "bad", "as generated"), { minLength: width, maxLength: width }),
    ),
  );

const REPLACEMENTS = { good: "ann@example.org", bad: "oops", "as generated": undefined };

describe.each(Object.entries(INPUT_FORMATS))("%s", (name, format) => {
  it(`reordering rows or changing one value never selects another column: ${name}`, async () => {
    const outcomes = { same: 0, asked: 0 };
    const property = fc.asyncProperty(
      TABLE,
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      VALUE,
      fc.integer({ min: 1, max: 300 }),
      async ([width, generated, kinds], order, value, size) => {
        const names = NAMES.slice(0, width);
        const values = generated.map((row) =>
          row.map((each, i) => (row[0] === "" ? each : (REPLACEMENTS[kinds[i] ?? "as generated"] ?? each))),
        );
        const next = (): number => order.next().value as number;
        const chosen = await findChosenColumn(format, format.text(names, values), 1 << 20);
        expect(await findChosenColumn(format, format.text(names, values), size)).toBe(chosen);
        const shuffled = values.map((row) => [next(), row] as const).toSorted(([a], [b]) => a - b);
        const chosenAfterShuffle = await findChosenColumn(
          format,
          format.text(
            names,
            shuffled.map(([, row]) => row),
          ),
          size,
        );
        const changed = values.map((row) => [...row]);
        (changed[Math.floor(next() * values.length)] ?? [])[Math.floor(next() * width)] = value;
        const chosenAfterChange = await findChosenColumn(format, format.text(names, changed), size);
        expect(chosenAfterShuffle).toBe(chosen);
        if (chosen !== "?" && chosenAfterChange !== "?") expect(chosenAfterChange).toBe(chosen);
        outcomes[chosen === "?" ? "asked" : "same"] += 1;
      },
    );
    await fc.assert(property, { numRuns: sampleSize(4000) });
    expect(Math.min(outcomes.same, outcomes.asked)).toBeGreaterThan(sampleSize(4000) / 50);
  });
});

/** Returns the number of records that are read to open an input. Each read returns one record. */
async function countRecordsRead(settings: NonNullable<InputFormat["settings"]>, records: Iterable<string>) {
  let count = 0;
  const iterator = records[Symbol.iterator]();
  const source = {
    read: async (target: Uint8Array, offset: number) => {
      count += 1;
      const record = Buffer.from(iterator.next().value as string);
      target.set(record, offset);
      return record.length;
    },
    close: () => {},
  };
  const opened = openRows(source, { csv: settings.csv, jsonl: settings.jsonl, part: false, rows }, CONTEXT);
  await opened.catch(() => {});
  return count;
}
function* csvRecords(): Generator<string> {
  yield "id,customer_email,agent_email\n";
  for (let i = 0; ; i += 1) yield `${i},,x@example.org\n`;
}
function* objects(): Generator<string> {
  for (;;) yield '{"customer_email":"","agent_email":"x@example.org"}\n';
}

it("openRows reads 100 records of an open pipe if several columns or keys may have the addresses", async () => {
  expect(await countRecordsRead({ csv: table(true) }, csvRecords())).toBe(101);
  expect(await countRecordsRead({ jsonl }, objects())).toBe(100);
});

it("openRows with --column reads only the first record of an open pipe", async () => {
  expect(await countRecordsRead({ csv: { ...table(true), column: "agent_email" } }, csvRecords())).toBe(1);
  expect(await countRecordsRead({ jsonl: { ...jsonl, path: ["agent_email"] } }, objects())).toBe(1);
});
