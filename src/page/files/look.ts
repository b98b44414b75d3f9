// A file as the browser reads it: unpacked, converted and begun by the code of the command line, with the choices of a
// person. What a fault of that code offers is taken, and said, so that a person needs to correct little.

import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import { isAddrsiftError } from "../../base/errors.ts";
import { type Face, inWordsOf, type Message, type Offers, RowsFault, withFile } from "../../bulk/face.ts";
import type { ByteSource } from "../../bulk/ports.ts";
import type { InputBuffer } from "../../bulk/reader.ts";
import { fieldsOf, RecordScan } from "../../bulk/rows/csv.ts";
import { readPath } from "../../bulk/rows/json/keys.ts";
import { type OpenedRows, openRows, shownKind } from "../../bulk/run/open-rows.ts";
import type { Field } from "../../detection/fields.ts";

/** The kinds of files, each with its title. */
export const KINDS = { lines: "One address a line", csv: "A table (CSV)", jsonl: "JSON" } as const;

/** How a file is read, by the options of the command line. */
export interface Choice {
  readonly kind: keyof typeof KINDS;
  /** The number of a column, or the path of a key. */
  readonly column?: string | undefined;
  /** A byte. */
  readonly delimiter?: number | undefined;
  readonly noHeader?: boolean;
  readonly skip?: number;
  readonly prefix?: string;
}

/** A file whose beginning was read. */
export interface OpenedFile {
  readonly file: File;
  readonly choice: Choice;
  readonly opened: OpenedRows;
  /** Sentences about what was found. */
  readonly notes: readonly string[];
}

const LABELS: Readonly<Record<string, string>> = {
  "no-header": "a table without names of columns",
  skip: "rows above",
};
const PREVIEW_ROWS = 4;
/** More keys would take seconds to show. */
const PREVIEW_NAMES = 50;
const ADDED_PREFIX = "addrsift_";
const GZIP_FAULT = "its gzip data is damaged, cut off or of several parts: unpack it first.";

/** The words of the page. */
export const FORM: Face = {
  option: (name, value) => [LABELS[name] ?? name, value].filter((word) => word !== undefined).join(" "),
  kind: (name) => KINDS[name as Choice["kind"]] ?? name,
  send: (program) => `choose the output of ${withFile(program)}`,
};

/**
 * Reads the beginning. Without a choice, the name and the first bytes tell the kind. `onRead` gets how many bytes of the
 * file were read; `fields` are those that rows will carry.
 */
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
      const opened = await open(file, choice, onRead, (note) => notes.add(inWordsOf(FORM, note)), fields);
      if (opened.buffer.start === opened.buffer.end) await opened.buffer.fill();
      return { file, choice, opened, notes: [...notes] };
    } catch (error) {
      if (!isAddrsiftError(error)) throw error;
      const better = choice && error instanceof RowsFault ? offered(error.offers, choice) : undefined;
      if (better === undefined) throw new Error(`${inWordsOf(FORM, error).replace(/^the input is/, "it is")}.`);
      choice = better;
      const what = inWordsOf(FORM, error).replace(/: .*/s, "");
      notes.add(choice.prefix === undefined ? what : `${what}, so the added ones begin with ${choice.prefix}`);
    }
  }
}

/** The choice with what a fault offers, where the person has made none. */
function offered({ skip, prefix, column }: Offers, choice: Choice): Choice | undefined {
  if (skip !== undefined && choice.skip === undefined) return { ...choice, skip };
  if (prefix === true && choice.prefix === undefined) return { ...choice, prefix: ADDED_PREFIX };
  return column === undefined || choice.column !== undefined ? undefined : { ...choice, column };
}

async function kindOf(file: File): Promise<Choice["kind"]> {
  const { buffer } = await open(file, { kind: "lines" });
  await buffer.fill();
  if (buffer.end === 0) throw new Error("it is empty.");
  if (/\.(csv|tsv)(\.gz)?$/i.test(file.name)) return "csv";
  return shownKind(buffer) ?? (/\.(json|jsonl|ndjson)(\.gz)?$/i.test(file.name) ? "jsonl" : "lines");
}

/** Opens a file as the command line does. */
async function open(
  file: File,
  { kind, column, delimiter, noHeader = false, skip = 0, prefix = "" }: Choice,
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
  // A packed file is read from its beginning again.
  const gunzip = (): ByteSource => new StreamSource(read().pipeThrough(new DecompressionStream("gzip")), GZIP_FAULT);
  return openRows(new StreamSource(read()), settings, { gunzip, tell });
}

/** A stream of the browser as a source. */
class StreamSource implements ByteSource {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private rest: Uint8Array = new Uint8Array(0);

  constructor(
    stream: ReadableStream<Uint8Array>,
    private readonly fault: string = "it can't be read any more: choose it again.",
  ) {
    this.reader = stream.getReader();
  }

  async read(target: Uint8Array, at: number): Promise<number> {
    while (this.rest.length === 0) {
      const { done, value } = await this.reader.read().catch(() => {
        throw new Error(this.fault);
      });
      if (done) return 0;
      this.rest = value;
    }
    const count = Math.min(this.rest.length, target.length - at);
    target.set(this.rest.subarray(0, count), at);
    this.rest = this.rest.subarray(count);
    return count;
  }

  close(): void {
    void this.reader.cancel();
  }
}

/** The names of the columns and the first rows: of JSON, the keys and their values. */
export function previewOf({ opened }: OpenedFile): { readonly names: readonly string[]; readonly rows: string[][] } {
  const { buffer, layout, names: header } = opened;
  if (layout.kind === "csv") {
    const rows = recordsOf(buffer, layout.delimiter);
    const names = Array.from({ length: layout.width }, (_, i) => header?.[i]?.trim() || `Column ${i + 1}`);
    return { names, rows };
  }
  if (layout.kind !== "jsonl") return { names: [], rows: [] };
  const lines = decodeUtf8(buffer.bytes, buffer.start, buffer.end).split("\n", PREVIEW_ROWS);
  const objects = lines.map(objectIn);
  const names = [...new Set(objects.flatMap(Object.keys))].slice(0, PREVIEW_NAMES);
  const rows = objects.map((object) =>
    names.map((name) => (Object.hasOwn(object, name) ? shownValue(object[name]) : "")),
  );
  return { names, rows };
}

/** The fields of the first records, of which the last may be cut off. */
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

function shownValue(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    // It is nested deeper than the stack of the browser.
    return "…";
  }
}
