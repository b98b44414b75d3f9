// The kind of input that the options describe: lines or CSV. Chooses the scanner that finds rows and the renderer that shows
// them.

import { openText, type TextSource } from "../../../bulk/beginning.ts";
import { type CsvBeginning, readCsvBeginning, takeSameHeader } from "../../../bulk/csv-beginning.ts";
import type { ByteSource } from "../../../bulk/ports.ts";
import { InputBuffer } from "../../../bulk/reader.ts";
import { CsvRecordRenderer, type Renderer } from "../../../bulk/render.ts";
import { type CsvLayout, CsvScanner } from "../../../bulk/rows/csv.ts";
import { columnNumber } from "../../../bulk/rows/csv-header.ts";
import { csvDelimiter } from "../../../bulk/rows/csv-sniff.ts";
import { LineScanner } from "../../../bulk/rows/lines.ts";
import { ADDRESS_FIELD_MAX, type Scanner } from "../../../bulk/rows/scanner.ts";
import type { Runtime } from "../../runtime.ts";
import { GunzipSource } from "../../terminal/gunzip.ts";
import { type Format, rendererOf } from "./format-choice.ts";
import type { DetectSettings } from "./settings.ts";

const COMMA = 0x2c;
const LF = 0x0a;
const NOTHING = new Uint8Array(0);

/** An opened input, and how its rows are read and shown. */
export interface Input {
  readonly buffer: InputBuffer;
  readonly scanner: Scanner;
  readonly renderer: Renderer;
  readonly format: Format;
  /** CSV: what its beginning says about all records. */
  readonly csv: CsvBeginning | undefined;
  /** Octets at the beginning of the output: a byte-order mark, the header of the input. */
  readonly opening: Uint8Array;
  /** Rows of the input before the first address: a CSV header. */
  readonly headerRows: number;
}

/** What is known where an input is opened. */
export interface InputContext {
  /** What messages call the input. */
  readonly shown: string;
  /** Told in a sentence what was found or converted. */
  readonly tell: (note: string) => void;
  /** The first input, when this is a further one: it has the same form, and its rows follow. */
  readonly first: Input | undefined;
}

/** Where the columns are; undefined for lines. */
export function layoutOf({ csv }: Pick<Input, "csv">): CsvLayout | undefined {
  return csv?.layout;
}

/** A scanner that finds the rows of such an input. */
export function scannerOf(input: Pick<Input, "format" | "csv">): Scanner {
  const layout = layoutOf(input);
  return layout === undefined ? new LineScanner(input.format === "plain") : new CsvScanner(layout);
}

/** Reads the beginning of the source, as far as needed. Throws AddrsiftError for wrong options or an unreadable header. */
export async function openInput(
  source: ByteSource,
  settings: DetectSettings,
  runtime: Runtime,
  context: InputContext = { shown: "the input", tell: () => {}, first: undefined },
): Promise<Input> {
  const { csv: choice, part } = settings;
  const { tell, first } = context;
  // Nothing at the beginning of a part is special.
  const text = part ? { source, mark: NOTHING } : await openAsText(source, runtime, context);
  const buffer = new InputBuffer(text.source);
  if (first !== undefined) return openFurther(buffer, first, part);
  const format = settings.format === "auto" ? (choice === undefined ? "ndjson" : "csv") : settings.format;
  if (choice === undefined) {
    if (!part) await noteCsv(buffer, tell);
    const form = { format, csv: undefined };
    const renderer = await rendererOf(format, settings, runtime);
    const opening = format === "plain" ? text.mark : NOTHING;
    return { buffer, scanner: scannerOf(form), renderer, ...form, opening, headerRows: 0 };
  }
  const csv = part ? partOf(choice) : await readCsvBeginning(buffer, choice, tell);
  const form = { format, csv };
  const keepsMark = format === "csv" || format === "plain";
  return {
    buffer,
    scanner: scannerOf(form),
    renderer:
      format === "csv"
        ? new CsvRecordRenderer(csv.layout.delimiter, csv.header, settings.rows.spreadsheetSafe)
        : await rendererOf(format, settings, runtime),
    ...form,
    opening: Uint8Array.from([...(keepsMark ? text.mark : []), ...(format === "plain" ? csv.given : [])]),
    headerRows: csv.headerRows,
  };
}

function openAsText(source: ByteSource, runtime: Runtime, { shown, tell }: InputContext): Promise<TextSource> {
  const gunzip = (packed: ByteSource): ByteSource => new GunzipSource(packed, shown, runtime.load("node:zlib"));
  return openText(source, { gunzip, tell });
}

/** A further input has the form of the first one; a header is taken and not given again. */
async function openFurther(buffer: InputBuffer, first: Input, part: boolean): Promise<Input> {
  const headerRows = part || first.csv === undefined ? 0 : await takeSameHeader(buffer, first.csv);
  return { ...first, buffer, scanner: scannerOf(first), opening: NOTHING, headerRows };
}

/** A part's first record says nothing about the other records. */
function partOf({ column = "", delimiter = COMMA }: NonNullable<DetectSettings["csv"]>): CsvBeginning {
  const width = columnNumber(column) as number;
  const layout = { delimiter, column: width - 1, width, open: true };
  return { layout, names: undefined, header: NOTHING, given: NOTHING, headerRows: 0 };
}

/** Tells when lines seem to be CSV. It waits for the first line only, without which there is no row to answer. */
async function noteCsv(buffer: InputBuffer, tell: InputContext["tell"]): Promise<void> {
  let end = -1;
  while (end < 0 && !buffer.ended && buffer.end < ADDRESS_FIELD_MAX) {
    await buffer.fill();
    end = buffer.octets.subarray(0, buffer.end).indexOf(LF);
  }
  const looksLikeCsv = csvDelimiter(buffer.octets, 0, end < 0 ? buffer.end : end) !== undefined;
  if (looksLikeCsv) tell("the first line looks like CSV, but is read as one address: for CSV add --csv");
}
