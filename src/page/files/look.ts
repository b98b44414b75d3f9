// The beginning of a file, read by the code of the command line. Options that a fault offers are applied, and shown.

import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import { isAddrsiftError } from "../../base/errors.ts";
import { dayOf, isIsoDay, isTimeName, unixUnit } from "../../bulk/days.ts";
import {
  appendFileOperand,
  InputError,
  type Message,
  renderMessage,
  type SuggestedOptions,
  type Wording,
} from "../../bulk/messages.ts";
import type { InputBuffer } from "../../bulk/reader.ts";
import { fieldsOf, RecordScan } from "../../bulk/rows/csv.ts";
import { readPath } from "../../bulk/rows/json/beginning.ts";
import { detectFormat, formatFromFileName, type OpenedRows, openRows } from "../../bulk/run/open-rows.ts";
import { type ByteSource, ChunkSource, emptySource } from "../../bulk/streams.ts";
import type { Field } from "../../detection/fields.ts";
import { shellWord } from "../common/text.ts";
import { FULL_FIELDS } from "./row-lists.ts";

export const KINDS = { lines: "One address a line", csv: "A table (CSV)", jsonl: "JSON" } as const;

/** How a file is read. */
export interface Choice {
  readonly kind: keyof typeof KINDS;
  /** The number of a column, or the path of a key. */
  readonly column?: string | undefined;
  /** A byte. */
  readonly delimiter?: number | undefined;
  readonly noHeader?: boolean;
  readonly skip?: number;
  readonly prefix?: string;
  /** The name of the encoding; undefined: UTF-8. */
  readonly encoding?: string | undefined;
}

/** A file whose beginning was read. */
export interface OpenedFile {
  readonly file: File;
  readonly choice: Choice;
  readonly opened: OpenedRows;
  readonly notes: readonly string[];
  /** The column or key is the first of those that may have the address, and the person has to choose. */
  readonly isAsking: boolean;
  /** The beginning is not UTF-8. */
  readonly isEncoded: boolean;
}

const LABELS: Readonly<Record<string, string>> = {
  "no-header": "a table without names of columns",
  skip: "rows above",
  encoding: "the encoding",
};
const PREVIEW_ROWS = 4;
/** More keys would take seconds to show. */
const PREVIEW_NAMES = 50;
const PREVIEW_CHARACTERS = 80;
const ADDED_PREFIX = "addrsift_";
const READ_FAULT = "it can't be read any more: choose it again.";
const GZIP_FAULT = "its gzip data is damaged, cut off or of several parts: unpack it first.";

export const PAGE_WORDING: Wording = {
  option: (name, value) => [LABELS[name] ?? name, value].filter((word) => word !== undefined).join(" "),
  kind: (name) => KINDS[name as Choice["kind"]] ?? name,
  format: (name) => name,
  formatOption: "format",
  send: (program, options = "") =>
    options === " --scan"
      ? `run ${appendFileOperand(program)} | addrsift detect --scan`
      : `choose the output of ${appendFileOperand(program)}`,
};

/** Reads the beginning. `fields` are those that rows will have. `onRead` gets numbers of bytes. */
export async function look(
  file: File,
  chosen?: Choice,
  onRead: (count: number) => void = () => {},
  fields?: readonly Field[],
): Promise<OpenedFile> {
  let choice = chosen;
  const notes = new Set<string>();
  for (;;) {
    try {
      choice ??= { kind: await kindOf(file) };
      const opened = await open(file, choice, onRead, (note) => notes.add(renderMessage(PAGE_WORDING, note)), fields);
      if (opened.buffer.start === opened.buffer.end) await opened.buffer.fill();
      const isAsking = choice.column !== undefined && choice.column !== chosen?.column;
      return { file, choice, opened, notes: [...notes], isAsking, isEncoded: !isUtf8(opened.buffer.unread) };
    } catch (error) {
      if (!isAddrsiftError(error)) throw error;
      const better = choice && error instanceof InputError ? offered(error.suggestedOptions, choice) : undefined;
      if (better === undefined) {
        const message = renderMessage(PAGE_WORDING, error).replace(/^the input is/, "it is");
        throw new Error(`${message.replaceAll(/(?<!')\bFILE\b/g, () => shellWord(file.name))}.`);
      }
      choice = better;
      const what = renderMessage(PAGE_WORDING, error).replace(/: .*/s, "");
      notes.add(choice.prefix === undefined ? what : `${what}, so the added ones begin with ${choice.prefix}`);
    }
  }
}

/** True for bytes that are UTF-8, and may end within a character. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The choice with the offered options that the person has not set. */
function offered({ skip, prefix, column }: SuggestedOptions, choice: Choice): Choice | undefined {
  if (skip !== undefined && choice.skip === undefined) return { ...choice, skip };
  if (prefix === true && choice.prefix === undefined) return { ...choice, prefix: ADDED_PREFIX };
  return column === undefined || choice.column !== undefined ? undefined : { ...choice, column };
}

async function kindOf(file: File): Promise<Choice["kind"]> {
  const { buffer } = await open(file, { kind: "lines" });
  const shown = await detectFormat(buffer);
  if (buffer.end === 0) throw new Error("it is empty.");
  const named = formatFromFileName(file.name);
  if (named === "csv" || named === "tsv") return "csv";
  return shown ?? named ?? "lines";
}

async function open(
  file: File,
  { kind, column, delimiter, noHeader = false, skip = 0, prefix = "", encoding }: Choice,
  onRead: (count: number) => void = () => {},
  tell: (note: string | Message) => void = () => {},
  fields?: readonly Field[],
): Promise<OpenedRows> {
  const read = (): ReadableStream<Uint8Array<ArrayBuffer>> => {
    const count = new TransformStream({
      transform: (bytes: Uint8Array<ArrayBuffer>, controller) => {
        onRead(bytes.length);
        controller.enqueue(bytes);
      },
    });
    return file.stream().pipeThrough(count);
  };
  const csv = { kind: "csv", column, delimiter, hasHeader: !noHeader, skip, prefix } as const;
  const path = column === undefined ? undefined : readPath(column);
  const settings = {
    csv: kind === "csv" ? csv : undefined,
    jsonl: kind === "jsonl" ? { path, prefix, into: undefined } : undefined,
    part: false,
    rows: { fields, explain: false },
  };
  // A packed file is read from its beginning.
  const gunzip = (): ByteSource => streamSource(read().pipeThrough(new DecompressionStream("gzip")), GZIP_FAULT);
  return openRows(streamSource(read(), READ_FAULT), settings, { gunzip, tell, encoding });
}

function streamSource(stream: ReadableStream<Uint8Array>, fault: string): ByteSource {
  const reader = stream.getReader();
  return new ChunkSource(
    chunksOf(reader, fault),
    emptySource(() => void reader.cancel()),
  );
}

async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>, fault: string): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Error(fault);
    });
    if (done) return;
    yield value;
  }
}

/** The first column in which most of the first rows have days, by its number or its path. */
export function dayColumn(looked: OpenedFile): string | undefined {
  const { layout } = looked.opened;
  const { names, rows } = previewOf(looked);
  const isOfDays = (i: number): boolean => {
    const hasTimes = isTimeName(names[i] as string);
    const values = rows.flatMap((row) => row[i] || []);
    const days = values.filter((value) => (hasTimes && unixUnit(value)) || isIsoDay(dayOf(value)));
    return days.length > values.length / 2;
  };
  const at = names.findIndex((_, i) => isOfDays(i));
  if (at < 0) return undefined;
  return layout.kind === "csv" ? String(at + 1) : (names[at] as string).replaceAll(".", "\\.");
}

/** The same run on the command line. */
export function commandFor({ file, choice }: OpenedFile, dns: boolean): string {
  const { kind, column, delimiter, noHeader = false, skip = 0, prefix = "", encoding } = choice;
  const options: readonly (readonly string[])[] = [
    [`--${kind}`],
    column === undefined ? [] : ["--column", column],
    delimiter === undefined ? [] : ["--delimiter", delimiter === 0x09 ? "tab" : String.fromCharCode(delimiter)],
    noHeader ? ["--no-header"] : [],
    skip === 0 ? [] : ["--skip", String(skip)],
    prefix === "" ? [] : ["--prefix", prefix],
    encoding === undefined ? [] : ["--encoding", encoding],
    kind === "lines" ? ["--format", "csv"] : [],
    ["--fields", [...FULL_FIELDS, "duplicate_of"].join(",")],
    ["--dns", dns ? "on" : "off", "--input", file.name],
  ];
  return ["addrsift", "detect", ...options.flat()].map(shellWord).join(" ");
}

/** The names of the columns and the first rows: of JSON, the keys and their values. */
export function previewOf({ opened }: OpenedFile): { readonly names: readonly string[]; readonly rows: string[][] } {
  const { buffer, layout, names: header } = opened;
  if (layout.kind === "csv") {
    const names = Array.from({ length: layout.width }, (_, i) => header?.[i]?.trim() || `Column ${i + 1}`);
    const rows = recordsOf(buffer, layout.delimiter).map((row) => names.map((_, i) => cut(row[i] ?? "")));
    return { names, rows };
  }
  if (layout.kind !== "jsonl") return { names: [], rows: [] };
  const lines = decodeUtf8(buffer.bytes, buffer.start, buffer.end).split("\n", PREVIEW_ROWS);
  const objects = lines.map(objectIn);
  const names = [...new Set(objects.flatMap(Object.keys))].slice(0, PREVIEW_NAMES);
  const rows = objects.map((object) =>
    names.map((name) => (Object.hasOwn(object, name) ? cut(shownValue(object[name])) : "")),
  );
  return { names, rows };
}

/** The first records; the last may be cut off. */
function recordsOf({ bytes, start, end }: InputBuffer, delimiter: number): string[][] {
  const scan = new RecordScan();
  const layout = { delimiter, column: 0, width: 1 };
  const records: string[][] = [];
  for (let from = start; from < end && records.length < PREVIEW_ROWS; from = scan.next) {
    if (!scan.scan(bytes, from, end, layout, true)) break;
    records.push(fieldsOf(bytes, from, scan.end, delimiter));
  }
  return records;
}

function objectIn(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

function cut(text: string): string {
  return text.slice(0, PREVIEW_CHARACTERS);
}

function shownValue(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    // It is nested too deeply.
    return "…";
  }
}
