// Tests limits of the preamble: an input is rejected as soon as it exceeds one, without reading further.

import * as zlib from "node:zlib";
import { expect, it } from "vitest";
import { gunzipSource } from "../../../../src/bulk/run/gunzip.ts";
import { openRows } from "../../../../src/bulk/run/open-rows.ts";
import type { InputSettings } from "../../../../src/bulk/run/options.ts";
import { meteredSource } from "../../../../src/bulk/streams.ts";
import { chunkedSource } from "../../../helpers/byte-source.ts";

type Settings = Partial<Pick<InputSettings, "csv" | "jsonl">>;
const JSONL: Settings = { jsonl: { path: undefined, prefix: "", into: undefined } };
const jsonlBy = (path: string): Settings => ({ jsonl: { path: [path], prefix: "", into: undefined } });
const table = (kind: "csv" | "tsv", hasHeader: boolean): Settings => ({
  csv: { kind, column: "1", hasHeader, delimiter: kind === "tsv" ? 0x09 : undefined, prefix: "", skip: 0 },
});

/** Opens an input. Returns the number of bytes read, which an error has as `read`. */
async function open(settings: Settings, text: string): Promise<number> {
  const bytes = Buffer.from(text);
  let read = 0;
  const source = meteredSource(chunkedSource(bytes, 64 * 1024), (count) => {
    read += count;
  });
  const rows = { fields: undefined, explain: false } as InputSettings["rows"];
  try {
    await openRows(
      source,
      { csv: undefined, jsonl: undefined, part: false, rows, ...settings },
      { gunzip: (packed) => gunzipSource(packed, "the input", zlib), onNote: () => {} },
    );
  } catch (error) {
    throw Object.assign(error as Error, { read });
  }
  return read;
}

const nested = (levels: number): string =>
  `{"email":"a@example.org","d":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}\n`;
const keys = (count: number): string => `{"email":1${',"k":1'.repeat(count - 1)}}\n`;
const columns = (count: number, delimiter: string): string => `email${`${delimiter}a`.repeat(count - 1)}\n`;
const LONG = 1_500_000;
const KIB = 1024;

it.each<[description: string, settings: Settings, text: string, message: string, max?: number]>([
  ["an object of 1,025 levels", JSONL, nested(1025), "row 1 is nested deeper than 1,024 levels: take it out"],
  ["an object of 1,025 levels with --column", jsonlBy("email"), nested(1025), "row 1 is nested deeper than 1,024"],
  ["a later object of 1,025 levels", JSONL, `{}\n${nested(1025)}`, "row 2 is nested deeper than 1,024 levels"],
  ["objects 1,025 deep", JSONL, `${'{"a":'.repeat(1025)}1${"}".repeat(1025)}`, "row 1 is nested deeper than 1,024"],
  ["an object of very many levels", JSONL, nested(LONG), "row 1 is nested deeper than 1,024", 128 * KIB],
  ["65,537 keys", JSONL, keys(65_537) + " ".repeat(LONG), "row 1 has more than 65,536 keys: take it out", 1024 * KIB],
  ["16,385 columns of CSV", table("csv", true), columns(16_385, ","), "row 1 has 16,385 columns, more than 16,384"],
  ["16,385 columns without header", table("csv", false), columns(16_385, ";"), "row 1 has 16,385 columns"],
  ["16,385 columns of TSV", table("tsv", true), columns(16_385, "\t"), "row 1 has 16,385 columns, more than 16,384"],
  ["very many columns of CSV", table("csv", true), columns(LONG, ","), "row 1 is over 1 MiB", 1280 * KIB],
  ["very many columns of TSV", table("tsv", true), columns(LONG, "\t"), "row 1 is over 1 MiB", 1280 * KIB],
  ["a CSV header over 1 MiB", table("csv", true), `email,${"a".repeat(1024 * KIB)}\n`, "row 1 is over 1 MiB"],
  ["a TSV header over 1 MiB", table("tsv", true), `email\t${"a".repeat(1024 * KIB)}\n`, "row 1 is over 1 MiB"],
  ["an open quote over 1 MiB", table("csv", true), `"${"a".repeat(LONG)}`, "row 1 is over 1 MiB, more than the first"],
  ["an open quote", table("csv", true), `"${"a".repeat(KIB)}`, "row 1 opens a quote that never closes"],
  ["a line of JSON over 16 MiB", JSONL, `${" ".repeat(16 * KIB * KIB)}\n`, "row 1 has no line break within 16 MiB"],
])("openRows rejects %s", async (_, settings, text, message, max = Infinity) => {
  const failure = await open(settings, text).catch((error: Error & { read: number }) => error);
  expect(failure).toMatchObject({ code: "INPUT", message: expect.stringContaining(message) });
  expect((failure as { read: number }).read).toBeLessThanOrEqual(max);
});

it.each<[string, Settings, string]>([
  ["an object of 1,024 levels", JSONL, nested(1024)],
  ["65,536 keys", JSONL, keys(65_536)],
  ["brackets in a string, and an escaped quote", JSONL, `{"email":"\\"${"[{".repeat(3000)}"}\n`],
  ["colons in a string", JSONL, `{"email":"${'\\":'.repeat(70_000)}"}\n`],
  ["65,537 keys in a nested object", JSONL, `{"email":"a@example.org","d":${keys(65_537).trimEnd()}}\n`],
  ["a line of brackets that is not an object", jsonlBy("email"), `nope ${"{".repeat(3000)}\n`],
  ["a long string", JSONL, `{"email":"a@example.org","d":"${"a".repeat(LONG)}"}\n`],
  ["16,384 columns of CSV", table("csv", true), columns(16_384, ",")],
  ["16,384 columns of TSV", table("tsv", true), columns(16_384, "\t")],
  ["a header of 1 MiB", table("csv", true), `email,${"a".repeat(1024 * KIB - 6)}\n`],
  ["a long second record", table("csv", true), `email,b\nada@example.org,"${"a".repeat(LONG)}"\n`],
])("openRows accepts %s", async (_, settings, text) => {
  await open(settings, text);
});
