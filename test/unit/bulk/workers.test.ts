// Rows on several workers: the same output and counts as on one, whatever the pieces and however long each takes.

import { describe, expect, it } from "vitest";
import { type PieceResult, Pipeline } from "../../../src/bulk/pipeline.ts";
import type { ByteSink } from "../../../src/bulk/ports.ts";
import { InputBuffer, readRows } from "../../../src/bulk/reader.ts";
import { CsvQuoting, DelimitedForm } from "../../../src/bulk/render/forms.ts";
import { createRenderer, RecordRenderer, type Renderer } from "../../../src/bulk/render/render.ts";
import { CsvScanner } from "../../../src/bulk/rows/csv.ts";
import { LineScanner } from "../../../src/bulk/rows/lines.ts";
import type { Scanner } from "../../../src/bulk/rows/scanner.ts";
import { Summary } from "../../../src/bulk/summary.ts";
import { type PieceWorker, readRowsOnWorkers } from "../../../src/bulk/workers.ts";
import { Classifier } from "../../../src/detection/classifier.ts";
import { inPieces } from "../../helpers/byte-source.ts";
import { lists, surroundings } from "../../helpers/classify.ts";

interface Kind {
  readonly scanner: () => Scanner;
  readonly renderer: () => Renderer;
}

const LINES: Kind = {
  scanner: () => new LineScanner(true),
  renderer: () => createRenderer("plain", { spreadsheetSafe: false }),
};
const CSV: Kind = {
  scanner: () => new CsvScanner({ delimiter: 0x2c, column: 0, width: 2 }),
  renderer: () => new RecordRenderer(new DelimitedForm(new CsvQuoting(0x2c, false), ""), new Uint8Array(0), undefined),
};

function pipelineOf(kind: Kind, sink: ByteSink | undefined): { pipeline: Pipeline; summary: Summary } {
  const classifier = new Classifier({ lists, surroundings, cacheEntries: 64 });
  const summary = new Summary(true);
  const setup = { classifier, renderer: kind.renderer(), summary, sink, select: 0, reject: 0, explain: undefined };
  return { pipeline: new Pipeline(setup), summary };
}

/** A worker in this thread. Every other piece takes longer than its successors. */
function workerOf(kind: Kind, delayMs: number): PieceWorker & { pieces: number } {
  const scanner = kind.scanner();
  const { pipeline } = pipelineOf(kind, undefined);
  let before: Promise<unknown> = Promise.resolve();
  const worker = {
    pieces: 0,
    run: (rows: Uint8Array): Promise<PieceResult> => {
      worker.pieces += 1;
      const octets = rows.slice();
      const answer = before.then(async () => {
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        scanner.take(octets, 0, octets.length, true, pipeline);
        return structuredClone(pipeline.yieldPiece());
      });
      before = answer;
      return answer;
    },
  };
  return worker;
}

const inputOf = (octets: Uint8Array, size: number): InputBuffer => new InputBuffer(inPieces(octets, size));

const collect = (): { sink: ByteSink; octets: () => Buffer } => {
  const written: Buffer[] = [];
  const sink = { write: async (octets: Uint8Array) => void written.push(Buffer.from(octets)) };
  return { sink, octets: () => Buffer.concat(written) };
};

const row = (i: number): string =>
  ["ada@example.org,1", "bob@mailinator.com,2", '"a""b"@x,"l\nl"', "\xff@b.org", "z"][i % 5] as string;
const many = Array.from({ length: 24_000 }, (_, i) => row(i));
many[8_000] = `${"l".repeat(700_000)}@example.org,1`;
many[16_000] = `"${"q\n".repeat(400_000)}",1`;
const octets = Buffer.from(many.join("\n"), "latin1");

describe("readRowsOnWorkers", () => {
  it.each([
    ["CSV", 1, 65_536, CSV],
    ["CSV", 2, 400_000, CSV],
    ["lines", 2, 400_000, LINES],
    ["CSV", 3, 9_999_999, CSV],
  ] as const)("gives of %s with %i workers what one thread gives, read by %i", async (_, count, size, kind) => {
    const one = collect();
    const alone = pipelineOf(kind, one.sink);
    await readRows(inputOf(octets, size), kind.scanner(), alone.pipeline, () => false);
    const several = collect();
    const shared = pipelineOf(kind, several.sink);
    const workers = Array.from({ length: count }, (_, i) => workerOf(kind, i % 2 === 0 ? 9 : 0));
    await readRowsOnWorkers(inputOf(octets, size), kind.scanner(), shared.pipeline, workers, () => false);
    await shared.pipeline.end();
    expect(several.octets().equals(one.octets())).toBe(true);
    expect(shared.summary.report(0, "")).toEqual(alone.summary.report(0, ""));
    expect([...shared.pipeline.irregularities.byKind]).toEqual([...alone.pipeline.irregularities.byKind]);
    for (const worker of workers) expect(worker.pieces).toBeGreaterThan(0);
  });
});

describe("readRowsOnWorkers", () => {
  it("writes what came before a piece that failed, and fails", async () => {
    const { sink, octets: written } = collect();
    const { pipeline } = pipelineOf(LINES, sink);
    const good = workerOf(LINES, 0);
    let pieces = 0;
    const failing: PieceWorker = {
      run: (piece) => {
        pieces += 1;
        return pieces === 2 ? Promise.reject(new Error("worn out")) : good.run(piece);
      },
    };
    const lines = Buffer.from("ada@example.org\n".repeat(200_000));
    const run = readRowsOnWorkers(inputOf(lines, 99_999), LINES.scanner(), pipeline, [failing], () => false);
    await expect(run).rejects.toThrow("worn out");
    expect(written().length).toBeGreaterThan(0);
    expect(lines.subarray(0, written().length).equals(written())).toBe(true);
    // Other pieces that were under way must not fail unheard.
    await new Promise((resolve) => setTimeout(resolve, 50));
  });

  it("stops when it is told to, with whole rows written", async () => {
    const { sink, octets: written } = collect();
    const { pipeline, summary } = pipelineOf(LINES, sink);
    let turns = 0;
    const lines = Buffer.from("ada@example.org\n".repeat(200_000));
    const input = inputOf(lines, 99_999);
    await readRowsOnWorkers(input, LINES.scanner(), pipeline, [workerOf(LINES, 0)], () => ++turns === 3);
    expect(input.total).toBeLessThan(lines.length);
    expect(written().length).toBeGreaterThan(0);
    expect(written().length).toBe(16 * summary.rows);
  });

  it("holds only a few pieces at once", async () => {
    const { sink } = collect();
    const { pipeline } = pipelineOf(LINES, sink);
    const worker = workerOf(LINES, 1);
    let open = 0;
    let most = 0;
    const counted: PieceWorker = {
      run: async (piece) => {
        open += 1;
        most = Math.max(most, open);
        const result = await worker.run(piece);
        open -= 1;
        return result;
      },
    };
    const lines = Buffer.from("ada@example.org\n".repeat(200_000));
    await readRowsOnWorkers(inputOf(lines, 100_000), LINES.scanner(), pipeline, [counted], () => false);
    expect(worker.pieces).toBeGreaterThan(5);
    expect(most).toBe(2);
  });

  it("gives each row away while the input stays open, however busy the workers were when it came", async () => {
    const { sink, octets: written } = collect();
    const { pipeline } = pipelineOf(LINES, sink);
    const pieces = Array.from({ length: 12 }, (_, i) => `u${i}@example.org\n`);
    const all = pieces.join("");
    // Rows come faster than workers are done, each read with the beginning of the next row; then nothing more comes.
    const reads = Array.from({ length: 12 }, (_, i) =>
      all.slice(i === 0 ? 0 : pieces.slice(0, i).join("").length + 3, pieces.slice(0, i + 1).join("").length + 3),
    );
    let open: () => void = () => {};
    const later = new Promise<void>((resolve) => {
      open = resolve;
    });
    const input = new InputBuffer({
      read: async (target, to) => {
        const read = Buffer.from(reads.shift() ?? "");
        if (read.length === 0) await later;
        target.set(read, to);
        return read.length;
      },
      close: () => {},
    });
    const workers = [workerOf(LINES, 30), workerOf(LINES, 1)];
    const run = readRowsOnWorkers(input, LINES.scanner(), pipeline, workers, () => false);
    const deadline = performance.now() + 120_000;
    while (written().length < all.length && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(written().toString()).toBe(all);
    open();
    await run;
  });
});
