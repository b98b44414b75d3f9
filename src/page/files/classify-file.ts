// Sends a file to the daemon in parts, and collects the answers in their order as blobs, which browsers keep on disk.

import { COMMA, LF } from "../../base/bytes/ascii.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { daysIn } from "../../bulk/counts-by.ts";
import type { RowWarning, WarnedRows } from "../../bulk/rows/row-warnings.ts";
import { ADDED_COLUMNS } from "../../detection/fields.ts";
import { type Api, ApiError } from "../common/api.ts";
import type { Day } from "../common/text.ts";
import { chunkAtRecords, splitSummary } from "./chunk-file.ts";
import { fieldsFor, type OutputSelection, type ResponseFormat, RowCollector } from "./collect-rows.ts";
import { type FilePreview, findDayColumn, previewFile } from "./preview.ts";

// The daemon reads a body of up to 1 MiB before it answers, because a browser reads nothing while it sends.
const CHUNK_MAX = 768 * 1024;
// Parts begin small, so that a slow line shows progress too; they grow while they take less than a second.
const CHUNK_FIRST = 32 * 1024;
const CHUNK_MS = 1000;
// The daemon works on one part while another is sent.
const CONCURRENT_CHUNKS = 2;
const ATTEMPTS_MAX = 4;
const FIRST_RETRY_SECONDS = 1;

export interface FileJob extends FilePreview {
  readonly dns: boolean;
  readonly selection: OutputSelection;
  readonly signal: AbortSignal;
  /** Called after each part. */
  readonly onProgress: (progress: FileProgress) => void;
}

export interface FileProgress {
  readonly bytes: number;
  readonly rows: number;
  readonly classes: Readonly<Record<string, number>>;
}

export interface FileResult {
  readonly blob: Blob;
  /** Rows that are not in a clean list. */
  readonly removed: Blob | undefined;
  readonly irregular: ReadonlyMap<RowWarning, WarnedRows>;
  /** Rows by day, where a column has days. */
  readonly days: readonly Day[];
  /** Not all rows were compared. */
  readonly isPartial: boolean;
}

export async function classifyFile(api: Api, job: FileJob): Promise<FileResult> {
  let bytesRead = 0;
  const onRead = (count: number): void => {
    bytesRead += count;
  };
  // From the beginning, because a file may be classified again.
  const preview = await previewFile(job.file, job.format, onRead, fieldsFor(job.selection));
  const { buffer, layout } = preview.input;
  const run = new ChunkSender(api, { ...job, ...preview });
  const pending: Promise<() => void>[] = [];
  try {
    for await (const part of chunkAtRecords(buffer, layout, () => run.chunkBytes)) {
      const answered = run.send(part, bytesRead);
      // It is met when its turn comes.
      answered.catch(() => {});
      pending.push(answered);
      // Rows are taken in their order.
      if (pending.length === CONCURRENT_CHUNKS) (await pending.shift())?.();
    }
    for (const answered of pending) (await answered)();
    return run.result();
  } finally {
    run.abort.abort();
  }
}

/** A blank row begins each part, so that no row is taken for the beginning of a file. It is removed from the answer. */
class ChunkSender {
  chunkBytes = CHUNK_FIRST;
  readonly abort: AbortController = new AbortController();
  private readonly responseFormat: ResponseFormat;
  private readonly blankRow: Uint8Array;
  private readonly path: string;
  private readonly collector: RowCollector;
  private rows = 0;
  private classes: Readonly<Record<string, number>> = {};
  private readonly days: Map<string, Day> = new Map();
  private readonly irregular: Map<RowWarning, WarnedRows> = new Map();

  constructor(
    private readonly api: Api,
    private readonly job: FileJob,
  ) {
    const { selection, format, input } = job;
    const { layout } = input;
    const isJson = layout.kind === "jsonl";
    const { delimiter, width } = layout.kind === "csv" ? layout : { delimiter: COMMA, width: 1 };
    this.blankRow = encodeUtf8(`${isJson ? "{}" : String.fromCharCode(delimiter).repeat(width - 1)}\n`);
    const day = selection === "all" ? findDayColumn(job) : undefined;
    this.path = `api/v1/emails/stream?${createQuery(job, day)}`;
    // The daemon's header of lines is left out of each answer.
    const header =
      format.kind === "lines"
        ? encodeUtf8(`${["email", ...(fieldsFor(selection) ?? ADDED_COLUMNS)].join()}\n`)
        : input.header;
    const prefix = isJson ? layout.prefix : (format.prefix ?? "");
    const rowsBefore = input.names === undefined ? 0 : 1;
    const responseFormat = { isJson, prefix, delimiter, firstAddedColumn: width, rowsBefore, header };
    this.responseFormat = responseFormat;
    this.collector = new RowCollector(responseFormat, selection);
  }

  /** Sends a part; what is returned takes the answer. */
  async send(part: Uint8Array<ArrayBuffer>, bytes: number): Promise<() => void> {
    const begun = performance.now();
    const answer = await this.sendWithRetries(new Blob([this.blankRow as BlobPart, part]));
    if (performance.now() - begun < CHUNK_MS) this.chunkBytes = Math.min(CHUNK_MAX, 2 * this.chunkBytes);
    return () => this.addResponse(answer, bytes);
  }

  private addResponse(answer: Uint8Array<ArrayBuffer>, bytes: number): void {
    const { format, selection, onProgress } = this.job;
    const { isJson, delimiter, rowsBefore } = this.responseFormat;
    const { rows, summary } = splitSummary(answer, isJson ? undefined : delimiter);
    const header = format.kind === "lines" ? this.responseFormat.header.length : 0;
    const hasBlank = typeof selection === "string" || selection.classes.includes("blank") !== selection.but;
    this.collector.add(rows.subarray(hasBlank ? rows.indexOf(LF, header) + 1 : header));
    for (const { value, rows, classes } of summary.by?.values ?? []) {
      const { rows: known = 0, disposable = 0 } = this.days.get(value) ?? {};
      this.days.set(value, { value, rows: known + rows, disposable: disposable + classes.disposable });
    }
    for (const [name, found] of Object.entries(summary.irregular)) {
      const { count, first } = this.irregular.get(name as RowWarning) ?? { count: 0, first: [] };
      const numbers = found.first.map((row) => row - 1 + rowsBefore + this.rows);
      const sum = { count: count + found.rows, first: [...first, ...numbers].slice(0, 5) };
      this.irregular.set(name as RowWarning, sum);
    }
    this.rows += summary.rows - 1;
    const counts = Object.entries(summary.classes).map(([name, count]) => {
      return [name, (this.classes[name] ?? 0) + count - (name === "blank" ? 1 : 0)];
    });
    this.classes = { ...Object.fromEntries(counts), duplicate: this.collector.duplicates };
    onProgress({ bytes, rows: this.rows, classes: this.classes });
  }

  result(): FileResult {
    const { irregular, collector } = this;
    const { format, input, selection } = this.job;
    // Only CSV keeps its byte-order mark.
    const byteOrderMark = format.kind === "csv" ? input.byteOrderMark : "";
    const blobOf = (rows: readonly BlobPart[]): Blob =>
      new Blob([byteOrderMark as BlobPart, ...rows], {
        type: this.responseFormat.isJson ? MEDIA_TYPES.jsonl : MEDIA_TYPES.csv,
      });
    const { rows, isPartial, removed } = collector;
    const blobs = { blob: blobOf(rows), removed: selection === "clean" ? blobOf(removed) : undefined };
    return { ...blobs, irregular, days: daysIn([...this.days.values()]), isPartial };
  }

  /** Tries again after limits and lost connections. */
  private async sendWithRetries(data: Blob): Promise<Uint8Array<ArrayBuffer>> {
    const signal = AbortSignal.any([this.job.signal, this.abort.signal]);
    const bytes = {
      data,
      type: MEDIA_TYPES[this.job.format.kind],
      accept: this.responseFormat.isJson ? MEDIA_TYPES.jsonl : MEDIA_TYPES.csv,
    };
    for (let tries = 1; ; tries += 1) {
      try {
        const response = await this.api.send("POST", this.path, { bytes, signal });
        return new Uint8Array(await response.arrayBuffer().catch(rethrowAsCutOff));
      } catch (failure) {
        if (signal.aborted || tries === ATTEMPTS_MAX || !isRetryable(failure)) throw failure;
        const { retryAfterSeconds: seconds = FIRST_RETRY_SECONDS * 2 ** (tries - 1) } = failure as Partial<ApiError>;
        await delay(seconds * 1000, signal);
      }
    }
  }
}

const MEDIA_TYPES = { lines: "text/plain", csv: "text/csv", jsonl: "application/x-ndjson" } as const;

function rethrowAsCutOff(failure: unknown): never {
  if (!(failure instanceof TypeError)) throw failure;
  throw new ApiError("the daemon cut the connection; its log says why.", 0);
}

/** Whether to try again. */
function isRetryable(failure: unknown): boolean {
  return failure instanceof ApiError && [0, 408, 429, 502, 503, 504].includes(failure.status);
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** Browsers read no trailers, so the counts are a row. */
function createQuery({ input, dns, selection }: FileJob, day: string | undefined): URLSearchParams {
  const { layout } = input;
  const query = new URLSearchParams({ dns: dns ? "on" : "off", summary: "row" });
  const fields = fieldsFor(selection);
  if (fields !== undefined) query.set("fields", fields.join(","));
  if (day !== undefined) query.set("by", day);
  if (typeof selection !== "string") query.set(selection.but ? "reject" : "select", selection.classes.join(","));
  if (layout.kind === "csv") {
    query.set("column", String(layout.column + 1));
    query.set("delimiter", layout.delimiter === 0x09 ? "tab" : String.fromCharCode(layout.delimiter));
    query.set("no-header", "true");
  } else if (layout.kind === "jsonl") {
    query.set("column", (layout.path ?? ["email"]).map((key) => key.replaceAll(".", "\\.")).join("."));
    if (layout.prefix !== "") query.set("prefix", layout.prefix);
  }
  return query;
}
