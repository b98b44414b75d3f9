// Processes rows in the test's process, from input bytes to output bytes, with or without the kernel.

import type { SyntaxOptions } from "../../src/address/options.ts";
import { Duplicates, KEY_WORDS } from "../../src/bulk/duplicates.ts";
import { createAccelerator, MIN_ROWS } from "../../src/bulk/kernel/accelerator.ts";
import type { PipelineSetup } from "../../src/bulk/pipeline.ts";
import { InputBuffer, processRows } from "../../src/bulk/reader.ts";
import type { DataFormat } from "../../src/bulk/render/format-facts.ts";
import { createDataOutput } from "../../src/bulk/render/formats.ts";
import { ReportCounts } from "../../src/bulk/report-counts.ts";
import { createScanner, type RowLayout } from "../../src/bulk/rows/layout.ts";
import { createCountsBy } from "../../src/bulk/run/columns.ts";
import { openRun } from "../../src/bulk/run/open-run.ts";
import type { RowSettings } from "../../src/bulk/run/options.ts";
import { Summary } from "../../src/bulk/summary.ts";
import { ROW_CLASS } from "../../src/detection/classes.ts";
import { ADDED_COLUMNS, type Field, scopeOfField } from "../../src/detection/fields.ts";
import { chunkedSource } from "./byte-source.ts";
import { lists } from "./classify.ts";

// Small, so that domains are evicted.
const DOMAIN_SLOTS = 64;

/** Layout of the input, format of the output, and options. */
export interface Run {
  readonly layout: RowLayout;
  readonly format: DataFormat;
  readonly fields?: readonly Field[];
  readonly counts?: Pick<PipelineSetup, "select" | "reject" | "failOn">;
  readonly syntax?: SyntaxOptions;
  /** Whether rows are compared to find duplicates. */
  readonly compareRows?: boolean;
  /** Maximum mailboxes of compared rows. */
  readonly maxMailboxes?: number;
  /** Number of the --by column. */
  readonly by?: string;
  /** Whether rows are counted for a report. Then unlisted domains don't share a cached verdict. */
  readonly hasReport?: boolean;
}

export const LINES = { kind: "lines" } as const;
export const CSV = { kind: "csv", delimiter: 0x2c, column: 1, width: 3 } as const;
export const TSV = { kind: "tsv", delimiter: 0x09, column: 1, width: 3 } as const;
export const JSONL = { kind: "jsonl", path: ["email"], prefix: "", into: undefined, added: ADDED_COLUMNS } as const;
export const select = (classes: number): NonNullable<Run["counts"]> => ({ select: classes, reject: 0 });
export const reject = (classes: number): NonNullable<Run["counts"]> => ({ select: 0, reject: classes });

const NAMES: readonly Field[] = ["domain", "registrable_domain", "matched", "tag", "domain_kind", "normalized"];
const ANY_SUFFIX = { allowUnknownTld: true };
/** Runs of each layout and format. If a run writes duplicate_of, that is its last field. */
export const RUNS: Readonly<Record<string, Run>> = {
  "lines to NDJSON": { layout: LINES, format: "ndjson" },
  "lines to CSV with names": { layout: LINES, format: "csv", fields: NAMES, syntax: ANY_SUFFIX },
  "lines to TSV": { layout: LINES, format: "tsv" },
  "lines to valid lines": { layout: LINES, format: "plain", counts: reject(ROW_CLASS.invalid) },
  "lines without duplicates and invalid rows": {
    ...{ layout: LINES, format: "plain", compareRows: true },
    counts: { ...reject(ROW_CLASS.duplicate | ROW_CLASS.invalid), failOn: ROW_CLASS.duplicate },
    hasReport: true,
  },
  "lines to NDJSON with duplicate_of last": {
    ...{ layout: LINES, format: "ndjson", fields: ["normalized", "domain", "duplicate_of"], compareRows: true },
  },
  CSV: { layout: CSV, format: "csv" },
  "CSV with names, any suffix": { layout: CSV, format: "csv", fields: NAMES, syntax: ANY_SUFFIX },
  "CSV with a tag": { layout: CSV, format: "csv", fields: ["tag", "fault"] },
  "CSV of duplicates": {
    ...{ layout: CSV, format: "csv", fields: ["domain"], compareRows: true, syntax: ANY_SUFFIX },
    counts: select(ROW_CLASS.duplicate),
  },
  "CSV with duplicate_of last": {
    ...{ layout: CSV, format: "csv", fields: [...ADDED_COLUMNS, "duplicate_of"], compareRows: true },
    counts: select(ROW_CLASS.duplicate | ROW_CLASS.public),
  },
  "CSV to NDJSON": { layout: CSV, format: "ndjson", counts: select(ROW_CLASS.valid) },
  TSV: { layout: TSV, format: "tsv" },
  "TSV with duplicate_of last": { layout: TSV, format: "tsv", fields: ["domain", "duplicate_of"], compareRows: true },
  "TSV of disposable rows": { layout: TSV, format: "tsv", counts: select(ROW_CLASS.disposable | ROW_CLASS.public) },
  "JSON Lines": { layout: JSONL, format: "ndjson" },
  "JSON Lines with a prefix": {
    ...{ layout: { ...JSONL, prefix: "x_", added: NAMES.map((name) => `x_${name}`) }, format: "ndjson", fields: NAMES },
  },
  "JSON Lines with --into": {
    ...{ layout: { ...JSONL, into: "found", added: ["found"] }, format: "ndjson", syntax: ANY_SUFFIX },
  },
  "JSON Lines with duplicate_of last": {
    ...{ layout: { ...JSONL, added: ["domain", "duplicate_of"] }, format: "ndjson", compareRows: true },
    fields: ["domain", "duplicate_of"],
  },
};

/** Opens the pipeline of a run, with an output in memory. */
export function openPipeline(
  {
    layout,
    format: name,
    fields,
    syntax = {},
    compareRows,
    maxMailboxes = 1e6,
    by: column,
    counts = { select: 0, reject: 0 },
  }: Run,
  start: number = MIN_ROWS,
  report?: ReportCounts,
) {
  const policy = { subject: undefined };
  const rows = {
    policy,
    fields,
    explain: false,
    failOn: 0,
    spreadsheetSafe: false,
    ...counts,
  } as unknown as RowSettings;
  const summary = new Summary(true);
  const written: Buffer[] = [];
  const sink = { write: async (bytes: Uint8Array) => void written.push(Buffer.from(bytes)) };
  const setup = { lists, syntax, cacheEntries: 64 };
  const output = createDataOutput(name, rows);
  const { format } = output;
  const duplicates =
    compareRows === true
      ? new Duplicates(new Int32Array(KEY_WORDS).fill(7), maxMailboxes, () => new Error("too many"))
      : undefined;
  const by = column === undefined ? undefined : createCountsBy(column, { layout, names: undefined }, setup, false);
  const pipeline = openRun({ setup, rows, output, opened: { layout }, summary, report, sink, duplicates, by });
  pipeline.rowNumber = start;
  const scanner = createScanner(layout, format.echoesOnly === true, lists);
  const scope = fields?.some((name) => scopeOfField(name) !== "verdict") === true ? "domain" : "verdict";
  const accelerator = createAccelerator(scanner, pipeline, layout, scope, DOMAIN_SLOTS);
  return { pipeline, scanner, accelerator, written, summary };
}

/** Processes the input, with or without the accelerator. Returns the output and the counts. */
export async function processInput(
  run: Run,
  bytes: Uint8Array,
  sizes: readonly number[],
  useAccelerator: boolean,
  start?: number,
) {
  const report = run.hasReport === true ? new ReportCounts(true) : undefined;
  const { pipeline, scanner, accelerator, written, summary } = openPipeline(run, start, report);
  const input = new InputBuffer(chunkedSource(bytes, sizes));
  await processRows(input, (useAccelerator ? accelerator : undefined) ?? scanner, pipeline, () => false);
  await pipeline.end();
  accelerator?.addCounts();
  const { duration_ms: _, ...counted } = summary.report(0, "");
  return {
    output: Buffer.concat(written).toString("latin1"),
    counted,
    domains: report?.domains.top(100_000).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    worst: report && [...report.samples],
    irregular: pipeline.warnings.byKind,
    processedRows: accelerator?.processedRows ?? 0,
  };
}
