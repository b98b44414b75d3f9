// Rows that a scanner finds, however the input is cut into chunks and wherever the sink pauses.

import type { Row, RowSink, Scanner } from "../../src/bulk/rows/row.ts";

/** How an input arrives. */
export interface Arrival {
  /** Bytes of each chunk; the last size is repeated. Default: one chunk. */
  readonly chunks?: readonly number[] | undefined;
  /** The sink is full after each row. */
  readonly pauses?: boolean | undefined;
}

export interface FoundRow {
  /** The row's line or record; undefined in text, and where it is so long that chance decides how much is there. */
  readonly line: string | undefined;
  /** The row's addresses; null for a null one. */
  readonly addresses: readonly (string | null)[];
  readonly location: Row["location"];
  readonly hasCrlf: boolean;
  readonly missingFields: number;
  readonly readFault: Row["readFault"];
  /** The bytes after the added columns. */
  readonly surplus: string;
}

export interface Found {
  readonly rows: FoundRow[];
  /** The lines as the format plain shows them; empty for text. */
  readonly shown: string;
  /** Warnings, each with the number of rows before it. */
  readonly noted: (readonly [rows: number, kind: string])[];
  readonly error: Error | undefined;
}

// After the last byte of a chunk are old bytes: those that would do most harm.
const OLD = Buffer.from('\n",\n",\n",');

export function rowsOf(scanner: Scanner, input: Uint8Array, { chunks = [], pauses = false }: Arrival = {}): Found {
  const found = {
    rows: [] as FoundRow[],
    shown: "",
    noted: [] as [number, string][],
    error: undefined as Error | undefined,
  };
  const show = (bytes: Uint8Array, endsLine: boolean): void => {
    found.shown += latin1(bytes, 0, bytes.length) + (endsLine ? "\n" : "");
  };
  let full = false;
  const sink: RowSink = {
    get isFull() {
      return full;
    },
    get rowNumber() {
      return found.rows.length;
    },
    accept(row) {
      found.rows.push(foundRow(row));
      if (row.location === undefined) show(row.line.subarray(row.lineStart, row.lineEnd), !row.isPartialLine);
      full = pauses;
      return true;
    },
    warn: (kind) => found.noted.push([found.rows.length, kind]),
    passThrough: show,
  };
  let unread = Buffer.alloc(0);
  try {
    for (let [read, turn] = [0, 0]; ; turn += 1) {
      const chunk = input.subarray(read, read + (chunks[turn] ?? chunks.at(-1) ?? input.length));
      read += chunk.length;
      const bytes = Buffer.concat([unread, chunk, OLD.subarray(read % 3)]);
      const end = unread.length + chunk.length;
      let start = 0;
      do {
        full = false;
        start = scanner.scan(bytes, start, end, read === input.length, sink);
      } while (full && start < end);
      unread = bytes.subarray(start, end);
      if (read < input.length) continue;
      if (start !== end) throw new Error(`${end - start} bytes are left`);
      return found;
    }
  } catch (error) {
    return { ...found, error: error as Error };
  }
}

function foundRow(row: Row): FoundRow {
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
