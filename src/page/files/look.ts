// The octets of a file as UTF-8, and a guess at the file by its name and its first octets: lines or CSV, its delimiter, its columns. A person may correct all of it. The
// rules are those of the command line.

import { decodeUtf8 } from "../../base/bytes/octets.ts";
import { fieldsOf, RecordScan } from "../../bulk/rows/csv.ts";
import { beginsWithData, type ColumnChoice, chooseColumn } from "../../bulk/rows/csv-header.ts";
import { csvDelimiter, delimiterOfSeparatorLine, sniffDelimiter } from "../../bulk/rows/csv-sniff.ts";
import { looksLikeAddress } from "../../bulk/rows/looks-like-address.ts";

/** How many octets of a file show what it is. */
export const LOOKED_AT_BYTES = 64 * 1024;

const BOM = [0xef, 0xbb, 0xbf];
const LF = 0x0a;
const CR = 0x0d;
const PREVIEW_ROWS = 4;

/** The form of a file, by which the daemon reads it. */
export type Layout =
  | { readonly kind: "lines" }
  | {
      readonly kind: "csv";
      /** An octet. */
      readonly delimiter: number;
      readonly hasHeader: boolean;
      /** The index of the e-mail column. */
      readonly column: number;
    };

/** The first octets of a file after what stands before its first record. */
export interface Beginning {
  readonly octets: Uint8Array;
  /** Where the first record begins. */
  readonly start: number;
  /** The delimiter that a line for Excel tells. */
  readonly told: number | undefined;
}

/** A file that was looked at. */
export interface Looked {
  readonly file: File;
  readonly beginning: Beginning;
}

export function beginningOf(octets: Uint8Array): Beginning {
  const start = startsWith(octets, BOM) ? BOM.length : 0;
  const next = lineEnd(octets, start) + 1;
  const told = delimiterOfSeparatorLine(decodeUtf8(octets, start, Math.min(next, octets.length)));
  return told === undefined ? { octets, start, told } : { octets, start: next, told };
}

/** The most likely layout of the file. */
export function guess(name: string, beginning: Beginning): Layout {
  const { octets, start, told } = beginning;
  const end = lineEnd(octets, start);
  const named = /\.(csv|tsv)(\.gz)?$/i.test(name);
  if (!named && told === undefined && csvDelimiter(octets, start, end) === undefined) return { kind: "lines" };
  const delimiter = told ?? sniffDelimiter(octets, start, end, undefined);
  const [first = []] = recordsOf(beginning, delimiter);
  const hasHeader = !beginsWithData(first, choiceOf(delimiter, true));
  return { kind: "csv", delimiter, hasHeader, column: guessColumn(beginning, delimiter, hasHeader) };
}

/** The column that probably has the address: by its header, else by its values, else the first. */
export function guessColumn(beginning: Beginning, delimiter: number, hasHeader: boolean): number {
  const [first = [], ...rows] = recordsOf(beginning, delimiter);
  try {
    return chooseColumn(first, choiceOf(delimiter, hasHeader));
  } catch {
    const values = hasHeader ? rows : [first, ...rows];
    return Math.max(
      0,
      first.findIndex((_, i) => values.some((row) => looksLikeAddress((row[i] ?? "").trim()))),
    );
  }
}

function choiceOf(delimiter: number, hasHeader: boolean): ColumnChoice {
  return { column: undefined, hasHeader, prefix: "", delimiter };
}

/** The fields of the first records. */
export function recordsOf({ octets, start }: Beginning, delimiter: number): string[][] {
  const scan = new RecordScan();
  const layout = { delimiter, column: 0, width: 1 };
  const records: string[][] = [];
  // The octets may end in the middle of a record, which is good enough for a look.
  for (let from = start; from < octets.length && records.length < PREVIEW_ROWS; from = scan.next) {
    if (!scan.scan(octets, from, octets.length, layout, true)) break;
    records.push(fieldsOf(octets, from, scan.end, delimiter));
  }
  return records;
}

/** The first record with its line break, as it stands in the file. */
export function headerRecord({ octets, start }: Beginning, delimiter: number): Uint8Array {
  const scan = new RecordScan();
  scan.scan(octets, start, octets.length, { delimiter, column: 0, width: 1 }, true);
  const record = octets.slice(start, scan.next);
  return record.at(-1) === LF ? record : Uint8Array.from([...record, LF]);
}

function lineEnd(octets: Uint8Array, start: number): number {
  const lf = octets.indexOf(LF, start);
  const end = lf < 0 ? octets.length : lf;
  return lf > start && octets[end - 1] === CR && lf < 0 ? end - 1 : end;
}

const BEGINNING = 4;

/** Reads a file. `onRead` is told how many octets of the file itself were read. */
export async function octetsOf(file: File, onRead: (count: number) => void): Promise<ReadableStream<Uint8Array>> {
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (chunk, controller) => {
        onRead(chunk.length);
        controller.enqueue(chunk);
      },
    }),
  );
  const isGzip = startsWith(await beginning(file.stream()), [0x1f, 0x8b]);
  const unpacked = isGzip ? counted.pipeThrough(new DecompressionStream("gzip")) : counted;
  const label = utf16Label(
    isGzip
      ? await beginning(file.stream().pipeThrough(new DecompressionStream("gzip")))
      : await beginning(file.stream()),
  );
  if (label === undefined) return unpacked;
  return unpacked.pipeThrough(new TextDecoderStream(label, { ignoreBOM: true })).pipeThrough(new TextEncoderStream());
}

/** The first octets of a stream, at most `limit`. */
export async function beginning(stream: ReadableStream<Uint8Array>, limit: number = BEGINNING): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  for (let length = 0; length < limit; ) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
  }
  void reader.cancel();
  const all = new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
  return all.subarray(0, limit);
}

function utf16Label(octets: Uint8Array): string | undefined {
  if (startsWith(octets, [0xff, 0xfe])) return "utf-16le";
  return startsWith(octets, [0xfe, 0xff]) ? "utf-16be" : undefined;
}

/** Whether these octets stand at the beginning. */
export function startsWith(octets: Uint8Array, wanted: readonly number[]): boolean {
  return wanted.every((octet, i) => octets[i] === octet);
}
