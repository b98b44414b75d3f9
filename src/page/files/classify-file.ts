// Sends a file to the daemon part by part, and collects what comes back in its order. The browser keeps the answers, on
// its disk where they are large; only a few parts are in memory.

import type { Irregularity, IrregularRows } from "../../bulk/rows/irregularities.ts";
import { type Api, ApiError } from "../common/api.ts";
import { CLEAN_FIELDS, CleanList } from "./clean.ts";
import { cutAtRecords, type PartSummary, takeSummary } from "./cut.ts";
import { look, type OpenedFile } from "./look.ts";

// The daemon reads a body of up to 1 MiB whole before it answers. A browser needs that, because it reads nothing before
// it has sent everything.
const PART_MAX = 768 * 1024;
// Parts begin small and grow while they are answered in a second, so that a slow line shows progress too.
const PART_FIRST = 32 * 1024;
const PART_MS = 1000;
// Parts on their way at once: one is worked on while another is sent.
const AT_ONCE = 2;
const TRIES = 4;
const LF = 0x0a;
const COMMA = 0x2c;
const FIRST_PAUSE_MS = 1000;

/** All rows, those of some classes, all but those, or a clean list and beside it what was taken out. */
export type Wanted = "all" | "clean" | { readonly classes: readonly string[]; readonly but: boolean };

/** A file to classify, and how. */
export interface FileJob extends OpenedFile {
  readonly dns: boolean;
  /** The rows that come back. */
  readonly wanted: Wanted;
  readonly signal: AbortSignal;
  /** Told after each part. */
  readonly onProgress: (progress: FileProgress) => void;
}

/** How far it is. */
export interface FileProgress {
  /** Bytes of the file that are done. */
  readonly bytes: number;
  readonly rows: number;
  /** Rows by class. */
  readonly classes: Readonly<Record<string, number>>;
}

/** The rows that came back, and those that were irregular. */
export interface FileResult {
  readonly blob: Blob;
  /** Rows that are not in a clean list. */
  readonly takenOut: Blob | undefined;
  readonly irregular: ReadonlyMap<Irregularity, IrregularRows>;
}

/** Classifies the file. */
export async function classifyFile(api: Api, job: FileJob): Promise<FileResult> {
  return new Run(api, job).all();
}

/**
 * A row without an address begins each part, so that nothing in the part is taken for the beginning of a file, and
 * records have the width of the first one. It is taken off the answer.
 */
class Run {
  private readonly isJson: boolean;
  private readonly delimiter: number;
  private readonly blank: Uint8Array;
  private readonly path: string;
  private partBytes = PART_FIRST;
  private rows = 0;
  private classes: Readonly<Record<string, number>> = {};
  private readonly done: Blob[] = [];
  private readonly summaries: PartSummary[] = [];
  private readonly failed = new AbortController();
  private readonly clean: CleanList | undefined;
  /** Parts whose rows wait for those of parts before them. */
  private readonly waiting: Map<number, Uint8Array> = new Map();
  private parted = 0;
  /** The header that the daemon gives lines. */
  private linesHeader: Uint8Array = new Uint8Array(0);

  constructor(
    private readonly api: Api,
    private readonly job: FileJob,
  ) {
    const { layout } = job.opened;
    this.isJson = layout.kind === "jsonl";
    this.delimiter = layout.kind === "csv" ? layout.delimiter : COMMA;
    const commas = layout.kind === "csv" ? String.fromCharCode(layout.delimiter).repeat(layout.width - 1) : "";
    this.blank = new TextEncoder().encode(`${this.isJson ? "{}" : commas}\n`);
    this.path = `api/v1/emails/stream?${queryOf(job)}`;
    if (job.wanted !== "clean") return;
    const json = layout.kind === "jsonl" ? { prefix: layout.prefix } : undefined;
    const added = layout.kind === "csv" ? layout.width : 1;
    this.clean = new CleanList({ json, delimiter: this.delimiter, added, before: job.opened.headerRows });
  }

  async all(): Promise<FileResult> {
    const { file, choice } = this.job;
    let bytesRead = 0;
    // From the beginning again, because a job may be done twice.
    const { opened } = await look(
      file,
      choice,
      (count) => {
        bytesRead += count;
      },
      this.clean && CLEAN_FIELDS,
    );
    const { buffer, layout, header, mark } = opened;
    const under = new Set<Promise<void>>();
    let first: unknown;
    let number = 0;
    for await (const part of cutAtRecords(buffer, layout, () => this.partBytes)) {
      if (this.failed.signal.aborted) break;
      const sent = this.part(part, number, bytesRead).catch((failure: unknown) => {
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
    const opening = layout.kind === "csv" ? [mark, header] : [];
    const blobOf = (...pieces: unknown[]): Blob =>
      new Blob(pieces as BlobPart[], { type: this.isJson ? "application/x-ndjson" : "text/csv" });
    const { clean } = this;
    const irregular = this.irregular();
    if (clean === undefined) return { blob: blobOf(...opening, ...this.done), takenOut: undefined, irregular };
    const names = layout.kind === "csv" ? header : this.linesHeader;
    const takenOut = blobOf(mark, names.length === 0 ? "" : clean.headerOf(names), ...clean.takenOut);
    return { blob: blobOf(mark, names, ...clean.kept), takenOut, irregular };
  }

  private async part(part: Uint8Array<ArrayBuffer>, number: number, bytesUntil: number): Promise<void> {
    const { kind } = this.job.choice;
    const begun = performance.now();
    const answer = await this.tried(new Blob([this.blank as BlobPart, part]));
    if (performance.now() - begun < PART_MS) this.partBytes = Math.min(PART_MAX, 2 * this.partBytes);
    const { rows, summary } = takeSummary(answer, this.isJson ? undefined : this.delimiter);
    // The daemon gives lines a header, which is wanted once.
    const header = kind === "lines" ? rows.indexOf(LF) + 1 : 0;
    const { wanted } = this.job;
    const hasBlank = typeof wanted === "string" || wanted.classes.includes("blank") !== wanted.but;
    const body = rows.subarray(hasBlank ? rows.indexOf(LF, header) + 1 : header);
    if (this.clean === undefined) this.done[number] = new Blob([number === 0 ? rows.subarray(0, header) : "", body]);
    else this.compare(number, rows.subarray(0, header), body);
    this.summaries[number] = summary;
    this.rows += summary.rows - 1;
    const counts = Object.entries(summary.classes).map(([name, count]) => {
      return [name, (this.classes[name] ?? 0) + count - (name === "blank" ? 1 : 0)];
    });
    this.classes = Object.fromEntries(counts);
    this.job.onProgress({ bytes: bytesUntil, rows: this.rows, classes: this.classes });
  }

  /** Rows must be compared in their order. */
  private compare(number: number, header: Uint8Array, body: Uint8Array): void {
    if (number === 0) this.linesHeader = header;
    this.waiting.set(number, body);
    for (let next = this.waiting.get(this.parted); next !== undefined; next = this.waiting.get(this.parted)) {
      this.waiting.delete(this.parted);
      this.parted += 1;
      this.clean?.take(next);
    }
  }

  /** Irregular rows of all parts, by their numbers in the file. */
  private irregular(): Map<Irregularity, IrregularRows> {
    const all = new Map<Irregularity, IrregularRows>();
    let before = this.job.opened.headerRows;
    for (const { rows, irregular } of this.summaries) {
      for (const [name, found] of Object.entries(irregular)) {
        const { count, first } = all.get(name as Irregularity) ?? { count: 0, first: [] };
        const numbers = found.first.map((row) => row - 1 + before);
        all.set(name as Irregularity, { count: count + found.rows, first: [...first, ...numbers].slice(0, 5) });
      }
      before += rows - 1;
    }
    return all;
  }

  /** Sends a part until it is answered: limits of the daemon and lost connections pass. */
  private async tried(data: Blob): Promise<Uint8Array<ArrayBuffer>> {
    const signal = AbortSignal.any([this.job.signal, this.failed.signal]);
    const bytes = { data, type: TYPES[this.job.choice.kind], accept: this.isJson ? TYPES.jsonl : TYPES.csv };
    for (let tries = 1; ; tries += 1) {
      try {
        const response = await this.api.send("POST", this.path, { bytes, signal });
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

const TYPES = { lines: "text/plain", csv: "text/csv", jsonl: "application/x-ndjson" } as const;

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

/** The options of the stream. A browser reads no trailers, so the counts come as a row. */
function queryOf({ opened, dns, wanted }: FileJob): URLSearchParams {
  const { layout } = opened;
  const query = new URLSearchParams({ dns: dns ? "on" : "off", summary: "row" });
  if (wanted === "clean") query.set("fields", CLEAN_FIELDS.join(","));
  else if (wanted !== "all") query.set(wanted.but ? "reject" : "select", wanted.classes.join(","));
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
