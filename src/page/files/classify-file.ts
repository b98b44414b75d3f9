// Sends a file to the daemon part by part, and collects what comes back in its order. The browser keeps the answers, on its disk where they
// are large; only a few parts are in memory.

import { CsvScanner, RECORD_MAX, RecordScan } from "../../bulk/rows/csv.ts";
import { type Api, ApiError } from "../common/api.ts";
import { afterRecords, cutAtRecords, joined, LINES, type Records, takeSummary } from "./cut.ts";
import { type Beginning, headerRecord, type Layout, octetsOf } from "./look.ts";

// The daemon reads a body of up to 1 MiB whole before it answers. A browser needs that, because it reads nothing before it has sent everything.
// The header goes along.
const PART_BYTES = 768 * 1024;
// Parts on their way at once: one is worked on while another is sent.
const AT_ONCE = 2;
const TRIES = 4;
const COMMA = 0x2c;
const BLANK_LINE = Uint8Array.of(0x0a);
const FIRST_PAUSE_MS = 1000;

/** A file to classify, and how. */
export interface FileJob {
  readonly file: File;
  readonly beginning: Beginning;
  readonly layout: Layout;
  readonly dns: boolean;
  readonly signal: AbortSignal;
  /** Told after each part. */
  readonly onProgress: (progress: FileProgress) => void;
}

/** How far it is. */
export interface FileProgress {
  /** Octets of the file that are done. */
  readonly octets: number;
  readonly rows: number;
  /** Rows by class. */
  readonly classes: Readonly<Record<string, number>>;
}

/** Classifies the file; gives the CSV. */
export async function classifyFile(api: Api, job: FileJob): Promise<Blob> {
  const run = new Run(api, job);
  return run.all();
}

class Run {
  private readonly delimiter: number;
  /** The record before each part but the first, so that a part's beginning is not taken for that of a file. */
  private readonly header: Uint8Array;
  private rows = 0;
  private classes: Readonly<Record<string, number>> = {};
  private readonly done: Blob[] = [];
  private readonly failed = new AbortController();
  private octetsRead = 0;

  constructor(
    private readonly api: Api,
    private readonly job: FileJob,
  ) {
    const { layout, beginning } = job;
    this.delimiter = layout.kind === "csv" ? layout.delimiter : COMMA;
    if (layout.kind === "lines") this.header = BLANK_LINE;
    else this.header = layout.hasHeader ? headerRecord(beginning, layout.delimiter) : new Uint8Array();
  }

  async all(): Promise<Blob> {
    const { file } = this.job;
    const stream = await octetsOf(file, (count) => {
      this.octetsRead += count;
    });
    const under = new Set<Promise<void>>();
    let first: unknown;
    let number = 0;
    for await (const part of cutAtRecords(stream, recordsIn(this.job.layout), PART_BYTES, RECORD_MAX)) {
      if (this.failed.signal.aborted) break;
      const sent = this.part(part, number, this.octetsRead).catch((failure: unknown) => {
        first ??= failure;
        this.failed.abort();
      });
      number += 1;
      under.add(sent);
      void sent.then(() => under.delete(sent));
      if (under.size >= AT_ONCE) await Promise.race(under);
    }
    await Promise.all(under);
    if (first !== undefined) throw first;
    return new Blob(this.done, { type: "text/csv" });
  }

  private async part(part: Uint8Array<ArrayBuffer>, number: number, octetsUntil: number): Promise<void> {
    const data = number === 0 ? part : joined(this.header, part);
    const { layout, dns } = this.job;
    const answer = await this.tried(data, `api/v1/emails/detect?${queryOf(layout, dns)}`);
    const { rows, summary } = takeSummary(answer, this.delimiter);
    const blank = layout.kind === "lines" && number > 0 ? 1 : 0;
    const headers = layout.kind === "lines" || layout.hasHeader ? 1 : 0;
    this.done[number] = new Blob([
      number === 0 ? rows : rows.subarray(afterRecords(rows, this.delimiter, headers + blank)),
    ]);
    this.rows += summary.rows - blank;
    const counts = Object.entries(summary.classes).map(([name, count]) => {
      return [name, (this.classes[name] ?? 0) + count - (name === "blank" ? blank : 0)];
    });
    this.classes = Object.fromEntries(counts);
    this.job.onProgress({ octets: octetsUntil, rows: this.rows, classes: this.classes });
  }

  /** Sends a part until it is answered: limits of the daemon and lost connections pass. */
  private async tried(data: Uint8Array<ArrayBuffer>, path: string): Promise<Uint8Array<ArrayBuffer>> {
    const signal = AbortSignal.any([this.job.signal, this.failed.signal]);
    const type = this.job.layout.kind === "csv" ? "text/csv" : "text/plain";
    for (let tries = 1; ; tries += 1) {
      try {
        const octets = { data, type, accept: "text/csv" };
        const response = await this.api.send("POST", path, { octets, signal });
        return new Uint8Array(await response.arrayBuffer().catch(wasCut));
      } catch (failure) {
        if (signal.aborted || tries === TRIES || !passes(failure)) throw failure;
        const { retryAfterSeconds } = failure as Partial<ApiError>;
        await pause(
          retryAfterSeconds === undefined ? FIRST_PAUSE_MS * 2 ** (tries - 1) : retryAfterSeconds * 1000,
          signal,
        );
      }
    }
  }
}

function wasCut(failure: unknown): never {
  if (!(failure instanceof TypeError)) throw failure;
  throw new ApiError("the daemon cut the connection; its log says why.", 0);
}

/** No answer or only a part of one, too many requests, or a daemon that is not ready. */
function passes(failure: unknown): boolean {
  return failure instanceof ApiError && [0, 408, 429, 502, 503, 504].includes(failure.status);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** A browser reads no trailers, so the counts come as a row. */
function queryOf(layout: Layout, dns: boolean): URLSearchParams {
  const query = new URLSearchParams({ dns: dns ? "on" : "off", summary: "row" });
  if (layout.kind === "lines") return query;
  query.set("column", String(layout.column + 1));
  query.set("delimiter", layout.delimiter === 0x09 ? "tab" : String.fromCharCode(layout.delimiter));
  if (!layout.hasHeader) query.set("no-header", "true");
  return query;
}

function recordsIn(layout: Layout): Records {
  if (layout.kind === "lines") return LINES;
  const measured = { delimiter: layout.delimiter, column: layout.column, width: layout.column + 1 };
  const scanner = new CsvScanner(measured);
  return {
    boundary: (octets, start, end) => scanner.boundary(octets, start, end),
    endsWell: (octets, start, end) => new RecordScan().scan(octets, start, end, measured, true),
  };
}
