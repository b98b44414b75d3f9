// Parts of a file: cuts what was read into parts that end where a record ends. A browser sends the whole of a body
// before it reads any of the answer, while the daemon answers as it reads: so each part must be small enough to be on
// its way as a whole. The daemon puts the counts of a part into the last record of its answer.

import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import type { InputBuffer } from "../../bulk/reader.ts";
import { CsvScanner, fieldsOf, RECORD_MAX, RecordScan } from "../../bulk/rows/csv.ts";
import type { Irregularity } from "../../bulk/rows/irregularities.ts";
import type { RowLayout } from "../../bulk/rows/layout.ts";
import type { SummaryReport } from "../../bulk/summary.ts";

const LF = 0x0a;
const SHOWN_BYTES = 60;

/**
 * The parts of what is left of an input, each of at most as many bytes as `sizeOf` says by then, or of one record.
 * Throws where a record never ends: at the latest after `recordMax`.
 */
export async function* cutAtRecords(
  buffer: InputBuffer,
  layout: RowLayout,
  sizeOf: () => number,
  recordMax: number = RECORD_MAX,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const scanner = layout.kind === "csv" ? new CsvScanner(layout) : undefined;
  // How many bytes are looked at next: always more than before where a record went on.
  for (let window = sizeOf(); ; ) {
    while (!buffer.ended && buffer.end - buffer.start <= window) await buffer.fill();
    const { bytes, start } = buffer;
    const end = Math.min(buffer.end, start + window);
    const next = scanner?.boundary(bytes, start, end) ?? bytes.subarray(start, end).lastIndexOf(LF) + 1 + start;
    // Less than a part is left, or one record.
    const isLast = end === buffer.end && (end - start <= sizeOf() || next === start || next === end);
    if (isLast) {
      if (layout.kind === "csv" && next < end && !new RecordScan().scan(bytes, next, end, layout, true))
        throw neverEnds("a quote never closes", bytes.subarray(next, end));
      if (end > start) yield bytes.slice(start, end);
      return;
    }
    if (next > start) {
      yield bytes.slice(start, next);
      buffer.start = next;
      window = Math.max(sizeOf(), end - next + 1);
    } else if (window <= recordMax) window += sizeOf();
    else {
      const isLong = layout.kind !== "csv" || new RecordScan().scan(bytes, start, end, layout, true);
      throw neverEnds(isLong ? "no line break comes" : "a quote never closes", bytes.subarray(start, end));
    }
  }
}

/** Says which row swallows all that follows. */
function neverEnds(what: string, bytes: Uint8Array): Error {
  const begin = JSON.stringify(decodeUtf8(bytes.subarray(0, SHOWN_BYTES)));
  return new Error(`${what} in the row that begins with ${begin}: fix it, or choose how the file is read.`);
}

/** The counts of a part. */
export interface PartSummary extends Pick<SummaryReport, "rows" | "classes"> {
  readonly irregular: Readonly<
    Partial<Record<Irregularity, { readonly rows: number; readonly first: readonly number[] }>>
  >;
}

/** Takes the last record off an answer that was asked for with `summary=row`. It holds JSON, so it is one line. */
export function takeSummary(
  answer: Uint8Array<ArrayBuffer>,
  delimiter: number | undefined,
): { readonly rows: Uint8Array<ArrayBuffer>; readonly summary: PartSummary } {
  const start = answer.lastIndexOf(LF, answer.length - 2) + 1;
  const text =
    delimiter === undefined ? decodeUtf8(answer, start) : (fieldsOf(answer, start, answer.length, delimiter)[0] ?? "");
  return { rows: answer.subarray(0, start), summary: JSON.parse(text).summary };
}
