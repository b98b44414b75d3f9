// Collects the rows that a scanner finds, for any chunk sizes and with or without pauses of the sink.

import type { Row, RowSink, Scanner } from "../../src/bulk/rows/row.ts";

export interface ScanOptions {
  /** Size of each chunk in bytes. The last size is repeated. Default: one chunk. */
  readonly chunks?: readonly number[] | undefined;
  /** Whether the sink reports that it is full after each row. */
  readonly pauses?: boolean | undefined;
}

export interface ScannedRow {
  /** The row's line or record. Undefined in scanned text, and for a row that was too long to read as a whole. */
  readonly line: string | undefined;
  /** The row's addresses. A null address is null. */
  readonly addresses: readonly (string | null)[];
  readonly location: Row["location"];
  readonly hasCrlf: boolean;
  readonly missingFields: number;
  readonly readFault: Row["readFault"];
  /** The bytes after the added columns. */
  readonly surplus: string;
}

export interface ScanResult {
  readonly rows: ScannedRow[];
  /** The lines as the format plain echoes them. Empty for scanned text. */
  readonly echoed: string;
  /** Warnings, each with the number of rows before it, and its lines or the skipped file if it names them. */
  readonly warnings: (readonly [rows: number, kind: string, place?: string])[];
  readonly error: Error | undefined;
}

// Bytes after the end of each chunk, as in a reused buffer. A scanner that reads too far would find quotes and rows.
const STALE_BYTES = Buffer.from('\n",\n",\n",');

export function scanRows(
  scanner: Scanner,
  input: Uint8Array,
  { chunks = [], pauses = false }: ScanOptions = {},
): ScanResult {
  const result = {
    rows: [] as ScannedRow[],
    echoed: "",
    warnings: [] as [number, string, string?][],
    error: undefined as Error | undefined,
  };
  const echo = (bytes: Uint8Array, endsLine: boolean): void => {
    result.echoed += latin1(bytes, 0, bytes.length) + (endsLine ? "\n" : "");
  };
  let full = false;
  const sink: RowSink = {
    get isFull() {
      return full;
    },
    get rowNumber() {
      return result.rows.length;
    },
    lineOffset: 0,
    accept(row) {
      result.rows.push(toScannedRow(row));
      if (row.location === undefined) echo(row.line.subarray(row.lineStart, row.lineEnd), !row.isPartialLine);
      full = pauses;
      return true;
    },
    warn: (kind, ...place) => result.warnings.push([result.rows.length, kind, ...place] as [number, string, string?]),
    passThrough: echo,
  };
  let unread = Buffer.alloc(0);
  try {
    for (let [read, index] = [0, 0]; ; index += 1) {
      const chunk = input.subarray(read, read + (chunks[index] ?? chunks.at(-1) ?? input.length));
      read += chunk.length;
      const bytes = Buffer.concat([unread, chunk, STALE_BYTES.subarray(read % 3)]);
      const end = unread.length + chunk.length;
      let start = 0;
      do {
        full = false;
        start = scanner.scan(bytes, start, end, read === input.length, sink);
      } while (full && start < end);
      unread = bytes.subarray(start, end);
      if (read < input.length) continue;
      if (start !== end) throw new Error(`${end - start} bytes were not scanned`);
      return result;
    }
  } catch (error) {
    return { ...result, error: error as Error };
  }
}

function toScannedRow(row: Row): ScannedRow {
  const { line, lineStart, lineEnd, location, hasCrlf, missingFields, readFault, appendOffset } = row;
  const hasLine = location === undefined && readFault === undefined;
  return {
    line: hasLine || readFault === "not_an_object" ? latin1(line, lineStart, lineEnd) : undefined,
    addresses: [row, ...row.additionalAddresses].map(({ isNull, bytes, start, end }) =>
      isNull ? null : latin1(bytes, start, end),
    ),
    location,
    hasCrlf,
    missingFields,
    readFault,
    surplus: hasLine && !row.isNull ? latin1(line, Math.max(lineStart, appendOffset), lineEnd) : "",
  };
}

const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("latin1");
