// The counts of a part, which the daemon puts into the last record of its answer.

import { fieldsOf, RecordScan } from "../../bulk/rows/csv.ts";
import type { SummaryReport } from "../../bulk/summary.ts";

const LF = 0x0a;

/** Takes the last record off an answer that was asked for with `summary=row`. It holds JSON, so it is one line. */
export function takeSummary(
  answer: Uint8Array<ArrayBuffer>,
  delimiter: number,
): { readonly rows: Uint8Array<ArrayBuffer>; readonly summary: SummaryReport } {
  const start = answer.lastIndexOf(LF, answer.length - 2) + 1;
  const [field = ""] = fieldsOf(answer, start, answer.length, delimiter);
  return { rows: answer.subarray(0, start), summary: JSON.parse(field).summary };
}

/** The index after so many records. */
export function afterRecords(octets: Uint8Array, delimiter: number, count: number): number {
  const scan = new RecordScan();
  let at = 0;
  for (let i = 0; i < count && at < octets.length; i += 1) {
    scan.scan(octets, at, octets.length, { delimiter, column: 0, width: 1 }, true);
    at = scan.next;
  }
  return at;
}
