// Opens an input: decodes its first bytes, detects its format, and reads the preamble that determines the layout of all
// rows. The output format is chosen elsewhere.

import { COMMA, TAB } from "../../base/bytes/ascii.ts";
import { decodeUtf8, encodeUtf8 } from "../../base/bytes/bytes.ts";
import { ADDED_COLUMNS } from "../../detection/fields.ts";
import { InputError, usage } from "../messages.ts";
import { InputBuffer } from "../reader.ts";
import type { FormatFacts } from "../render/format-facts.ts";
import { detectCsvDelimiter, parseColumnNumber, type TableOptions } from "../rows/csv-header.ts";
import { type DecodeContext, type DecodedInput, decodeInput } from "../rows/decode-input.ts";
import { isGitLog } from "../rows/diff.ts";
import { parsePath, readJsonLinesPreamble, selectArray } from "../rows/json/preamble.ts";
import { jsonLinesSource } from "../rows/json/source.ts";
import { EMPTY_BYTES, headerlessPreamble, type InputPreamble, LINES, type RowLayout } from "../rows/layout.ts";
import { MAX_ADDRESS_BYTES } from "../rows/row.ts";
import { checkSameHeader, readTablePreamble } from "../rows/table-preamble.ts";
import type { ByteSource } from "../streams.ts";
import type { InputSettings } from "./options.ts";

// Maximum bytes that are checked to detect JSON.
const JSON_PROBE_BYTES = 200;
// Maximum lines that are checked to detect CSV below a title.
const MAX_PROBED_LINES = 100;
// Maximum bytes that are searched for the first commit of a git log.
const LOG_PROBE_BYTES = 96;

export interface OpenedRows extends InputPreamble, DecodedInput {
  /** Reports whether the input of --scan is binary, so that all or the rest of it is skipped. Known after a read. */
  readonly isBinary?: () => boolean;
}

type OpeningSettings = Pick<InputSettings, "csv" | "jsonl" | "part"> & {
  readonly rows: Pick<InputSettings["rows"], "fields" | "explain">;
};

/** Opens the first input and reads its preamble. Throws AddrsiftError for wrong options or an unreadable header. */
export async function openRows(
  source: ByteSource,
  settings: OpeningSettings,
  context: DecodeContext,
): Promise<OpenedRows> {
  const decoded = await openDecoded(source, settings.part, settings.jsonl !== undefined, context);
  return { ...decoded, ...(await readPreamble(decoded.buffer, settings, context.onNote)) };
}

/** Opens an input. Detects its format and, without `column`, the column of addresses. Rows get no added fields. */
export async function openWithDetectedFormat(
  source: ByteSource,
  name: string,
  column: string | undefined,
  context: DecodeContext,
): Promise<OpenedRows> {
  const decoded = await decodeInput(source, context);
  const detected = formatFromFileName(name) ?? (await detectFormat(decoded.buffer));
  const isTable = column !== undefined || hasTableRows(decoded.buffer.unread);
  const kind = detected ?? (isTable ? "csv" : undefined);
  const path = column === undefined ? undefined : parsePath(column);
  const table = { column, hasHeader: true, prefix: "", skip: 0, skipsTitle: true };
  const settings = {
    csv: kind === "csv" || kind === "tsv" ? { ...table, kind, delimiter: kind === "tsv" ? TAB : undefined } : undefined,
    jsonl: kind === "jsonl" ? { path, prefix: "", into: undefined } : undefined,
    part: false,
    rows: { fields: [], explain: false },
  };
  const input = kind === "jsonl" ? jsonLines(decoded, context) : decoded;
  return { ...input, ...(await readPreamble(input.buffer, settings, context.onNote)) };
}

export function formatFromFileName(name: string): "csv" | "tsv" | "jsonl" | undefined {
  const extension = /\.(csv|tsv|json|jsonl|ndjson)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase();
  if (extension === undefined || extension === "csv" || extension === "tsv") return extension;
  return "jsonl";
}

/** Opens an input after the first one, with the same layout. Throws AddrsiftError INPUT if its header differs. */
export async function openNextInput(
  source: ByteSource,
  first: OpenedRows,
  { csv, part }: Pick<InputSettings, "csv" | "part">,
  context: DecodeContext,
): Promise<OpenedRows> {
  const { layout } = first;
  const decoded = await openDecoded(source, part, layout.kind === "jsonl", context);
  let { buffer } = decoded;
  if (first.arrayPath !== undefined) buffer = await selectArray(buffer, first.arrayPath);
  const preamble =
    csv !== undefined && !part ? await checkSameHeader(buffer, first, csv.skip) : headerlessPreamble(layout);
  return { ...first, ...decoded, buffer, byteOrderMark: EMPTY_BYTES, ...preamble };
}

/** Returns the bytes before the first output row: the byte-order mark, and the header if the format echoes it unchanged. */
export function outputPreamble({ layout, headerBytes, byteOrderMark }: OpenedRows, format: FormatFacts): Uint8Array {
  const { echoesOnly = false, echoesByteOrderMark, echoes } = format;
  const hasByteOrderMark = echoesByteOrderMark && (echoesOnly || echoes?.includes(layout.kind));
  return Uint8Array.from([...(hasByteOrderMark ? byteOrderMark : []), ...(echoesOnly ? headerBytes : [])]);
}

/** Opens an input of --scan. Skips it as binary if it can't be decompressed or decoded, and from a NUL byte on. */
export async function openScan(
  source: ByteSource,
  scan: NonNullable<InputSettings["scan"]>,
  context: DecodeContext,
): Promise<OpenedRows> {
  const layout = { kind: "scan", ...scan } as const;
  const decoded = await decodeInput(source, { ...context, acceptsAnyText: true }).catch((error: unknown) => {
    if (!(error instanceof InputError) || layout.isDiff) throw error;
    return undefined;
  });
  const input = decoded?.buffer ?? new InputBuffer(source, 0);
  if (layout.isDiff) {
    // A NUL in a diff makes only that file binary.
    while (!input.ended && input.unread.length < LOG_PROBE_BYTES) await input.fill();
    const isLog = isGitLog(decodeUtf8(input.unread.subarray(0, LOG_PROBE_BYTES)).split("\n", 1)[0] ?? "");
    return { buffer: input, byteOrderMark: EMPTY_BYTES, ...headerlessPreamble({ ...layout, isLog }) };
  }
  let isBinary = decoded === undefined;
  if (isBinary) source.close();
  const read: ByteSource["read"] = async (target, offset) => {
    const count = isBinary ? 0 : await input.read(target, offset);
    const nul = target.subarray(offset, offset + count).indexOf(0);
    if (nul < 0) return count;
    isBinary = true;
    source.close();
    return nul;
  };
  const buffer = new InputBuffer({ read, close: () => source.close() }, context.readBytes);
  return { buffer, byteOrderMark: EMPTY_BYTES, isBinary: () => isBinary, ...headerlessPreamble(layout) };
}

/** Decompresses and decodes the input, unless it is a part. The first bytes of a part are rows like any others. */
async function openDecoded(
  source: ByteSource,
  isPart: boolean,
  isJson: boolean,
  context: DecodeContext,
): Promise<DecodedInput> {
  if (isPart) return { buffer: new InputBuffer(source, context.readBytes, context.memory), byteOrderMark: EMPTY_BYTES };
  const decoded = await decodeInput(source, context);
  return isJson ? jsonLines(decoded, context) : decoded;
}

/** Converts JSON arrays and multi-line JSON to JSON Lines. */
function jsonLines({ buffer, byteOrderMark }: DecodedInput, { onNote, readBytes }: DecodeContext): DecodedInput {
  let isConverted = false;
  const source = jsonLinesSource(buffer, (note) => {
    isConverted = true;
    onNote(note);
  });
  return { buffer: new InputBuffer(source, readBytes), byteOrderMark, isConverted: () => isConverted };
}

/**
 * Reads the preamble. Throws AddrsiftError; for JSON read as CSV, or CSV read as JSON, the message suggests the right
 * option. For plain lines, waits only for the first line.
 */
async function readPreamble(
  buffer: InputBuffer,
  { csv, jsonl, part, rows }: OpeningSettings,
  onNote: DecodeContext["onNote"],
): Promise<InputPreamble & { readonly buffer?: InputBuffer }> {
  const added = rows.fields ?? ADDED_COLUMNS;
  let detected = part ? undefined : await detectFormat(buffer);
  const isLines = csv === undefined && jsonl === undefined;
  if (isLines && !part && detected === undefined && hasTableRows(buffer.unread)) detected = "csv";
  const name = detected === "csv" ? "CSV" : "JSON";
  try {
    if (jsonl !== undefined) {
      const names = rows.explain ? [...added, "explain"] : added;
      const { layout, ...preamble } = await readJsonLinesPreamble(buffer, jsonl, part, names, onNote);
      return { ...headerlessPreamble({ kind: "jsonl", ...layout }), ...preamble };
    }
    if (csv !== undefined)
      return part ? headerlessPreamble(partLayout(csv)) : await readTablePreamble(buffer, csv, added, onNote);
  } catch (error) {
    const selected = csv?.kind ?? "jsonl";
    const isOther = selected === "jsonl" ? detected === "csv" : detected === "jsonl";
    if (!isOther || detected === undefined || !(error instanceof InputError)) throw error;
    throw usage(({ kind }) => `the input looks like ${name}: use ${kind(detected)} in place of ${kind(selected)}`);
  }
  if (detected !== undefined)
    onNote(
      ({ kind }) =>
        `the input looks like ${name}, but each line is read as one address: if it is ${name}, use ${kind(detected)}`,
    );
  return headerlessPreamble(LINES);
}

/** Returns the layout of a part of CSV or TSV. A part has no header, so columns are selected by number. */
function partLayout({ kind, column = "", additionalColumns, delimiter = COMMA }: TableOptions): RowLayout {
  const indexOf = (text: string): number => (parseColumnNumber(text) as number) - 1;
  const [first, others] = [indexOf(column), additionalColumns?.map(indexOf)];
  const width = Math.max(first, ...(others ?? [])) + 1;
  return { kind, delimiter, column: first, width, hasOpenWidth: true, additionalColumns: others };
}

/** Reports whether most of the first lines that have arrived are probably rows of CSV, as they are below a title. */
function hasTableRows(bytes: Uint8Array): boolean {
  const lines = decodeUtf8(bytes.subarray(0, MAX_ADDRESS_BYTES)).split("\n", MAX_PROBED_LINES);
  const filled = lines.filter((line) => line.trim() !== "").map((line) => encodeUtf8(line));
  return filled.filter((line) => detectCsvDelimiter(line) !== undefined).length > filled.length / 2;
}

/** Detects the format from the first line, or from its first bytes. Returns undefined for plain lines. */
export async function detectFormat(buffer: InputBuffer): Promise<"csv" | "jsonl" | undefined> {
  const end = await buffer.findLineEnd(MAX_ADDRESS_BYTES);
  const firstBytes = decodeUtf8(buffer.unread.subarray(0, JSON_PROBE_BYTES));
  if (/^\s*(?:\{\s*["}]|\[\s*["{\]\d]|[[{]\s*$)/.test(firstBytes)) return "jsonl";
  return detectCsvDelimiter(buffer.bytes.subarray(buffer.start, end)) === undefined ? undefined : "csv";
}
