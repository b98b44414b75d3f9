// Sends a file to the daemon in parts, and collects the answers in their order as blobs, which browsers keep on disk.

import { ISO_DAY } from "../../bulk/days.ts";
import type { Irregularity, IrregularRows } from "../../bulk/rows/irregularities.ts";
import type { Field } from "../../detection/fields.ts";
import { type Api, ApiError } from "../common/api.ts";
import type { Day } from "../common/text.ts";
import { cutAtRecords, type PartSummary, takeSummary } from "./cut.ts";
import { dayColumn, look, type OpenedFile } from "./look.ts";
import { CLEAN_FIELDS, CleanList, FULL_FIELDS, FullList } from "./row-lists.ts";

// The daemon reads a body of up to 1 MiB before it answers, because a browser reads nothing while it sends.
const PART_MAX = 768 * 1024;
// Parts begin small, so that a slow line shows progress too; they grow while they take less than a second.
const PART_FIRST = 32 * 1024;
const PART_MS = 1000;
// The daemon works on one part while another is sent.
const AT_ONCE = 2;
const TRIES = 4;
const LF = 0x0a;
const COMMA = 0x2c;
const FIRST_PAUSE_MS = 1000;

/** All rows, a clean list and the rows that are not in it, or rows by their classes. */
export type Wanted = "all" | "clean" | { readonly classes: readonly string[]; readonly but: boolean };

export interface FileJob extends OpenedFile {
  readonly dns: boolean;
  readonly wanted: Wanted;
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
  readonly takenOut: Blob | undefined;
  readonly irregular: ReadonlyMap<Irregularity, IrregularRows>;
  /** Rows by day, where a column has days. */
  readonly days: readonly Day[];
  /** There are columns for suggestions and duplicates. */
  readonly isFull: boolean;
  /** Not all rows were compared. */
  readonly isPartial: boolean;
}

export async function classifyFile(api: Api, job: FileJob): Promise<FileResult> {
  return new Run(api, job).all();
}

/** A blank row begins each part, so that no row is taken for the beginning of a file. It is removed from the answer. */
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
  private readonly days: Map<string, Day> = new Map();
  private readonly day: string | undefined;
  private readonly list: CleanList | FullList | undefined;
  /** Rows of parts that wait for earlier parts. */
  private readonly waiting: Map<number, Uint8Array> = new Map();
  private parted = 0;
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
    this.day = job.wanted === "all" ? dayColumn(job) : undefined;
    this.path = `api/v1/emails/stream?${queryOf(job, this.day)}`;
    if (typeof job.wanted !== "string") return;
    const prefix = layout.kind === "jsonl" ? layout.prefix : (job.choice.prefix ?? "");
    const added = layout.kind === "csv" ? layout.width : 1;
    const { delimiter, isJson } = this;
    const form = { isJson, prefix, delimiter, added, before: job.opened.headerRows };
    this.list = job.wanted === "clean" ? new CleanList(form) : new FullList(form);
  }

  async all(): Promise<FileResult> {
    const { file, choice } = this.job;
    let bytesRead = 0;
    // From the beginning, because a file may be classified again.
    const { opened } = await look(
      file,
      choice,
      (count) => {
        bytesRead += count;
      },
      fieldsFor(this.job.wanted),
    );
    const { buffer, layout, header, mark } = opened;
    const { list } = this;
    if (list instanceof FullList) list.begin(layout.kind === "csv" ? header : new Uint8Array(0));
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
    // Only CSV keeps its byte-order mark.
    const start = layout.kind === "csv" ? [mark] : [];
    const blobOf = (...pieces: unknown[]): Blob =>
      new Blob(pieces as BlobPart[], { type: this.isJson ? "application/x-ndjson" : "text/csv" });
    const { isFull, isPartial } = list instanceof FullList ? list : { isFull: false, isPartial: false };
    const result = { irregular: this.irregular(), days: this.sortedDays(), isFull, isPartial, takenOut: undefined };
    if (list === undefined && layout.kind === "csv") start.push(header);
    if (list === undefined) return { ...result, blob: blobOf(...start, ...this.done) };
    if (list instanceof FullList) return { ...result, blob: blobOf(...start, ...list.rows) };
    const names = layout.kind === "csv" ? header : this.linesHeader;
    const takenOut = blobOf(...start, names.length === 0 ? "" : list.headerOf(names), ...list.takenOut);
    return { ...result, blob: blobOf(...start, names, ...list.kept), takenOut };
  }

  private async part(part: Uint8Array<ArrayBuffer>, number: number, bytesUntil: number): Promise<void> {
    const { kind } = this.job.choice;
    const begun = performance.now();
    const answer = await this.tried(new Blob([this.blank as BlobPart, part]));
    if (performance.now() - begun < PART_MS) this.partBytes = Math.min(PART_MAX, 2 * this.partBytes);
    const { rows, summary } = takeSummary(answer, this.isJson ? undefined : this.delimiter);
    // The daemon's header of lines is wanted once.
    const header = kind === "lines" ? rows.indexOf(LF) + 1 : 0;
    const { wanted } = this.job;
    const hasBlank = typeof wanted === "string" || wanted.classes.includes("blank") !== wanted.but;
    const body = rows.subarray(hasBlank ? rows.indexOf(LF, header) + 1 : header);
    if (this.list === undefined) this.done[number] = new Blob([number === 0 ? rows.subarray(0, header) : "", body]);
    else this.compare(number, rows.subarray(0, header), body);
    this.summaries[number] = summary;
    for (const { value, rows, classes } of summary.by?.values ?? []) {
      const { rows: before = 0, disposable = 0 } = this.days.get(value) ?? {};
      this.days.set(value, { value, rows: before + rows, disposable: disposable + classes.disposable });
    }
    this.rows += summary.rows - 1;
    const counts = Object.entries(summary.classes).map(([name, count]) => {
      return [name, (this.classes[name] ?? 0) + count - (name === "blank" ? 1 : 0)];
    });
    const duplicate = this.list instanceof FullList ? this.list.duplicates : 0;
    this.classes = { ...Object.fromEntries(counts), duplicate };
    this.job.onProgress({ bytes: bytesUntil, rows: this.rows, classes: this.classes });
  }

  /** Rows are compared in their order. */
  private compare(number: number, header: Uint8Array, body: Uint8Array): void {
    if (number === 0) {
      this.linesHeader = header;
      if (this.list instanceof FullList) this.list.begin(header);
    }
    this.waiting.set(number, body);
    for (let next = this.waiting.get(this.parted); next !== undefined; next = this.waiting.get(this.parted)) {
      this.waiting.delete(this.parted);
      this.parted += 1;
      this.list?.take(next);
    }
  }

  private sortedDays(): Day[] {
    const days = [...this.days.values()].filter(({ value }) => value !== "");
    return days.every(({ value }) => ISO_DAY.test(value)) ? days.sort((a, b) => (a.value < b.value ? -1 : 1)) : [];
  }

  /** Irregular rows, by their numbers in the file. */
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

  /** Tries again after limits and lost connections. */
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

/** Whether to try again. */
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

function fieldsFor(wanted: Wanted): readonly Field[] | undefined {
  return wanted === "clean" ? CLEAN_FIELDS : wanted === "all" ? FULL_FIELDS : undefined;
}

/** Browsers read no trailers, so the counts are a row. */
function queryOf({ opened, dns, wanted }: FileJob, day: string | undefined): URLSearchParams {
  const { layout } = opened;
  const query = new URLSearchParams({ dns: dns ? "on" : "off", summary: "row" });
  const fields = fieldsFor(wanted);
  if (fields !== undefined) query.set("fields", fields.join(","));
  if (day !== undefined) query.set("by", day);
  if (typeof wanted !== "string") query.set(wanted.but ? "reject" : "select", wanted.classes.join(","));
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
