// Tests that the result of a row depends only on that row, the lists and the options, except where rows are compared.
// The chosen rows have strings of the code itself at every position in an address and a row, where the kernel first
// meets them.

import { describe, expect, it } from "vitest";
import { ROW_CLASS } from "../../../../src/bulk/classes.ts";
import { MIN_ROWS } from "../../../../src/bulk/kernel/accelerator.ts";
import type { Field } from "../../../../src/detection/fields.ts";
import { createRandom } from "../../../bench/generate.mjs";
import { addressesWith, literalsOf, USUAL } from "../../../helpers/hostile-rows.ts";
import { CSV, JSONL, LINES, openPipeline, type Run, reject, select, TSV } from "../../../helpers/rows-run.ts";
import { sampleSize, sampleThird, sampleTwentieth } from "../../../helpers/sampling.ts";
import { SEED } from "../../../helpers/seed.ts";

const NAMES: readonly Field[] = ["domain", "registrable_domain", "matched", "tag", "domain_kind", "normalized"];
const ANY_SUFFIX = { allowUnknownTld: true };

const RUNS: Readonly<Record<string, Run>> = {
  "lines to NDJSON": { layout: LINES, format: "ndjson" },
  "lines to CSV with names": { layout: LINES, format: "csv", fields: NAMES, syntax: ANY_SUFFIX },
  "lines to TSV": { layout: LINES, format: "tsv" },
  "lines to valid lines": { layout: LINES, format: "plain", counts: reject(ROW_CLASS.invalid) },
  "lines to NDJSON with first rows": {
    ...{ layout: LINES, format: "ndjson", fields: ["normalized", "domain", "duplicate_of"], compareRows: true },
  },
  CSV: { layout: CSV, format: "csv" },
  "CSV with names, any suffix": { layout: CSV, format: "csv", fields: NAMES, syntax: ANY_SUFFIX },
  "CSV with a tag": { layout: CSV, format: "csv", fields: ["tag", "fault"] },
  "CSV without duplicates": { layout: CSV, format: "csv", compareRows: true, counts: reject(ROW_CLASS.duplicate) },
  "CSV of duplicates": {
    ...{ layout: CSV, format: "csv", fields: ["domain"], compareRows: true, syntax: ANY_SUFFIX },
    counts: select(ROW_CLASS.duplicate),
  },
  "CSV with first rows": { layout: CSV, format: "csv", fields: ["normalized", "duplicate_of"], compareRows: true },
  "CSV to NDJSON": { layout: CSV, format: "ndjson", counts: select(ROW_CLASS.valid) },
  "TSV with first rows": { layout: TSV, format: "tsv", fields: ["domain", "duplicate_of"], compareRows: true },
  "TSV of disposable rows": { layout: TSV, format: "tsv", counts: select(ROW_CLASS.disposable | ROW_CLASS.public) },
  "JSON Lines": { layout: JSONL, format: "ndjson" },
  "JSON Lines with a prefix": {
    ...{ layout: { ...JSONL, prefix: "x_", added: NAMES.map((name) => `x_${name}`) }, format: "ndjson", fields: NAMES },
  },
  "JSON Lines into a key": {
    layout: { ...JSONL, into: "found", added: ["found"] },
    format: "ndjson",
    syntax: ANY_SUFFIX,
  },
  "JSON Lines with first rows": {
    ...{ layout: { ...JSONL, added: ["domain", "duplicate_of"] }, format: "ndjson", compareRows: true },
    fields: ["domain", "duplicate_of"],
  },
};

/** A row of an input with this address, and with a text beside it. */
function rowOf({ layout: { kind } }: Run, address: string, beside: string): string {
  const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const escaped = (text: string): string => text.replace(/[\\\t\r\n]/g, (char) => `\\${char === "\t" ? "t" : "\\"}`);
  if (kind === "csv") return `${quoted(beside)},${quoted(address)},${quoted(beside)}\n`;
  if (kind === "tsv") return `${escaped(beside)}\t${escaped(address)}\t${escaped(beside)}\n`;
  if (kind === "jsonl") return `${JSON.stringify({ [`-${beside}`]: beside, email: address, more: beside })}\n`;
  return `${address.replace(/[\r\n]/g, "")}\n`;
}

/** Returns the answers to rows that a run without the kernel takes one by one. */
function answering(run: Run): (row: string) => Promise<string> {
  const { pipeline, scanner, written } = openPipeline(run, 0);
  return async (row) => {
    const bytes = Buffer.from(row);
    written.length = 0;
    scanner.scan(bytes, 0, bytes.length, true, pipeline);
    await pipeline.drain();
    return Buffer.concat(written).toString();
  };
}

/** Keeps the results of a function by its argument. */
function remembering<Result>(make: (text: string) => Promise<Result>): (text: string) => Promise<Result> {
  const known = new Map<string, Result>();
  return async (text) => {
    if (!known.has(text)) known.set(text, await make(text));
    return known.get(text) as Result;
  };
}

// No row has it.
const BETWEEN = "\0\0";

/**
 * Returns the answer that each row has by itself; one that is compared is answered behind the first row of its mailbox.
 */
function answersAlone(run: Run): (rows: readonly string[]) => Promise<string[]> {
  const { compareRows: _, ...others } = run;
  const alone = remembering(answering(others));
  const normalized = answering({ ...others, format: "ndjson", fields: ["normalized"], counts: reject(0) });
  const mailboxOf = remembering(async (row) => /"normalized":"(?:[^"\\]|\\.)*"\}\n$/.exec(await normalized(row))?.[0]);
  const behind = remembering(async (rows) => {
    const [first = "", row = ""] = rows.split(BETWEEN, 2);
    const answer = answering(run);
    await answer(first);
    return answer(row);
  });
  const isNumbered = run.fields?.includes("duplicate_of") === true;
  const repeated = async (first: string, row: string, index: number): Promise<string> => {
    const text = await behind(first + BETWEEN + row);
    return isNumbered ? text.replace(/1(\}?\n)$/, `${MIN_ROWS + index + 1}$1`) : text;
  };
  return async (rows) => {
    const answers: string[] = [];
    const firsts = new Map<string | undefined, number>();
    for (const [i, row] of rows.entries()) {
      const mailbox = run.compareRows === true ? await mailboxOf(row) : undefined;
      const first = firsts.get(mailbox);
      if (mailbox !== undefined && first === undefined) firsts.set(mailbox, i);
      answers.push(first === undefined ? await alone(row) : await repeated(rows[first] as string, row, first));
    }
    return answers;
  };
}

/** All in another order. */
function shuffled<Item>(random: () => number, items: readonly Item[]): Item[] {
  return items
    .map((item) => [random(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item);
}

// Texts of the kernel and what teaches it, and of other files, by chance where not all are read.
const OWN = literalsOf((path) => /kernel|recorder|duplicates|render/.test(path));
const chance = createRandom(SEED);
const OTHERS = literalsOf(() => chance() < sampleSize(100) / 100);
// Words with which rows once spoke to the kernel.
const MARKS = ["9876543201", "QJXKZVWPHQ", "VQZJXWKQHJ", "line", "rest", "open", "close", "domain", "address"];

describe.each(sampleThird(Object.entries(RUNS)))("%s", (_, run) => {
  it("each row has the same answer as alone", async () => {
    const random = createRandom(SEED);
    const alone = answersAlone(run);
    const literals = [
      ...sampleTwentieth(shuffled(random, MARKS)),
      ...shuffled(random, OWN).slice(0, sampleSize(25)),
      ...shuffled(random, OTHERS).slice(0, sampleSize(25)),
    ];
    let answered = 0;
    for (const literal of literals) {
      const [again = "", ...hostile] = shuffled(random, addressesWith(literal)).slice(0, 6);
      const usual = shuffled(random, USUAL).map((address) => rowOf(run, address, "x"));
      // Where many rows one after another are odd, the kernel is not asked again.
      const met = rowOf(run, "jane@gmail.com", literal);
      const rows = [again, ...hostile, again].flatMap((address) => [rowOf(run, address, literal), met]).concat(usual);
      const { pipeline, accelerator, written } = openPipeline(run);
      const bytes = Buffer.from(rows.join(""));
      accelerator?.scan(bytes, 0, bytes.length, true);
      await pipeline.drain();
      expect(Buffer.concat(written).toString(), JSON.stringify(hostile)).toBe((await alone(rows)).join(""));
      answered += accelerator?.answered ?? 0;
    }
    expect(answered).toBeGreaterThan(5 * literals.length);
  });
});
