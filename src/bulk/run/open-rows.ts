// The beginning of an input of lines, CSV, TSV or JSON Lines: what it says about all rows. How they are shown is not
// decided here.

import { COMMA, TAB } from "../../base/bytes/ascii.ts";
import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import { ADDED_COLUMNS } from "../../detection/fields.ts";
import { InputError, usage } from "../messages.ts";
import { InputBuffer } from "../reader.ts";
import type { FormatFacts } from "../render/formats.ts";
import { columnNumber, csvDelimiter, type TableChoice } from "../rows/csv-header.ts";
import { isLog } from "../rows/diff.ts";
import { openArray, readJsonlBeginning } from "../rows/json/beginning.ts";
import { jsonSource } from "../rows/json/source.ts";
import { type Beginning, LINES, NOTHING, type RowLayout, withoutHeader } from "../rows/layout.ts";
import { ADDRESS_FIELD_MAX } from "../rows/row.ts";
import { readTableBeginning, takeSameHeader } from "../rows/table-beginning.ts";
import { openText, type Text, type TextTools } from "../rows/text.ts";
import type { ByteSource } from "../streams.ts";
import type { InputSettings } from "./options.ts";

// Bytes in which JSON shows itself.
const JSON_PROBE_BYTES = 200;
// Bytes in which a zero shows that a file is not text, as git has it.
const BINARY_PROBE_BYTES = 8000;
// Bytes in which a log shows itself by the name of its first commit.
const LOG_PROBE_BYTES = 96;

export interface OpenedRows extends Beginning, Text {
  /** The input is searched for addresses, but is not text, so it seems to be empty. */
  readonly isBinary?: boolean;
}

/** The settings that opening needs. */
type OpeningSettings = Pick<InputSettings, "csv" | "jsonl" | "part"> &
  Partial<Pick<InputSettings, "scan">> & { readonly rows: Pick<InputSettings["rows"], "fields" | "explain"> };

/**
 * Reads the beginning of the source, as far as needed. Throws AddrsiftError for wrong options or an unreadable header.
 */
export async function openRows(source: ByteSource, settings: OpeningSettings, tools: TextTools): Promise<OpenedRows> {
  if (settings.scan !== undefined) return openScan(source, { kind: "scan", ...settings.scan }, tools);
  const text = await openDecoded(source, settings.part, settings.jsonl !== undefined, tools);
  return { ...text, ...(await readPreamble(text.buffer, settings, tools.tell)) };
}

/** Opens rows of any kind, which the name of the file or the first line shows. No fields are added to them. */
export async function openWithDetectedFormat(source: ByteSource, name: string, tools: TextTools): Promise<OpenedRows> {
  const decoded = await openText(source, tools);
  const kind = formatFromFileName(name) ?? (await detectFormat(decoded.buffer));
  const table = { column: undefined, hasHeader: true, prefix: "", skip: 0 };
  const settings = {
    csv: kind === "csv" || kind === "tsv" ? { ...table, kind, delimiter: kind === "tsv" ? TAB : undefined } : undefined,
    jsonl: kind === "jsonl" ? { path: undefined, prefix: "", into: undefined } : undefined,
    part: false,
    rows: { fields: [], explain: false },
  };
  const text = kind === "jsonl" ? jsonLines(decoded, tools) : decoded;
  return { ...text, ...(await readPreamble(text.buffer, settings, tools.tell)) };
}

export function formatFromFileName(name: string): "csv" | "tsv" | "jsonl" | undefined {
  const extension = /\.(csv|tsv|json|jsonl|ndjson)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase();
  if (extension === undefined || extension === "csv" || extension === "tsv") return extension;
  return "jsonl";
}

/** Opens a further input, which has the form of the first one; a header is taken and not given again. */
export async function openNextInput(
  source: ByteSource,
  first: OpenedRows,
  { csv, part }: Pick<InputSettings, "csv" | "part">,
  tools: TextTools,
): Promise<OpenedRows> {
  const { layout } = first;
  if (layout.kind === "scan") return openScan(source, layout, tools);
  let { buffer } = await openDecoded(source, part, layout.kind === "jsonl", tools);
  if (first.array !== undefined) buffer = await openArray(buffer, first.array);
  const given = csv !== undefined && !part ? await takeSameHeader(buffer, first, csv.skip) : NOTHING;
  return { ...first, buffer, mark: NOTHING, given };
}

/** The beginning of the output in a format: the byte-order mark, the records of the input before the first row. */
export function outputPreamble({ layout, given, mark }: OpenedRows, format: FormatFacts): Uint8Array {
  const { isInput = false, keepsMark, echoes } = format;
  const hasMark = keepsMark && (isInput || echoes?.includes(layout.kind));
  return Uint8Array.from([...(hasMark ? mark : []), ...(isInput ? given : [])]);
}

/**
 * A text of any kind. What is packed or encoded so that it can't be read, and what has a zero near its beginning, is
 * binary.
 */
async function openScan(
  source: ByteSource,
  layout: RowLayout & { readonly kind: "scan" },
  tools: TextTools,
): Promise<OpenedRows> {
  const text = await openText(source, { ...tools, anyText: true }).catch((error: unknown) => {
    if (!(error instanceof InputError) || layout.diff) throw error;
    return undefined;
  });
  const buffer = text?.buffer ?? new InputBuffer(source, 0);
  const minBytes = layout.diff ? LOG_PROBE_BYTES : 1;
  while (text !== undefined && !buffer.ended && buffer.unread.length < minBytes) await buffer.fill();
  const log = layout.diff && isLog(decodeUtf8(buffer.unread.subarray(0, LOG_PROBE_BYTES)).split("\n", 1)[0] ?? "");
  // In a diff, a zero is about the file that it is in.
  const isBinary = text === undefined || (!layout.diff && buffer.unread.subarray(0, BINARY_PROBE_BYTES).includes(0));
  if (isBinary) {
    source.close();
    buffer.start = buffer.end;
    buffer.ended = true;
  }
  return { buffer, mark: NOTHING, isBinary, ...withoutHeader({ ...layout, log }) };
}

/** Nothing at the beginning of a part is special. */
async function openDecoded(source: ByteSource, part: boolean, isJson: boolean, tools: TextTools): Promise<Text> {
  if (part) return { buffer: new InputBuffer(source, tools.readBytes, tools.memory), mark: NOTHING };
  const text = await openText(source, tools);
  return isJson ? jsonLines(text, tools) : text;
}

function jsonLines({ buffer, mark }: Text, { tell, readBytes }: TextTools): Text {
  return { buffer: new InputBuffer(jsonSource(buffer, tell), readBytes), mark };
}

/**
 * The beginning of rows. Throws AddrsiftError, and names the option for JSON read as CSV, or CSV as JSON. Of lines it
 * waits for the first one only, without which there is no row to answer.
 */
async function readPreamble(
  buffer: InputBuffer,
  { csv, jsonl, part, rows }: OpeningSettings,
  tell: TextTools["tell"],
): Promise<Beginning & { readonly buffer?: InputBuffer }> {
  const added = rows.fields ?? ADDED_COLUMNS;
  const detected = part ? undefined : await detectFormat(buffer);
  const name = detected === "csv" ? "CSV" : "JSON";
  try {
    if (jsonl !== undefined) {
      const names = rows.explain ? [...added, "explain"] : added;
      const { layout, ...read } = await readJsonlBeginning(buffer, jsonl, part, names, tell);
      return { ...withoutHeader({ kind: "jsonl", ...layout }), ...read };
    }
    if (csv !== undefined)
      return part ? withoutHeader(partLayout(csv)) : await readTableBeginning(buffer, csv, added, tell);
  } catch (error) {
    const selected = csv?.kind ?? "jsonl";
    const isOther = selected === "jsonl" ? detected === "csv" : detected === "jsonl";
    if (!isOther || detected === undefined || !(error instanceof InputError)) throw error;
    throw usage(({ kind }) => `the input looks like ${name}: use ${kind(detected)} in place of ${kind(selected)}`);
  }
  if (detected !== undefined)
    tell(
      ({ kind }) => `the first line looks like ${name}, but is read as one address: for ${name} add ${kind(detected)}`,
    );
  return withoutHeader(LINES);
}

/** A part's first record says nothing about the other records. */
function partLayout({ kind, column = "", others, delimiter = COMMA }: TableChoice): RowLayout {
  const indexOf = (text: string): number => (columnNumber(text) as number) - 1;
  const [first, further] = [indexOf(column), others?.map(indexOf)];
  const width = Math.max(first, ...(further ?? [])) + 1;
  return { kind, delimiter, column: first, width, open: true, others: further };
}

/** The kind that the first line shows, or what is looked at of it; undefined for lines. */
export async function detectFormat(buffer: InputBuffer): Promise<"csv" | "jsonl" | undefined> {
  const end = await buffer.findLineEnd(ADDRESS_FIELD_MAX);
  const firstBytes = decodeUtf8(buffer.unread.subarray(0, JSON_PROBE_BYTES));
  if (/^\s*(?:\{\s*["}]|\[\s*["{\]\d]|[[{]\s*$)/.test(firstBytes)) return "jsonl";
  return csvDelimiter(buffer.bytes.subarray(buffer.start, end)) === undefined ? undefined : "csv";
}
