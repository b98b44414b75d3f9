// Reads the start of a file with the command line's code, and applies the options that an error suggests.

import { encodeUtf8, isUtf8 } from "../../base/bytes/bytes.ts";
import { isAddrsiftError } from "../../base/errors.ts";
import { quoteForShell } from "../../base/format-text.ts";
import { isAmbiguousDay, isIsoDay, isTimeName, parseDay, timeUnit } from "../../bulk/days.ts";
import {
  appendFileOperand,
  InputError,
  type Message,
  renderMessage,
  type SuggestedOptions,
  usage,
  type Wording,
} from "../../bulk/messages.ts";
import { parseFields, RecordScan } from "../../bulk/rows/csv.ts";
import { parsePath } from "../../bulk/rows/json/preamble.ts";
import { detectFormat, formatFromFileName, type OpenedRows, openRows } from "../../bulk/run/open-rows.ts";
import { type ByteSource, ChunkSource, emptySource } from "../../bulk/streams.ts";
import type { RowClass } from "../../detection/classes.ts";
import { FILE_FIELDS } from "./collect-rows.ts";

export const KIND_TITLES = { lines: "One address per line", csv: "CSV", jsonl: "JSON" } as const;

/** How a file is read. */
export interface FileFormat {
  readonly kind: keyof typeof KIND_TITLES;
  /** Number of a CSV column, or path of a JSON key. */
  readonly column?: string | undefined;
  /** A byte. */
  readonly delimiter?: number | undefined;
  readonly noHeader?: boolean;
  readonly skip?: number;
  readonly prefix?: string;
  /** WHATWG label of the encoding that is converted to UTF-8. If undefined, nothing is converted. */
  readonly encoding?: string | undefined;
}

/** A file whose start was read. */
export interface FilePreview {
  readonly file: File;
  readonly format: FileFormat;
  readonly input: OpenedRows;
  readonly notes: readonly string[];
  /** Several columns or keys may have the address: the user has to select one. */
  readonly needsColumn: boolean;
  /** Why the file can't be read in this format. The input is then of the last format in which it could. */
  readonly problem?: string;
}

export interface RunOptions {
  readonly dns: boolean;
  /** Classes that the clean list leaves out. */
  readonly rejected: readonly RowClass[];
  /** Whether the clean list has the added fields. Otherwise, its rows are unchanged. */
  readonly cleanHasFields: boolean;
}

export type OutputName = "clean" | "classified" | "removed";

/** Labels of the form's fields, by option. */
const OPTION_LABELS: Readonly<Record<string, string>> = {
  delimiter: "“Delimiter”",
  "no-header": "a table without a header",
  skip: "“Rows to skip”",
  reject: "“Left out of the clean list”",
  encoding: "“Encoding”",
  fields: "the downloads",
};
/** Encodings of files that are not UTF-8, by their WHATWG names. The first is the most frequent. */
export const ENCODINGS = [
  ["windows-1252", "Western European (Windows)"],
  ["macintosh", "Western European (old Mac)"],
  ["windows-1250", "Central European"],
  ["windows-1251", "Cyrillic"],
  ["windows-1253", "Greek"],
  ["windows-1254", "Turkish"],
  ["shift_jis", "Japanese (Shift JIS)"],
  ["gb18030", "Chinese (GB18030)"],
  ["big5", "Chinese (Big5)"],
  ["euc-kr", "Korean"],
] as const;
const ENCODING_TITLES: ReadonlyMap<string | undefined, string> = new Map(ENCODINGS);
const PREVIEW_ROWS = 4;
// More keys would take seconds to render.
const PREVIEW_KEYS = 50;
const PREVIEW_CHARACTERS = 80;
const ADDED_PREFIX = "addrsift_";
const SPREADSHEET_NAME = /\.(xlsx?|ods)$/i;
const SPREADSHEET_ERROR = "it is not a text file: save it as CSV.";
const READ_ERROR = "it was changed or removed, or is a folder: choose again.";
const GZIP_ERROR = "its gzip data is damaged, truncated or in several parts: decompress it first.";

export const PAGE_WORDING: Wording = {
  option: (name, value) => {
    const label = OPTION_LABELS[name];
    if (label === undefined) return value === undefined ? name : `${name} ${value}`;
    return value === undefined ? label : `${ENCODING_TITLES.get(value) ?? value} in ${label}`;
  },
  kind: (name) => `the format ${KIND_TITLES[name as FileFormat["kind"]] ?? name}`,
  format: (name) => name,
  formatOption: "format",
  send: (program, options = "") =>
    options === " --scan"
      ? `run ${appendFileOperand(program)} | addrsift detect --scan`
      : program.startsWith("unzip")
        ? "unpack it, then choose a file that was in it"
        : `choose the output of ${appendFileOperand(program)}`,
};

/** Reads the start of a file. `onRead` is called with the bytes of each read. */
export async function previewFile(
  file: File,
  chosen?: FileFormat,
  onRead: (count: number) => void = () => {},
): Promise<FilePreview> {
  let format = chosen;
  const notes = new Set<string>();
  const addNote = (note: string | Message): unknown => notes.add(renderMessage(PAGE_WORDING, note));
  for (;;) {
    try {
      format ??= { kind: await detectKind(file) };
      const input = await openFile(file, format, onRead, addNote);
      if (input.buffer.start === input.buffer.end) await input.buffer.fill();
      const needsColumn = format.column !== undefined && format.column !== chosen?.column;
      const { names } = previewRows({ input });
      const taken = ["duplicate_of", "removed_reason"].find((name) => names.includes((format?.prefix ?? "") + name));
      if (taken !== undefined) throw usage(() => `the header already has a column ${taken}`, { prefix: true });
      return { file, format, input, notes: [...notes], needsColumn };
    } catch (error) {
      if (!isAddrsiftError(error)) throw error;
      const corrected = error instanceof InputError && format && applySuggestion(error.suggestedOptions, format);
      if (!corrected) {
        if (chosen === undefined && SPREADSHEET_NAME.test(file.name)) throw new Error(SPREADSHEET_ERROR);
        const message = renderMessage(PAGE_WORDING, error).replace(/^the input is/, "it is");
        // A column may be named FILE, in quotes.
        throw new Error(`${message.replaceAll(/(?<!"[^"]*)\bFILE\b/g, () => quoteForShell(file.name))}.`);
      }
      notes.add(renderMessage(PAGE_WORDING, error).replace(/: .*/s, "") + corrected.effect);
      format = corrected.format;
    }
  }
}

/** Adds a suggested option that the user has not set, and says what it does; undefined if there is none. */
function applySuggestion({ skip, prefix, column }: SuggestedOptions, format: FileFormat) {
  if (skip !== undefined && format.skip === undefined)
    return { format: { ...format, skip }, effect: `, so “Rows to skip” is ${skip} (without blank rows)` };
  if (prefix === true) {
    const longer = (format.prefix ?? "") + ADDED_PREFIX;
    return { format: { ...format, prefix: longer }, effect: `, so the added ones begin with ${longer}` };
  }
  if (column !== undefined && format.column === undefined) return { format: { ...format, column }, effect: "" };
  return undefined;
}

async function detectKind(file: File): Promise<FileFormat["kind"]> {
  const { buffer } = await openFile(file, { kind: "lines" });
  const fromContent = await detectFormat(buffer);
  if (buffer.end === 0) throw new Error("it is empty.");
  if (buffer.unread.includes(0)) throw new Error("it is not a text file: choose a list of addresses.");
  const fromName = formatFromFileName(file.name);
  if (fromName === "csv" || fromName === "tsv") return "csv";
  return fromContent ?? fromName ?? "lines";
}

async function openFile(
  file: File,
  { kind, column, delimiter, noHeader = false, skip = 0, prefix = "", encoding }: FileFormat,
  onRead: (count: number) => void = () => {},
  onNote: (note: string | Message) => unknown = () => {},
): Promise<OpenedRows> {
  const transform = (bytes: Uint8Array<ArrayBuffer>, controller: TransformStreamDefaultController): void => {
    onRead(bytes.length);
    controller.enqueue(bytes);
  };
  const read = () => file.stream().pipeThrough(new TransformStream({ transform }));
  const csv = { kind: "csv", column, delimiter, hasHeader: !noHeader, skip, prefix } as const;
  const path = column === undefined ? undefined : parsePath(column);
  const settings = {
    csv: kind === "csv" ? csv : undefined,
    jsonl: kind === "jsonl" ? { path, prefix, into: undefined } : undefined,
    part: false,
    rows: { fields: FILE_FIELDS, explain: false },
  };
  const gunzip = (): ByteSource => streamSource(read().pipeThrough(new DecompressionStream("gzip")), GZIP_ERROR);
  return openRows(streamSource(read(), READ_ERROR), settings, { gunzip, onNote, encoding });
}

function streamSource(stream: ReadableStream<Uint8Array>, fault: string): ByteSource {
  const reader = stream.getReader();
  return new ChunkSource(
    readChunks(reader, fault),
    emptySource(() => void reader.cancel()),
  );
}

async function* readChunks(reader: ReadableStreamDefaultReader<Uint8Array>, fault: string): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Error(fault);
    });
    if (done) return;
    yield value;
  }
}

/**
 * Finds the first column in which most values of the preview are days. `option` is its number or path. Ambiguous days,
 * such as 03/11/2026, can only be read with all others of the file.
 */
export function findDayColumn(preview: FilePreview) {
  const { layout } = preview.input;
  if (layout.kind === "lines") return undefined;
  const { names, rows } = previewRows(preview);
  const valuesOf = (i: number): string[] => rows.flatMap((row) => row[i] || []);
  const isAmbiguous = (value: string): boolean => isAmbiguousDay(parseDay(value));
  const hasDays = (i: number): boolean => {
    const hasTimes = isTimeName(names[i] as string);
    const isDay = (value: string): boolean => isIsoDay(parseDay(value)) || isAmbiguous(value);
    const days = valuesOf(i).filter((value) => (hasTimes && timeUnit(value)) || isDay(value));
    return days.length > valuesOf(i).length / 2;
  };
  const index = names.findIndex((_, i) => hasDays(i));
  const name = names[index];
  if (name === undefined) return undefined;
  const option = layout.kind === "csv" ? String(index + 1) : name.replaceAll(".", "\\.");
  return { name, option, isAmbiguous: valuesOf(index).some(isAmbiguous) };
}

/** Returns the file name of an output. Keeps the extension, unless the output has another format than the file. */
export function outputName({ file, format }: FilePreview, options: RunOptions, name: OutputName | "report"): string {
  const [, stem = "", extension] = /^(.*?)(?:\.([a-z]\w{0,7}))?(?:\.gz)?$/is.exec(file.name) ?? [];
  return `${stem}-${name}.${outputExtension(extension, format, options, name)}`;
}

function outputExtension(own: string | undefined, { kind }: FileFormat, options: RunOptions, name: string): string {
  if (name === "report") return "html";
  if (kind === "csv") return own ?? "csv";
  if (kind === "jsonl") return own === "ndjson" ? own : "jsonl";
  return name === "clean" && !options.cleanHasFields ? (own ?? "txt") : "csv";
}

/** Returns the command line that writes the clean list, or all rows and a report. */
export function createCommandLine(preview: FilePreview, runOptions: RunOptions, isClean: boolean): string {
  const { file, format } = preview;
  const { dns, rejected, cleanHasFields } = runOptions;
  const isUnchanged = isClean && !cleanHasFields;
  const day = isClean ? undefined : findDayColumn(preview);
  const fields = [...FILE_FIELDS, ...(isClean ? [] : ["duplicate_of"])];
  const { kind, column, delimiter, noHeader = false, skip = 0, prefix = "", encoding } = format;
  const options: readonly (readonly string[])[] = [
    [`--${kind}`],
    column === undefined ? [] : ["--column", column],
    delimiter === undefined ? [] : ["--delimiter", delimiter === 0x09 ? "tab" : String.fromCharCode(delimiter)],
    noHeader ? ["--no-header"] : [],
    skip === 0 ? [] : ["--skip", String(skip)],
    prefix === "" || isUnchanged ? [] : ["--prefix", prefix],
    encoding === undefined ? [] : ["--encoding", encoding],
    kind === "lines" && !isUnchanged ? ["--format", "csv"] : [],
    isUnchanged ? ["--format", "plain"] : ["--fields", fields.join(",")],
    isClean ? ["--select", "valid"] : ["--report", outputName(preview, runOptions, "report")],
    day === undefined ? [] : ["--by", day.option],
    isClean && rejected.length > 0 ? ["--reject", rejected.join(",")] : [],
    ["--dns", dns ? "on" : "off", "--input", file.name],
  ];
  const command = ["addrsift", "detect", ...options.flat()].map(quoteForShell).join(" ");
  return `${command} > ${quoteForShell(outputName(preview, runOptions, isClean ? "clean" : "classified"))}`;
}

/**
 * Returns the column names and the first rows; for JSON, the keys and their values; for lines, one column. Text that is
 * not UTF-8 is shown as windows-1252.
 */
export function previewRows({ input }: Pick<FilePreview, "input">) {
  const { buffer, layout, headerBytes } = input;
  const text = decodeText(buffer.unread);
  if (layout.kind === "csv") {
    const [header] = readRecords(decodeText(headerBytes), layout.delimiter);
    const names = Array.from({ length: layout.width }, (_, i) => header?.[i]?.trim() || `Column ${i + 1}`);
    const rows = readRecords(text, layout.delimiter).map((row) => names.map((_, i) => truncate(row[i] ?? "")));
    return { names, rows };
  }
  const lines = text.split("\n", PREVIEW_ROWS);
  const filled = lines.map((line) => line.trim()).filter((line) => line !== "");
  if (layout.kind !== "jsonl") return { names: ["Address"], rows: filled.map((line) => [truncate(line)]) };
  const objects = filled.map(parseObject);
  const names = [...new Set(objects.flatMap((object) => [...object.keys()]))].slice(0, PREVIEW_KEYS);
  return { names, rows: objects.map((object) => names.map((name) => object.get(name) ?? "")) };
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(isUtf8(bytes) ? "utf-8" : ENCODINGS[0][0]).decode(bytes, { stream: true });
}

/** Returns the first records. The last may be truncated. */
function readRecords(text: string, delimiter: number): string[][] {
  const bytes = encodeUtf8(text);
  const scan = new RecordScan();
  const layout = { delimiter, column: 0, width: 1 };
  const records: string[][] = [];
  for (let from = 0; from < bytes.length && records.length < PREVIEW_ROWS; from = scan.next) {
    if (!scan.scan(bytes, from, bytes.length, layout, true)) break;
    records.push(parseFields(bytes, from, scan.end, delimiter));
  }
  return records;
}

/** Returns the values of an object by key; none for another line, or for an object nested too deeply. */
function parseObject(line: string): ReadonlyMap<string, string> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return new Map();
    return new Map(Object.entries(value).map(([key, each]) => [key, truncate(formatValue(each))]));
  } catch {
    return new Map();
  }
}

function truncate(text: string): string {
  return text.slice(0, PREVIEW_CHARACTERS);
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
