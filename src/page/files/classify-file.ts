// Sends a file to the daemon in chunks, and collects the responses in order.

import { COMMA, LF } from "../../base/bytes/ascii.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { rejectOnAbort } from "../../base/concurrency.ts";
import { selectDays } from "../../bulk/counts-by.ts";
import type { RowWarning, RowWarnings } from "../../bulk/rows/row-warnings.ts";
import { type Api, ApiError } from "../common/api.ts";
import type { Day } from "../common/periods.ts";
import { chunkAtRecords, splitSummary } from "./chunk-file.ts";
import { FILE_FIELDS, type OutputFile, type ResponseFormat, RowCollector } from "./collect-rows.ts";
import { type FilePreview, findDayColumn, type OutputName, previewFile, type RunOptions } from "./preview.ts";

// A browser reads no response while it sends, so the daemon reads up to 1 MiB before it responds.
const MAX_CHUNK_BYTES = 768 * 1024;
// Chunks start small, so that a slow connection shows progress too, and grow while they take less than a second.
const FIRST_CHUNK_BYTES = 32 * 1024;
const TARGET_CHUNK_MS = 1000;
// The daemon classifies one chunk while others are sent and collected.
const CONCURRENT_CHUNKS = 3;
const MAX_ATTEMPTS = 4;
const FIRST_RETRY_SECONDS = 1;

export interface FileJob extends FilePreview, RunOptions {
  readonly signal: AbortSignal;
  /** Called after each chunk, and before one is sent again. */
  readonly onProgress: (progress: FileProgress) => void;
}

export interface FileProgress {
  readonly bytes: number;
  readonly rows: number;
  readonly classes: Readonly<Record<string, number>>;
  /** Why a chunk is sent again. */
  readonly retryReason?: string;
}

export const NO_PROGRESS: FileProgress = { bytes: 0, rows: 0, classes: {} };

export interface FileResult {
  /** The clean list, all rows and the removed rows. */
  readonly outputs: readonly Readonly<{ name: OutputName; blob: Blob; rows: number }>[];
  /** Number of removed rows by class. */
  readonly removedRows: ReadonlyMap<string, number>;
  readonly warnings: RowWarnings;
  /** Counts by day; empty if the days are ambiguous. The name of their column is empty if no column has days. */
  readonly days: readonly Day[];
  readonly dayColumn: string;
  /** Whether duplicates among the last rows may be missing, because there were too many mailboxes. */
  readonly isPartial: boolean;
}

export async function classifyFile(api: Api, job: FileJob): Promise<FileResult> {
  let bytesRead = 0;
  let bytesSent = 0;
  const onRead = (count: number): void => {
    bytesRead += count;
  };
  // Reads the file from the start, because it may be classified again.
  const preview = await previewFile(job.file, job.format, onRead);
  const { buffer, layout } = preview.input;
  const sender = new ChunkSender(api, { ...job, ...preview });
  const pending: Promise<() => void>[] = [];
  try {
    try {
      for await (const chunk of chunkAtRecords(buffer, layout, () => sender.chunkBytes)) {
        bytesSent += chunk.length;
        // Browsers read ahead. Of compressed data, more is sent than read.
        const response = sender.send(chunk, Math.min(bytesRead, bytesSent));
        // Prevents an unhandled rejection. The error is thrown where the response is awaited.
        response.catch(() => {});
        pending.push(response);
        if (pending.length < CONCURRENT_CHUNKS) continue;
        (await pending[0])?.();
        pending.shift();
      }
    } finally {
      // Adds the rows before an invalid record. A failed chunk is still first in `pending`, so its error is thrown again.
      for (const response of pending) (await response)();
    }
    return sender.result();
  } finally {
    sender.controller.abort();
  }
}

/**
 * Sends chunks and collects the responses. Each chunk starts with a blank row, so that the daemon does not take its first
 * row for a preamble; the blank row's response is dropped.
 */
class ChunkSender {
  chunkBytes = FIRST_CHUNK_BYTES;
  readonly controller: AbortController = new AbortController();
  private readonly responseFormat: ResponseFormat;
  private readonly blankRow: Uint8Array;
  private readonly path: string;
  private readonly dayColumn: string;
  private readonly collector: RowCollector;
  private progress = NO_PROGRESS;
  private readonly days: Map<string, Day> = new Map();

  constructor(
    private readonly api: Api,
    private readonly job: FileJob,
  ) {
    const { format, input, rejected, cleanHasFields } = job;
    const { layout } = input;
    const isJson = format.kind === "jsonl";
    const { delimiter, width } = layout.kind === "csv" ? layout : { delimiter: COMMA, width: 1 };
    this.blankRow = encodeUtf8(`${isJson ? "{}" : String.fromCharCode(delimiter).repeat(width - 1)}\n`);
    const { name = "", option, isAmbiguous } = findDayColumn(job) ?? {};
    this.dayColumn = name;
    this.path = `api/v1/emails/stream?${createQuery(job, isAmbiguous === true ? undefined : option)}`;
    // For lines, the daemon starts each response with a header, which is dropped.
    const header = format.kind === "lines" ? encodeUtf8(`${["email", ...FILE_FIELDS].join()}\n`) : input.header;
    const unchangedHeader = cleanHasFields ? undefined : input.headerBytes;
    const { kind, prefix = "" } = format;
    const rowsBefore = input.preambleRows;
    this.responseFormat = { kind, prefix, delimiter, firstAddedColumn: width, rowsBefore, header, unchangedHeader };
    this.collector = new RowCollector(this.responseFormat, rejected);
  }

  /** Sends a chunk and returns a function that adds its response. */
  async send(chunk: Uint8Array<ArrayBuffer>, bytes: number): Promise<() => void> {
    const startMs = performance.now();
    // A Blob would be copied to the browser process and back.
    const body = new Uint8Array(this.blankRow.length + chunk.length);
    body.set(this.blankRow);
    body.set(chunk, this.blankRow.length);
    const response = await this.sendWithRetries(body);
    if (performance.now() - startMs < TARGET_CHUNK_MS) this.chunkBytes = Math.min(MAX_CHUNK_BYTES, 2 * this.chunkBytes);
    return () => this.addResponse(response, chunk, bytes);
  }

  private addResponse(response: Uint8Array<ArrayBuffer>, chunk: Uint8Array, bytes: number): void {
    const { format, onProgress } = this.job;
    const { progress } = this;
    const { delimiter, rowsBefore } = this.responseFormat;
    const { rows, summary } = splitSummary(response, format.kind === "jsonl" ? undefined : delimiter);
    const header = format.kind === "lines" ? this.responseFormat.header.length : 0;
    this.collector.add(rows.subarray(rows.indexOf(LF, header) + 1), chunk);
    for (const { value, rows, unusable } of summary.by?.values ?? []) {
      const day = this.days.get(value) ?? { rows: 0, unusable: 0 };
      this.days.set(value, { value, rows: day.rows + rows, unusable: day.unusable + unusable });
    }
    for (const [kind, { rows, first }] of Object.entries(summary.irregular)) {
      for (const row of first)
        this.collector.warnings.add(kind as RowWarning, Number(row) - 1 + rowsBefore + progress.rows);
      this.collector.warnings.add(kind as RowWarning, undefined, rows - first.length);
    }
    const counts = Object.entries(summary.classes).map(([name, count]) => {
      return [name, (progress.classes[name] ?? 0) + count - (name === "blank" ? 1 : 0)];
    });
    const classes = { ...Object.fromEntries(counts), duplicate: this.collector.duplicates };
    this.progress = { bytes, rows: progress.rows + summary.rows - 1, classes };
    onProgress(this.progress);
  }

  result(): FileResult {
    const { collector, dayColumn } = this;
    const { format, input, cleanHasFields } = this.job;
    const type = format.kind === "jsonl" ? MEDIA_TYPES.jsonl : MEDIA_TYPES.csv;
    const { all, clean, removed, removedRows, isPartial, warnings } = collector;
    const outputFiles = Object.entries({ clean, classified: all, removed }) as [OutputName, OutputFile][];
    const outputs = outputFiles.map(([name, file]) => {
      const keepsByteOrderMark = format.kind === "csv" || (name === "clean" && !cleanHasFields);
      const byteOrderMark = keepsByteOrderMark ? (input.byteOrderMark as BlobPart) : "";
      // Excel needs the mark to read converted text.
      const addsMark = format.encoding !== undefined && format.kind !== "jsonl";
      const blob = file.toBlob(addsMark ? "\ufeff" : byteOrderMark, type);
      return { name, blob, rows: file.rows };
    });
    return { outputs, removedRows, warnings, days: selectDays([...this.days.values()]), dayColumn, isPartial };
  }

  /** Retries after rate limits and lost connections. */
  private async sendWithRetries(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const signal = AbortSignal.any([this.job.signal, this.controller.signal]);
    const bytes = {
      data,
      type: MEDIA_TYPES[this.job.format.kind],
      accept: this.job.format.kind === "jsonl" ? MEDIA_TYPES.jsonl : MEDIA_TYPES.csv,
    };
    for (let tries = 1; ; tries += 1) {
      try {
        const response = await this.api.send("POST", this.path, { bytes, signal });
        return new Uint8Array(await response.arrayBuffer().catch(throwDisconnected));
      } catch (failure) {
        if (signal.aborted || tries === MAX_ATTEMPTS || !isRetryable(failure)) throw failure;
        const { status, retryAfterSeconds: seconds = FIRST_RETRY_SECONDS * 2 ** (tries - 1) } = failure;
        const retryReason = `The daemon ${status === 0 ? "does not answer" : "is busy"}: retrying.`;
        this.job.onProgress({ ...this.progress, retryReason });
        await rejectOnAbort(new Promise((resolve) => setTimeout(resolve, seconds * 1000)), signal);
      }
    }
  }
}

const MEDIA_TYPES = { lines: "text/plain", csv: "text/csv", jsonl: "application/x-ndjson" } as const;

function throwDisconnected(): never {
  throw new ApiError("the daemon closed the connection; its log has the reason.", 0);
}

function isRetryable(failure: unknown): failure is ApiError {
  return failure instanceof ApiError && [0, 408, 429, 502, 503, 504].includes(failure.status);
}

/** Creates the query of a chunk. Browsers read no trailers, so the summary is requested as a row. */
function createQuery(job: FileJob, day: string | undefined): URLSearchParams {
  const { layout } = job.input;
  const query = new URLSearchParams({ dns: job.dns ? "on" : "off", summary: "row", fields: FILE_FIELDS.join(",") });
  if (day !== undefined) query.set("by", day);
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
