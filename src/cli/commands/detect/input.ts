// The kind of input that the options describe: lines, CSV, TSV or JSON Lines. Chooses the scanner that finds rows and the renderer that shows
// them.

import { openText, type TextSource } from "../../../bulk/beginning.ts";
import { type CsvBeginning, readCsvBeginning, takeSameHeader } from "../../../bulk/csv-beginning.ts";
import { readJsonlBeginning } from "../../../bulk/jsonl-beginning.ts";
import type { ByteSource } from "../../../bulk/ports.ts";
import { InputBuffer } from "../../../bulk/reader.ts";
import type { FieldChoice, Renderer } from "../../../bulk/render/render.ts";
import { createScanner, LINES, ownFormat, type RowLayout } from "../../../bulk/row-layout.ts";
import { columnNumber } from "../../../bulk/rows/csv-header.ts";
import { csvDelimiter } from "../../../bulk/rows/csv-sniff.ts";
import { ADDRESS_FIELD_MAX, type Scanner } from "../../../bulk/rows/scanner.ts";
import { readTsvBeginning, takeSameTsvHeader } from "../../../bulk/tsv-beginning.ts";
import { ADDED_COLUMNS } from "../../../detection/fields.ts";
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
  /** How rows are found. */
  readonly layout: RowLayout;
  /** CSV and TSV: what the beginning says about all records. */
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
  /** The fields that rows carry, if they are chosen. */
  readonly fields?: FieldChoice | undefined;
  /** The first input, when this is a further one: it has the same form, and its rows follow. */
  readonly first: Input | undefined;
}

/** Reads the beginning of the source, as far as needed. Throws AddrsiftError for wrong options or an unreadable header. */
export async function openInput(
  source: ByteSource,
  settings: DetectSettings,
  runtime: Runtime,
  context: InputContext = { shown: "the input", tell: () => {}, first: undefined },
): Promise<Input> {
  const { part } = settings;
  const { tell, first, fields } = context;
  // Nothing at the beginning of a part is special.
  const text = part ? { source, mark: NOTHING } : await openAsText(source, runtime, context);
  const buffer = new InputBuffer(text.source);
  if (first !== undefined) return openFurther(buffer, first, part);
  const { layout, csv } = await readBeginning(buffer, settings, tell);
  const format = settings.format === "auto" ? ownFormat(layout) : settings.format;
  const create = await rendererOf(format, settings, runtime);
  const keepsMark = format === "plain" || (format === "csv" && layout.kind === "csv");
  return {
    buffer,
    scanner: createScanner(layout, format),
    renderer: create(fields, layout, csv?.header),
    format,
    layout,
    csv,
    opening: Uint8Array.from([...(keepsMark ? text.mark : []), ...(format === "plain" ? (csv?.given ?? []) : [])]),
    headerRows: csv?.headerRows ?? 0,
  };
}

async function readBeginning(
  buffer: InputBuffer,
  { csv: choice, jsonl, part, rows }: DetectSettings,
  tell: InputContext["tell"],
): Promise<Pick<Input, "layout" | "csv">> {
  const added = rows.fields ?? ADDED_COLUMNS;
  if (jsonl !== undefined) {
    const names = rows.explain ? [...added, "explain"] : added;
    const layout = await readJsonlBeginning(buffer, jsonl, part, names);
    return { layout: { kind: "jsonl", ...layout }, csv: undefined };
  }
  if (choice === undefined) {
    if (!part) await noteCsv(buffer, tell);
    return { layout: LINES, csv: undefined };
  }
  const csv = part
    ? partOf(choice)
    : choice.kind === "tsv"
      ? await readTsvBeginning(buffer, choice, added)
      : await readCsvBeginning(buffer, choice, added, tell);
  return { layout: { kind: choice.kind, ...csv.layout }, csv };
}

function openAsText(source: ByteSource, runtime: Runtime, { shown, tell }: InputContext): Promise<TextSource> {
  const gunzip = (packed: ByteSource): ByteSource => new GunzipSource(packed, shown, runtime.load("node:zlib"));
  return openText(source, { gunzip, tell });
}

/** A further input has the form of the first one; a header is taken and not given again. */
async function openFurther(buffer: InputBuffer, first: Input, part: boolean): Promise<Input> {
  const takeHeader = first.layout.kind === "tsv" ? takeSameTsvHeader : takeSameHeader;
  const headerRows = part || first.csv === undefined ? 0 : await takeHeader(buffer, first.csv);
  return { ...first, buffer, scanner: createScanner(first.layout, first.format), opening: NOTHING, headerRows };
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
