// The kind of input that the options describe: lines or CSV. Chooses the scanner that finds rows and the renderer that shows
// them.

import { takeByteOrderMark } from "../../../bulk/beginning.ts";
import type { ByteSource } from "../../../bulk/ports.ts";
import { InputBuffer } from "../../../bulk/reader.ts";
import { CsvRecordRenderer, type DataFormat, type Renderer } from "../../../bulk/render.ts";
import {
  type CsvLayout,
  CsvScanner,
  fieldsOf,
  holdsBareCr,
  neverClosed,
  RECORD_MAX,
  RecordScan,
} from "../../../bulk/rows/csv.ts";
import { chooseColumn, columnNumber, outputHeader, refuseSeparatorLine } from "../../../bulk/rows/csv-header.ts";
import { LineScanner } from "../../../bulk/rows/lines.ts";
import type { Scanner } from "../../../bulk/rows/scanner.ts";
import { decodeUtf8 } from "../../../bytes/octets.ts";
import { AddrsiftError } from "../../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { rendererOf } from "./format-choice.ts";
import type { CsvSettings, DetectSettings } from "./settings.ts";

// In octets. A first line for Excel is `sep=;`; some programs add a delimiter for each column.
const SEPARATOR_LINE_MAX = 4096;
const NOTHING = new Uint8Array(0);

/** An opened input, and how its rows are read and shown. */
export interface Input {
  readonly buffer: InputBuffer;
  readonly scanner: Scanner;
  readonly renderer: Renderer;
  readonly format: DataFormat | "table";
  /** CSV: where the columns are. */
  readonly layout: CsvLayout | undefined;
  /** CSV: what the header calls the column of the address. */
  readonly columnName: string | undefined;
  /** Octets at the beginning of the output: a byte-order mark, the header of the input. */
  readonly opening: Uint8Array;
  /** Rows of the input before the first address: a CSV header. */
  readonly headerRows: number;
}

/** A scanner that finds the rows of such an input. */
export function scannerOf({ format, layout }: Pick<Input, "format" | "layout">): Scanner {
  return layout === undefined ? new LineScanner(format === "plain") : new CsvScanner(layout);
}

/** Reads the beginning of the source, as far as needed. Throws AddrsiftError for wrong options or an unreadable header. */
export async function openInput(source: ByteSource, settings: DetectSettings, runtime: Runtime): Promise<Input> {
  const { csv, part } = settings;
  const format = settings.format === "auto" ? (csv === undefined ? "ndjson" : "csv") : settings.format;
  const buffer = new InputBuffer(source);
  // Nothing at the beginning of a part is special.
  const mark = part ? NOTHING : await takeByteOrderMark(buffer);
  if (csv !== undefined) return openCsv(buffer, mark, format, csv, settings, runtime);
  return {
    buffer,
    scanner: scannerOf({ format, layout: undefined }),
    renderer: await rendererOf(format, settings, runtime),
    format,
    layout: undefined,
    columnName: undefined,
    opening: format === "plain" ? mark : NOTHING,
    headerRows: 0,
  };
}

async function openCsv(
  buffer: InputBuffer,
  mark: Uint8Array,
  format: DataFormat | "table",
  csv: CsvSettings,
  settings: DetectSettings,
  runtime: Runtime,
): Promise<Input> {
  const beginning = settings.part ? partOf(csv) : await readBeginning(buffer, csv);
  const { layout, header, given, columnName } = beginning;
  const keepsRows = format === "csv" || format === "plain";
  return {
    buffer,
    scanner: scannerOf({ format, layout }),
    renderer:
      format === "csv"
        ? new CsvRecordRenderer(csv.delimiter, header, settings.rows.spreadsheetSafe)
        : await rendererOf(format, settings, runtime),
    format,
    layout,
    columnName,
    opening: Uint8Array.from([...(keepsRows ? mark : []), ...(format === "plain" ? given : [])]),
    headerRows: columnName === undefined ? 0 : 1,
  };
}

/** What the options and the first record say about all records. */
interface CsvBeginning {
  readonly layout: CsvLayout;
  readonly columnName: string | undefined;
  /** The header of CSV output, and that of the input; empty where there is none. */
  readonly header: Uint8Array;
  readonly given: Uint8Array;
}

/** A part's first record says nothing about the other records. */
function partOf({ column = "", delimiter }: CsvSettings): CsvBeginning {
  const width = columnNumber(column) as number;
  return {
    layout: { delimiter, column: width - 1, width, open: true },
    columnName: undefined,
    header: NOTHING,
    given: NOTHING,
  };
}

/** Reads the first record; if it is a header, the records begin after it. */
async function readBeginning(buffer: InputBuffer, choice: CsvSettings): Promise<CsvBeginning> {
  const { delimiter } = choice;
  const record = await firstRecord(buffer, delimiter);
  if (buffer.start === buffer.end) return emptyBeginning(choice);
  if (record.end - buffer.start < SEPARATOR_LINE_MAX) {
    refuseSeparatorLine(decodeUtf8(buffer.octets, buffer.start, record.end));
  }
  if (choice.hasHeader && endsInCr(buffer, record, delimiter)) throw linesEndInCr();
  const fields = fieldsOf(buffer.octets, buffer.start, record.end, delimiter);
  const layout: CsvLayout = { delimiter, column: chooseColumn(fields, choice), width: fields.length };
  if (!choice.hasHeader) return { layout, columnName: undefined, header: NOTHING, given: NOTHING };
  const octets = buffer.octets.slice(buffer.start, record.end);
  const crlf = record.next - record.end === 2;
  buffer.start = record.next;
  return {
    layout,
    columnName: fields[layout.column] as string,
    header: outputHeader(octets, fields, crlf, choice),
    given: Uint8Array.from([...octets, ...(crlf ? [0x0d] : []), 0x0a]),
  };
}

/** An empty input has no rows. But if a header must be there, its absence is an error. */
function emptyBeginning(choice: CsvSettings): CsvBeginning {
  if (choice.hasHeader) {
    throw new AddrsiftError("INPUT", "the CSV is empty: it has no first row to find the column in");
  }
  const layout = { delimiter: choice.delimiter, column: 0, width: 1 };
  return { layout, columnName: undefined, header: NOTHING, given: NOTHING };
}

async function firstRecord(buffer: InputBuffer, delimiter: number): Promise<RecordScan> {
  const record = new RecordScan();
  const layout = { delimiter, column: 0, width: 1 };
  while (!record.scan(buffer.octets, buffer.start, buffer.end, layout, buffer.ended)) {
    if (buffer.ended || buffer.end - buffer.start > RECORD_MAX) {
      throw holdsBareCr(buffer.octets, buffer.start, buffer.end, delimiter) ? linesEndInCr() : neverClosed(1);
    }
    await buffer.fill();
  }
  return record;
}

/** True when lines end in CR only: then the first record is the whole file, or all of it up to a single line feed. */
function endsInCr({ octets, start }: InputBuffer, { end, next }: RecordScan, delimiter: number): boolean {
  // Only a header, with no line feed after it.
  const unended = end === next && end > start && octets[end - 1] === 0x0d;
  return unended || holdsBareCr(octets, start, end, delimiter);
}

function linesEndInCr(): AddrsiftError {
  return new AddrsiftError(
    "INPUT",
    "the lines of the CSV seem to end in CR only: convert them first, for example with tr '\\r' '\\n'",
  );
}
