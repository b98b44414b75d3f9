// The shown part of a line over 64 KiB does not depend on how much of it was read at once: a pipe has pieces of any size.

import { expect, it } from "vitest";
import { Pipeline } from "../../../../src/bulk/pipeline.ts";
import { InputBuffer, readRows } from "../../../../src/bulk/reader.ts";
import { JsonRowsRenderer, WholeDetection } from "../../../../src/bulk/render/render.ts";
import { LineScanner } from "../../../../src/bulk/rows/lines.ts";
import { Summary } from "../../../../src/bulk/summary.ts";
import { Classifier } from "../../../../src/detection/classifier.ts";
import { inPieces } from "../../../helpers/byte-source.ts";
import { lists } from "../../../helpers/classify.ts";

const LINES = [
  `${" ".repeat(70_000)}after@example.org`,
  `${" ".repeat(65_530)}across@example.org`,
  `${" ".repeat(65_534)}漢`,
  `before@example.org${" ".repeat(70_000)}after\r`,
  `cr@example.org${"x".repeat(65_600)}\rafter@example.org`,
  " ".repeat(300_000),
];
const bytes = Buffer.from(`${LINES.join("\n")}\nada@example.org\n`);

async function rowsBy(size: number): Promise<{ output: string; irregular: unknown }> {
  const output: Buffer[] = [];
  const pipeline = new Pipeline({
    classifier: new Classifier({ lists }),
    renderer: new JsonRowsRenderer(new WholeDetection(), false),
    summary: new Summary(false),
    sink: { write: async (part) => void output.push(Buffer.from(part)) },
    select: 0,
    reject: 0,
    explain: undefined,
  });
  await readRows(new InputBuffer(inPieces(bytes, size)), new LineScanner(false), pipeline, () => false);
  await pipeline.end();
  return { output: Buffer.concat(output).toString(), irregular: [...pipeline.irregularities.byKind] };
}

it.each([4099, 65_536, 65_537, 65_600, 100_000])("a long line is shown the same in reads of %i bytes", async (size) => {
  expect(await rowsBy(size)).toEqual(await rowsBy(bytes.length));
});
