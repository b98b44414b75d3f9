// Tests that the output of a row depends only on that row, the lists and the options; with duplicate detection, also on
// the first row of its mailbox. The rows contain string literals of the source code, in each position of an address and
// a row, because the kernel might take them for markers of its own.

import { describe, expect, it } from "vitest";
import { MIN_ROWS } from "../../../../src/bulk/kernel/accelerator.ts";
import { createRandom } from "../../../bench/generate.mjs";
import { addressesWith, literalsOf, USUAL } from "../../../helpers/hostile-rows.ts";
import { openPipeline, RUNS, type Run, reject } from "../../../helpers/rows-run.ts";
import { sampleSize, sampleThird, sampleTwentieth } from "../../../helpers/sampling.ts";
import { SEED } from "../../../helpers/seed.ts";

/** Creates a row with this address. `text` is in the fields or keys around it. */
function rowOf({ layout: { kind } }: Run, address: string, text: string): string {
  const quote = (field: string): string => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
  const escapeField = (field: string): string =>
    field.replace(/[\\\t\r\n]/g, (char) => `\\${char === "\t" ? "t" : "\\"}`);
  if (kind === "csv") return `${quote(text)},${quote(address)},${quote(text)}\n`;
  if (kind === "tsv") return `${escapeField(text)}\t${escapeField(address)}\t${escapeField(text)}\n`;
  if (kind === "jsonl") return `${JSON.stringify({ [`-${text}`]: text, email: address, more: text })}\n`;
  return `${address.replace(/[\r\n]/g, "")}\n`;
}

/** Returns a function that processes one row without the kernel, and returns its output. */
function rowProcessor(run: Run): (row: string) => Promise<string> {
  const { pipeline, scanner, written } = openPipeline(run, 0);
  return async (row) => {
    const bytes = Buffer.from(row);
    written.length = 0;
    scanner.scan(bytes, 0, bytes.length, true, pipeline);
    await pipeline.drain();
    return Buffer.concat(written).toString();
  };
}

/** Caches the results of a function by its argument. */
function cached<Result>(compute: (text: string) => Promise<Result>): (text: string) => Promise<Result> {
  const results = new Map<string, Result>();
  return async (text) => {
    if (!results.has(text)) results.set(text, await compute(text));
    return results.get(text) as Result;
  };
}

// Separates two rows. No row contains it.
const SEPARATOR = "\0\0";

/**
 * Returns a function that processes each row alone, and returns the outputs. With duplicate detection, a later row of a
 * mailbox is processed after the mailbox's first row.
 */
function processAlone(run: Run): (rows: readonly string[]) => Promise<string[]> {
  const { compareRows: _, ...others } = run;
  const processFirst = cached(rowProcessor(others));
  const normalize = rowProcessor({ ...others, format: "ndjson", fields: ["normalized"], counts: reject(0) });
  const mailboxOf = cached(async (row) => /"normalized":"(?:[^"\\]|\\.)*"\}\n$/.exec(await normalize(row))?.[0]);
  const processPair = cached(async (rows) => {
    const [first = "", row = ""] = rows.split(SEPARATOR, 2);
    const process = rowProcessor(run);
    await process(first);
    return process(row);
  });
  const isNumbered = run.fields?.includes("duplicate_of") === true;
  const processLater = async (first: string, row: string, index: number): Promise<string> => {
    const output = await processPair(first + SEPARATOR + row);
    return isNumbered ? output.replace(/1(\}?\n)$/, `${MIN_ROWS + index + 1}$1`) : output;
  };
  return async (rows) => {
    const outputs: string[] = [];
    const firstRows = new Map<string | undefined, number>();
    for (const [i, row] of rows.entries()) {
      const mailbox = run.compareRows === true ? await mailboxOf(row) : undefined;
      const first = firstRows.get(mailbox);
      if (mailbox !== undefined && first === undefined) firstRows.set(mailbox, i);
      const isFirst = first === undefined;
      outputs.push(isFirst ? await processFirst(row) : await processLater(rows[first] as string, row, first));
    }
    return outputs;
  };
}

/** Returns the items in random order. */
function shuffled<Item>(random: () => number, items: readonly Item[]): Item[] {
  return items
    .map((item) => [random(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item);
}

// String literals of the kernel and of the files that its templates depend on, and of a sample of the other files.
const KERNEL_LITERALS = literalsOf((path) => /kernel|recorder|duplicates|render/.test(path));
const chance = createRandom(SEED);
const OTHER_LITERALS = literalsOf(() => chance() < sampleSize(100) / 100);
// Markers of earlier versions of the kernel.
const MARKERS = ["9876543201", "QJXKZVWPHQ", "VQZJXWKQHJ", "line", "rest", "open", "close", "domain", "address"];

describe.each(sampleThird(Object.entries(RUNS)))("%s", (name, run) => {
  it(`each row has the same output as when it is processed alone: ${name}`, async () => {
    const random = createRandom(SEED);
    const expectedOutputs = processAlone(run);
    const literals = [
      ...sampleTwentieth(shuffled(random, MARKERS)),
      ...shuffled(random, KERNEL_LITERALS).slice(0, sampleSize(25)),
      ...shuffled(random, OTHER_LITERALS).slice(0, sampleSize(25)),
    ];
    let processedRows = 0;
    for (const literal of literals) {
      const [first = "", ...hostile] = shuffled(random, addressesWith(literal)).slice(0, 6);
      const usual = shuffled(random, USUAL).map((address) => rowOf(run, address, "x"));
      // After several odd rows without a plain one, the accelerator would not try the kernel again.
      const plain = rowOf(run, "jane@gmail.com", literal);
      const rows = [first, ...hostile, first].flatMap((address) => [rowOf(run, address, literal), plain]).concat(usual);
      const { pipeline, accelerator, written } = openPipeline(run);
      const bytes = Buffer.from(rows.join(""));
      accelerator?.scan(bytes, 0, bytes.length, true);
      await pipeline.drain();
      expect(Buffer.concat(written).toString(), JSON.stringify(hostile)).toBe((await expectedOutputs(rows)).join(""));
      processedRows += accelerator?.processedRows ?? 0;
    }
    expect(processedRows).toBeGreaterThan(5 * literals.length);
  });
});
