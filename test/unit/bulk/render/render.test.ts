// Tests the padding of short records with added columns.

import { expect, it } from "vitest";
import { ByteWriter } from "../../../../src/base/bytes/byte-writer.ts";
import { CsvQuoting, DelimitedEncoder } from "../../../../src/bulk/render/encodings.ts";
import { RecordRenderer } from "../../../../src/bulk/render/render.ts";
import { Row } from "../../../../src/bulk/rows/row.ts";

const MIB = 1024 * 1024;

/** Writes `rows` short rows of `bytes` bytes, each without `missing` fields. Returns the written bytes, and the error. */
function writeShortRows(rows: number, bytes: number, missing: number): readonly [written: number, error: unknown] {
  const renderer = new RecordRenderer(
    new DelimitedEncoder(new CsvQuoting(0x2c, false), ""),
    new Uint8Array(0),
    undefined,
  );
  const out = new ByteWriter(1024, 1024);
  const row = new Row();
  row.setLine(new Uint8Array(bytes), 0, bytes);
  row.appendOffset = bytes;
  row.missingFields = missing;
  let written = 0;
  try {
    for (let i = 0; i < rows; i += 1) {
      renderer.openRow(out, row);
      written += out.length;
      out.clear();
    }
  } catch (error) {
    expect(out.length).toBe(0);
    return [written, error];
  }
  return [written, undefined];
}

it("RecordRenderer rejects padding of short rows beyond 64 times their bytes plus 64 MiB", () => {
  const [written, error] = writeShortRows(10_000, 11, 16_000);
  expect(error).toMatchObject({
    code: "INPUT",
    message: expect.stringContaining("would be filled up with over 64 MiB"),
  });
  expect(written).toBeGreaterThan(64 * MIB);
  expect(written).toBeLessThan(64 * MIB + (written / 16_011) * (65 * 12));
});

it("RecordRenderer accepts padding of short rows up to 64 times their bytes", () => {
  expect(writeShortRows(200_000, 9, 640)).toEqual([200_000 * 649, undefined]);
});
