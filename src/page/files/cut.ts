// Parts of a file: cuts a stream of octets into parts that end where a record ends. A browser sends the whole of a body before it reads any of the answer,
// while the daemon answers as it reads: so each part must be small enough to be on its way as a whole.
// The daemon puts the counts of a part into the last record of its answer.

import { fieldsOf, RecordScan } from "../../bulk/rows/csv.ts";
import type { SummaryReport } from "../../bulk/summary.ts";

/** Where records end. */
export interface Records {
  /** The index after the last record that is complete between two others. */
  readonly boundary: (octets: Uint8Array, start: number, end: number) => number;
  /** Whether the last record of all ends well, without a line break. */
  readonly endsWell: (octets: Uint8Array, start: number, end: number) => boolean;
}

const LF = 0x0a;

/** Records that are lines. */
export const LINES: Records = {
  boundary: (octets, start, end) => octets.subarray(start, end).lastIndexOf(LF) + 1 + start,
  endsWell: () => true,
};

/** The parts of a stream, each of at most `partBytes` octets or of one record. Throws where a record never ends: at the latest after `recordMax`. */
export async function* cutAtRecords(
  stream: ReadableStream<Uint8Array>,
  { boundary, endsWell }: Records,
  partBytes: number,
  recordMax: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  let kept = new Uint8Array(0);
  // How many octets are looked at next: always more than before where a record went on.
  let window = partBytes;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (value !== undefined) kept = joined(kept, value);
      while (kept.length >= window) {
        const end = boundary(kept, 0, window);
        if (end > 0) {
          yield kept.slice(0, end);
          kept = kept.slice(end);
          window = Math.max(partBytes, window - end + 1);
        } else {
          if (window > recordMax) throw endsWell(kept, 0, window) ? noLineBreak(kept) : neverCloses(kept);
          window += partBytes;
        }
      }
      if (done) break;
    }
    const last = boundary(kept, 0, kept.length);
    if (last < kept.length && !endsWell(kept, last, kept.length)) throw neverCloses(kept.subarray(last));
    if (kept.length > 0) yield kept;
  } finally {
    await reader.cancel();
  }
}

const SHOWN_OCTETS = 60;

/** Says which row swallows all that follows. */
function neverCloses(octets: Uint8Array): Error {
  return new Error(`a quote never closes in ${shownRow(octets)}: fix it, or choose another delimiter.`);
}

function noLineBreak(octets: Uint8Array): Error {
  return new Error(`no line break comes in ${shownRow(octets)}: fix it, or choose another file.`);
}

function shownRow(octets: Uint8Array): string {
  const begin = new TextDecoder().decode(octets.subarray(0, SHOWN_OCTETS));
  return `the row that begins with ${JSON.stringify(begin)}`;
}

/** Two runs of octets as one. */
export function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

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
