// Tests --part: the concatenated outputs of an input's parts equal the output of the whole, for any split between rows.

import fc from "fast-check";
import { expect, it } from "vitest";
import type { DataFormat } from "../../../src/bulk/render/format-facts.ts";
import { createDataOutput } from "../../../src/bulk/render/formats.ts";

import { openRows, outputPreamble } from "../../../src/bulk/run/open-rows.ts";
import { openRun } from "../../../src/bulk/run/open-run.ts";
import { processInput } from "../../../src/bulk/run/process-rows.ts";
import { Summary } from "../../../src/bulk/summary.ts";
import { chooseFormat } from "../../../src/cli/commands/detect/formats.ts";
import { chunkedSource } from "../../helpers/byte-source.ts";
import { lists } from "../../helpers/classify.ts";
import { detectSettings } from "../../helpers/in-process.ts";
import { expectRefused, outputOf } from "../../helpers/run.ts";
import { sampleSize } from "../../helpers/sampling.ts";

const baseSetup = { lists };

/** Processes a part in this process, like the command. Returns the output. */
async function pipelineOutput(bytes: Buffer, options: string): Promise<string> {
  const written: Buffer[] = [];
  const settings = detectSettings("--part", ...options.split(" ").filter((word) => word !== ""));
  const setup = { ...baseSetup, ...settings.rows.policy };
  const opened = await openRows(chunkedSource(bytes, 7), settings, { gunzip: (packed) => packed, onNote: () => {} });
  const output = createDataOutput(chooseFormat(settings, false) as DataFormat, settings.rows);
  const { format } = output;
  expect(opened.headerBytes.length + outputPreamble(opened, format).length).toBe(0);
  const sink = { write: async (part: Uint8Array) => void written.push(Buffer.from(part)) };
  const pipeline = openRun({ setup, rows: settings.rows, output, opened, summary: new Summary(false), sink });
  await processInput("-", opened, {
    pipeline,
    format,
    scope: settings.rows.scope,
    dns: undefined,
    shouldStop: () => false,
  });
  await pipeline.drain();
  return Buffer.concat(written).toString("latin1");
}

// Rows that have a special meaning at the beginning of an input, and rows that are unusual anywhere.
const BEGINNINGS = [
  ...["\xef\xbb\xbfjane@gmail.com", "\xff\xfea\0", "a\0b\0", "\0a\0b", "\x1f\x8b\x08", "PK\x03\x04x", "sep=;", "sep=,"],
];
const ODD = [
  ...["", " ", "\r", "email", "id,email", "jane@gmail.com", "1,jane@gmail.com,x", "1", ",,,"],
  ...["joe@mailinator.com\r", "a\rb@c.org"],
];
const lines = fc.array(fc.constantFrom(...BEGINNINGS, ...ODD), { maxLength: 8 });
const QUOTED = ['"a\nb",jane@gmail.com', '1,"x@""y"', '"",""', '1,"jane@gmail.com"\r', 'x,"\r\n",z'];
const records = fc.array(fc.constantFrom(...BEGINNINGS, ...ODD, ...QUOTED), { maxLength: 8 });

const TSV = ["\\N", "1\t\\N\tx", "1\tjane@gmail.com", "a\\tb\tjane@gmail.com\tz\r", "\t", "1\ta\\\\b@c.org"];
const rowsOfTsv = fc.array(fc.constantFrom(...BEGINNINGS, ...ODD, ...TSV), { maxLength: 8 });
const OBJECTS = [
  ...['{"a":{"mail":"jane@gmail.com"}}', '{"a":{"mail":null},"x":1}\r', '{"a":1,"tag":2}', "{}", "["],
  '{"a":{"mail":"\\u0061@gmail.com"}}',
];
const objects = fc.array(fc.constantFrom(...BEGINNINGS, ...ODD, ...OBJECTS), { maxLength: 8 });
const FIELDS = "--fields disposable,fault --fields normalized --fields suggestion,tag";

it.each<[string, string, fc.Arbitrary<string[]>]>([
  ["lines to ndjson", "", lines],
  ["lines to plain", "--format plain", lines],
  ["lines to csv", "--format csv", lines],
  ["lines to tsv", "--format tsv", lines],
  ["CSV, column 1", "--csv --column 1", records],
  ["CSV, column 2", "--csv --column 2", records],
  ["CSV, two columns", `--csv --column 2 --column 1 ${FIELDS}`, records],
  ["CSV to ndjson", "--csv --column 2 --json", records],
  ["CSV to plain", "--csv --column 3 --format plain", records],
  ["lines to fields", FIELDS, lines],
  ["CSV with fields", `--csv --column 2 ${FIELDS}`, records],
  ["domains", "--domains", lines],
  ["TSV, column 1", "--tsv --column 1", rowsOfTsv],
  ["TSV, column 2", `--tsv --column 2 ${FIELDS}`, rowsOfTsv],
  ["TSV, two columns", `--tsv --column 1 --column 2 ${FIELDS}`, rowsOfTsv],
  ["TSV to ndjson", "--tsv --column 2 --json", rowsOfTsv],
  ["TSV to plain", "--tsv --column 2 --format plain", rowsOfTsv],
  ["JSON Lines", "--jsonl --column a.mail", objects],
  ["JSON Lines into a key", `--jsonl --column a.mail --into k ${FIELDS}`, objects],
  ["JSON Lines, two paths", `--jsonl --column a.mail --column x ${FIELDS}`, objects],
  ["JSON Lines to csv", "--jsonl --column a.mail --format csv", objects],
  ["CSV by semicolon", "--csv --column 1 --delimiter ;", lines],
])("--part: the outputs of two parts equal the output of the whole: %s", async (_, options, rows) => {
  await fc.assert(
    fc.asyncProperty(rows, fc.nat(8), fc.boolean(), async (all, at, hasLastBreak) => {
      const bytes = (part: string[], end: string): Buffer =>
        Buffer.from(part.length === 0 ? "" : part.join("\n") + end, "latin1");
      const end = hasLastBreak ? "\n" : "";
      const splitAt = Math.min(at, all.length);
      const front = bytes(all.slice(0, splitAt), splitAt < all.length ? "\n" : end);
      const back = bytes(all.slice(splitAt), end);
      const whole = await pipelineOutput(Buffer.concat([front, back]), options);
      expect((await pipelineOutput(front, options)) + (await pipelineOutput(back, options))).toBe(whole);
    }),
    { numRuns: sampleSize(300) },
  );
});

it.each(["--part --csv --column 2", "--part", "--part -f csv", "--csv --no-header", "--csv --no-header --column 2"])(
  "an empty part has no output, and status 0: detect %s",
  async (options) => expect(await outputOf(`detect ${options}`)).toBe(""),
);

it.each([
  ["--part -f json", "--part and --format json exclude each other"],
  ["--part -f table", "--part and --format table exclude each other"],
  ["--part --csv", "--part needs a column by its number: add --column N"],
  ["--part --csv --column email", "--part needs a column by its number: add --column N"],
  ["--part jane@gmail.com", "name files with --csv"],
])("detect %s is rejected", async (options, message) => expectRefused(`detect ${options}`, message));
