// Splits a file into chunks of whole records, and the daemon's response to a chunk into its rows and its summary.

import { LF } from "../../base/bytes/ascii.ts";
import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import type { InputBuffer } from "../../bulk/reader.ts";
import { parseFields, RecordScan } from "../../bulk/rows/csv.ts";
import type { RowLayout } from "../../bulk/rows/layout.ts";
import { MAX_RECORD_BYTES } from "../../bulk/rows/row.ts";
import type { SummaryReport } from "../../bulk/summary.ts";

const OPEN_QUOTE = "it opens a quote that never closes. Check its quotes, or the delimiter.";
const NO_LINE_BREAK = "it has no line break within 16 MiB. Check the format.";

/** Yields chunks of at most `chunkBytes()` bytes, or of one longer record. Throws if one is longer than `recordMax`. */
export async function* chunkAtRecords(
  buffer: InputBuffer,
  layout: RowLayout,
  chunkBytes: () => number,
  recordMax: number = MAX_RECORD_BYTES,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const record = new RecordScan();
  // Number of bytes in which the end of a record is searched. Grows while a record is longer.
  for (let searchLength = chunkBytes(); ; ) {
    while (!buffer.ended && buffer.end - buffer.start <= searchLength) await buffer.fill();
    const { bytes, start } = buffer;
    const end = Math.min(buffer.end, start + searchLength);
    const recordEnd = findLastRecordEnd(bytes, start, end, layout, record);
    // The rest fits into a chunk, or is one record.
    const isLast = end === buffer.end && (end - start <= chunkBytes() || recordEnd === start || recordEnd === end);
    if (isLast) {
      if (layout.kind === "csv" && recordEnd < end && !new RecordScan().scan(bytes, recordEnd, end, layout, true)) {
        if (recordEnd > start) yield bytes.slice(start, recordEnd);
        throw new Error(OPEN_QUOTE);
      }
      if (end > start) yield bytes.slice(start, end);
      return;
    }
    if (recordEnd > start) {
      yield bytes.slice(start, recordEnd);
      buffer.start = recordEnd;
      searchLength = Math.max(chunkBytes(), end - recordEnd + 1);
    } else if (searchLength <= recordMax) searchLength += chunkBytes();
    else {
      const isLong = layout.kind !== "csv" || new RecordScan().scan(bytes, start, end, layout, true);
      throw new Error(isLong ? NO_LINE_BREAK : OPEN_QUOTE);
    }
  }
}

/** Returns the index after the last record that ends between `start` and `end`; without one, `start`. */
function findLastRecordEnd(
  bytes: Uint8Array,
  start: number,
  end: number,
  layout: RowLayout,
  record: RecordScan,
): number {
  if (layout.kind !== "csv") return bytes.subarray(start, end).lastIndexOf(LF) + 1 + start;
  let from = start;
  while (from < end && record.scan(bytes, from, end, layout, false)) from = record.next;
  return from;
}

type ChunkSummary = Pick<SummaryReport, "rows" | "classes" | "by" | "irregular">;

/** Splits off the last record of a response to `summary=row`: JSON, so one line. */
export function splitSummary(response: Uint8Array<ArrayBuffer>, delimiter: number | undefined) {
  const { length } = response;
  const start = response.lastIndexOf(LF, length - 2) + 1;
  const [text = ""] =
    delimiter === undefined ? [decodeUtf8(response, start)] : parseFields(response, start, length, delimiter);
  const { summary }: { summary: ChunkSummary } = JSON.parse(text);
  return { rows: response.subarray(0, start), summary };
}
